// Values and shapes of operands that would lead a kernel out of its tensors are refused by name: kernels run while a
// file is opened, where their operands are constants.

#include "operators/kernels/kernel.h"

#include <QTest>

#include <cmath>
#include <functional>
#include <numeric>

using namespace stagecraft;

namespace {

using Dims = std::vector<std::int64_t>;

// The elements are 1, unless they are given.
std::optional<OperandFacts> reals(const Dims &dims, std::vector<float> values = {})
{
    const auto count = std::accumulate(dims.begin(), dims.end(), std::int64_t{1}, std::multiplies<>());
    if (values.empty())
        values.assign(static_cast<std::size_t>(count), 1.0F);
    const auto constant = std::make_shared<const Constant>(floatConstant(dims, std::move(values)));
    return OperandFacts{{}, Shape{dims}, DataType::Float32, constant, nullptr};
}

std::optional<OperandFacts> integers(std::vector<std::int64_t> values, DataType type = DataType::Int64)
{
    const Dims dims{static_cast<std::int64_t>(values.size())};
    Constant constant = intConstant(dims, std::move(values));
    constant.type = type;
    const auto held = std::make_shared<const Constant>(std::move(constant));
    return OperandFacts{{}, Shape{held->dims}, type, held, nullptr};
}

struct Node {
    std::string type;
    std::vector<NamedAttribute> attributes;
    std::vector<std::optional<OperandFacts>> operands;
    std::size_t outputs = 1;
};

Result<std::vector<Constant>> evaluated(const Node &node)
{
    NodeFacts facts;
    facts.type = node.type;
    facts.opset = 17;
    facts.attributes = node.attributes;
    facts.inputs = node.operands;
    facts.outputCount = node.outputs;
    return evaluate(facts);
}

} // namespace

Q_DECLARE_METATYPE(Node)

class TestKernelBounds : public QObject {
    Q_OBJECT

private slots:
    void evaluate_operandsBeyondBounds_refuses_data();
    void evaluate_operandsBeyondBounds_refuses();
    void roiAlign_emptyRegion_isZero();
    void quantizedConvolution_bias_isThatOfItsChannel();
};

void TestKernelBounds::evaluate_operandsBeyondBounds_refuses_data()
{
    QTest::addColumn<Node>("node");
    QTest::addColumn<QString>("message");
    const auto image = reals({1, 2, 4, 4});
    const std::vector<NamedAttribute> bins{{"output_height", std::int64_t{2}}, {"output_width", std::int64_t{2}}};
    QTest::newRow("RoiAlign, image above")
        << Node{"RoiAlign", bins, {image, reals({1, 4}), integers({1})}} << "is not in the batch of 1";
    QTest::newRow("RoiAlign, image below")
        << Node{"RoiAlign", bins, {image, reals({1, 4}), integers({-1})}} << "is not in the batch of 1";
    QTest::newRow("RoiAlign, fewer images than regions")
        << Node{"RoiAlign", bins, {image, reals({2, 4}), integers({0})}} << "batch_indices has 1 values";
    QTest::newRow("RoiAlign, three edges")
        << Node{"RoiAlign", bins, {image, reals({2, 3}), integers({0, 0})}} << "rois has 6 values, where it needs 8";
    QTest::newRow("RoiAlign, no number") << Node{"RoiAlign",
                                                 bins,
                                                 {image, reals({1, 4}, {0, 0, NAN, 1}), integers({0})}}
                                         << "edges that are no numbers";
    QTest::newRow("RoiAlign, absurdly large")
        << Node{"RoiAlign", bins, {image, reals({1, 4}, {0, 0, 1e6F, 1e6F}), integers({0})}} << "absurdly large";
    QTest::newRow("MaxRoiPool, image above")
        << Node{"MaxRoiPool", {{"pooled_shape", Dims{2, 2}}}, {image, reals({1, 5}, {1, 0, 0, 2, 2})}}
        << "is not in the batch of 1";
    const auto sequence = reals({3, 2, 4});
    const auto lstm = [&](const Dims &w, const Dims &r, const std::optional<OperandFacts> &lengths,
                          const std::optional<OperandFacts> &state) {
        return Node{
            "LSTM", {{"hidden_size", std::int64_t{5}}}, {sequence, reals(w), reals(r), std::nullopt, lengths, state}};
    };
    const Dims w{1, 20, 4};
    const Dims r{1, 20, 5};
    QTest::newRow("LSTM, W") << lstm({1, 16, 4}, r, std::nullopt, std::nullopt) << "W has 64 values, where it needs 80";
    QTest::newRow("LSTM, R") << lstm(w, {1, 16, 5}, std::nullopt, std::nullopt)
                             << "R has 80 values, where it needs 100";
    QTest::newRow("LSTM, too long") << lstm(w, r, integers({3, 4}, DataType::Int32), std::nullopt)
                                    << "sequence_lens is not between 0 and 3";
    QTest::newRow("LSTM, negative") << lstm(w, r, integers({3, -1}, DataType::Int32), std::nullopt)
                                    << "sequence_lens is not between 0 and 3";
    QTest::newRow("LSTM, one length") << lstm(w, r, integers({3}, DataType::Int32), std::nullopt)
                                      << "sequence_lens has 1 values, where it needs 2";
    QTest::newRow("LSTM, state") << lstm(w, r, std::nullopt, reals({1, 1, 5})) << "initial_h has 5 values";
    QTest::newRow("ReverseSequence, too long")
        << Node{"ReverseSequence", {}, {reals({3, 2}), integers({3, 4})}} << "sequence_lens is not between 0 and 3";
    QTest::newRow("Col2Im, no stride") << Node{"Col2Im",
                                               {{"strides", Dims{0, 1}}},
                                               {reals({1, 4, 4}), integers({3, 3}), integers({2, 2})}}
                                       << "not positive";
    QTest::newRow("InstanceNormalization, scale")
        << Node{"InstanceNormalization", {}, {reals({1, 3, 4}), reals({2}), reals({3})}}
        << "2 scales or biases for 3 channels";
    QTest::newRow("DequantizeLinear, zero points")
        << Node{"DequantizeLinear",
                {},
                {integers({1, 2, 3}, DataType::UInt8), reals({}, {0.5F}), integers({1, 2}, DataType::UInt8)}}
        << "zero_point has 2 values, where it needs 1";
    QTest::newRow("LRN, size") << Node{"LRN", {{"size", std::int64_t{0}}}, {reals({1, 3, 4})}} << "its size is 0";
    const auto deformable = [&](std::int64_t group, std::int64_t offsetGroup, const Dims &offsets) {
        return Node{"DeformConv",
                    {{"group", group}, {"offset_group", offsetGroup}},
                    {image, reals({2, 2, 3, 3}), reals(offsets)}};
    };
    QTest::newRow("DeformConv, group") << deformable(0, 1, {1, 18, 2, 2}) << "group";
    QTest::newRow("DeformConv, offset_group") << deformable(1, 9, {1, 18, 2, 2}) << "do not fall into its offset_group";
    QTest::newRow("DeformConv, offsets") << deformable(1, 1, {1, 2, 2, 2}) << "offset has 8 values, where it needs 72";
}

