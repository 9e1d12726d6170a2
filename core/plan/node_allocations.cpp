#include "plan/node_allocations.h"

#include "operators/schema.h"
#include "plan/memory_use.h"
#include "schedule/launched_groups.h"
#include "schedule/merge.h"
#include "schedule/stage_groups.h"
#include "schedule/streams/stream_of_operators.h"
#include "schedule/unit_order.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <span>
#include <tuple>
#include <utility>

namespace stagecraft::plan {
namespace {

constexpr double kArithmeticPerByte = 16;

bool isFusable(ActivationKind kind)
{
    switch (kind) {
    case ActivationKind::None:
    case ActivationKind::Relu:
    case ActivationKind::Relu6:
    case ActivationKind::LeakyRelu:
    case ActivationKind::Sigmoid:
    case ActivationKind::Tanh:
    case ActivationKind::HardSigmoid: return true;
    default: return false;
    }
}

// Below zero a sum or a join, else an activation with alpha and beta.
using StepKind = std::tuple<int, float, float>;

class NodeWriter {
public:
    NodeWriter(std::int64_t elementBytes, const NodeForm &form) : m_elementBytes(elementBytes), m_form(form) {}

    // The values of one graph: of the model, or of a fused unit in it.
    struct Scope {
        const Graph &graph;
        std::vector<std::size_t> valueOf; // by tensor
    };

    [[nodiscard]] Scope scopeOf(const Graph &graph)
    {
        Scope scope{graph, std::vector<std::size_t>(graph.tensors().size())};
        for (const TensorId input : graph.inputs()) {
            scope.valueOf[input.index()] = value(graph.tensor(input).shape, graph.tensor(input).type);
            m_made.values.back().isInput = true;
        }
        return scope;
    }

    void setStream(std::size_t stream) { m_stream = stream; }

    void write(Scope &scope, const Operator &op)
    {
        if (const Graph *body = op.body()) {
            writeBody(scope, op, *body);
            return;
        }
        std::vector<std::size_t> operands = summedParts(scope, op);
        if (op.kind == OperatorKind::Join) {
            writeJoin(scope, op, operands);
            return;
        }
        const bool isJoined = kindSchema(op.kind).expressionInput && operands.size() > 1;
        if (isJoined)
            operands = {
                step(kJoin, operands, scope.graph.inputShape(operatorOf(scope, op)), firstInput(scope, op).type)};
        if (op.conv())
            writeConvolution(scope, op, operands.front());
        else if (op.sepConv())
            writeSeparable(scope, op, operands.front());
        else
            writeNode(scope, op, operands);
    }

    void writeMerged(Scope &scope, std::span<const OperatorId> operators)
    {
        const Graph &graph = scope.graph;
        const Operator merged = *mergedOperator(graph, operators);
        std::vector<std::size_t> operands = summedParts(scope, merged);
        const Shape joined = mergedInputShape(graph, merged);
        const DataType type = firstInput(scope, merged).type;
        if (operands.size() > 1)
            operands = {step(kJoin, operands, joined, type)};
        const Shape shape = mergedShape(graph, operators);
        const std::size_t whole = merged.gemm() ? multiplied(operands, shape, type, *merged.gemm())
                                                : convolved(operands, shape, type, *merged.conv(), joined.channels());
        AllocatingNode split = nodeThatReads(std::vector{whole});
        for (const OperatorId id : operators) {
            const std::size_t part = output(scope, graph.op(id).outputs.front());
            if (m_form.copiesSplits)
                split.makes.push_back(part);
            else
                m_made.values[part].viewOf = root(whole);
        }
        if (m_form.copiesSplits)
            m_made.nodes.push_back(std::move(split));
    }

    [[nodiscard]] NodeAllocations finished(const Scope &scope) &&
    {
        for (const TensorId output : scope.graph.outputs())
            m_made.values[root(scope.valueOf[output.index()])].isOutput = true;
        for (AllocatingNode &node : m_made.nodes) {
            for (const auto *values : {&node.reads, &node.makes}) {
                for (const std::size_t value : *values)
                    node.work += static_cast<double>(m_made.values[value].bytes);
            }
        }
        return std::move(m_made);
    }

private:
    std::size_t value(const Shape &shape, DataType type)
    {
        const std::int64_t each = isFloatingPoint(type) ? m_elementBytes : sizeBytes(type);
        m_made.values.push_back({static_cast<std::size_t>(shape.elements() * each), shape});
        return m_made.values.size() - 1;
    }
    std::size_t output(Scope &scope, TensorId tensor)
    {
        const Tensor &of = scope.graph.tensor(tensor);
        return scope.valueOf[tensor.index()] = value(of.shape, of.type);
    }
    [[nodiscard]] std::size_t root(std::size_t value) const { return m_made.values[value].viewOf.value_or(value); }

