#pragma once

// The transitive closure of a graph, as rows of bits.

#include "graph/graph.h"

#include <bit>
#include <cstdint>
#include <vector>

namespace stagecraft {

class OperatorRow {
public:
    explicit OperatorRow(std::size_t count = 0) : m_words((count + 63) / 64) {}

    void insert(OperatorId id) { m_words[id.index() / 64] |= std::uint64_t{1} << (id.index() % 64); }
    [[nodiscard]] bool contains(OperatorId id) const
    {
        return (m_words[id.index() / 64] >> (id.index() % 64) & 1U) != 0;
    }
    OperatorRow &operator|=(const OperatorRow &other)
    {
        for (std::size_t i = 0; i < m_words.size(); ++i)
            m_words[i] |= other.m_words[i];
        return *this;
    }
    [[nodiscard]] std::size_t size() const
    {
        std::size_t count = 0;
        for (const std::uint64_t word : m_words)
            count += static_cast<std::size_t>(std::popcount(word));
        return count;
    }
    [[nodiscard]] std::size_t sizeWithin(const OperatorRow &other) const
    {
        std::size_t count = 0;
        for (std::size_t i = 0; i < m_words.size(); ++i)
            count += static_cast<std::size_t>(std::popcount(m_words[i] & other.m_words[i]));
        return count;
    }

    // Calls visit(id) for those that are also in the other, ascending, until it returns false.
    template <typename Visit>
    void forEachWithin(const OperatorRow &other, const Visit &visit) const
    {
        for (std::size_t i = 0; i < m_words.size(); ++i) {
            for (std::uint64_t rest = m_words[i] & other.m_words[i]; rest != 0; rest &= rest - 1) {
                if (!visit(OperatorId::fromIndex(i * 64 + static_cast<std::size_t>(std::countr_zero(rest)))))
                    return;
            }
        }
    }

private:
    std::vector<std::uint64_t> m_words;
};

// Row v: v and everything it depends on.
[[nodiscard]] std::vector<OperatorRow> ancestors(const Graph &graph);

// Row v: v and everything that depends on it.
[[nodiscard]] std::vector<OperatorRow> descendants(const Graph &graph);

} // namespace stagecraft
