// Sizes of inputs that are not the usual ones: images without a batch, and sizes that somebody chose.

#include "model/onnx_import.h"
#include "support/formed_units.h"
#include "support/onnx_nodes.h"
#include "support/suite.h"

#include <QTest>

#include <algorithm>
#include <functional>
#include <numeric>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_input_sizes {

namespace {

using Dims = std::vector<std::int64_t>;

void addWeight(onnx::GraphProto &graph, const std::string &name, const Dims &dims)
{
    const auto count = std::accumulate(dims.begin(), dims.end(), std::int64_t{1}, std::multiplies<>());
    addFloats(graph, name, dims, std::vector<float>(static_cast<std::size_t>(count), 0.125F));
}

// x, transposed by `order` if there is one, with sizes of one at `axes`, and a convolution of it.
onnx::ModelProto convolvedImage(const Dims &dims, const Dims &order, const Dims &axes, std::int64_t channels)
{
    onnx::ModelProto model;
    model.set_ir_version(8);
    model.add_opset_import()->set_version(17);
    onnx::GraphProto &graph = *model.mutable_graph();
    describe(*graph.add_input(), "x", onnx::TensorProto::FLOAT, dims);
    std::string image = "x";
    if (!order.empty()) {
        setIntegers(addNode(graph, "Transpose", {image}, {"turned"}), "perm", order);
        image = "turned";
    }
    if (!axes.empty()) {
        addIntegers(graph, "axes", axes);
        addNode(graph, "Unsqueeze", {image, "axes"}, {"image"});
        image = "image";
    }
    addWeight(graph, "w", {4, channels, 3, 3});
    addNode(graph, "Conv", {image, "w"}, {"convolved"});
    addNode(graph, "Relu", {"convolved"}, {"y"});
    graph.add_output()->set_name("y");
    return model;
}

Result<SourceGraph> read(const onnx::ModelProto &model, const OpenRequest &options)
{
    return importOnnxBytes(model.SerializeAsString(), "made", {}, options);
}

} // namespace

class TestInputSizes : public QObject {
    Q_OBJECT

private slots:
    void batch_ofAnInput_isThatOfItsImages_data();
    void batch_ofAnInput_isThatOfItsImages();
    void batch_ofOneImage_isRefused_data();
    void batch_ofOneImage_isRefused();
    void batch_openFirstSize_isABatch_data();
    void batch_openFirstSize_isABatch();
    void batch_weightsAsInputs_keepTheirSizes_data();
    void batch_weightsAsInputs_keepTheirSizes();
    void sizes_firstOneIsNoBatch_isNamed();
    void sizes_ofArrays_areTaken_data();
    void sizes_ofArrays_areTaken();
    void sizes_chosenThatDoNotFit_areNamed();
    void sizes_chosenForOneInput_countForItsNames();
};

void TestInputSizes::batch_ofAnInput_isThatOfItsImages_data()
{
    QTest::addColumn<QList<qint64>>("dims");
    QTest::addColumn<QList<qint64>>("order");
    QTest::addColumn<QList<qint64>>("axes");
    QTest::addColumn<int>("channels");
    QTest::addColumn<int>("batch");
    QTest::newRow("height, width, colours")
        << QList<qint64>{32, 40, 3} << QList<qint64>{2, 0, 1} << QList<qint64>{0} << 3 << 1;
    QTest::newRow("channels, height, width")
        << QList<qint64>{5, 32, 40} << QList<qint64>{} << QList<qint64>{0} << 5 << 1;
    QTest::newRow("height, width") << QList<qint64>{32, 40} << QList<qint64>{} << QList<qint64>{0, 1} << 1 << 1;
    QTest::newRow("a batch of grey images")
        << QList<qint64>{6, 32, 40} << QList<qint64>{} << QList<qint64>{1} << 1 << 6;
    QTest::newRow("a batch of images") << QList<qint64>{6, 32, 40, 3} << QList<qint64>{0, 3, 1, 2} << QList<qint64>{}
                                       << 3 << 6;
}

void TestInputSizes::batch_ofAnInput_isThatOfItsImages()
{
    QFETCH(const QList<qint64>, dims);
    QFETCH(const QList<qint64>, order);
    QFETCH(const QList<qint64>, axes);
    QFETCH(const int, channels);
    QFETCH(const int, batch);
    const auto source = read(
        convolvedImage({dims.begin(), dims.end()}, {order.begin(), order.end()}, {axes.begin(), axes.end()}, channels),
        {});
    QVERIFY2(source, source ? "" : source.error().message.c_str());
    QCOMPARE(source->graph.batch(), std::int64_t{batch});
    for (const Units units : {Units::Ios, Units::Tvm, Units::None}) {
        const auto formed = formedUnits(source->graph, source->keptApart, {.units = units, .without = {}});
        QVERIFY(formed);
        QCOMPARE(formed->batch(), std::int64_t{batch});
    }
}

