// Sizes that values decide while a graph runs: the graph has the largest, the cpu device computes with the actual ones.

#include "device/cpu/cpu_device.h"
#include "device/cpu/refusal.h"
#include "device/executing/session_steps.h"
#include "model/onnx_import.h"
#include "search/stages/search.h"
#include "support/device_networks.h"
#include "support/onnx_nodes.h"
#include "support/suite.h"

#include <QTest>

#include <cstring>

using namespace stagecraft;

namespace tst_varying_sizes {

namespace {

using T = onnx::TensorProto;
using Dims = std::vector<std::int64_t>;

class File {
public:
    File()
    {
        m_model.set_ir_version(8);
        m_model.add_opset_import()->set_version(16);
        graph().set_name("made");
    }

    void input(const std::string &name, const Dims &dims)
    {
        test::describe(*graph().add_input(), name, T::FLOAT, dims);
    }

    void integers(const std::string &name, const Dims &values, bool isScalar = false)
    {
        auto &tensor = *graph().add_initializer();
        tensor.set_name(name);
        tensor.set_data_type(T::INT64);
        if (!isScalar)
            tensor.add_dims(static_cast<std::int64_t>(values.size()));
        tensor.mutable_int64_data()->Add(values.begin(), values.end());
    }

    void real(const std::string &name, float value)
    {
        auto &tensor = *graph().add_initializer();
        tensor.set_name(name);
        tensor.set_data_type(T::FLOAT);
        tensor.add_float_data(value);
    }

    onnx::NodeProto &node(const std::string &type, const std::vector<std::string> &reads,
                          const std::vector<std::string> &makes)
    {
        return test::addNode(graph(), type, reads, makes);
    }

    static void set(onnx::NodeProto &node, const std::string &name, std::int64_t value)
    {
        auto &attribute = *node.add_attribute();
        attribute.set_name(name);
        attribute.set_type(onnx::AttributeProto::INT);
        attribute.set_i(value);
    }

    // The places of the elements of `x` (8 numbers) above 0, as `kept`, and their number, as `count`.
    void keepPositive()
    {
        input("x", {8});
        real("nothing", 0);
        integers("first", {0}, true);
        integers("one", {1});
        integers("open", {-1});
        integers("zero", {0});
        node("Greater", {"x", "nothing"}, {"is_kept"});
        node("NonZero", {"is_kept"}, {"places"});
        node("Reshape", {"places", "open"}, {"kept"});
        node("Shape", {"kept"}, {"count"});
    }

    [[nodiscard]] std::shared_ptr<const Graph> opened(const std::vector<std::string> &outputs)
    {
        for (const std::string &output : outputs)
            graph().add_output()->set_name(output);
        auto source = importOnnxBytes(m_model.SerializeAsString(), "made", {});
        if (!source)
            qFatal("%s", source.error().message.c_str());
        return std::make_shared<const Graph>(std::move(source->graph));
    }

private:
    onnx::GraphProto &graph() { return *m_model.mutable_graph(); }

