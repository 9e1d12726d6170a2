#include "operators/composed/subgraph.h"

#include "operators/folding/fold.h"
#include "operators/folding/product_costs.h"
#include "operators/folding/size_bounds.h"
#include "operators/kernels/typed.h"
#include "operators/schema.h"
#include "operators/shapes/shape_rules.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <optional>
#include <string_view>
#include <utility>

namespace stagecraft::subgraph {
namespace {

constexpr std::array<std::string_view, 2> kBranches{"then_branch", "else_branch"};
constexpr std::int64_t kSmall = 10'000; // numbers that a node visits that is evaluated to know shapes

using Kind = SubgraphSource::Kind;

const Subgraph *graphOf(const NodeFacts &node, std::string_view name)
{
    const AttributeValue *value = find(node.attributes, name);
    const auto *held = value ? std::get_if<SharedSubgraph>(value) : nullptr;
    return held ? held->graph.get() : nullptr;
}

// What is known of the tensors of a subgraph, node by node.
class Walk {
public:
    Walk(const Subgraph &graph, const NodeFacts &outer) : m_graph(graph), m_outer(outer) {}

    // The node with its operands, as far as nodes before it are known.
    [[nodiscard]] NodeFacts factsOf(const SubgraphNode &node) const
    {
        NodeFacts facts;
        facts.type = node.type;
        facts.opset = m_graph.opset;
        facts.attributes = node.attributes;
        facts.outputCount = std::max<std::size_t>(1, node.outputs);
        for (const SubgraphSource &input : node.inputs)
            facts.inputs.push_back(of(input));
        return facts;
    }

    [[nodiscard]] std::optional<OperandFacts> of(const SubgraphSource &source) const
    {
        switch (source.kind) {
        case Kind::Operand: return m_outer.has(source.place) ? m_outer.inputs[source.place] : std::nullopt;
        case Kind::Node: return m_made[source.place][source.output];
        case Kind::Nothing: break;
        }
        return std::nullopt;
    }

    void add(std::vector<OperandFacts> made) { m_made.push_back(std::move(made)); }

    void add(std::vector<Constant> constants)
    {
        std::vector<OperandFacts> made;
        for (Constant &each : constants) {
            const auto constant = std::make_shared<const Constant>(std::move(each));
            made.push_back({{}, Shape{constant->dims}, constant->type, constant});
        }
        add(std::move(made));
    }

private:
    const Subgraph &m_graph;
    const NodeFacts &m_outer;
    std::vector<std::vector<OperandFacts>> m_made; // by node and output
};

Shape larger(const Shape &a, const Shape &b)
{
    if (!a.known || !b.known || a.dims.size() != b.dims.size())
        return Shape{{}, false};
    Shape shape = a;
    for (std::size_t axis = 0; axis < a.dims.size(); ++axis)
        shape.dims[axis] = std::max(a.dims[axis], b.dims[axis]);
    shape.atMost = a.atMost || b.atMost || a.dims != b.dims;
    return shape;
}

struct Plan {
    std::vector<OperandFacts> results;
    double multiplyAdds = 0;
};

Result<Plan> planned(const Subgraph &graph, const NodeFacts &outer);

bool hasBranches(const NodeFacts &node)
{
    return node.type == "If" && std::ranges::all_of(kBranches, [&](auto name) { return graphOf(node, name); });
}

// What an If makes, each branch being looked at once, however deep it is: of the branch that is taken, if that is
// known, or else what holds for both, or for the one whose operands fit.
Result<Plan> plannedBranches(const NodeFacts &node)
{
    const Constant *condition = node.constant(0);
    const bool isKnown = condition && condition->size() == 1;
    const bool isTrue = isKnown && condition->asInts().front() != 0;
    std::vector<Plan> plans;
    std::optional<Error> misfit;
    for (const std::string_view branch : kBranches) {
        if (isKnown && branch != kBranches[isTrue ? 0 : 1])
            continue;
        auto plan = planned(*graphOf(node, branch), node);
        if (!plan) {
            misfit = std::move(plan.error());
            continue;
        }
        plan->results.resize(node.outputCount, {TensorId::fromIndex(0), Shape{{}, false}, DataType::Other, nullptr});
        plans.push_back(std::move(*plan));
    }
    if (plans.empty())
        return tl::unexpected(std::move(*misfit));
    Plan &made = plans.front();
    for (std::size_t i = 0; plans.size() > 1 && i < node.outputCount; ++i)
        made.results[i] = {TensorId::fromIndex(0), larger(made.results[i].shape, plans[1].results[i].shape),
                           made.results[i].type, nullptr};
    for (const Plan &plan : plans)
        made.multiplyAdds = std::max(made.multiplyAdds, plan.multiplyAdds);
    return std::move(made);
}

Result<Plan> planned(const Subgraph &graph, const NodeFacts &outer)
{
    Walk walk(graph, outer);
    Plan plan;
    for (const SubgraphNode &node : graph.nodes) {
        const NodeFacts facts = walk.factsOf(node);
        if (hasBranches(facts)) {
            auto branches = plannedBranches(facts);
            if (!branches)
                return within(node.type, std::move(branches.error()));
            const bool isKnown = !branches->results.empty() && branches->results.front().shape.known;
            plan.multiplyAdds += isKnown ? branches->multiplyAdds : 0;
            walk.add(std::move(branches->results));
            continue;
        }
        if (const auto effort = foldEffort(facts); effort && effort->visited <= kSmall) {
            if (auto constants = fold(facts)) {
                walk.add(std::move(*constants));
                continue;
            }
        }
        auto shapes = inferShapes(facts);
        if (!shapes)
            return within(node.type, std::move(shapes.error()));
        std::vector<OperandFacts> made;
        for (std::size_t i = 0; i < facts.outputCount; ++i) {
            Shape shape = *shapes ? std::move((**shapes)[i]) : Shape{{}, false};
            made.push_back({TensorId::fromIndex(0), std::move(shape), stagecraft::resultType(facts, i), nullptr,
                            i == 0 ? largestValues(facts) : nullptr});
        }
        plan.multiplyAdds += product_costs::ofPart(facts, made.front().shape);
        walk.add(std::move(made));
    }
    for (const SubgraphSource &result : graph.results)
        plan.results.push_back(walk.of(result).value_or(OperandFacts{{}, Shape{{}, false}, DataType::Other, nullptr}));
    return plan;
}

// The operands of the call as constants.
NodeFacts withValues(const KernelCall &call)
{
    NodeFacts node = call.node;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
        if (!node.has(i) || !call.has(i))
            continue;
        const DataType type = node.inputs[i]->type;
        const auto constant = std::make_shared<const Constant>(constantOf(call.in(i), type));
        node.inputs[i] = OperandFacts{{}, Shape{constant->dims}, type, constant, nullptr};
    }
    return node;
}

Result<void> write(const Constant &constant, TensorView &out)
{
    if (static_cast<std::int64_t>(constant.size()) > out.size())
        return kernels::refuse(fmt::format("its branch makes {}, where at most {} was expected",
                                           toString(Shape{constant.dims}), toString(Shape{out.dims})));
    out.dims = constant.dims;
    convertValues(tensorOf(constant).view, out);
    return {};
}

} // namespace

