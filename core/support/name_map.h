#pragma once

// Values by names that live elsewhere, and outlive the map: one list and one table, however many they are.

#include "support/name_index.h"

#include <string_view>
#include <utility>
#include <vector>

namespace stagecraft {

template <typename Value>
class NameMap {
public:
    void reserve(std::size_t count)
    {
        m_index.reserve(count);
        m_entries.reserve(count);
    }

    // False, and nothing changed, where there is the name.
    bool add(std::string_view name, Value value)
    {
        const bool isNew = m_index.insert(name, m_entries.size(), nameOf());
        if (isNew)
            m_entries.emplace_back(name, std::move(value));
        return isNew;
    }

    void set(std::string_view name, Value value)
    {
        if (const auto found = m_index.find(name, nameOf()))
            m_entries[*found].second = std::move(value);
        else
            add(name, std::move(value));
    }

    // Null where there is none; until the next change.
    [[nodiscard]] const Value *find(std::string_view name) const
    {
        const auto found = m_index.find(name, nameOf());
        return found ? &m_entries[*found].second : nullptr;
    }

private:
    [[nodiscard]] auto nameOf() const
    {
        return [this](std::size_t position) { return m_entries[position].first; };
    }

    NameIndex m_index;
    std::vector<std::pair<std::string_view, Value>> m_entries;
};

} // namespace stagecraft