    onnx::ModelProto m_model;
};

Result<std::vector<HostTensor>> run(const std::shared_ptr<const Graph> &graph, std::vector<HostTensor> inputs)
{
    TRY_AS(auto session, makeCpuDevice()->open(graph));
    return runOn(*session, sequentialSchedule(*graph, test::oneBlock(*graph)), std::move(inputs), {});
}

std::vector<std::int64_t> wholeNumbers(const HostTensor &tensor)
{
    std::vector<std::int64_t> values(tensor.bytes.size() / sizeof(std::int64_t));
    if (!values.empty())
        std::memcpy(values.data(), tensor.bytes.data(), tensor.bytes.size());
    return values;
}

const std::vector<float> kNumbers{-1, 5, 2, -3, 9, 0, 4, 1}; // five are above 0

} // namespace

class TestVaryingSizes : public QObject {
    Q_OBJECT

private slots:
    void topK_ofAsManyAsThereAre_takesThose_data();
    void topK_ofAsManyAsThereAre_takesThose();
    void reshape_toComputedSizes_isAsLargeAsItsInput();
    void slice_toAComputedEnd_takesSoMany();
    void expandAndRange_ofComputedSizes_areSoLarge();
    void expand_toAChoiceOfSizes_isAsLargeAsEither();
    void regions_asManyAsThereAre_areAligned();
    void sizes_thatFollowFromValues_areNotKnown();
};

void TestVaryingSizes::topK_ofAsManyAsThereAre_takesThose_data()
{
    QTest::addColumn<QList<float>>("x");
    QTest::addColumn<QList<float>>("expected");
    QTest::newRow("more than wanted") << QList<float>(kNumbers.begin(), kNumbers.end()) << QList<float>{9, 5, 4};
    QTest::newRow("fewer") << QList<float>{-1, -5, 2, -3, -9, 0, 4, -1} << QList<float>{4, 2};
    QTest::newRow("none") << QList<float>{-1, -5, -2, -3, -9, 0, -4, -1} << QList<float>{};
}

// As detectors choose their candidates.
void TestVaryingSizes::topK_ofAsManyAsThereAre_takesThose()
{
    QFETCH(const QList<float>, x);
    QFETCH(const QList<float>, expected);
    File file;
    file.keepPositive();
    file.integers("most", {3});
    file.node("Gather", {"x", "kept"}, {"scores"});
    File::set(file.node("Concat", {"most", "count"}, {"both"}), "axis", 0);
    File::set(file.node("ReduceMin", {"both"}, {"k"}), "keepdims", 1);
    file.node("TopK", {"scores", "k"}, {"best", "where"});
    file.node("Gather", {"kept", "where"}, {"place"});
    const auto graph = file.opened({"best", "place"});
    const Shape largest = graph->tensor(graph->outputs()[0]).shape;
    QCOMPARE(largest.dims, Dims{3});
    QVERIFY(largest.atMost);
    for (const Operator &op : graph->operators())
        QCOMPARE(cpu::refusalOf(*graph, op), std::string());
    const auto outputs = run(graph, {{"x", Shape{{8}}, {x.begin(), x.end()}}});
    QVERIFY2(outputs, outputs ? "" : outputs.error().message.c_str());
    QCOMPARE((*outputs)[0].values, std::vector<float>(expected.begin(), expected.end()));
    QCOMPARE((*outputs)[0].shape.dims, (Dims{expected.size()}));
    const auto places = wholeNumbers((*outputs)[1]);
    for (std::size_t i = 0; i < places.size(); ++i)
        QCOMPARE(x[places[i]], expected[static_cast<qsizetype>(i)]);
}

void TestVaryingSizes::reshape_toComputedSizes_isAsLargeAsItsInput()
{
    File file;
    file.keepPositive();
    file.input("boxes", {8, 4});
    file.integers("two", {2});
    file.integers("half", {2});
    file.node("Gather", {"boxes", "kept"}, {"rows"});
    File::set(file.node("Concat", {"count", "two", "half"}, {"target"}), "axis", 0);
    file.node("Reshape", {"rows", "target"}, {"corners"});
    const auto graph = file.opened({"corners"});
    QCOMPARE(graph->tensor(graph->outputs()[0]).shape.dims, (Dims{8, 2, 2}));
    std::vector<float> boxes(32);
    for (std::size_t i = 0; i < boxes.size(); ++i)
        boxes[i] = static_cast<float>(i);
    const auto outputs = run(graph, {{"x", Shape{{8}}, kNumbers}, {"boxes", Shape{{8, 4}}, boxes}});
    QVERIFY2(outputs, outputs ? "" : outputs.error().message.c_str());
    QCOMPARE(outputs->front().shape.dims, (Dims{5, 2, 2}));
    QCOMPARE(std::vector<float>(outputs->front().values.begin(), outputs->front().values.begin() + 4),
             (std::vector<float>{4, 5, 6, 7}));
}

void TestVaryingSizes::slice_toAComputedEnd_takesSoMany()
{
    File file;
    file.keepPositive();
    file.node("Slice", {"x", "zero", "count"}, {"begin"}); // the first five
    file.node("Slice", {"x", "count", "open"}, {"end"});   // the others but the last
    const auto graph = file.opened({"begin", "end"});
    QCOMPARE(graph->tensor(graph->outputs()[0]).shape.dims, Dims{8});
    const auto outputs = run(graph, {{"x", Shape{{8}}, kNumbers}});
    QVERIFY2(outputs, outputs ? "" : outputs.error().message.c_str());
    QCOMPARE((*outputs)[0].values, (std::vector<float>{-1, 5, 2, -3, 9}));
    QCOMPARE((*outputs)[1].values, (std::vector<float>{0, 4}));
}

void TestVaryingSizes::expandAndRange_ofComputedSizes_areSoLarge()
{
    File file;
    file.keepPositive();
    file.integers("first_one", {1}, true);
    file.integers("axis", {0});
    file.node("Squeeze", {"count", "axis"}, {"limit"});
    file.node("Range", {"first", "limit", "first_one"}, {"numbers"});
    File::set(file.node("Concat", {"count", "one"}, {"column"}), "axis", 0);
    file.node("ConstantOfShape", {"column"}, {"zeros"});
    file.node("Expand", {"nothing", "column"}, {"nothings"});
    file.node("Add", {"zeros", "nothings"}, {"sum"});
    const auto graph = file.opened({"numbers", "sum"});
    const auto outputs = run(graph, {{"x", Shape{{8}}, kNumbers}});
    QVERIFY2(outputs, outputs ? "" : outputs.error().message.c_str());
    QCOMPARE(wholeNumbers((*outputs)[0]), (Dims{0, 1, 2, 3, 4}));
    QCOMPARE((*outputs)[1].shape.dims, (Dims{5, 1}));
    QCOMPARE((*outputs)[1].values, std::vector<float>(5));
}

// As exporters write an expansion in which -1 keeps a size; the sizes pass a conversion to their own type.
void TestVaryingSizes::expand_toAChoiceOfSizes_isAsLargeAsEither()
{
    File file;
    file.keepPositive();
    File::set(file.node("Concat", {"count", "one"}, {"column"}), "axis", 0);
    File::set(file.node("Cast", {"column"}, {"sizes"}), "to", T::INT64);
    file.integers("ones", {1, 2});
    file.node("Equal", {"sizes", "open"}, {"is_open"});
    file.node("Where", {"is_open", "ones", "sizes"}, {"target"});
    file.node("Expand", {"nothing", "target"}, {"y"});
    const auto graph = file.opened({"y"});
    const Shape largest = graph->tensor(graph->outputs()[0]).shape;
    QCOMPARE(largest.dims, (Dims{8, 2}));
    QVERIFY(largest.atMost);
    const auto outputs = run(graph, {{"x", Shape{{8}}, kNumbers}});
    QVERIFY2(outputs, outputs ? "" : outputs.error().message.c_str());
    QCOMPARE((*outputs)[0].shape.dims, (Dims{5, 1}));
}

void TestVaryingSizes::regions_asManyAsThereAre_areAligned()
{
    File file;
    file.keepPositive();
    file.input("image", {1, 1, 8, 8});
    file.input("boxes", {8, 4});
    file.node("Gather", {"boxes", "kept"}, {"rois"});
    file.integers("unit", {0});
    file.node("Expand", {"unit", "count"}, {"images"});
    auto &aligned = file.node("RoiAlign", {"image", "rois", "images"}, {"y"});
    File::set(aligned, "output_height", 2);
    File::set(aligned, "output_width", 2);
    const auto graph = file.opened({"y"});
    const std::vector<float> boxes{0, 0, 4, 4, 0, 0, 8, 8, 2, 2, 6, 6, 0, 0, 4, 4,
                                   0, 0, 2, 2, 4, 4, 8, 8, 0, 0, 4, 4, 1, 1, 5, 5};
    const auto outputs = run(graph, {{"x", Shape{{8}}, kNumbers},
                                     {"image", Shape{{1, 1, 8, 8}}, std::vector<float>(64, 3)},
                                     {"boxes", Shape{{8, 4}}, boxes}});
    QVERIFY2(outputs, outputs ? "" : outputs.error().message.c_str());
    QCOMPARE(outputs->front().shape.dims, (Dims{5, 1, 2, 2}));
    QCOMPARE(outputs->front().values, std::vector<float>(20, 3));
}

// Nothing bounds them: they are refused by name, as before.
void TestVaryingSizes::sizes_thatFollowFromValues_areNotKnown()
{
    File file;
    file.input("x", {2});
    File::set(file.node("Cast", {"x"}, {"sizes"}), "to", T::INT64);
    file.real("value", 1);
    file.node("Expand", {"value", "sizes"}, {"y"});
    const auto graph = file.opened({"y"});
    QVERIFY(!graph->tensor(graph->outputs()[0]).shape.known);
    const auto outputs = run(graph, {{"x", Shape{{2}}, {2, 3}}});
    QVERIFY(!outputs);
    QCOMPARE(outputs.error().message, std::string("the shape of tensor y is not known"));
}

STAGECRAFT_SUITE(TestVaryingSizes)

} // namespace tst_varying_sizes
#include "tst_varying_sizes.moc"