    [[nodiscard]] static OperatorId operatorOf(const Scope &scope, const Operator &op)
    {
        return OperatorId::fromIndex(static_cast<std::size_t>(&op - scope.graph.operators().data()));
    }
    [[nodiscard]] static const Tensor &firstInput(const Scope &scope, const Operator &op)
    {
        return scope.graph.tensor(op.inputs.front().front());
    }

    [[nodiscard]] AllocatingNode nodeThatReads(const std::vector<std::size_t> &read) const
    {
        AllocatingNode node{m_stream, {}, {}};
        for (const std::size_t value : read) {
            if (std::ranges::count(node.reads, root(value)) == 0)
                node.reads.push_back(root(value));
        }
        return node;
    }
    // A step on the way to an operator; one that there is already, where the runtime sees that.
    std::size_t step(const StepKind &kind, const std::vector<std::size_t> &read, const Shape &shape, DataType type)
    {
        const auto known = m_steps.find({kind, read});
        if (m_form.sharesSteps && known != m_steps.end())
            return known->second;
        const std::size_t result = made(read, shape, type, std::get<0>(kind) >= 0);
        m_steps[{kind, read}] = result;
        return result;
    }
    // A node for it, that makes a tensor nobody else knows.
    std::size_t made(const std::vector<std::size_t> &read, const Shape &shape, DataType type, bool mayOverwrite = false)
    {
        AllocatingNode node = nodeThatReads(read);
        node.makes = {value(shape, type)};
        node.mayOverwrite = mayOverwrite;
        m_made.nodes.push_back(std::move(node));
        return m_made.values.size() - 1;
    }

    // The operands, each the sum of a part of the input expression; of a sum alone its summands.
    std::vector<std::size_t> summedParts(const Scope &scope, const Operator &op)
    {
        std::vector<std::size_t> operands;
        for (const auto &part : op.inputs) {
            std::vector<std::size_t> summands;
            for (const TensorId tensor : part)
                summands.push_back(scope.valueOf[tensor.index()]);
            const bool isLast = op.kind == OperatorKind::Join && op.inputs.size() == 1;
            const Tensor &first = scope.graph.tensor(part.front());
            while (!m_form.sumsAtOnce && summands.size() > 2)
                addFirstTwo(summands, first);
            if (isLast)
                return summands;
            operands.push_back(summands.size() == 1 ? summands.front() : step(kSum, summands, first.shape, first.type));
        }
        return operands;
    }
    void addFirstTwo(std::vector<std::size_t> &summands, const Tensor &like)
    {
        const std::size_t sum = step(kSum, {summands[0], summands[1]}, like.shape, like.type);
        summands.erase(summands.begin());
        summands.front() = sum;
    }

    void writeJoin(Scope &scope, const Operator &op, const std::vector<std::size_t> &operands)
    {
        const std::size_t written = output(scope, op.outputs.front());
        if (op.isCopy()) {
            m_made.values[written].viewOf = root(operands.front());
            return;
        }
        AllocatingNode node = nodeThatReads(operands);
        node.makes = {written};
        m_made.nodes.push_back(std::move(node));
    }

    std::size_t activated(std::size_t x, const Activation &activation, const Shape &shape, DataType type)
    {
        return activation.kind == ActivationKind::None
                   ? x
                   : step({static_cast<int>(activation.kind), activation.alpha, activation.beta}, {x}, shape, type);
    }

    [[nodiscard]] std::size_t scratchOf(const Window &window, std::int64_t groups, std::int64_t inChannels,
                                        const Shape &out) const
    {
        const bool isPlain = window.kernel == std::array<std::int64_t, 2>{1, 1} &&
                             window.stride == std::array<std::int64_t, 2>{1, 1} &&
                             window.padding == std::array<std::int64_t, 4>{0, 0, 0, 0};
        if (isPlain || m_form.convolutionScratchBytes == 0)
            return 0;
        const std::int64_t positions = out.height() * out.width();
        const std::int64_t unfolded = inChannels / groups * window.kernel[0] * window.kernel[1];
        if (out.channels() / groups > positions)
            return static_cast<std::size_t>(positions * unfolded * m_elementBytes);
        return m_form.convolutionScratchBytes;
    }

