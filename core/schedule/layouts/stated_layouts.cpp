#include "schedule/layouts/stated_layouts.h"

#include "schedule/layouts/laid_out_graph.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

namespace stagecraft {
namespace {

using LayoutsByName = std::unordered_map<std::string, LayoutIndex>;

LayoutIndex indexOf(TensorLayout layout)
{
    return static_cast<LayoutIndex>(std::ranges::find(kTensorLayouts, layout) - kTensorLayouts.begin());
}

LayoutsByName byName(std::span<const std::pair<std::string, TensorLayout>> layouts)
{
    LayoutsByName result;
    for (const auto &[name, layout] : layouts)
        result[name] = indexOf(layout);
    return result;
}

// Every layout that devices execute, in the order of kTensorLayouts.
LayoutProblem executedLayouts(const Graph &graph)
{
    std::vector<std::string> names;
    names.reserve(kTensorLayouts.size());
    for (const TensorLayout layout : kTensorLayouts)
        names.emplace_back(nameOf(layout));
    return layoutProblemOf(graph, std::move(names), indexOf(TensorLayout::RowMajor));
}

// Layouts by operator and tensor, and the conversions between them.
class Assigned {
public:
    Assigned(const Graph &graph, const LayoutProblem &problem, const StatedLayouts &layouts)
        : m_graph(graph), m_problem(problem), m_reads(byName(layouts.reads))
    {
        const LayoutsByName written = byName(layouts.tensors);
        for (const Tensor &tensor : graph.tensors()) {
            const auto stated = written.find(tensor.name);
            m_made.tensors.push_back(stated == written.end() ? problem.fixed : stated->second);
        }
        for (std::size_t i = 0; i < graph.size(); ++i) {
            m_made.operators.push_back({readBy(i), m_made.tensors[problem.operators[i].outputs.front()]});
            for (const std::uint32_t tensor : problem.operators[i].inputs)
                convert(tensor, m_made.operators.back().in, static_cast<std::int64_t>(i));
        }
        for (const TensorId output : graph.outputs())
            convert(static_cast<std::uint32_t>(output.index()), problem.fixed, -1);
    }

    LayoutAssignment take() { return std::move(m_made); }

private:
    [[nodiscard]] LayoutIndex readBy(std::size_t op) const
    {
        const auto &inputs = m_problem.operators[op].inputs;
        const auto isPlain = [&](std::uint32_t tensor) { return !isImage(m_graph.tensors()[tensor]); };
        if (inputs.empty() || std::ranges::any_of(inputs, isPlain))
            return m_problem.fixed;
        const auto stated = m_reads.find(m_problem.operators[op].name);
        if (stated != m_reads.end())
            return stated->second;
        const LayoutIndex first = m_made.tensors[inputs.front()];
        const bool agree =
            std::ranges::all_of(inputs, [&](std::uint32_t tensor) { return m_made.tensors[tensor] == first; });
        return agree ? first : m_made.tensors[m_problem.operators[op].outputs.front()];
    }

    void convert(std::uint32_t tensor, LayoutIndex wanted, std::int64_t reader)
    {
        const LayoutIndex from = m_made.tensors[tensor];
        const bool isThere = std::ranges::any_of(m_made.conversions, [&](const LayoutConversion &made) {
            return made.tensor == tensor && made.to == wanted;
        });
        if (from != wanted && !isThere)
            m_made.conversions.push_back({tensor, from, wanted, 0, reader});
    }