void TestInputSizes::batch_ofOneImage_isRefused_data()
{
    QTest::addColumn<QList<qint64>>("dims");
    QTest::addColumn<QList<qint64>>("order");
    QTest::newRow("height, width, colours") << QList<qint64>{32, 40, 3} << QList<qint64>{2, 0, 1};
    QTest::newRow("colours, height, width") << QList<qint64>{3, 32, 40} << QList<qint64>{};
}

void TestInputSizes::batch_ofOneImage_isRefused()
{
    QFETCH(const QList<qint64>, dims);
    QFETCH(const QList<qint64>, order);
    const auto model = convolvedImage({dims.begin(), dims.end()}, {order.begin(), order.end()}, {0}, 3);
    QVERIFY(read(model, {.batch = 1}));
    const auto source = read(model, {.batch = 4});
    QVERIFY(!source);
    QVERIFY2(source.error().message.find("is that of one image, without a batch") != std::string::npos,
             source.error().message.c_str());
    QVERIFY(std::ranges::count(source.error().context, "input x") == 1);
}

namespace {

onnx::TensorShapeProto::Dimension &sizeOf(onnx::ModelProto &model, int input, int axis)
{
    return *model.mutable_graph()
                ->mutable_input(input)
                ->mutable_type()
                ->mutable_tensor_type()
                ->mutable_shape()
                ->mutable_dim(axis);
}

const Dims &dimsOf(const SourceGraph &source, std::size_t input)
{
    return source.graph.tensor(source.graph.inputs()[input]).shape.dims;
}

} // namespace

void TestInputSizes::batch_openFirstSize_isABatch_data()
{
    QTest::addColumn<int>("batch");
    for (const int batch : {2, 3, 4})
        QTest::addRow("%d", batch) << batch;
}

// Three rows are not the three colours of an image where the file leaves the first size open.
void TestInputSizes::batch_openFirstSize_isABatch()
{
    QFETCH(const int, batch);
    onnx::ModelProto model = convolvedImage({1, 32, 40}, {}, {1}, 1);
    sizeOf(model, 0, 0).set_dim_param("batch");
    const auto source = read(model, {.batch = batch});
    QVERIFY2(source, source ? "" : source.error().message.c_str());
    QCOMPARE(dimsOf(*source, 0), (Dims{batch, 32, 40}));
    QCOMPARE(source->graph.batch(), std::int64_t{batch});
    const auto chosen = read(model, {.reading = {.sizes = {{"x", {batch, 32, 40}}}}});
    QVERIFY2(chosen, chosen ? "" : chosen.error().message.c_str());
    QCOMPARE(chosen->graph.batch(), std::int64_t{batch});
}

void TestInputSizes::batch_weightsAsInputs_keepTheirSizes_data()
{
    QTest::addColumn<bool>("isOpen");
    QTest::newRow("the batch of x is open") << true;
    QTest::newRow("x is stated, too") << false;
}

void TestInputSizes::batch_weightsAsInputs_keepTheirSizes()
{
    QFETCH(const bool, isOpen);
    onnx::ModelProto model;
    model.set_ir_version(8);
    model.add_opset_import()->set_version(17);
    onnx::GraphProto &graph = *model.mutable_graph();
    describe(*graph.add_input(), "x", onnx::TensorProto::FLOAT, {1, 3, 5, 5});
    describe(*graph.add_input(), "w", onnx::TensorProto::FLOAT, {1, 3, 3, 3});
    if (isOpen)
        sizeOf(model, 0, 0).set_dim_param("N");
    addNode(graph, "Conv", {"x", "w"}, {"y"});
    graph.add_output()->set_name("y");
    const auto source = read(model, {.batch = 3});
    QVERIFY2(source, source ? "" : source.error().message.c_str());
    QCOMPARE(dimsOf(*source, 0), (Dims{3, 3, 5, 5}));
    QCOMPARE(dimsOf(*source, 1), (Dims{1, 3, 3, 3}));
    QCOMPARE(source->graph.tensor(source->graph.outputs().front()).shape.dims, (Dims{3, 1, 3, 3}));
}

