// The memory that results need, once it is planned.

#include "desktop/document/document.h"

#include <algorithm>

namespace stagecraft {

std::vector<MemoryToPlan> Document::memoryToPlan() const
{
    std::vector<MemoryToPlan> wanted;
    const auto want = [&](ResultId id) {
        const ScheduleResult *result = m_shelf.find(id);
        if (!result || !result->schedule || memoryOf(id))
            return;
        if (const ModelPtr model = targetOf(id).model)
            wanted.push_back({id, model, result->schedule, deviceOf(id)});
    };
    want(current());
    for (const ScheduleResult &result : m_shelf.results()) {
        if (result.id != current())
            want(result.id);
    }
    return wanted;
}

void Document::setMemory(const std::vector<PlannedMemory> &planned)
{
    std::erase_if(m_memory, [this](const auto &known) { return !m_shelf.find(known.first); });
    for (const PlannedMemory &each : planned)
        m_memory.insert_or_assign(each.of.id, each);
    emit memoryChanged();
}

// Measuring a schedule again changes nothing about its memory, an edit does.
const PlannedMemory *Document::memoryOf(ResultId id) const
{
    const auto known = m_memory.find(id);
    const ScheduleResult *result = m_shelf.find(id);
    if (known == m_memory.end() || !result || !result->schedule)
        return nullptr;
    const SchedulePtr &planned = known->second.of.schedule;
    return planned == result->schedule || planned->stages == result->schedule->stages ? &known->second : nullptr;
}

} // namespace stagecraft
