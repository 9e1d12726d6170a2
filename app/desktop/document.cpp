#include "desktop/document.h"

#include "schedule/schedule_words.h"
#include "schedule/search_words.h"

#include <algorithm>
#include <utility>

namespace stagecraft {

Document::Document(QObject *parent) : QObject(parent)
{
    resetEntries();
}

void Document::resetEntries()
{
    m_entries.clear();
    for (const ScheduleKind kind : kScheduleKinds) {
        const bool searched = kind != ScheduleKind::Sequential && kind != ScheduleKind::Greedy;
        m_entries.push_back({QString::fromLatin1(title(kind).data(), static_cast<qsizetype>(title(kind).size())),
                             kind,
                             nullptr,
                             {},
                             nullptr,
                             {},
                             searched ? tr("not searched yet") : tr("being measured")});
    }
    m_current = indexOf(ScheduleKind::Greedy);
}

std::vector<ComparisonRow> Document::comparison() const
{
    const SchedulePtr &sequential = m_entries[indexOf(ScheduleKind::Sequential)].schedule;
    std::vector<ComparisonRow> rows;
    if (!m_model)
        return rows;
    for (const ScheduleEntry &entry : m_entries) {
        ComparisonRow row;
        row.title = entry.title;
        row.note = entry.note;
        if (entry.schedule) {
            row.latencyUs = entry.schedule->latencyUs();
            row.provenance = entry.schedule->provenance.value_or(m_device.provenance);
            row.leavesOutWork = entry.schedule->leavesOutWork();
            row.stages = entry.schedule->stages.size();
            row.isSumOfStages = entry.schedule->isSumOfStages;
            row.disturbedStages = disturbedStages(*entry.schedule);
            if (sequential && sequential->timing && row.latencyUs && *row.latencyUs > 0 &&
                areComparable(*sequential, *entry.schedule))
                row.speedup = sequential->timing->latencyUs / *row.latencyUs;
            if (entry.inTurn) { // rather than what each took minutes apart
                const Judgement &against = entry.inTurn->against;
                row.latencyUs = entry.inTurn->timing.latencyUs;
                row.speedup = against.speedup;
                row.interval = {against.low, against.high};
                row.verdict = QString::fromStdString(verdictText(against, entry.inTurn->secondsPerRound));
            }
            if (!entry.search.empty()) {
                row.measurements = entry.schedule->search.stageMeasurements;
                row.gap = entry.schedule->search.gap;
                row.gapText = QString::fromStdString(outcomeText(entry.schedule->search));
                if (entry.schedule->search.sumUs > 0)
                    row.gapOfUs = entry.schedule->search.sumUs;
            }
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

void Document::setModel(const QString &spec, ModelPtr model)
{
    m_spec = spec;
    m_model = std::move(model);
    resetEntries();
    emit modelChanged();
    emit entriesChanged();
    emit frontChanged();
    emit timelineChanged();
}

void Document::setDevice(DeviceInfo device)
{
    m_device = std::move(device);
    resetEntries();
    emit deviceChanged();
    emit entriesChanged();
    emit frontChanged();
    emit timelineChanged();
}

void Document::setSchedule(ScheduleKind kind, SchedulePtr schedule, std::vector<BlockSearch> search)
{
    const std::size_t index = indexOf(kind);
    ScheduleEntry &entry = m_entries[index];
    entry.schedule = std::move(schedule);
    entry.search = std::move(search);
    entry.timeline = nullptr;
    entry.inTurn.reset();
    if (kind == ScheduleKind::Sequential) { // what the others were timed against
        for (ScheduleEntry &other : m_entries)
            other.inTurn.reset();
    }
    entry.note.clear();
    emit entriesChanged();
    if (index == m_current) {
        emit timelineChanged(); // gone, until the one of this schedule is made
        emit frontChanged();
    }
}

void Document::setNote(ScheduleKind kind, const QString &note)
{
    m_entries[indexOf(kind)].note = note;
    emit entriesChanged();
    if (indexOf(kind) == m_current) {
        emit timelineChanged(); // its empty state says the note
        emit frontChanged();
    }
}

std::size_t Document::addSchedule(const QString &title, SchedulePtr schedule)
{
    m_entries.push_back({title, std::nullopt, std::move(schedule), {}, nullptr, {}, {}});
    emit entriesChanged();
    return m_entries.size() - 1;
}

void Document::setTimeline(const SchedulePtr &schedule, std::shared_ptr<const Timeline> timeline)
{
    for (ScheduleEntry &entry : m_entries) {
        if (entry.schedule == schedule)
            entry.timeline = timeline;
    }
    if (front().schedule == schedule)
        emit timelineChanged();
}

void Document::setTimesInTurn(const std::vector<SchedulePtr> &schedules, const std::vector<InTurn> &times)
{
    for (ScheduleEntry &entry : m_entries) {
        const auto found = std::ranges::find(schedules, entry.schedule);
        if (entry.schedule && found != schedules.end())
            entry.inTurn = times[static_cast<std::size_t>(found - schedules.begin())];
    }
    emit entriesChanged();
}

void Document::setCurrent(std::size_t index)
{
    if (index == m_current || index >= m_entries.size())
        return;
    m_current = index;
    emit entriesChanged();
    emit frontChanged();
    emit timelineChanged();
}

} // namespace stagecraft