    const Graph &m_graph;
    const LayoutProblem &m_problem;
    LayoutsByName m_reads;
    LayoutAssignment m_made;
};

} // namespace

Result<StatedLayouts> statedLayouts(const Graph &graph, const LayoutProblem &problem,
                                    const LayoutAssignment &assignment)
{
    std::vector<TensorLayout> executed;
    for (const std::string &name : problem.layouts) {
        const auto layout = tensorLayoutOf(name);
        if (!layout)
            return refused("no device executes the layout " + name + ", so a schedule cannot state it");
        executed.push_back(*layout);
    }
    StatedLayouts layouts;
    for (std::size_t i = 0; i < graph.tensors().size(); ++i) {
        const Tensor &tensor = graph.tensors()[i];
        if (isImage(tensor) && tensor.producer.isValid())
            layouts.tensors.emplace_back(tensor.name, executed[assignment.tensors[i]]);
    }
    for (std::size_t i = 0; i < graph.size(); ++i) {
        const LayoutIndex in = assignment.operators[i].in;
        const bool converts = std::ranges::any_of(problem.operators[i].inputs, [&](std::uint32_t tensor) {
            return isImage(graph.tensors()[tensor]) && assignment.tensors[tensor] != in;
        });
        if (converts)
            layouts.reads.emplace_back(graph.operators()[i].name, executed[in]);
    }
    std::ranges::sort(layouts.tensors); // as they come back from files
    std::ranges::sort(layouts.reads);
    return layouts;
}

Result<LaidOutSchedule> LaidOutSchedule::make(const Graph &graph, const StatedLayouts &layouts)
{
    const LayoutProblem problem = executedLayouts(graph);
    const LayoutAssignment assignment = Assigned(graph, problem, layouts).take();
    TRY_AS(auto laid, laidOut(graph, problem, assignment));
    LaidOutSchedule made;
    made.m_graph = std::make_shared<const Graph>(std::move(laid));
    made.m_originals.resize(made.m_graph->size());
    made.m_isConversion.assign(made.m_graph->size(), true);
    for (std::size_t i = 0; i < graph.size(); ++i) {
        const OperatorId id = *made.m_graph->find(graph.operators()[i].name);
        made.m_ids.push_back(id);
        made.m_originals[id.index()] = OperatorId::fromIndex(i);
        made.m_isConversion[id.index()] = false;
    }
    for (std::size_t i = made.m_graph->size(); i-- > 0;) {
        const auto id = OperatorId::fromIndex(i);
        if (!made.m_isConversion[i])
            continue;
        const auto readers = made.m_graph->successors(id);
        const auto writers = made.m_graph->predecessors(id);
        if (!readers.empty())
            made.m_originals[i] = made.m_originals[readers.front().index()];
        else if (!writers.empty())
            made.m_originals[i] = made.m_originals[writers.front().index()];
        else
            made.m_originals[i] = OperatorId::fromIndex(0);
    }
    return made;
}

Stage LaidOutSchedule::stage(const Stage &stage) const
{
    Stage made = stage;
    for (OperatorId &id : made.launchOrder)
        id = m_ids[id.index()];
    for (auto &group : made.groups) {
        for (OperatorId &id : group)
            id = m_ids[id.index()];
        const std::vector<OperatorId> own = group;
        for (const OperatorId writer : own) {
            for (const OperatorId copy : m_graph->successors(writer)) {
                const bool isInside = isConversion(copy) && std::ranges::find(group, copy) == group.end() &&
                                      std::ranges::any_of(m_graph->successors(copy), [&](OperatorId reader) {
                                          return std::ranges::find(own, reader) != own.end();
                                      });
                if (!isInside)
                    continue;
                group.push_back(copy);
                const auto after = std::ranges::find(made.launchOrder, writer);
                if (after != made.launchOrder.end())
                    made.launchOrder.insert(std::next(after), copy);
            }
        }
    }
    return normalized(std::move(made));
}

LaidOutSchedule::Stages LaidOutSchedule::stages(std::span<const Stage> stages) const
{
    Stages result;
    std::vector<bool> isDone(m_graph->size());
    const auto add = [&](Stage stage, std::size_t of, bool isConversion) {
        for (const auto &group : stage.groups) {
            for (const OperatorId id : group)
                isDone[id.index()] = true;
        }
        result.stages.push_back(std::move(stage));
        result.of.push_back(of);
        result.isConversion.push_back(isConversion);
    };
    for (std::size_t i = 0; i < stages.size(); ++i) {
        Stage made = stage(stages[i]);
        std::vector<OperatorId> members;
        for (const auto &group : made.groups)
            members.insert(members.end(), group.begin(), group.end());
        for (const OperatorId id : members) {
            for (const OperatorId before : m_graph->predecessors(id)) {
                const bool isInside = std::ranges::find(members, before) != members.end();
                if (isConversion(before) && !isInside && !isDone[before.index()])
                    add(stageAlone(before, made.block), i, true);
            }
        }
        add(std::move(made), i, false);
    }
    for (std::size_t i = 0; i < m_graph->size(); ++i) {
        if (!isDone[i] && m_isConversion[i])
            add(stageAlone(OperatorId::fromIndex(i), stages.back().block), stages.size() - 1, true);
    }
    return result;
}

} // namespace stagecraft
