#pragma once

// The memory that results need, once it is planned, and whether that and their order are safe. Lives on the UI thread.

#include "desktop/work/target.h"
#include "device/device.h"
#include "flow/explain/memory_of_schedule.h"
#include "flow/verify/verified_plan.h"
#include "results/schedule_result.h"

#include <QString>

#include <map>
#include <memory>
#include <vector>

namespace stagecraft {

class Results;

// A result whose memory is planned, and the answer.
struct MemoryToPlan {
    ResultId id;
    ModelPtr model;
    SchedulePtr schedule;
    DeviceInfo device;
};
struct PlannedMemory {
    MemoryToPlan of;
    std::shared_ptr<const ScheduleMemory> memory; // null: it cannot be planned
    QString whyNot;
    std::shared_ptr<const VerifiedPlan> verified = {}; // null: it was not verified
};

// "Verified: no race on tensors or memory among 122 launches"; of one with faults the first of them.
[[nodiscard]] QString verifiedText(const VerifiedPlan &verified);

class PlannedMemories {
public:
    explicit PlannedMemories(const Results &results) : m_results(results) {}

    [[nodiscard]] std::vector<MemoryToPlan> missing() const; // the current result first
    void keep(const std::vector<PlannedMemory> &planned);
    [[nodiscard]] const PlannedMemory *of(ResultId id) const; // null until planned

private:
    const Results &m_results;
    std::map<ResultId, PlannedMemory> m_memory;
};

} // namespace stagecraft
