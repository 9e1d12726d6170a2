#include "schedule/compare/operator_changes.h"

#include "graph/graph.h"
#include "schedule/schedule.h"
#include "schedule/stage_groups.h"
#include "schedule/streams/stream_of_operators.h"
#include "schedule/timed_schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <unordered_map>
#include <utility>

namespace stagecraft {
namespace {

// By stream of one side, the one of the other with most of its operators; none is taken twice.
using SameStreams = std::map<std::uint32_t, std::uint32_t>;

SameStreams sameStreams(const OperatorRuns &before, const OperatorRuns &after)
{
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> counts;
    for (std::size_t i = 0; i < before.operators.size(); ++i) {
        const auto &one = before.operators[i].stream;
        const auto &other = after.operators[i].stream;
        if (one && other)
            ++counts[{*one, *other}];
    }
    std::vector<std::pair<std::size_t, std::pair<std::uint32_t, std::uint32_t>>> mostFirst;
    for (const auto &[pair, count] : counts)
        mostFirst.emplace_back(count, pair);
    std::ranges::stable_sort(mostFirst, std::greater<>(), [](const auto &entry) { return entry.first; });
    SameStreams same;
    std::map<std::uint32_t, std::uint32_t> back;
    for (const auto &[count, pair] : mostFirst) {
        if (same.contains(pair.first) || back.contains(pair.second))
            continue;
        same.emplace(pair.first, pair.second);
        back.emplace(pair.second, pair.first);
    }
    return same;
}

std::string fusionWords(const Graph &graph, const std::vector<OperatorId> &with)
{
    if (with.empty())
        return "alone";
    std::string text = "with ";
    for (std::size_t i = 0; i < with.size(); ++i)
        text += (i == 0 ? "" : ", ") + graph.op(with[i]).name;
    return text;
}

class Changes {
public:
    Changes(const Graph &graph, const OperatorRuns &before, const OperatorRuns &after, OperatorTimes times)
        : m_graph(graph), m_before(before), m_after(after), m_times(times), m_streams(sameStreams(before, after))
    {
    }

    OperatorChanges find()
    {
        OperatorChanges changes;
        for (const OperatorAspect aspect : kOperatorAspects) {
            if (!areBothShown(aspect))
                changes.notShown.push_back(aspect);
        }
        changes.ofAll = changesOfAll();
        const std::size_t judged = comparableTimes();
        for (std::size_t i = 0; i < m_before.operators.size(); ++i) {
            const OperatorRun &before = m_before.operators[i];
            const OperatorRun &after = m_after.operators[i];
            const std::string &name = m_graph.op(OperatorId::fromIndex(i)).name;
            if (before.isThere != after.isThere)
                (before.isThere ? changes.onlyBefore : changes.onlyAfter).push_back(name);
            if (!before.isThere || !after.isThere)
                continue;
            OperatorChange change{name, aspectsOf(before, after), timeOf(before), timeOf(after), {}};
            std::erase_if(change.aspects, [&](const AspectChange &each) {
                return std::ranges::find(changes.ofAll, each) != changes.ofAll.end();
            });
            if (change.beforeUs && change.afterUs)
                change.judged = judge(before.repeats, after.repeats, judged);
            if (change.aspects.empty() && !(change.judged && change.judged->isShown()))
                ++changes.equal;
            else
                changes.operators.push_back(std::move(change));
        }
        std::ranges::stable_sort(changes.operators, std::greater<>(), &OperatorChange::lostUs);
        return changes;
    }

private:
    std::optional<double> timeOf(const OperatorRun &run) const
    {
        if (m_times == OperatorTimes::NotComparable || run.repeats.timing.latencyUs <= 0)
            return std::nullopt;
        return run.repeats.timing.latencyUs;
    }

    bool areBothShown(OperatorAspect aspect) const { return m_before.shows(aspect) && m_after.shows(aspect); }

    JudgedRepeats judge(const Repeats &before, const Repeats &after, std::size_t comparisons) const
    {
        if (m_times == OperatorTimes::Exact)
            return {judgeExact(before.timing.latencyUs, after.timing.latencyUs), JudgedBy::Exact};
        return judgeRepeats(before, after, comparisons);
    }

    // Of precision and layout: kernels and the rest are an operator's own.
    std::vector<AspectChange> changesOfAll() const
    {
        std::optional<std::vector<AspectChange>> all;
        std::size_t operators = 0;
        for (std::size_t i = 0; i < m_before.operators.size(); ++i) {
            if (!m_before.operators[i].isThere || !m_after.operators[i].isThere)
                continue;
            ++operators;
            std::vector<AspectChange> own = aspectsOf(m_before.operators[i], m_after.operators[i]);
            if (all)
                std::erase_if(*all,
                              [&](const AspectChange &each) { return std::ranges::find(own, each) == own.end(); });
            else
                all = std::move(own);
        }
        if (!all || operators < 2)
            return {};
        std::erase_if(*all, [](const AspectChange &each) {
            return each.aspect != OperatorAspect::Precision && each.aspect != OperatorAspect::Layout;
        });
        return *all;
    }

