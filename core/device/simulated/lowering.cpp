#include "device/simulated/lowering.h"

#include "device/simulated/convolution_rules.h"
#include "graph/operator_cost.h"
#include "graph/quantised.h"
#include "operators/parameter_roles.h"
#include "operators/schema.h"
#include "schedule/merge.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

namespace stagecraft {

namespace {

// An operator with the shapes its rule needs; a merged one is not an operator of the graph.
struct Task {
    const Graph &graph;
    const Operator &op;
    Shape input;
    Shape output;
    DataType arithmetic;
    std::optional<double> multiplyAdds = {}; // of a product that is kept as in the file
    std::int64_t products = 1;               // of a merge, each of an input of its own
};

bool isReal(DataType type)
{
    return type == DataType::Float32 || type == DataType::Float16;
}

double bytesOf(const Tensor &tensor, DataType arithmetic)
{
    const DataType stored = isReal(tensor.type) ? arithmetic : tensor.type;
    return static_cast<double>(tensor.shape.elements() * sizeBytes(stored));
}

bool readsSizesOnly(const Operator &op)
{
    const OperatorSchema *schema = op.kind == OperatorKind::Unknown ? schemaOf(op.type) : nullptr;
    return schema && schema->cost == Cost::Moves;
}

class OperatorLowering {
public:
    OperatorLowering(const Task &task, KernelRules &rules)
        : m_task(task), m_rules(rules), m_products(rules), m_convolutions(rules)
    {
    }

    std::vector<Kernel> kernels();

private:
    void append(std::vector<Kernel> kernels);
    void gather();
    void activation(const Activation &activation, const Shape &shape);
    void convolution(const std::string &name, const Shape &input, const Shape &output, const Window &window,
                     std::int64_t groups, const Activation &after);
    void conv(const ConvAttributes &attributes);
    void convTranspose(const ConvAttributes &attributes);
    void sepConv(const SepConvAttributes &attributes);
    void pool(const PoolAttributes &attributes);
    void gemm(const GemmAttributes &attributes);
    bool integerConvolution();
    [[nodiscard]] std::int64_t matrices(std::int64_t columns, std::int64_t inner) const;
    void products(const std::string &name, std::int64_t columns, std::int64_t inner);
    void product(double multiplyAdds);
    void memoryBound();
    [[nodiscard]] double operandBytes() const;

