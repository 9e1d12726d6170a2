// Values and shapes of operands that would lead a kernel out of its tensors are refused by name: kernels run while a
// file is opened, where their operands are constants.

#include "operators/folding/fold.h"
#include "operators/kernels/kernel.h"
#include "support/suite.h"

#include <QTest>

#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <tuple>

using namespace stagecraft;

namespace tst_kernel_bounds {

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

std::optional<OperandFacts> byteImage(const Dims &dims)
{
    const auto count = std::accumulate(dims.begin(), dims.end(), std::int64_t{1}, std::multiplies<>());
    Constant constant = intConstant(dims, Dims(static_cast<std::size_t>(count), 1));
    constant.type = DataType::UInt8;
    return OperandFacts{
        {}, Shape{dims}, DataType::UInt8, std::make_shared<const Constant>(std::move(constant)), nullptr};
}

struct Node {
    std::string type;
    std::vector<NamedAttribute> attributes;
    std::vector<std::optional<OperandFacts>> operands;
    std::size_t outputs = 1;
};

NodeFacts factsOf(const Node &node)
{
    NodeFacts facts;
    facts.type = node.type;
    facts.opset = 17;
    facts.attributes = node.attributes;
    facts.inputs = node.operands;
    facts.outputCount = node.outputs;
    return facts;
}

Result<std::vector<Constant>> evaluated(const Node &node)
{
    return evaluate(factsOf(node));
}

} // namespace

class TestKernelBounds : public QObject {
    Q_OBJECT

private slots:
    void evaluate_operandsBeyondBounds_refuses_data();
    void evaluate_operandsBeyondBounds_refuses();
    void foldEffort_workOfAttributes_isCounted_data();
    void foldEffort_workOfAttributes_isCounted();
    void evaluate_manyTimesNothing_takesNoTime_data();
    void evaluate_manyTimesNothing_takesNoTime();
    void roiAlign_emptyRegion_isZero();
    void roiAlign_samplesBeyondImage_countAsZero();
    void roiAlign_imageWithoutPixels_isZero();
    void quantizedConvolution_bias_isThatOfItsChannel();
    void batchNorm_statisticsByElement_areUsed();
    void bitwise_anyBits_areCombined_data();
    void bitwise_anyBits_areCombined();
    void clip_upperBoundOfIntegers_isUsedAlone();
    void layerNorm_scaleOfMoreAxes_isOfItsRow_data();
    void layerNorm_scaleOfMoreAxes_isOfItsRow();
};