    std::size_t comparableTimes() const
    {
        std::size_t count = 0;
        for (std::size_t i = 0; i < m_before.operators.size(); ++i)
            count += timeOf(m_before.operators[i]) && timeOf(m_after.operators[i]) ? 1 : 0;
        return count;
    }

    std::vector<AspectChange> aspectsOf(const OperatorRun &before, const OperatorRun &after) const
    {
        std::vector<AspectChange> changes;
        const auto add = [&](OperatorAspect aspect, bool isEqual, std::string was, std::string is) {
            if (areBothShown(aspect) && !isEqual)
                changes.push_back({aspect, std::move(was), std::move(is)});
        };
        add(OperatorAspect::Kernel, before.kernels == after.kernels || before.kernels.empty() || after.kernels.empty(),
            fmt::format("{}", fmt::join(before.kernels, ", ")), fmt::format("{}", fmt::join(after.kernels, ", ")));
        const auto addText = [&](OperatorAspect aspect, const std::string &was, const std::string &is) {
            add(aspect, was == is || was.empty() || is.empty(), was, is);
        };
        addText(OperatorAspect::Precision, before.precision, after.precision);
        addText(OperatorAspect::Layout, before.layout, after.layout);
        add(OperatorAspect::Fusion, before.fusedWith == after.fusedWith, fusionWords(m_graph, before.fusedWith),
            fusionWords(m_graph, after.fusedWith));
        if (before.stream && after.stream) {
            const auto same = m_streams.find(*before.stream);
            add(OperatorAspect::Stream, same != m_streams.end() && same->second == *after.stream,
                m_before.streams[*before.stream], m_after.streams[*after.stream]);
        }
        return changes;
    }

    const Graph &m_graph;
    const OperatorRuns &m_before;
    const OperatorRuns &m_after;
    OperatorTimes m_times;
    SameStreams m_streams;
};

// Launches or stages whose operators run as one.
std::vector<std::vector<OperatorId>> mergesOf(const Schedule &schedule)
{
    std::vector<std::vector<OperatorId>> merges;
    for (const Stage &stage : schedule.stages) {
        if (stage.isMerged())
            merges.push_back(operatorsOf(stage));
    }
    if (schedule.streams) {
        for (const StreamLaunch &launch : schedule.streams->launches) {
            if (launch.isMerged())
                merges.push_back(launch.operators);
        }
    }
    return merges;
}

// Layouts of tensors that operators write: those that are not stated are NCHW (schedule/schedule.h).
void addLayouts(const Graph &graph, const StatedLayouts &stated, OperatorRuns &runs)
{
    std::unordered_map<std::string, TensorLayout> layouts(stated.tensors.begin(), stated.tensors.end());
    for (std::size_t i = 0; i < runs.operators.size(); ++i) {
        const Operator &op = graph.op(OperatorId::fromIndex(i));
        const auto found = layouts.find(graph.tensor(op.outputs.front()).name);
        runs.operators[i].layout = nameOf(found == layouts.end() ? TensorLayout::RowMajor : found->second);
    }
}

} // namespace

std::string_view toString(OperatorAspect aspect)
{
    switch (aspect) {
    case OperatorAspect::Kernel: return "kernel";
    case OperatorAspect::Precision: return "precision";
    case OperatorAspect::Layout: return "layout";
    case OperatorAspect::Fusion: return "fusion";
    case OperatorAspect::Stream: return "stream";
    }
    return {};
}

OperatorRuns operatorRuns(const Graph &graph, const TimedSchedule &schedule)
{
    OperatorRuns runs{std::vector<OperatorRun>(graph.size()), {}, {}};
    runs.setShown(OperatorAspect::Fusion);
    runs.setShown(OperatorAspect::Stream);
    const std::vector<std::size_t> streams = streamOfOperators(schedule);
    for (std::size_t i = 0; i < streams.size(); ++i) {
        OperatorRun &run = runs.operators[i];
        run.isThere = true;
        run.stream = static_cast<std::uint32_t>(streams[i]);
        while (runs.streams.size() <= streams[i])
            runs.streams.push_back(fmt::format("stream {}", runs.streams.size() + 1));
    }
    for (const std::vector<OperatorId> &merged : mergesOf(schedule)) {
        for (const OperatorId id : merged)
            std::ranges::copy_if(merged, std::back_inserter(runs.operators[id.index()].fusedWith),
                                 [id](OperatorId other) { return other != id; });
    }
    if (!schedule.layouts.empty()) {
        runs.setShown(OperatorAspect::Layout);
        addLayouts(graph, schedule.layouts, runs);
    }
    if (!schedule.isOfProfile() && !schedule.context.precision.empty()) {
        runs.setShown(OperatorAspect::Precision);
        for (OperatorRun &run : runs.operators)
            run.precision = schedule.context.precision;
    }
    for (std::size_t i = 0; schedule.hasStageLatencies() && i < schedule.stages.size(); ++i) {
        if (schedule.stages[i].operatorCount() == 1)
            runs.operators[schedule.stages[i].groups.front().front().index()].repeats.timing =
                schedule.measured.stages[i];
    }
    return runs;
}

OperatorChanges operatorChanges(const Graph &graph, const OperatorRuns &before, const OperatorRuns &after,
                                OperatorTimes times)
{
    return Changes(graph, before, after, times).find();
}

} // namespace stagecraft
