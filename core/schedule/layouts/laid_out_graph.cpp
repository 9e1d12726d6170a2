#include "schedule/layouts/laid_out_graph.h"

#include "schedule/stage_groups.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

namespace stagecraft {

static_assert(kTensorLayouts.size() <= kMaxLayouts, "a file of costs could not hold all layouts of a device");

namespace {

constexpr std::int64_t kLargestKeptOperand = 1024; // elements; larger constants are weights

enum class Freedom { Any, LikeInput, None };

// What an operator may write; see device/cpu/onednn/layout_choice.h, which refuses anything else.
Freedom freedomOf(const Graph &graph, const Operator &op)
{
    const Tensor &output = graph.tensor(op.outputs.front());
    switch (op.kind) {
    case OperatorKind::Conv:
    case OperatorKind::SepConv: return Freedom::Any;
    case OperatorKind::Pool:
    case OperatorKind::Activation:
    case OperatorKind::Join:
    case OperatorKind::BatchNorm: return Freedom::LikeInput;
    case OperatorKind::Elementwise: {
        const bool keepsShape = std::ranges::any_of(op.inputs, [&](const std::vector<TensorId> &part) {
            return graph.tensor(part.front()).shape == output.shape;
        });
        return keepsShape ? Freedom::LikeInput : Freedom::None;
    }
    default: return Freedom::None;
    }
}

bool readsOnlyImages(const Graph &graph, const Operator &op)
{
    return std::ranges::all_of(op.inputs, [&](const std::vector<TensorId> &part) {
        return std::ranges::all_of(part, [&](TensorId tensor) { return isImage(graph.tensor(tensor)); });
    });
}

Operator identity(std::string name, TensorId input)
{
    Operator op;
    op.name = std::move(name);
    op.type = "Identity";
    op.kind = OperatorKind::Join;
    op.inputs = {{input}};
    return op;
}

// Rebuilds a graph operator by operator, with every tensor in the copies that were made of it.
class LaidOutBuilder {
public:
    LaidOutBuilder(const Graph &graph, const LayoutProblem &problem, const LayoutAssignment &assignment)
        : m_graph(graph), m_problem(problem), m_assignment(assignment), m_builder(graph.name())
    {
    }

    Result<Graph> build()
    {
        for (const TensorId input : m_graph.inputs()) {
            const Tensor &tensor = m_graph.tensor(input);
            TRY_AS(const auto id,
                   m_builder.addInput(tensor.name, tensor.shape, tensor.type, stated(tensor, m_problem.fixed)));
            m_copies[{input.index(), m_problem.fixed}] = id;
        }
        for (std::size_t i = 0; i < m_graph.size(); ++i) {
            TRY(convertFor(static_cast<std::int64_t>(i)));
            TRY(addOperator(i));
        }
        TRY(convertFor(-1));
        std::vector<TensorId> outputs;
        for (const TensorId output : m_graph.outputs())
            outputs.push_back(m_copies.at({output.index(), m_problem.fixed}));
        return m_builder.build(std::move(outputs));
    }

private:
    [[nodiscard]] std::optional<TensorLayout> stated(const Tensor &tensor, LayoutIndex layout) const
    {
        return isImage(tensor) ? tensorLayoutOf(m_problem.layouts[layout]) : std::nullopt;
    }

    Result<void> convertFor(std::int64_t reader)
    {
        for (const LayoutConversion &made : m_assignment.conversions) {
            if (made.before != reader)
                continue;
            Tensor copy = m_graph.tensor(TensorId::fromIndex(made.tensor));
            const std::string name = fmt::format("{} as {}", copy.name, m_problem.layouts[made.to]);
            copy.name = name;
            copy.layout = stated(copy, made.to);
            TRY_AS(const auto ids, m_builder.add(identity(name, m_copies.at({made.tensor, made.from})), {copy}));
            m_copies[{made.tensor, made.to}] = ids.front();
        }
        return {};
    }

    Result<void> addOperator(std::size_t index)
    {
        Operator op = m_graph.operators()[index];
        const LayoutPair layouts = m_assignment.operators[index];
        for (auto &part : op.inputs) {
            for (TensorId &tensor : part)
                tensor = m_copies.at({tensor.index(), layouts.in});
        }
        const bool states = freedomOf(m_graph, op) != Freedom::None;
        const std::vector<TensorId> own = op.outputs;
        std::vector<Tensor> outputs;
        for (const TensorId output : own) {
            outputs.push_back(m_graph.tensor(output));
            outputs.back().layout = states ? stated(outputs.back(), layouts.out) : std::nullopt;
        }
        TRY_AS(const auto ids, m_builder.add(std::move(op), std::move(outputs)));
        for (std::size_t i = 0; i < own.size(); ++i)
            m_copies[{own[i].index(), layouts.out}] = ids[i];
        return {};
    }