void TestInputSizes::sizes_firstOneIsNoBatch_isNamed()
{
    onnx::ModelProto model = convolvedImage({1, 3}, {}, {0, 1}, 1);
    sizeOf(model, 0, 0).set_dim_param("T");
    const auto source = read(model, {});
    QVERIFY(!source);
    QCOMPARE(
        QString::fromStdString(source.error().remedy),
        QString("The file leaves open dimension 1 (T) of x, which is taken for the batch, as 1. If it is none, give "
                "its size: --shape x=?x3 with numbers for the question marks"));
    QVERIFY(read(model, {.reading = {.sizes = {{"x", {20, 3}}}}}));
}

void TestInputSizes::sizes_ofArrays_areTaken_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QList<qint64>>("array");
    QTest::addColumn<QList<qint64>>("sizes");
    QTest::newRow("by its name") << "x" << QList<qint64>{2, 3, 18, 19} << QList<qint64>{2, 3, 18, 19};
    QTest::newRow("the only one") << "" << QList<qint64>{2, 3, 18, 19} << QList<qint64>{2, 3, 18, 19};
    QTest::newRow("one that does not fit") << "x" << QList<qint64>{2, 4, 18, 19} << QList<qint64>{1, 3, 224, 224};
    QTest::newRow("of fewer axes") << "x" << QList<qint64>{3, 18, 19} << QList<qint64>{1, 3, 224, 224};
    QTest::newRow("of another") << "z" << QList<qint64>{2, 3, 18, 19} << QList<qint64>{1, 3, 224, 224};
}

void TestInputSizes::sizes_ofArrays_areTaken()
{
    QFETCH(const QString, name);
    QFETCH(const QList<qint64>, array);
    QFETCH(const QList<qint64>, sizes);
    onnx::ModelProto model = convolvedImage({1, 3, 16, 16}, {}, {}, 3);
    for (const int axis : {0, 2, 3})
        sizeOf(model, 0, axis).set_dim_param("size" + std::to_string(axis));
    const GivenInputs given{{name.toStdString(), {{array.begin(), array.end()}, nullptr}}};
    const auto source = read(model, {.given = given});
    QVERIFY2(source, source ? "" : source.error().message.c_str());
    QCOMPARE(dimsOf(*source, 0), (Dims{sizes.begin(), sizes.end()}));
}

void TestInputSizes::sizes_chosenThatDoNotFit_areNamed()
{
    onnx::ModelProto model = convolvedImage({1, 3, 16, 16}, {}, {}, 3);
    auto &shape = *model.mutable_graph()->mutable_input(0)->mutable_type()->mutable_tensor_type()->mutable_shape();
    shape.mutable_dim(2)->set_dim_param("height");
    shape.mutable_dim(3)->set_dim_param("width");
    addIntegers(*model.mutable_graph(), "rows", {1, -1});
    addNode(*model.mutable_graph(), "Reshape", {"y", "rows"}, {"row"});
    addWeight(*model.mutable_graph(), "matrix", {4 * 14 * 14, 2});
    addNode(*model.mutable_graph(), "MatMul", {"row", "matrix"}, {"product"});
    model.mutable_graph()->mutable_output(0)->set_name("product");
    QVERIFY(read(model, {.reading = {.sizes = {{"x", {1, 3, 16, 16}}}}}));
    const auto source = read(model, {.reading = {.sizes = {{"x", {1, 3, 20, 16}}}}});
    QVERIFY(!source);
    QCOMPARE(
        QString::fromStdString(source.error().remedy),
        QString("The sizes that were chosen for dimension 3 (height) and dimension 4 (width) of x do not fit. Give "
                "others: --shape x=1x3x?x? with numbers for the question marks"));
}

void TestInputSizes::sizes_chosenForOneInput_countForItsNames()
{
    onnx::ModelProto model;
    model.set_ir_version(8);
    model.add_opset_import()->set_version(17);
    onnx::GraphProto &graph = *model.mutable_graph();
    for (const char *name : {"a", "b"}) {
        auto &input = *graph.add_input();
        describe(input, name, onnx::TensorProto::FLOAT, {1, 3});
        input.mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim(0)->set_dim_param("rows");
    }
    addNode(graph, "Add", {"a", "b"}, {"y"});
    graph.add_output()->set_name("y");
    for (const char *chosen : {"a", "b"}) { // the first or the last input
        const auto source = read(model, {.reading = {.sizes = {{chosen, {4, 3}}}}});
        QVERIFY2(source, source ? "" : source.error().message.c_str());
        QCOMPARE(source->graph.tensor(source->graph.inputs().front()).shape.dims, (Dims{4, 3}));
    }
}

STAGECRAFT_SUITE(TestInputSizes)

} // namespace tst_input_sizes
#include "tst_input_sizes.moc"
