#include "schedule/edit/edit_history.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace stagecraft {

EditHistory::EditHistory(std::shared_ptr<const TimedSchedule> origin, std::string originName)
    : m_origin(std::move(origin)), m_originName(std::move(originName)), m_order{m_origin->stages, {}, m_origin->streams}
{
    if (m_origin->layouts.empty()) // an edit runs in the layouts that the device chooses
        keepTimes(*m_origin);
}

Result<EditedStages> EditHistory::apply(const Graph &graph, const Blocks &blocks, const Edit &edit)
{
    auto edited = applyEdit(graph, blocks, m_order, edit);
    if (!edited || (edited->stages == m_order.stages && edited->streams == m_order.streams))
        return edited;
    // Stores only the part that differs.
    const auto &now = edited->stages;
    const auto &stages = m_order.stages;
    const auto [mine, theirs] = std::ranges::mismatch(stages, now);
    std::size_t behind = 0;
    while (behind < static_cast<std::size_t>(stages.end() - mine) &&
           behind < static_cast<std::size_t>(now.end() - theirs) &&
           stages[stages.size() - 1 - behind] == now[now.size() - 1 - behind])
        ++behind;
    Step step{edited->words, static_cast<std::size_t>(mine - stages.begin()), 0, {}, edited->streams, {}};
    step.count = stages.size() - step.first - behind;
    step.others.assign(theirs, now.end() - static_cast<std::ptrdiff_t>(behind));
    m_steps.resize(m_done);
    m_steps.push_back(std::move(step));
    redo();
    return edited;
}

void EditHistory::undo()
{
    exchange(m_steps[--m_done]);
}

void EditHistory::redo()
{
    exchange(m_steps[m_done++]);
}

void EditHistory::exchange(Step &step)
{
    const auto from = m_order.stages.begin() + static_cast<std::ptrdiff_t>(step.first);
    const auto to = from + static_cast<std::ptrdiff_t>(step.count);
    std::vector<Stage> taken(std::make_move_iterator(from), std::make_move_iterator(to));
    const auto gap = m_order.stages.erase(from, to);
    step.count = step.others.size();
    m_order.stages.insert(gap, std::make_move_iterator(step.others.begin()),
                          std::make_move_iterator(step.others.end()));
    step.others = std::move(taken);
    if (step.streams)
        std::swap(m_order.streams, step.streams);
}

TimedSchedule EditHistory::schedule() const
{
    if (hasSameOrder(m_order, *m_origin))
        return *m_origin;
    const bool isMeasured = m_done > 0 && m_steps[m_done - 1].whole;
    TimedSchedule schedule = isMeasured ? *m_steps[m_done - 1].whole : editedSchedule(*m_origin, m_originName, {});
    schedule.stages = m_order.stages;
    schedule.streams = m_order.streams;
    if (schedule.streams)
        return schedule;
    if (fillTimes(schedule)) {
        schedule.context.device = m_source.device;
        schedule.context.deviceVersion = m_source.deviceVersion;
        schedule.measured.calibration = m_source.calibration;
        schedule.measured.simulationErrors = m_source.simulationErrors;
        schedule.measured.provenance = m_source.provenance;
    } else {
        schedule.measured.stages.clear();
    }
    return schedule;
}

bool EditHistory::fillTimes(TimedSchedule &schedule) const
{
    for (const Stage &stage : m_order.stages) {
        const Timing *known = timeOf(stage);
        if (!known)
            return false;
        schedule.measured.stages.push_back(*known);
    }
    return true;
}

std::vector<std::size_t> EditHistory::unknownStages() const
{
    std::vector<std::size_t> unknown;
    for (std::size_t i = 0; i < m_order.stages.size(); ++i) {
        if (!timeOf(m_order.stages[i]))
            unknown.push_back(i);
    }
    return unknown;
}

const Timing *EditHistory::timeOf(const Stage &stage) const
{
    const auto known = m_times.find(stage);
    return known != m_times.end() ? &known->second : nullptr;
}

void EditHistory::keepTimes(const TimedSchedule &timed)
{
    for (std::size_t i = 0; i < timed.measured.stages.size(); ++i)
        keepTime(timed.stages[i], timed.measured.stages[i]);
    if (timed.hasStageLatencies())
        m_source = {timed.context.device, timed.context.deviceVersion, timed.measured.calibration,
                    timed.measured.simulationErrors, timed.measured.provenance};
    if (m_done == 0 || !hasSameOrder(timed, m_order))
        return;
    TimedSchedule &whole = m_steps[m_done - 1].whole.emplace(timed);
    whole.stages.clear();
    whole.streams.reset();
    whole.measured.stages.clear();
}

void EditHistory::keepTime(const Stage &stage, const Timing &timing)
{
    m_times.insert_or_assign(stage, timing);
}

TimedSchedule editedSchedule(const TimedSchedule &origin, const std::string &originName, Schedule order)
{
    TimedSchedule schedule;
    schedule.stages = std::move(order.stages);
    schedule.streams = std::move(order.streams);
    schedule.context.model = origin.context.model;
    schedule.context.batch = origin.context.batch;
    schedule.context.precision = origin.context.precision;
    schedule.search.strategy = "edited";
    schedule.search.editedFrom = originName;
    return schedule;
}

} // namespace stagecraft