    const Task &m_task;
    KernelRules &m_rules;
    ProductRules m_products;
    ConvolutionRules m_convolutions;
    std::vector<Kernel> m_kernels;
};

std::vector<Kernel> OperatorLowering::kernels()
{
    const Operator &op = m_task.op;
    if (op.kind == OperatorKind::Reshape || readsSizesOnly(op))
        return {};
    if (!m_task.output.known || m_task.output.elements() <= 0) {
        memoryBound();
        return std::move(m_kernels);
    }
    if (kindSchema(op.kind).expressionInput || m_task.products > 1)
        gather();
    if (const ConvAttributes *attributes = op.conv())
        conv(*attributes);
    else if (const ConvAttributes *transposed = op.convTranspose())
        convTranspose(*transposed);
    else if (const SepConvAttributes *separable = op.sepConv())
        sepConv(*separable);
    else if (const PoolAttributes *pooling = op.pool())
        pool(*pooling);
    else if (const GemmAttributes *linear = op.gemm())
        gemm(*linear);
    else if (m_task.multiplyAdds && !integerConvolution())
        product(*m_task.multiplyAdds);
    else if (!m_task.multiplyAdds && op.kind != OperatorKind::Join)
        memoryBound();
    return std::move(m_kernels);
}

void OperatorLowering::append(std::vector<Kernel> kernels)
{
    std::ranges::move(kernels, std::back_inserter(m_kernels));
}

// Makes the input expression one tensor, without cuDNN: one kernel per sum, whatever its number of summands, and one
// copy per part of a concatenation; a part that is a sum is written straight to its place.
void OperatorLowering::gather()
{
    const InputExpression &inputs = m_task.op.inputs;
    for (const std::vector<TensorId> &part : inputs) {
        if (part.empty())
            continue;
        const Shape &shape = m_task.graph.tensor(part.front()).shape;
        const double summands = static_cast<double>(part.size());
        const bool copied = inputs.size() > 1 || m_task.op.kind == OperatorKind::Join;
        if (part.size() > 1 || copied)
            m_kernels.push_back(m_rules.elementwise(part.size() > 1 ? "add" : "copy", shape.elements(),
                                                    summands * m_rules.bytes(shape), summands - 1));
    }
}

// cudnnActivationForward.
void OperatorLowering::activation(const Activation &activation, const Shape &shape)
{
    if (activation.kind == ActivationKind::None)
        return;
    Kernel kernel =
        m_rules.elementwise(std::string(toString(activation.kind)), shape.elements(), m_rules.bytes(shape), 1);
    kernel.cudnnCall = true;
    m_kernels.push_back(std::move(kernel));
}

// cudnnConvolutionBiasActivationForward covers bias, ReLU and no activation; any other activation is a separate call
// (cuDNN 7 developer guide).
void OperatorLowering::convolution(const std::string &name, const Shape &input, const Shape &output,
                                   const Window &window, std::int64_t groups, const Activation &after)
{
    append(m_convolutions.convolution(name, input, output, window, groups));
    if (after.kind != ActivationKind::Relu)
        activation(after, output);
}

void OperatorLowering::conv(const ConvAttributes &attributes)
{
    activation(attributes.before, m_task.input);
    convolution("conv", m_task.input, m_task.output, attributes.window, attributes.groups, attributes.after);
}

// cudnnConvolutionBackwardData: the arithmetic of the convolution from its output to its input.
void OperatorLowering::convTranspose(const ConvAttributes &attributes)
{
    append(m_convolutions.convolution("transposed conv", m_task.output, m_task.input, attributes.window,
                                      attributes.groups));
    activation(attributes.after, m_task.output);
}

void OperatorLowering::sepConv(const SepConvAttributes &attributes)
{
    activation(attributes.before, m_task.input);
    Shape middle = m_task.output;
    middle.dims[1] = m_task.input.channels();
    convolution("depthwise", m_task.input, middle, attributes.window, m_task.input.channels(), attributes.between);
    convolution("pointwise", middle, m_task.output, Window{}, 1, attributes.after);
}

// cudnnPoolingForward.
void OperatorLowering::pool(const PoolAttributes &attributes)
{
    const std::int64_t window = attributes.global ? m_task.input.height() * m_task.input.width()
                                                  : attributes.window.kernel[0] * attributes.window.kernel[1];
    m_kernels.push_back(m_rules.pooling("pool", m_task.input, m_task.output, window));
}

void OperatorLowering::gemm(const GemmAttributes &attributes)
{
    const std::int64_t columns = std::max<std::int64_t>(1, attributes.outFeatures / m_task.products);
    products("gemm", columns, std::max<std::int64_t>(1, attributes.inFeatures));
    activation(attributes.after, m_task.output);
}

double OperatorLowering::operandBytes() const
{
    double bytes = 0;
    for (const auto &part : m_task.op.inputs) {
        for (const TensorId id : part)
            bytes += bytesOf(m_task.graph.tensor(id), m_task.arithmetic);
    }
    return bytes;
}

// QLinearConv and ConvInteger of images. False: it is something else.
bool OperatorLowering::integerConvolution()
{
    const Operator &op = m_task.op;
    if (op.type != "QLinearConv" && op.type != "ConvInteger")
        return false;
    const std::size_t weightPlace = op.type == "QLinearConv" ? 3 : 1;
    std::vector<Shape> shapes;
    for (const auto &part : op.inputs) {
        for (const TensorId input : part)
            shapes.push_back(m_task.graph.tensor(input).shape);
    }
    const NodeFacts node = nodeFacts(op, shapes);
    constexpr std::size_t kImageDims = 4;
    if (!node.has(weightPlace) || node.shape(weightPlace).dims.size() != kImageDims ||
        m_task.input.dims.size() != kImageDims)
        return false;
    const auto &kernel = node.shape(weightPlace).dims;
    Window window;
    window.kernel = {kernel[2], kernel[3]};
    const auto take = [&](const char *attribute, std::array<std::int64_t, 2> &into) {
        const auto values = node.integers(attribute);
        if (values.size() == into.size())
            into = {values[0], values[1]};
    };
    take("strides", window.stride);
    take("dilations", window.dilation);
    append(m_convolutions.convolution("conv", m_task.input, m_task.output, window,
                                      std::max<std::int64_t>(1, node.integer("group"))));
    return true;
}

// As many products as the second operand has matrices: one, where all rows are multiplied by the same.
std::int64_t OperatorLowering::matrices(std::int64_t columns, std::int64_t inner) const
{
    const Operator &op = m_task.op;
    if (m_task.products > 1)
        return m_task.products;
    const Parameter *constant = op.parameter(role::operand(1));
    if ((op.type != "MatMul" && !op.gemm()) || (!constant && op.inputs.size() != 2))
        return 1;
    const Shape &second = constant ? constant->shape : m_task.graph.tensor(op.inputs[1].front()).shape;
    return std::max<std::int64_t>(1, second.elements() / (inner * columns));
}

void OperatorLowering::products(const std::string &name, std::int64_t columns, std::int64_t inner)
{
    const std::int64_t count = matrices(columns, inner);
    const std::int64_t rows = std::max<std::int64_t>(1, m_task.output.elements() / (columns * count));
    append(m_products.batched(name, rows, columns, inner, count));
}

// A product that is kept as in the file: of as many multiply-adds, with the last dimension of the result as columns.
void OperatorLowering::product(double multiplyAdds)
{
    const std::int64_t columns = m_task.output.dims.empty() ? 1 : std::max<std::int64_t>(1, m_task.output.dims.back());
    const std::int64_t rows = std::max<std::int64_t>(1, m_task.output.elements() / columns);
    const double inner = multiplyAdds / static_cast<double>(rows * columns);
    products(displayType(m_task.op), columns, std::max<std::int64_t>(1, static_cast<std::int64_t>(inner)));
}

// Operators without a rule: as fast as their operands and results can be read and written.
void OperatorLowering::memoryBound()
{
    const double read = operandBytes();
    std::int64_t elements = m_task.output.known ? m_task.output.elements() : 0;
    if (elements <= 0)
        elements = static_cast<std::int64_t>(read / 4);
    m_kernels.push_back(m_rules.elementwise(displayType(m_task.op), elements, read, 1));
}

// The type of the elements that its kernels move: that of its first operand.
DataType dataType(const Graph &graph, const Operator &op, DataType arithmetic)
{
    for (const auto &part : op.inputs) {
        for (const TensorId id : part)
            return isReal(graph.tensor(id).type) ? arithmetic : graph.tensor(id).type;
    }
    return arithmetic;
}

// What a product of integers writes: bytes, where they are quantised behind it, sums of 32 bits, or real numbers.
DataType writtenType(const Graph &graph, const Operator &op, bool ofIntegers, DataType arithmetic)
{
    const DataType written = graph.tensor(op.outputs.front()).type;
    const bool isQuantisedBehind = isReal(written) && op.kind != OperatorKind::Unknown;
    return ofIntegers && arithmetic == DataType::Int8 && !isQuantisedBehind ? written : arithmetic;
}

} // namespace

Lowering::Lowering(const DeviceDescription &device, Tf32Use tf32)
    : m_device(device), m_tf32(tf32), m_limits(limitsOf(device)), m_scheduler(m_limits)
{
}

KernelRules Lowering::rulesFor(DataType type, DataType result, KernelChoice choice)
{
    return {m_device, m_limits, m_scheduler, type, result, m_tf32, choice};
}

// A compiler makes one kernel of the unit (Chen et al., TVM, section 3): the kernels of its convolution, product or
// reduction, which also read what only the element-wise operators read, or, without one, a single pass over memory.
std::vector<Kernel> Lowering::lowerFused(const Graph &graph, OperatorId id, const Graph &body, DataType arithmetic,
                                         KernelChoice choice)
{
    std::vector<Kernel> kernels;
    double operandBytes = 0; // of what the main operator does not read
    const auto isMain = [](const Operator &op) { return fusionClass(op) != FusionClass::Injective; };
    for (const TensorId input : body.inputs())
        operandBytes += bytesOf(body.tensor(input), arithmetic);
    for (std::size_t i = 0; i < body.size(); ++i) {
        const Operator &op = body.operators()[i];
        if (!isMain(op))
            continue;
        kernels = lower(body, OperatorId::fromIndex(i), arithmetic, choice);
        for (const auto &part : op.inputs) {
            for (const TensorId input : part)
                operandBytes -= bytesOf(body.tensor(input), arithmetic); // what the unit makes stays in registers
        }
    }
    if (!kernels.empty()) {
        Kernel &last = kernels.back();
        last.bytes = std::max(0.0, last.bytes + operandBytes);
        last.l2BytesPerBlock =
            std::max(0.0, last.l2BytesPerBlock + (operandBytes / static_cast<double>(last.blocks())));
        return kernels;
    }
    const DataType type = dataType(graph, graph.op(id), arithmetic);
    KernelRules rules = rulesFor(type, type);
    kernels.push_back(rules.elementwise(graph.op(id).type, graph.outputShape(id).elements(), operandBytes,
                                        static_cast<double>(body.size())));
    return kernels;
}

std::vector<Kernel> Lowering::lower(const Graph &graph, OperatorId id, DataType arithmetic, KernelChoice choice)
{
    const Operator &op = graph.op(id);
    if (const Graph *body = op.body())
        return lowerFused(graph, id, *body, arithmetic, choice);
    const bool readsIntegers = multipliesIntegers(graph, id);
    if (readsIntegers && m_device.int8FmaPerClockPerSm > 0)
        arithmetic = DataType::Int8;
    const bool ofIntegers = arithmetic == DataType::Int8 || readsIntegers;
    const DataType type = ofIntegers ? arithmetic : dataType(graph, op, arithmetic);
    KernelRules rules = rulesFor(type, writtenType(graph, op, ofIntegers, type), choice);
    const Task task{graph, op, graph.inputShape(id), graph.outputShape(id), arithmetic, multiplyAdds(graph, id)};
    return OperatorLowering(task, rules).kernels();
}

Result<std::vector<Kernel>> Lowering::lowerMerged(const Graph &graph, std::span<const OperatorId> operators,
                                                  DataType arithmetic)
{
    TRY_AS(auto merged, mergedOperator(graph, operators));
    const DataType type = dataType(graph, merged, arithmetic);
    KernelRules rules = rulesFor(type, type);
    Task task{graph, merged, mergedInputShape(graph, merged), mergedShape(graph, operators), arithmetic};
    if (merged.gemm())
        task.products = std::ssize(merged.inputs);
    return OperatorLowering(task, rules).kernels();
}

} // namespace stagecraft