    // The value of a convolution with its activation.
    std::size_t convolved(const std::vector<std::size_t> &read, const Shape &shape, DataType type,
                          const ConvAttributes &conv, std::int64_t inChannels)
    {
        const std::size_t result = made(read, shape, type);
        AllocatingNode &node = m_made.nodes.back();
        node.scratchBytes = scratchOf(conv.window, conv.groups, inChannels, shape);
        node.isFused = conv.after.kind != ActivationKind::None && isFused(conv.after);
        const std::int64_t unfolded = inChannels / conv.groups * conv.window.kernel[0] * conv.window.kernel[1];
        node.work = 2.0 / kArithmeticPerByte * static_cast<double>(shape.elements()) * static_cast<double>(unfolded);
        return isFused(conv.after) ? result : activated(result, conv.after, shape, type);
    }
    // The value of a merged product with its activation.
    std::size_t multiplied(const std::vector<std::size_t> &read, const Shape &shape, DataType type,
                           const GemmAttributes &gemm)
    {
        const std::size_t result = made(read, shape, type);
        m_made.nodes.back().isFused = gemm.after.kind != ActivationKind::None && isFused(gemm.after);
        return isFused(gemm.after) ? result : activated(result, gemm.after, shape, type);
    }
    [[nodiscard]] bool isFused(const Activation &after) const
    {
        return after.kind == ActivationKind::None || (m_form.fusesActivations && isFusable(after.kind));
    }

    void writeConvolution(Scope &scope, const Operator &op, std::size_t x)
    {
        const Shape in = scope.graph.inputShape(operatorOf(scope, op));
        const Tensor &out = scope.graph.tensor(op.outputs.front());
        x = activated(x, op.conv()->before, in, out.type);
        scope.valueOf[op.outputs.front().index()] = convolved({x}, out.shape, out.type, *op.conv(), in.channels());
    }

    void writeSeparable(Scope &scope, const Operator &op, std::size_t x)
    {
        const SepConvAttributes &sep = *op.sepConv();
        const Shape in = scope.graph.inputShape(operatorOf(scope, op));
        const Tensor &out = scope.graph.tensor(op.outputs.front());
        Shape between = out.shape;
        between.dims[1] = in.channels();
        const ConvAttributes depthwise{.outChannels = in.channels(),
                                       .window = sep.window,
                                       .groups = in.channels(),
                                       .before = {},
                                       .after = sep.between};
        const ConvAttributes pointwise{
            .outChannels = sep.outChannels, .window = {}, .groups = 1, .before = {}, .after = sep.after};
        x = activated(x, sep.before, in, out.type);
        x = convolved({x}, between, out.type, depthwise, in.channels());
        scope.valueOf[op.outputs.front().index()] = convolved({x}, out.shape, out.type, pointwise, in.channels());
    }

    // What an earlier pooling makes that does the same.
    std::optional<std::size_t> samePool(const Operator &op, const std::vector<std::size_t> &operands) const
    {
        const auto same = std::ranges::find_if(m_pools, [&](const KnownPool &known) {
            return op.pool() && known.x == root(operands.front()) && *known.pool == *op.pool();
        });
        return m_form.sharesSteps && same != m_pools.end() ? std::optional(same->value) : std::nullopt;
    }

    void writeNode(Scope &scope, const Operator &op, const std::vector<std::size_t> &operands)
    {
        if (op.kind == OperatorKind::Reshape && !operands.empty()) {
            for (const TensorId tensor : op.outputs)
                m_made.values[output(scope, tensor)].viewOf = root(operands.front());
            return;
        }
        if (const auto same = samePool(op, operands)) {
            scope.valueOf[op.outputs.front().index()] = *same;
            return;
        }
        AllocatingNode node = nodeThatReads(operands);
        node.mayOverwrite = op.kind == OperatorKind::Activation;
        for (const TensorId tensor : op.outputs)
            node.makes.push_back(output(scope, tensor));
        node.isFused = op.gemm() && op.gemm()->after.kind != ActivationKind::None && isFused(op.gemm()->after);
        if (op.pool())
            m_pools.push_back({op.pool(), root(operands.front()), node.makes.front()});
        m_made.nodes.push_back(std::move(node));
        if (op.gemm() && !isFused(op.gemm()->after)) {
            const Tensor &out = scope.graph.tensor(op.outputs.front());
            std::size_t &last = scope.valueOf[op.outputs.front().index()];
            last = activated(last, op.gemm()->after, out.shape, out.type);
        }
    }

