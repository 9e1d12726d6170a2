#pragma once

// Finds things by name without storing names: a hash table of positions in a list that has them. Graphs of a million
// operators are built several times while a model is read, and copying every name into every map took most of that
// time.

#include "support/memory_pages.h"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace stagecraft {

class NameIndex {
public:
    void reserve(std::size_t count)
    {
        if (const std::size_t wanted = std::bit_ceil(2 * count + 2); wanted > m_slots.size())
            grow(wanted);
    }

    // Fetches what a look-up of the name will read: the slots of a million names do not fit into a cache.
    void prefetch(std::string_view name) const
    {
        if (!m_slots.empty())
            __builtin_prefetch(&m_slots[hashOf(name) & (m_slots.size() - 1)]);
    }

    // Returns the position of the thing with that name; if there is none, inserts `position`. `nameOf(position)` is the
    // name of an inserted thing.
    template <typename NameOf>
    std::size_t findOrInsert(std::string_view name, std::size_t position, const NameOf &nameOf)
    {
        reserve(m_count + 1);
        const std::uint32_t hash = hashOf(name);
        std::size_t slot = hash & (m_slots.size() - 1);
        for (; m_slots[slot].position != kFree; slot = (slot + 1) & (m_slots.size() - 1)) {
            if (m_slots[slot].hash == hash && nameOf(m_slots[slot].position) == name)
                return m_slots[slot].position;
        }
        m_slots[slot] = {hash, static_cast<std::uint32_t>(position)};
        ++m_count;
        return position;
    }

    // False, without inserting, if the name exists. `position` is not used yet.
    template <typename NameOf>
    bool insert(std::string_view name, std::size_t position, const NameOf &nameOf)
    {
        return findOrInsert(name, position, nameOf) == position;
    }

    template <typename NameOf>
    [[nodiscard]] std::optional<std::size_t> find(std::string_view name, const NameOf &nameOf) const
    {
        if (m_slots.empty())
            return std::nullopt;
        const std::uint32_t hash = hashOf(name);
        for (std::size_t slot = hash & (m_slots.size() - 1); m_slots[slot].position != kFree;
             slot = (slot + 1) & (m_slots.size() - 1)) {
            if (m_slots[slot].hash == hash && nameOf(m_slots[slot].position) == name)
                return m_slots[slot].position;
        }
        return std::nullopt;
    }

private:
    static constexpr std::uint32_t kFree = 0xffffffff;

    struct Slot {
        std::uint32_t hash = 0;
        std::uint32_t position = kFree;
    };

    static std::uint32_t hashOf(std::string_view name)
    {
        const std::size_t hash = std::hash<std::string_view>{}(name);
        return static_cast<std::uint32_t>(hash ^ (hash >> 32U));
    }

    void grow(std::size_t size) // a power of two
    {
        std::vector<Slot> before = std::move(m_slots);
        m_slots = {};
        reserveAndTake(m_slots, size);
        m_slots.resize(size);
        for (const Slot &kept : before) {
            if (kept.position == kFree)
                continue;
            std::size_t slot = kept.hash & (size - 1);
            while (m_slots[slot].position != kFree)
                slot = (slot + 1) & (size - 1);
            m_slots[slot] = kept;
        }
    }

    std::vector<Slot> m_slots; // at least half of them are free
    std::size_t m_count = 0;
};

} // namespace stagecraft