void TestKernelBounds::evaluate_operandsBeyondBounds_refuses_data()
{
    QTest::addColumn<Node>("node");
    QTest::addColumn<QString>("message");
    const auto image = reals({1, 2, 4, 4});
    const std::vector<NamedAttribute> bins{{"output_height", std::int64_t{2}}, {"output_width", std::int64_t{2}}};
    QTest::newRow("RoiAlign, image above")
        << Node{"RoiAlign", bins, {image, reals({1, 4}), integers({1})}} << "is not in the batch of 1";
    QTest::newRow("RoiAlign, image below") << Node{"RoiAlign", bins, {image, reals({1, 4}), integers({-1})}}
                                           << "region 0 is of image -1, which is not in the batch of 1";
    QTest::newRow("RoiAlign, fewer images than regions")
        << Node{"RoiAlign", bins, {image, reals({2, 4}), integers({0})}} << "batch_indices has 1 values";
    QTest::newRow("RoiAlign, three edges")
        << Node{"RoiAlign", bins, {image, reals({2, 3}), integers({0, 0})}} << "rois has 6 values, where it needs 8";
    QTest::newRow("RoiAlign, no number") << Node{"RoiAlign",
                                                 bins,
                                                 {image, reals({1, 4}, {0, 0, NAN, 1}), integers({0})}}
                                         << "rois has edges that are no numbers";
    QTest::newRow("RoiAlign, absurdly large")
        << Node{"RoiAlign", bins, {image, reals({1, 4}, {0, 0, 1e6F, 1e6F}), integers({0})}} << "absurdly large";
    QTest::newRow("MaxRoiPool, image above")
        << Node{"MaxRoiPool", {{"pooled_shape", Dims{2, 2}}}, {image, reals({1, 5}, {1, 0, 0, 2, 2})}}
        << "is not in the batch of 1";
    QTest::newRow("MaxRoiPool, no number")
        << Node{"MaxRoiPool", {{"pooled_shape", Dims{2, 2}}}, {image, reals({1, 5}, {0, 0, INFINITY, 2, 2})}}
        << "rois has edges that are no numbers";
    QTest::newRow("MaxRoiPool, scale is no number") << Node{"MaxRoiPool",
                                                            {{"pooled_shape", Dims{2, 2}}, {"spatial_scale", INFINITY}},
                                                            {image, reals({1, 5}, {0, 0, 0, 2, 2})}}
                                                    << "rois has edges that are no numbers";
    QTest::newRow("MaxRoiPool, four columns")
        << Node{"MaxRoiPool", {{"pooled_shape", Dims{2, 2}}}, {image, reals({1, 4})}}
        << "rois has 4 values, where it needs 5";
    QTest::newRow("RoiAlign, absurd sampling_ratio")
        << Node{"RoiAlign", {{"sampling_ratio", std::int64_t{1} << 40}}, {image, reals({1, 4}), integers({0})}}
        << "absurdly large";
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
    QTest::newRow("LSTM, hidden_size") << Node{"LSTM",
                                               {{"hidden_size", std::int64_t{2}}},
                                               {sequence, reals(w), reals(r)}}
                                       << "R is for states of 5 values, but its hidden_size is 2";
    QTest::newRow("LSTM, B") << Node{"LSTM", {}, {sequence, reals(w), reals(r), reals({1, 20})}}
                             << "B has 20 values, where it needs 40";
    QTest::newRow("LSTM, cells")
        << Node{"LSTM", {}, {sequence, reals(w), reals(r), std::nullopt, std::nullopt, std::nullopt, reals({1, 1, 5})}}
        << "initial_c has 5 values, where it needs 10";
    QTest::newRow("LSTM, P") << Node{"LSTM",
                                     {},
                                     {sequence, reals(w), reals(r), std::nullopt, std::nullopt, std::nullopt,
                                      std::nullopt, reals({1, 5})}}
                             << "P has 5 values, where it needs 15";
    QTest::newRow("LSTM, two activations")
        << Node{"LSTM", {{"activations", std::vector<std::string>{"Sigmoid", "Tanh"}}}, {sequence, reals(w), reals(r)}}
        << "it has 2 activations, where it needs 3";
    QTest::newRow("LSTM, clip") << Node{"LSTM", {{"clip", -1.0F}}, {sequence, reals(w), reals(r)}}
                                << "its clip is negative";
    QTest::newRow("GRU, R") << Node{"GRU", {}, {sequence, reals({1, 15, 4}), reals({1, 12, 5})}}
                            << "R has 60 values, where it needs 75";
    QTest::newRow("RNN, too long") << Node{"RNN",
                                           {},
                                           {sequence, reals({1, 5, 4}), reals({1, 5, 5}), std::nullopt,
                                            integers({4, 3}, DataType::Int32)}}
                                   << "sequence_lens is not between 0 and 3";
    QTest::newRow("ReverseSequence, one length") << Node{"ReverseSequence", {}, {reals({3, 2}), integers({3})}}
                                                 << "sequence_lens has 1 values, where it needs 2";
    QTest::newRow("ReverseSequence, axes")
        << Node{"ReverseSequence", {{"batch_axis", std::int64_t{2}}}, {reals({3, 2}), integers({3, 3})}}
        << "batch_axis and time_axis";
    QTest::newRow("ReverseSequence, one axis")
        << Node{"ReverseSequence", {{"batch_axis", std::int64_t{-2}}}, {reals({3, 2}), integers({3, 3, 3})}}
        << "batch_axis and time_axis";
    QTest::newRow("ReverseSequence, too long")
        << Node{"ReverseSequence", {}, {reals({3, 2}), integers({3, 4})}} << "sequence_lens is not between 0 and 3";
    QTest::newRow("Col2Im, no stride") << Node{"Col2Im",
                                               {{"strides", Dims{0, 1}}},
                                               {reals({1, 4, 4}), integers({3, 3}), integers({2, 2})}}
                                       << "not positive";
    QTest::newRow("Col2Im, pads") << Node{"Col2Im",
                                          {{"pads", Dims{std::numeric_limits<std::int64_t>::max(), 0, 1, 0}}},
                                          {reals({1, 4, 4}), integers({3, 3}), integers({2, 2})}}
                                  << "absurd";
    QTest::newRow("Col2Im, dimensions") << Node{"Col2Im", {}, {reals({1, 4, 4}), integers({3, 3, 3}), integers({2, 2})}}
                                        << "image_shape and block_shape have different numbers of dimensions";
    QTest::newRow("Concat, operand left out")
        << Node{"Concat", {{"axis", std::int64_t{0}}}, {reals({2}), std::nullopt}} << "is left out";
    QTest::newRow("BatchNormalization, mean")
        << Node{"BatchNormalization", {}, {reals({1, 3, 4}), reals({3}), reals({3}), reals({2}), reals({3})}}
        << "input_mean has 2 values, where it needs 3";
    QTest::newRow("LpNormalization, axis")
        << Node{"LpNormalization", {{"axis", std::int64_t{3}}}, {reals({1, 3})}} << "axis is out of range";
    QTest::newRow("InstanceNormalization, scale")
        << Node{"InstanceNormalization", {}, {reals({1, 3, 4}), reals({2}), reals({3})}}
        << "2 scales or biases for 3 channels";
    QTest::newRow("DequantizeLinear, zero points")
        << Node{"DequantizeLinear",
                {},
                {integers({1, 2, 3}, DataType::UInt8), reals({}, {0.5F}), integers({1, 2}, DataType::UInt8)}}
        << "zero_point has 2 values, where it needs 1";
    const std::vector<NamedAttribute> blocks{{"axis", std::int64_t{0}}, {"block_size", std::int64_t{2}}};
    const auto bytes = integers({1, 2, 3, 4}, DataType::UInt8);
    QTest::newRow("DequantizeLinear, blocks")
        << Node{"DequantizeLinear", blocks, {bytes, reals({3})}} << "scale does not fit";
    QTest::newRow("DequantizeLinear, dimensions of blocks")
        << Node{"DequantizeLinear", blocks, {bytes, reals({1, 2})}} << "scale does not fit";
    QTest::newRow("QuantizeLinear, zero points")
        << Node{"QuantizeLinear", {{"axis", std::int64_t{0}}}, {reals({3}), reals({3}), integers({1}, DataType::UInt8)}}
        << "zero_point has 1 values, where it needs 3";
    const auto zero = integers({0}, DataType::UInt8);
    const auto one = reals({}, {1.0F});
    const Constant none = floatConstant({0}, {});
    const std::optional<OperandFacts> empty =
        OperandFacts{{}, Shape{none.dims}, DataType::Float32, std::make_shared<const Constant>(none), nullptr};
    QTest::newRow("QLinearAdd, no scale")
        << Node{"com.microsoft::QLinearAdd", {}, {bytes, empty, zero, bytes, one, zero, one, zero}}
        << "A_scale has 0 values, where it needs 1";
    QTest::newRow("QLinearSigmoid, no scale")
        << Node{"com.microsoft::QLinearSigmoid", {}, {bytes, one, zero, empty, zero}}
        << "Y_scale has 0 values, where it needs 1";
    QTest::newRow("QLinearMatMul, no scale")
        << Node{"QLinearMatMul", {}, {bytes, one, zero, bytes, one, zero, empty, zero}}
        << "y_scale has 0 values, where it needs 1";
    QTest::newRow("ConvInteger, group") << Node{"ConvInteger",
                                                {{"group", std::int64_t{0}}},
                                                {byteImage({1, 1, 1, 2}), byteImage({1, 1, 1, 1})}}
                                        << "do not fall into its groups";
    QTest::newRow("Conv, bias") << Node{"Conv", {}, {image, reals({3, 2, 1, 1}), reals({2})}}
                                << "B has 2 values, where it needs 3";
    QTest::newRow("Conv, groups") << Node{"Conv", {{"group", std::int64_t{2}}}, {image, reals({3, 1, 1, 1})}}
                                  << "groups";
    QTest::newRow("ScatterElements, updates")
        << Node{"ScatterElements", {}, {reals({4}), integers({0, 1}), reals({1})}} << "updates has 1 values";
    QTest::newRow("NegativeLogLikelihoodLoss, target")
        << Node{"NegativeLogLikelihoodLoss", {}, {reals({2, 3}), integers({0})}} << "target has 1 values";
    QTest::newRow("LRN, size") << Node{"LRN", {{"size", std::int64_t{0}}}, {reals({1, 3, 4})}} << "its size is 0";
    const auto deformable = [&](std::int64_t group, std::int64_t offsetGroup, const Dims &offsets) {
        return Node{"DeformConv",
                    {{"group", group}, {"offset_group", offsetGroup}},
                    {image, reals({2, 2, 3, 3}), reals(offsets)}};
    };
    QTest::newRow("Reshape, no shape") << Node{"Reshape", {}, {reals({2, 3}), std::nullopt}} << "it has no shape";
    QTest::newRow("Unsqueeze, no axes") << Node{"Unsqueeze", {}, {reals({2, 3})}} << "it has no axes";
    QTest::newRow("Slice, no ends") << Node{"Slice", {}, {reals({2, 3}), integers({0})}} << "it has no ends";
    QTest::newRow("Slice, axes") << Node{"Slice", {}, {reals({2, 3}), integers({0}), integers({1}), integers({2})}}
                                 << "starts, ends, axes and steps do not fit its input 2x3";
    QTest::newRow("Pad, no pads") << Node{"Pad", {}, {reals({2, 3})}} << "it has no pads";
    QTest::newRow("TopK, no K") << Node{"TopK", {}, {reals({2, 3})}} << "it has no K";
    QTest::newRow("Resize, neither") << Node{"Resize", {}, {image}} << "it has neither scales nor sizes";
    QTest::newRow("Upsample, no scales") << Node{"Upsample", {}, {image}} << "it has no scales";
    QTest::newRow("Max, operand left out")
        << Node{"Max", {}, {reals({2}), std::nullopt}} << "one of its operands is left out";
    QTest::newRow("ConvTranspose, output_shape")
        << Node{"ConvTranspose", {{"output_shape", Dims{1, 3, 6, 6}}}, {image, reals({2, 3, 3, 3})}}
        << "its output_shape has 4 sizes for 2 spatial dimensions";
    QTest::newRow("GatherElements, indices")
        << Node{"GatherElements", {}, {reals({1, 2}), integers({0, 0})}} << "its indices do not fit its input";
    QTest::newRow("GatherND, batch_dims")
        << Node{"GatherND", {{"batch_dims", std::int64_t{-1}}}, {reals({2, 2}), integers({0})}}
        << "its batch_dims is out of range";
    QTest::newRow("ScatterND, indices") << Node{"ScatterND", {}, {reals({4}), integers({0, 0}), reals({1})}}
                                        << "its indices do not fit its input";
    QTest::newRow("NonMaxSuppression, boxes")
        << Node{"NonMaxSuppression", {}, {reals({1, 2, 4}), reals({1, 1, 3}), integers({3})}}
        << "its boxes (1x2x4) are not those of its scores (1x1x3)";
    QTest::newRow("Unique, axis of a number")
        << Node{"Unique", {{"axis", std::int64_t{0}}}, {reals({})}} << "axis is out of range";
    QTest::newRow("MaxUnpool, output_shape")
        << Node{"MaxUnpool", {{"kernel_shape", Dims{2, 2}}}, {image, image, integers({64})}}
        << "its output_shape has 1 sizes for the 4 dimensions";
    QTest::newRow("GridSample, batch") << Node{"GridSample", {}, {image, reals({2, 2, 2, 2})}}
                                       << "its grid does not fit its input";
    QTest::newRow("AffineGrid, theta") << Node{"AffineGrid", {}, {reals({1, 2, 2}), integers({1, 1, 4, 4})}}
                                       << "its theta (1x2x2) is not for images of its size";
    QTest::newRow("DFT, parts") << Node{"DFT", {}, {reals({1, 6, 3})}} << "do not have one part or two";
    QTest::newRow("STFT, frame_length") << Node{"STFT",
                                                {},
                                                {reals({1, 8, 1}), integers({2}), reals({4}), integers({4, 4})}}
                                        << "its frame_length is one number";
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

// What a file may ask for with a few numbers: the budget for a file (model/onnx/read/fold_budget.h) is 2^28.
void TestKernelBounds::foldEffort_workOfAttributes_isCounted_data()
{
    QTest::addColumn<Node>("node");
    QTest::addColumn<double>("least");
    const auto image = reals({1, 2, 4, 4});
    QTest::newRow("RoiAlign, large region")
        << Node{"RoiAlign", {}, {image, reals({1, 4}, {0, 0, 1e5F, 1e5F}), integers({0})}} << 2e10;
    QTest::newRow("RoiAlign, sampling_ratio")
        << Node{"RoiAlign", {{"sampling_ratio", std::int64_t{1000}}}, {image, reals({3, 4}), integers({0, 0, 0})}}
        << 6e6;
    QTest::newRow("RoiAlign, as many as none can count")
        << Node{"RoiAlign",
                {{"sampling_ratio", std::numeric_limits<std::int64_t>::max()}},
                {image, reals({1, 4}), integers({0})}}
        << 1e18;
    QTest::newRow("MaxRoiPool") << Node{"MaxRoiPool",
                                        {{"pooled_shape", Dims{1, 1}}},
                                        {reals({1, 1, 100, 100}), reals({50, 5})}}
                                << 5e5;
    QTest::newRow("LSTM") << Node{"LSTM", {}, {reals({3, 2, 4}), reals({1, 20, 4}), reals({1, 20, 5})}}
                          << 3.0 * 2 * 20 * 9;
    QTest::newRow("LRN") << Node{"LRN", {{"size", std::int64_t{1} << 40}}, {reals({1, 1000, 1})}} << 1e6;
    QTest::newRow("AveragePool") << Node{"AveragePool", {{"kernel_shape", Dims{100, 100}}}, {reals({1, 1, 199, 199})}}
                                 << 1e8;
    QTest::newRow("QLinearConv") << Node{"QLinearConv",
                                         {},
                                         {byteImage({1, 1, 19, 19}), reals({}), byteImage({}),
                                          byteImage({1, 1, 10, 10}), reals({}), byteImage({}), reals({}),
                                          byteImage({})}}
                                 << 1e4;
    QTest::newRow("Einsum") << Node{"Einsum",
                                    {{"equation", std::string("ij,kl->")}},
                                    {reals({100, 100}), reals({100, 100})}}
                            << 1e8;
    QTest::newRow("NonMaxSuppression") << Node{"NonMaxSuppression",
                                               {},
                                               {reals({1, 1000, 4}), reals({1, 1, 1000}), integers({1000}), reals({})}}
                                       << 1e6;
    QTest::newRow("NonMaxSuppression, of nothing, many times")
        << Node{"NonMaxSuppression", {}, {reals({1 << 20, 0, 4}), reals({1 << 20, 1 << 10, 0}), integers({1000})}}
        << 1e9;
    QTest::newRow("Det") << Node{"Det", {}, {reals({200, 200})}} << 8e6;
    QTest::newRow("Sum of many") << Node{"Sum", {}, std::vector<std::optional<OperandFacts>>(1000, reals({1000}))}
                                 << 1e6;
    QTest::newRow("ConvTranspose") << Node{"ConvTranspose", {}, {reals({1, 1000, 10}), reals({1000, 1, 100})}} << 1e6;
    QTest::newRow("Resize with a wide filter")
        << Node{"Resize",
                {{"mode", std::string("linear")}, {"antialias", std::int64_t{1}}},
                {reals({1, 1, 1000, 1000}), std::nullopt, std::nullopt, integers({1, 1, 1, 1000})}}
        << 1e6;
    QTest::newRow("DFT") << Node{"DFT", {}, {reals({1, 1000, 1})}} << 1e6;
}

void TestKernelBounds::foldEffort_workOfAttributes_isCounted()
{
    QFETCH(const Node, node);
    QFETCH(const double, least);
    const auto effort = foldEffort(factsOf(node));
    QVERIFY(effort);
    QVERIFY2(static_cast<double>(effort->visited) >= least, std::to_string(effort->visited).c_str());
}

// Tensors without elements, of which one dimension is huge.
void TestKernelBounds::evaluate_manyTimesNothing_takesNoTime_data()
{
    QTest::addColumn<Node>("node");
    constexpr std::int64_t kMany = std::int64_t{1} << 35;
    const std::vector<NamedAttribute> none;
    const auto one = reals({1});
    QTest::newRow("Pad") << Node{"Pad", none, {reals({0, 1}), integers({0, kMany / 16, 0, 0})}};
    QTest::newRow("Tile") << Node{"Tile", none, {reals({0, 4096}), integers({1, kMany / 4096})}};
    QTest::newRow("CenterCropPad") << Node{"CenterCropPad", none, {reals({0, 1}), integers({0, kMany})}};
    QTest::newRow("BatchNormalization") << Node{"BatchNormalization", none, {reals({kMany, 1, 0}), one, one, one, one}};
    QTest::newRow("InstanceNormalization") << Node{"InstanceNormalization", none, {reals({kMany, 1, 0}), one, one}};
    QTest::newRow("LpNormalization") << Node{"LpNormalization", none, {reals({kMany, 0})}};
    QTest::newRow("MeanVarianceNormalization")
        << Node{"MeanVarianceNormalization", {{"axes", Dims{1}}}, {reals({kMany, 0})}};
    QTest::newRow("RoiAlign") << Node{
        "RoiAlign", none, {reals({1, 0, 1, 1}), reals({1, 4}, {0, 0, 1e9F, 1e9F}), integers({0})}};
}

// It would not end before the test is ended.
void TestKernelBounds::evaluate_manyTimesNothing_takesNoTime()
{
    QFETCH(const Node, node);
    const auto made = evaluated(node);
    QVERIFY2(made, made ? "" : made.error().message.c_str());
    QCOMPARE(made->front().size(), std::size_t{0});
}

// Detectors pad their lists with such regions. Source: ONNX Runtime, and ONNX's reference.
void TestKernelBounds::roiAlign_emptyRegion_isZero()
{
    for (const char *mode : {"avg", "max"}) {
        const auto made =
            evaluated({"RoiAlign",
                       {{"mode", std::string(mode)}, {"coordinate_transformation_mode", std::string("half_pixel")}},
                       {reals({1, 1, 4, 4}), reals({1, 4}, {0, 0, 0, 0}), integers({0})}});
        QVERIFY2(made, made ? "" : made.error().message.c_str());
        QCOMPARE(*made->front().asFloats(), std::vector<float>{0});
    }
}

// The region begins left of the image, and all pixels are -1. Source: ONNX Runtime.
void TestKernelBounds::roiAlign_samplesBeyondImage_countAsZero()
{
    for (const auto &[mode, left, expected] :
         {std::tuple("max", -6.5F, 0.0F), {"max", 0.5F, -0.025F}, {"avg", -6.5F, -0.5F}, {"avg", 0.5F, -1.0F}}) {
        const auto made = evaluated({"RoiAlign",
                                     {{"mode", std::string(mode)}, {"sampling_ratio", std::int64_t{2}}},
                                     {reals({1, 1, 4, 4}, std::vector<float>(16, -1.0F)),
                                      reals({1, 4}, {left, 1.3F, 3.5F, 2.5F}), integers({0})}});
        QVERIFY2(made, made ? "" : made.error().message.c_str());
        const float value = made->front().asFloats()->front();
        QVERIFY2(std::abs(value - expected) < 1e-5F, std::to_string(value).c_str());
    }
}

void TestKernelBounds::roiAlign_imageWithoutPixels_isZero()
{
    const Constant none = floatConstant({1, 1, 0, 4}, {});
    const OperandFacts image{{}, Shape{none.dims}, DataType::Float32, std::make_shared<const Constant>(none), nullptr};
    const auto made = evaluated({"RoiAlign", {}, {image, reals({1, 4}, {0, 0, 2, 2}), integers({0})}});
    QVERIFY2(made, made ? "" : made.error().message.c_str());
    QCOMPARE(*made->front().asFloats(), std::vector<float>{0});
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

// spatial=0 of opset 7: a scale, a bias, a mean and a variance for each element of an image.
void TestKernelBounds::batchNorm_statisticsByElement_areUsed()
{
    const auto made = evaluated({"BatchNormalization",
                                 {{"epsilon", 0.0F}},
                                 {reals({2, 1, 2}, {1, 2, 3, 4}), reals({2}, {1, 10}), reals({2}, {0, 5}),
                                  reals({2}, {1, 2}), reals({2}, {4, 1})}});
    QVERIFY2(made, made ? "" : made.error().message.c_str());
    QCOMPARE(*made->front().asFloats(), (std::vector<float>{0, 5, 1, 25}));
}

void TestKernelBounds::bitwise_anyBits_areCombined_data()
{
    QTest::addColumn<QString>("type");
    QTest::addColumn<Dims>("expected");
    QTest::newRow("and") << "BitwiseAnd" << Dims{0, -128, 1, 0, 4};
    QTest::newRow("or") << "BitwiseOr" << Dims{2, -1, 7, 0, 12};
    QTest::newRow("xor") << "BitwiseXor" << Dims{2, 127, 6, 0, 8};
}

// With 0, and the smallest number with -1, which have no quotient.
void TestKernelBounds::bitwise_anyBits_areCombined()
{
    QFETCH(const QString, type);
    QFETCH(const Dims, expected);
    const auto made =
        evaluated({type.toStdString(),
                   {},
                   {integers({2, -128, 5, 0, 12}, DataType::Int8), integers({0, -1, 3, 0, 4}, DataType::Int8)}});
    QVERIFY2(made, made ? "" : made.error().message.c_str());
    QCOMPARE(made->front().asInts(), expected);
}

void TestKernelBounds::clip_upperBoundOfIntegers_isUsedAlone()
{
    const auto made = evaluated({"Clip", {}, {integers({-7, 1, 5}), std::nullopt, integers({1})}});
    QVERIFY2(made, made ? "" : made.error().message.c_str());
    QCOMPARE(made->front().asInts(), (Dims{-7, 1, 1}));
}

void TestKernelBounds::layerNorm_scaleOfMoreAxes_isOfItsRow_data()
{
    QTest::addColumn<QString>("type");
    QTest::addColumn<std::vector<float>>("expected");
    QTest::newRow("LayerNormalization") << "LayerNormalization" << std::vector<float>{-2, 2, -5, 5};
    QTest::newRow("RMSNormalization") << "RMSNormalization" << std::vector<float>{0, 2.828427F, 0, 7.071068F};
}

// Rows of 0 and 2, whose scales of shape 2x1 are 2 and 5.
void TestKernelBounds::layerNorm_scaleOfMoreAxes_isOfItsRow()
{
    QFETCH(const QString, type);
    QFETCH(const std::vector<float>, expected);
    const auto made =
        evaluated({type.toStdString(), {{"epsilon", 0.0F}}, {reals({2, 2}, {0, 2, 0, 2}), reals({2, 1}, {2, 5})}});
    QVERIFY2(made, made ? "" : made.error().message.c_str());
    QVERIFY(std::ranges::equal(*made->front().asFloats(), expected,
                               [](float a, float b) { return std::abs(a - b) < 1e-5F; }));
}

STAGECRAFT_SUITE(TestKernelBounds)

} // namespace tst_kernel_bounds
#include "tst_kernel_bounds.moc"