    const Graph &m_graph;
    const LayoutProblem &m_problem;
    const LayoutAssignment &m_assignment;
    GraphBuilder m_builder;
    std::map<std::pair<std::size_t, LayoutIndex>, TensorId> m_copies;
};

} // namespace

std::vector<LayoutPair> layoutPairsOf(const Graph &graph, OperatorId id, std::span<const TensorLayout> layouts)
{
    const Operator &op = graph.op(id);
    const auto plain = static_cast<LayoutIndex>(std::ranges::find(layouts, TensorLayout::RowMajor) - layouts.begin());
    const bool hasImages = readsOnlyImages(graph, op) && !op.inputs.empty();
    const Freedom freedom = isImage(graph.tensor(op.outputs.front())) ? freedomOf(graph, op) : Freedom::None;
    std::vector<LayoutPair> pairs;
    const auto count = static_cast<LayoutIndex>(layouts.size());
    for (LayoutIndex in = 0; in < count; ++in) {
        if (!hasImages && in != plain)
            continue;
        for (LayoutIndex out = 0; out < count; ++out) {
            const bool isPossible =
                freedom == Freedom::Any || (freedom == Freedom::LikeInput ? out == in : out == plain);
            if (isPossible)
                pairs.push_back({in, out});
        }
    }
    return pairs;
}

Result<Graph> laidOut(const Graph &graph, const LayoutProblem &problem, const LayoutAssignment &assignment)
{
    for (const std::string &layout : problem.layouts) {
        if (!tensorLayoutOf(layout))
            return refused("no device executes the layout " + layout);
    }
    return LaidOutBuilder(graph, problem, assignment).build();
}

Result<OperatorId> ProfileGraph::addOperator(OperatorId id, TensorLayout in, TensorLayout out)
{
    Copies none;
    return addOperator(nameOf(in, out, m_graph.op(id).name), id, in, out, none);
}

Result<Stage> ProfileGraph::addStage(const Stage &stage, std::span<const LayoutPair> pairs,
                                     std::span<const TensorLayout> layouts)
{
    const std::string name = fmt::format("stage {}: ", ++m_stages);
    const std::vector<OperatorId> operators = operatorsOf(stage);
    Copies copies;
    std::map<OperatorId, OperatorId> made;
    for (std::size_t member = 0; member < operators.size(); ++member) {
        TRY_AS(const auto id, addOperator(name + m_graph.op(operators[member]).name, operators[member],
                                          layouts[pairs[member].in], layouts[pairs[member].out], copies));
        made.emplace(operators[member], id);
    }
    Stage result{0, stage.strategy, stage.groups};
    for (auto &group : result.groups) {
        for (OperatorId &id : group)
            id = made.at(id);
    }
    return result;
}

Result<OperatorId> ProfileGraph::addOperator(const std::string &name, OperatorId id, TensorLayout in, TensorLayout out,
                                             Copies &copies)
{
    Operator op = m_graph.op(id);
    std::size_t inputs = 0;
    for (auto &part : op.inputs) {
        for (TensorId &tensor : part) {
            const Tensor &own = m_graph.tensor(tensor);
            const auto [place, fresh] = copies.try_emplace({tensor.index(), in}); // read twice, it is one input
            if (fresh) {
                const auto layout = isImage(own) ? std::optional(in) : std::nullopt;
                TRY_AS(const auto added,
                       m_builder.addInput(fmt::format("{}/in{}", name, ++inputs), own.shape, own.type, layout));
                place->second = added;
            }
            tensor = place->second;
        }
    }
    for (Parameter &parameter : op.parameters) {
        parameter.name = fmt::format("{}/{}", name, parameter.role);
        if (parameter.shape.elements() > kLargestKeptOperand)
            parameter.values.reset();
    }
    const bool states = freedomOf(m_graph, m_graph.op(id)) != Freedom::None;
    const std::vector<TensorId> own = op.outputs;
    std::vector<Tensor> outputs;
    for (const TensorId output : own) {
        outputs.push_back(m_graph.tensor(output));
        outputs.back().name = fmt::format("{}/out{}", name, outputs.size());
        outputs.back().layout = states && isImage(outputs.back()) ? std::optional(out) : std::nullopt;
    }
    op.name = name;
    TRY_AS(const auto ids, m_builder.add(std::move(op), std::move(outputs)));
    for (std::size_t i = 0; i < own.size(); ++i)
        copies[{own[i].index(), out}] = ids[i];
    return OperatorId::fromIndex(m_operators++);
}

Result<OperatorId> ProfileGraph::addConversion(const Shape &shape, TensorLayout from, TensorLayout to)
{
    const std::string name = nameOf(from, to, "convert " + toString(shape));
    TRY_AS(const auto input, m_builder.addInput(name + "/in", shape, DataType::Float32, from));
    return add(identity(name, input), {Tensor{name + "/out", shape, DataType::Float32, {}, to}});
}

std::string ProfileGraph::nameOf(TensorLayout in, TensorLayout out, const std::string &what)
{
    return fmt::format("{} {} to {}", what, toString(in), toString(out));
}

Result<OperatorId> ProfileGraph::add(Operator op, std::vector<Tensor> outputs)
{
    TRY(m_builder.add(std::move(op), std::move(outputs)));
    return OperatorId::fromIndex(m_operators++);
}

} // namespace stagecraft
