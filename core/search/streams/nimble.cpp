#include "search/streams/nimble.h"

#include "search/streams/allocated.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <limits>
#include <vector>

namespace stagecraft {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

// By operator, all that come after it: predecessors have lower indices.
std::vector<std::vector<std::uint32_t>> closureOf(const Graph &graph)
{
    const std::size_t size = graph.size();
    std::vector<std::vector<bool>> isAfter(size, std::vector<bool>(size, false));
    std::vector<std::vector<std::uint32_t>> after(size);
    for (std::size_t i = size; i-- > 0;) {
        for (const OperatorId next : graph.successors(OperatorId::fromIndex(i))) {
            isAfter[i][next.index()] = true;
            for (const std::uint32_t later : after[next.index()])
                isAfter[i][later] = true;
        }
        for (std::size_t later = i + 1; later < size; ++later) {
            if (isAfter[i][later])
                after[i].push_back(static_cast<std::uint32_t>(later));
        }
    }
    return after;
}

// Hopcroft and Karp: shortest augmenting paths, as many at once as do not meet.
class Matching {
public:
    explicit Matching(const std::vector<std::vector<std::uint32_t>> &after)
        : m_after(after), m_next(after.size(), kNone), m_previous(after.size(), kNone), m_level(after.size()),
          m_tried(after.size())
    {
        while (findLevels()) {
            std::ranges::fill(m_tried, 0);
            for (std::uint32_t from = 0; from < m_next.size(); ++from) {
                if (m_next[from] == kNone)
                    augment(from);
            }
        }
    }

    // By operator, the one that it follows, or kNone.
    [[nodiscard]] const std::vector<std::uint32_t> &previous() const { return m_previous; }

private:
    bool findLevels()
    {
        std::deque<std::uint32_t> queue;
        for (std::uint32_t from = 0; from < m_next.size(); ++from) {
            m_level[from] = m_next[from] == kNone ? 0 : kNone;
            if (m_level[from] == 0)
                queue.push_back(from);
        }
        bool isFound = false;
        while (!queue.empty()) {
            const std::uint32_t from = queue.front();
            queue.pop_front();
            for (const std::uint32_t to : m_after[from]) {
                const std::uint32_t back = m_previous[to];
                isFound = isFound || back == kNone;
                if (back != kNone && m_level[back] == kNone) {
                    m_level[back] = m_level[from] + 1;
                    queue.push_back(back);
                }
            }
        }
        return isFound;
    }

    // Without recursion: paths may be as long as the graph.
    void augment(std::uint32_t root)
    {
        std::vector<std::uint32_t> path{root};
        while (!path.empty()) {
            const std::uint32_t from = path.back();
            if (m_tried[from] == m_after[from].size()) {
                path.pop_back();
                continue;
            }
            const std::uint32_t back = m_previous[m_after[from][m_tried[from]++]];
            if (back == kNone) {
                for (const std::uint32_t on : path)
                    match(on, m_after[on][m_tried[on] - 1]);
                return;
            }
            if (m_level[back] == m_level[from] + 1)
                path.push_back(back);
        }
    }

    void match(std::uint32_t from, std::uint32_t to)
    {
        m_next[from] = to;
        m_previous[to] = from;
    }

    const std::vector<std::vector<std::uint32_t>> &m_after;
    std::vector<std::uint32_t> m_next;
    std::vector<std::uint32_t> m_previous;
    std::vector<std::uint32_t> m_level;
    std::vector<std::size_t> m_tried; // of what comes after it
};

} // namespace

Streams nimbleStreams(const Graph &graph)
{
    const auto after = closureOf(graph);
    const Matching matching(after);
    std::vector<std::uint32_t> streamOf(graph.size());
    std::uint32_t streams = 0;
    for (std::size_t i = 0; i < graph.size(); ++i) {
        const std::uint32_t previous = matching.previous()[i];
        streamOf[i] = previous == kNone ? streams++ : streamOf[previous];
    }
    return allocated(graph, fileOrder(graph), streamOf);
}

} // namespace stagecraft
