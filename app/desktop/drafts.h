#pragma once

// Results that are edited by hand. The first edit of a result makes a draft beside it, a result of its own with every
// step there and back; further edits change the draft until it is frozen, by being named, exported, held against others
// or opened elsewhere: the next edit then makes a draft of it. Plain values; the shelf holds the results themselves.

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
    std::optional<BoundaryCost> boundary = std::nullopt; // of its device, once measured
    // As it was on the shelf, where its first step was taken back.
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
    // Null: it is no draft, or frozen.
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

    // Stages that a search from this result has to keep (search/pins.h), of any result. Those that the schedule does
    // not have any more are kept all the same: undo brings them back.
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
