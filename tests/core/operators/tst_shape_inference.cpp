#include "operators/schema.h"
#include "support/graph_making.h"
#include "support/suite.h"

#include <QtTest>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_shape_inference {

class TestShapeInference : public QObject {
    Q_OBJECT

private slots:
    void inferShape_conv_data();
    void inferShape_conv();
    void inferShape_pool_data();
    void inferShape_pool();
    void inferShape_wrongWeights_refuses();
    void inferShape_groupsThatDoNotDivide_refuses();
    void inferShape_absurdSize_refuses();
    void inferShape_concatOfOtherHeight_refuses();
    void inferShape_unknownInput_isUnknown();
    void inferShape_kindWithoutRule_refuses();
    void inferShape_rotary_data();
    void inferShape_rotary();
};

void TestShapeInference::inferShape_conv_data()
{
    QTest::addColumn<int>("size");
    QTest::addColumn<int>("kernel");
    QTest::addColumn<int>("stride");
    QTest::addColumn<int>("dilation");
    QTest::addColumn<int>("padding");
    QTest::addColumn<int>("expected"); // 0: refused
    QTest::newRow("same") << 14 << 3 << 1 << 1 << 1 << 14;
    QTest::newRow("stem of Inception V3") << 299 << 3 << 2 << 1 << 0 << 149;
    QTest::newRow("dilated") << 14 << 3 << 1 << 2 << 2 << 14;
    QTest::newRow("exact fit") << 7 << 7 << 1 << 1 << 0 << 1;
    QTest::newRow("window too large") << 4 << 7 << 1 << 1 << 1 << 0;
    QTest::newRow("stride of zero") << 14 << 3 << 0 << 1 << 1 << 0;
    QTest::newRow("negative padding") << 14 << 3 << 1 << 1 << -1 << 0;
}

void TestShapeInference::inferShape_conv()
{
    QFETCH(const int, size);
    QFETCH(const int, kernel);
    QFETCH(const int, stride);
    QFETCH(const int, dilation);
    QFETCH(const int, padding);
    QFETCH(const int, expected);
    Operator op = conv("c", {{TensorId{0}}}, 5, kernel, stride);
    auto &attributes = std::get<ConvAttributes>(op.attributes);
    attributes.window.dilation = {dilation, dilation};
    attributes.window.padding = {padding, padding, padding, padding};
    const Shape input{{2, 3, size, size}};
    const auto shape = inferShape(op, {&input, 1});
    QCOMPARE(shape.has_value(), expected > 0);
    if (shape)
        QVERIFY(*shape == (Shape{{2, 5, expected, expected}}));
}

void TestShapeInference::inferShape_pool_data()
{
    QTest::addColumn<int>("size");
    QTest::addColumn<bool>("ceilMode");
    QTest::addColumn<int>("padding");
    QTest::addColumn<int>("expected");
    QTest::newRow("floor") << 112 << false << 0 << 55;
    QTest::newRow("ceil") << 112 << true << 0 << 56;
    QTest::newRow("ceil, last window in the padding only") << 3 << true << 1 << 2;
}

void TestShapeInference::inferShape_pool()
{
    QFETCH(const int, size);
    QFETCH(const bool, ceilMode);
    QFETCH(const int, padding);
    QFETCH(const int, expected);
    Operator op;
    op.kind = OperatorKind::Pool;
    PoolAttributes pool;
    pool.ceilMode = ceilMode;
    pool.window = {{3, 3}, {2, 2}, {1, 1}, {padding, padding, padding, padding}};
    op.attributes = pool;
    op.inputs = {{TensorId{0}}};
    const Shape input{{1, 3, size, size}};
    QVERIFY(inferShape(op, {&input, 1}).value() == (Shape{{1, 3, expected, expected}}));
}

void TestShapeInference::inferShape_wrongWeights_refuses()
{
    Operator op = conv("c", {{TensorId{0}}}, 5);
    op.parameters.push_back({"weight", "w", {{5, 4, 1, 1}}, DataType::Float32, nullptr});
    const Shape input{{1, 3, 8, 8}};
    const auto shape = inferShape(op, {&input, 1});
    QVERIFY(!shape);
    QVERIFY(shape.error().message.find("for 4 input channels, but its input has 3") != std::string::npos);
}

void TestShapeInference::inferShape_groupsThatDoNotDivide_refuses()
{
    Operator op = conv("c", {{TensorId{0}}}, 6);
    std::get<ConvAttributes>(op.attributes).groups = 2;
    const Shape input{{1, 3, 8, 8}};
    const auto shape = inferShape(op, {&input, 1});
    QVERIFY(!shape);
    QVERIFY(shape.error().message.find("do not divide") != std::string::npos);
}