void TestKernelBounds::evaluate_operandsBeyondBounds_refuses()
{
    QFETCH(const Node, node);
    QFETCH(const QString, message);
    const auto made = evaluated(node);
    QVERIFY(!made);
    QVERIFY2(QString::fromStdString(made.error().message).contains(message), made.error().message.c_str());
}

// Detectors pad their lists with such regions. Source: ONNX Runtime, and ONNX's reference.
void TestKernelBounds::roiAlign_emptyRegion_isZero()
{
    for (const char *mode : {"avg", "max"}) {
        const auto made = evaluated({"RoiAlign",
                                     {{"output_height", std::int64_t{1}},
                                      {"output_width", std::int64_t{1}},
                                      {"mode", std::string(mode)},
                                      {"coordinate_transformation_mode", std::string("half_pixel")}},
                                     {reals({1, 1, 4, 4}), reals({1, 4}, {0, 0, 0, 0}), integers({0})}});
        QVERIFY2(made, made ? "" : made.error().message.c_str());
        QCOMPARE(*made->front().asFloats(), std::vector<float>{0});
    }
}

void TestKernelBounds::quantizedConvolution_bias_isThatOfItsChannel()
{
    Constant weights = intConstant({2, 1, 1, 1}, {1, 2});
    weights.type = DataType::Int8;
    Constant numbers = intConstant({1, 1, 1, 2}, {3, 4});
    numbers.type = DataType::UInt8;
    const auto operand = [](const Constant &constant) {
        return OperandFacts{
            {}, Shape{constant.dims}, constant.type, std::make_shared<const Constant>(constant), nullptr};
    };
    const auto one = reals({}, {1});
    const auto made = evaluated(
        {"QLinearConv",
         {},
         {operand(numbers), one, integers({0}, DataType::UInt8), operand(weights), one, integers({0}, DataType::Int8),
          one, integers({0}, DataType::UInt8), integers({10, 20}, DataType::Int32)}});
    QVERIFY2(made, made ? "" : made.error().message.c_str());
    QCOMPARE(made->front().asInts(), (Dims{13, 14, 26, 28}));
}

QTEST_APPLESS_MAIN(TestKernelBounds)
#include "tst_kernel_bounds.moc"
