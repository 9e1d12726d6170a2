#pragma once

// Results edited by hand. The first edit of a result creates a draft, a separate result with all undo and redo steps.
// Further edits change the draft until it is frozen by being named, exported, compared with or opened elsewhere; the
// next edit then creates a new draft. Undo never changes a frozen result: it goes on in another one, and redo returns
// to the frozen one. Plain values; the shelf holds the results themselves.

#include "results/schedule_result.h"
#include "schedule/edit/edit_history.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

namespace stagecraft {

using DraftId = Id<struct DraftTag>;

struct Draft {
    ResultId id; // the result that shows it now; invalid: all steps are undone
    ResultId from;
    EditHistory history;
    bool isFrozen = false; // `id` is
    // The result that is not frozen, while undo and redo have taken it off the shelf.
    std::optional<ScheduleResult> takenBack = std::nullopt;
    std::map<std::size_t, ResultId> frozen = {}; // by the number of steps done
};

class Drafts {
public:
    DraftId add(Draft draft)
    {
        const DraftId added{m_next++};
        m_drafts.insert_or_assign(added, std::move(draft));
        return added;
    }
    [[nodiscard]] Draft &at(DraftId draft) { return m_drafts.at(draft); }
    // The one that the result shows now; null if there is none.
    [[nodiscard]] Draft *find(ResultId result)
    {
        for (auto &[id, draft] : m_drafts) {
            if (result.isValid() && draft.id == result)
                return &draft;
        }
        return nullptr;
    }
    [[nodiscard]] const Draft *find(ResultId result) const { return const_cast<Drafts *>(this)->find(result); }
    // Invalid if it is not a draft or is frozen.
    [[nodiscard]] DraftId open(ResultId result) const
    {
        for (const auto &[id, draft] : m_drafts) {
            if (result.isValid() && draft.id == result && !draft.isFrozen)
                return id;
        }
        return {};
    }
    void freeze(ResultId result)
    {
        if (Draft *draft = find(result)) {
            draft->isFrozen = true;
            draft->frozen.insert_or_assign(draft->history.stepsDone(), result);
        }
    }

private:
    std::map<DraftId, Draft> m_drafts;
    std::uint32_t m_next = 1;
};

} // namespace stagecraft
