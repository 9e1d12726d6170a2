#pragma once

// Results edited by hand. The first edit of a result creates a draft, a separate result with all undo and redo steps.
// Further edits change the draft until it is frozen by being named, exported, compared with or opened elsewhere; the
// next edit then creates a new draft. Plain values; the shelf holds the results themselves.

#include "schedule/edit_history.h"
#include "search/stage_latency_source.h"
#include "shelf/schedule_result.h"

#include <map>
#include <optional>
#include <vector>

namespace stagecraft {

struct Draft {
    ResultId id;
    ResultId from;
    EditHistory history;
    bool isFrozen = false;
    std::optional<BoundaryCost> boundary = std::nullopt; // of its device, if measured
    // The shelf's result at the time its first step was undone.
    std::optional<ScheduleResult> takenBack = std::nullopt;
};

class Drafts {
public:
    Draft &add(Draft draft) { return m_drafts.insert_or_assign(draft.id, std::move(draft)).first->second; }
    [[nodiscard]] Draft *find(ResultId id)
    {
        const auto found = m_drafts.find(id);
        return found != m_drafts.end() ? &found->second : nullptr;
    }
    [[nodiscard]] const Draft *find(ResultId id) const { return const_cast<Drafts *>(this)->find(id); }
    // Null if it is not a draft or is frozen.
    [[nodiscard]] Draft *open(ResultId id)
    {
        Draft *draft = find(id);
        return draft && !draft->isFrozen ? draft : nullptr;
    }
    void freeze(ResultId id)
    {
        if (Draft *draft = find(id))
            draft->isFrozen = true;
    }

    // Stages that a search from this result has to keep (search/pins.h). Stages that the schedule no longer has are
    // kept as well: undo brings them back.
    [[nodiscard]] const std::vector<Stage> &pins(ResultId id) const
    {
        static const std::vector<Stage> kNone;
        const auto found = m_pins.find(id);
        return found != m_pins.end() ? found->second : kNone;
    }
    void setPins(ResultId id, std::vector<Stage> pins) { m_pins[id] = std::move(pins); }

private:
    std::map<ResultId, Draft> m_drafts;
    std::map<ResultId, std::vector<Stage>> m_pins;
};

} // namespace stagecraft
