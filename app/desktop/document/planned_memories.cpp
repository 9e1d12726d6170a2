#include "desktop/document/planned_memories.h"

#include "desktop/document/results.h"
#include "widgets/base/format.h"

namespace stagecraft {

QString verifiedText(const VerifiedPlan &verified)
{
    if (!verified.faults.empty())
        return QStringLiteral("Not safe: %1").arg(QString::fromStdString(verified.faults.front().reason));
    QString text = QStringLiteral("Verified: no race on tensors or memory among %1 launches")
                       .arg(countText(static_cast<std::int64_t>(verified.launches.value_or(0))));
    if (verified.sharingPairs)
        text += QStringLiteral("; %1 of buffers share bytes, one after the other")
                    .arg(plural(static_cast<std::int64_t>(*verified.sharingPairs), "pair"));
    return text;
}

std::vector<MemoryToPlan> PlannedMemories::missing() const
{
    std::vector<MemoryToPlan> wanted;
    const auto want = [&](ResultId id) {
        const ScheduleResult *result = m_results.shelf().find(id);
        if (!result || !result->schedule || of(id))
            return;
        if (const ModelPtr model = m_results.targetOf(id).model)
            wanted.push_back({id, model, result->schedule, m_results.deviceOf(id)});
    };
    want(m_results.current());
    for (const ScheduleResult &result : m_results.shelf().results()) {
        if (result.id != m_results.current())
            want(result.id);
    }
    return wanted;
}

void PlannedMemories::keep(const std::vector<PlannedMemory> &planned)
{
    std::erase_if(m_memory, [this](const auto &known) { return !m_results.shelf().find(known.first); });
    for (const PlannedMemory &each : planned)
        m_memory.insert_or_assign(each.of.id, each);
}

// Measuring a schedule again changes nothing about its memory, an edit does.
const PlannedMemory *PlannedMemories::of(ResultId id) const
{
    const auto known = m_memory.find(id);
    const ScheduleResult *result = m_results.shelf().find(id);
    if (known == m_memory.end() || !result || !result->schedule)
        return nullptr;
    const SchedulePtr &planned = known->second.of.schedule;
    return planned == result->schedule || hasSameOrder(*planned, *result->schedule) ? &known->second : nullptr;
}

} // namespace stagecraft