// A file may have a branch for every size of its input: one whose operands do not fit is never taken at these sizes,
// and refused where it is.
Result<std::vector<Shape>> shapesOfBranches(const NodeFacts &node)
{
    std::vector<std::vector<Shape>> shapes;
    std::optional<Error> misfit;
    for (const std::string_view branch : kBranches) {
        const Subgraph *graph = graphOf(node, branch);
        if (!graph)
            return shape_rules::unknown(node.outputCount);
        auto plan = planned(*graph, node);
        if (!plan) {
            misfit = std::move(plan.error());
            continue;
        }
        auto &found = shapes.emplace_back();
        for (const OperandFacts &result : plan->results)
            found.push_back(result.shape);
        found.resize(node.outputCount, Shape{{}, false});
    }
    if (shapes.empty())
        return tl::unexpected(std::move(*misfit));
    std::vector<Shape> both;
    for (std::size_t i = 0; i < node.outputCount; ++i)
        both.push_back(larger(shapes.front()[i], shapes.back()[i]));
    return both;
}

DataType resultType(const NodeFacts &node, std::size_t output)
{
    for (const std::string_view branch : kBranches) {
        const Subgraph *graph = graphOf(node, branch);
        const auto plan = graph ? planned(*graph, node) : Result<Plan>(Plan{});
        if (plan)
            return output < plan->results.size() ? plan->results[output].type : DataType::Other;
    }
    return DataType::Other;
}

double multiplyAddsOfBranches(const NodeFacts &node, const Shape &)
{
    double most = 0;
    for (const std::string_view branch : kBranches) {
        const Subgraph *graph = graphOf(node, branch);
        if (const auto plan = graph ? planned(*graph, node) : Result<Plan>(Plan{}))
            most = std::max(most, plan->multiplyAdds);
    }
    return most;
}

Result<void> runBranch(KernelCall &call)
{
    const NodeFacts outer = withValues(call);
    const bool isTrue = outer.constant(0)->size() == 1 && outer.constant(0)->asInts().front() != 0;
    const Subgraph *graph = graphOf(outer, kBranches[isTrue ? 0 : 1]);
    if (!graph)
        return kernels::refuse(fmt::format("its {} is not known", kBranches[isTrue ? 0 : 1]));
    Walk walk(*graph, outer);
    for (const SubgraphNode &node : graph->nodes) {
        auto made = evaluate(walk.factsOf(node));
        if (!made)
            return within(node.type, std::move(made.error()));
        walk.add(std::move(*made));
    }
    for (std::size_t i = 0; i < call.outputs.size(); ++i) {
        if (!call.wants(i))
            continue;
        const auto result = i < graph->results.size() ? walk.of(graph->results[i]) : std::nullopt;
        if (!result || !result->constant)
            return kernels::refuse(fmt::format("its output {} is not computed", i + 1));
        if (auto done = write(*result->constant, call.out(i)); !done)
            return done;
    }
    return {};
}

std::string missing(const Operator &op)
{
    const auto *generic = std::get_if<GenericAttributes>(&op.attributes);
    const OperatorSchema *schema = generic ? schemaOf(op.type) : nullptr;
    if (!schema || !schema->hasSubgraphs)
        return {};
    for (const AttributeSchema &attribute : schema->attributes) {
        const AttributeValue *value = find(generic->values, attribute.name);
        if (!value)
            return attribute.name + " is missing";
        if (const auto *notKept = std::get_if<NotKept>(value))
            return fmt::format("{} is {}", attribute.name, notKept->what);
    }
    return {};
}

} // namespace stagecraft::subgraph
