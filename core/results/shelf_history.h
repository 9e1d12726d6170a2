#pragma once

// Unlimited undo and redo of a user's changes to a shelf and its drafts, in one order. Changes by the program, such as
// adding and measuring, are not included.

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace stagecraft {

class ShelfHistory {
public:
    struct Change {
        std::string words; // "Remove IOS-Both"
        std::function<void()> apply;
        std::function<void()> takeBack;
    };

    void apply(Change change)
    {
        change.apply();
        record(std::move(change));
    }

    // The change has already been made.
    void record(Change change)
    {
        m_changes.resize(m_applied);
        m_changes.push_back(std::move(change));
        ++m_applied;
    }

    // Empty: nothing to undo or redo.
    [[nodiscard]] std::string undoWords() const
    {
        return m_applied > 0 ? m_changes[m_applied - 1].words : std::string();
    }
    [[nodiscard]] std::string redoWords() const
    {
        return m_applied < m_changes.size() ? m_changes[m_applied].words : std::string();
    }

    void undo()
    {
        if (m_applied > 0)
            m_changes[--m_applied].takeBack();
    }
    void redo()
    {
        if (m_applied < m_changes.size())
            m_changes[m_applied++].apply();
    }

private:
    std::vector<Change> m_changes;
    std::size_t m_applied = 0;
};

} // namespace stagecraft