void TestShapeInference::inferShape_absurdSize_refuses()
{
    const Operator op = conv("c", {{TensorId{0}}}, std::int64_t{1} << 40);
    const Shape input{{1, 3, 100'000, 100'000}};
    const auto shape = inferShape(op, {&input, 1});
    QVERIFY(!shape);
    QVERIFY(shape.error().message.find("absurdly large") != std::string::npos);
}

void TestShapeInference::inferShape_concatOfOtherHeight_refuses()
{
    const Operator op = join("j", {{TensorId{0}}, {TensorId{1}}});
    const std::array shapes{Shape{{1, 3, 8, 8}}, Shape{{1, 3, 9, 8}}};
    const auto shape = inferShape(op, shapes);
    QVERIFY(!shape);
    QVERIFY(shape.error().message.find("do not fit") != std::string::npos);
}

void TestShapeInference::inferShape_unknownInput_isUnknown()
{
    const Operator op = conv("c", {{TensorId{0}}}, 5);
    const Shape input{{}, false};
    const auto shape = inferShape(op, {&input, 1});
    QVERIFY(shape.has_value());
    QVERIFY(!shape->known);
}

void TestShapeInference::inferShape_kindWithoutRule_refuses()
{
    Operator op;
    op.kind = OperatorKind::Unknown;
    op.type = "Mystery";
    op.inputs = {{TensorId{0}}};
    const Shape input{{1, 3, 8, 8}};
    const auto shape = inferShape(op, {&input, 1});
    QVERIFY(!shape);
    QVERIFY(shape.error().message.find("no shape rule for Mystery") != std::string::npos);
}

void TestShapeInference::inferShape_rotary_data()
{
    using Dims = QList<qint64>;
    QTest::addColumn<QList<Dims>>("operands"); // input, cosines and sines, positions
    QTest::addColumn<int>("heads");
    QTest::addColumn<int>("turned");
    QTest::addColumn<QString>("error"); // empty: it fits
    QTest::newRow("angles for each place") << QList<Dims>{{2, 4, 3, 8}, {2, 3, 4}} << 0 << 0 << "";
    QTest::newRow("angles of a table") << QList<Dims>{{2, 3, 32}, {50, 4}, {2, 3}} << 4 << 0 << "";
    QTest::newRow("a part of a head") << QList<Dims>{{2, 4, 3, 8}, {2, 3, 1}} << 0 << 2 << "";
    QTest::newRow("no embedding") << QList<Dims>{{2, 8}, {2, 3, 4}} << 0 << 0
                                  << "it needs an embedding of three or four dimensions";
    QTest::newRow("heads not given") << QList<Dims>{{2, 3, 32}, {2, 3, 4}} << 0 << 0
                                     << "its input does not fall into its heads";
    QTest::newRow("half a pair") << QList<Dims>{{2, 4, 3, 8}, {2, 3, 4}} << 0 << 3
                                 << "what it turns are not pairs of values of a head";
    QTest::newRow("no angles") << QList<Dims>{{2, 4, 3, 8}} << 0 << 0 << "it has no cosines and sines";
    QTest::newRow("angles of more pairs")
        << QList<Dims>{{2, 4, 3, 8}, {2, 3, 5}} << 0 << 0 << "its cosines, sines or positions do not fit its input";
    QTest::newRow("positions of fewer places") << QList<Dims>{{2, 4, 3, 8}, {50, 4}, {2, 2}} << 0 << 0
                                               << "its cosines, sines or positions do not fit its input";
}

void TestShapeInference::inferShape_rotary()
{
    QFETCH(const QList<QList<qint64>>, operands);
    QFETCH(const int, heads);
    QFETCH(const int, turned);
    QFETCH(const QString, error);
    NodeFacts node;
    node.type = "RotaryEmbedding";
    node.attributes = {{"num_heads", std::int64_t{heads}}, {"rotary_embedding_dim", std::int64_t{turned}}};
    for (const QList<qint64> &dims : operands) {
        const OperandFacts operand{{}, Shape{{dims.begin(), dims.end()}}, DataType::Float32, nullptr};
        node.inputs.insert(node.inputs.end(), node.inputs.size() == 1 ? 2 : 1, operand);
    }
    const auto shapes = inferShapes(node);
    QCOMPARE(shapes ? QString() : QString::fromStdString(shapes.error().message), error);
    if (shapes)
        QVERIFY((**shapes)[0] == node.inputs[0]->shape);
}

STAGECRAFT_SUITE(TestShapeInference)

} // namespace tst_shape_inference
#include "tst_shape_inference.moc"
