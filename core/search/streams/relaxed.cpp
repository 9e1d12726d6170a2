#include "search/streams/relaxed.h"

#include "schedule/launched_groups.h"
#include "search/streams/allocated.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace stagecraft {
namespace {

class Relaxing {
public:
    explicit Relaxing(const Graph &graph) : m_graph(graph) {}

    void append(const Stage &stage)
    {
        std::vector<bool> isTaken(m_last.size(), false);
        if (stage.isMerged()) {
            StreamLaunch merged;
            for (const auto &group : stage.groups)
                merged.operators.insert(merged.operators.end(), group.begin(), group.end());
            std::ranges::sort(merged.operators);
            merged.stream = streamFor(merged.operators.front(), isTaken);
            launch(std::move(merged));
            return;
        }
        std::vector<std::optional<std::uint32_t>> streams(stage.groups.size());
        for (const auto &[id, group] : launchesOf(stage)) {
            if (!streams[group])
                streams[group] = streamFor(id, isTaken);
            launch({{id}, *streams[group]});
        }
    }

    [[nodiscard]] Streams finish() && { return allocated(m_graph, std::move(m_launches)); }

private:
    std::uint32_t streamFor(OperatorId first, std::vector<bool> &isTaken)
    {
        std::uint32_t free = static_cast<std::uint32_t>(m_last.size());
        for (std::uint32_t stream = 0; stream < m_last.size(); ++stream) {
            if (isTaken[stream])
                continue;
            if (std::ranges::find(m_graph.predecessors(first), m_last[stream]) != m_graph.predecessors(first).end()) {
                free = stream;
                break;
            }
            free = std::min(free, stream);
        }
        if (free == m_last.size()) {
            m_last.emplace_back();
            isTaken.push_back(false);
        }
        isTaken[free] = true;
        return free;
    }

    void launch(StreamLaunch launch)
    {
        m_last[launch.stream] = launch.operators.back();
        m_launches.push_back(std::move(launch));
    }

    const Graph &m_graph;
    std::vector<OperatorId> m_last; // by stream
    std::vector<StreamLaunch> m_launches;
};

} // namespace

Streams relaxedStreams(const Graph &graph, std::span<const Stage> stages)
{
    Relaxing relaxing(graph);
    for (const Stage &stage : stages)
        relaxing.append(stage);
    return std::move(relaxing).finish();
}

} // namespace stagecraft