    void writeBody(Scope &scope, const Operator &op, const Graph &body)
    {
        Scope inner{body, std::vector<std::size_t>(body.tensors().size())};
        std::size_t place = 0;
        for (const auto &part : op.inputs) {
            for (const TensorId tensor : part)
                inner.valueOf[body.inputs()[place++].index()] = scope.valueOf[tensor.index()];
        }
        for (const Operator &member : body.operators())
            write(inner, member);
        for (std::size_t i = 0; i < op.outputs.size(); ++i)
            scope.valueOf[op.outputs[i].index()] = inner.valueOf[body.outputs()[i].index()];
    }

    std::int64_t m_elementBytes;
    NodeForm m_form;
    struct KnownPool {
        const PoolAttributes *pool = nullptr;
        std::size_t x = 0;
        std::size_t value = 0;
    };

    static constexpr StepKind kSum{-1, 0.0F, 0.0F};
    static constexpr StepKind kJoin{-2, 0.0F, 0.0F};

    std::size_t m_stream = 0;
    NodeAllocations m_made;
    std::map<std::pair<StepKind, std::vector<std::size_t>>, std::size_t> m_steps; // the value of each, by what it reads
    std::vector<KnownPool> m_pools;
};

// What runs as one: an operator, or several that are merged, ascending.
using Unit = std::vector<OperatorId>;

std::vector<Unit> unitsOf(const Schedule &schedule) // in launch order
{
    std::vector<Unit> units;
    if (schedule.streams) {
        for (const StreamLaunch &launch : schedule.streams->launches)
            units.push_back(launch.operators);
    }
    for (const Stage &stage : schedule.stages) {
        if (stage.isMerged()) {
            units.push_back(operatorsOf(stage));
            continue;
        }
        for (const GroupLaunch &launch : launchesOf(stage))
            units.push_back({launch.op});
    }
    return units;
}

} // namespace

std::vector<std::optional<std::size_t>> NodeAllocations::lastUses() const
{
    std::vector<std::optional<std::size_t>> last(values.size());
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        for (const std::size_t made : nodes[i].makes)
            last[made] = i;
        for (const std::size_t read : nodes[i].reads) {
            if (!values[read].isInput)
                last[read] = i;
        }
    }
    return last;
}

std::vector<std::size_t> NodeAllocations::readers() const
{
    std::vector<std::size_t> readers(values.size());
    for (const AllocatingNode &node : nodes) {
        for (const std::size_t read : node.reads)
            ++readers[read];
    }
    return readers;
}

std::vector<std::vector<std::size_t>> NodeAllocations::producers() const
{
    constexpr std::size_t kNone = static_cast<std::size_t>(-1);
    std::vector<std::size_t> producerOf(values.size(), kNone);
    std::vector<std::vector<std::size_t>> producers(nodes.size());
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        for (const std::size_t read : nodes[i].reads) {
            if (producerOf[read] != kNone && std::ranges::count(producers[i], producerOf[read]) == 0)
                producers[i].push_back(producerOf[read]);
        }
        std::ranges::sort(producers[i]);
        for (const std::size_t made : nodes[i].makes)
            producerOf[made] = i;
    }
    return producers;
}

Result<NodeAllocations> nodeAllocations(const Graph &graph, const Schedule &schedule, std::int64_t elementBytes,
                                        const NodeForm &form)
{
    TRY(plannedTensors(graph, elementBytes)); // every shape is known
    const std::vector<std::size_t> streamOf = streamOfOperators(schedule);
    NodeWriter writer(elementBytes, form);
    NodeWriter::Scope scope = writer.scopeOf(graph);
    const std::vector<Unit> units = unitsOf(schedule);
    std::vector<std::size_t> order(units.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (!form.inLaunchOrder)
        order = unitOrder(graph, units);
    for (const std::size_t place : order) {
        const Unit &unit = units[place];
        writer.setStream(streamOf[unit.front().index()]);
        if (unit.size() > 1)
            writer.writeMerged(scope, unit);
        else
            writer.write(scope, graph.op(unit.front()));
    }
    return std::move(writer).finished(scope);
}

} // namespace stagecraft::plan
