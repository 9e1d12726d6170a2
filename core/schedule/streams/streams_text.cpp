#include "schedule/streams/streams_text.h"

#include "support/number_text.h"
#include "support/shown_text.h"

#include <fmt/format.h>

#include <vector>

namespace stagecraft {
namespace {

std::string namesOf(const Graph &graph, const StreamLaunch &launch)
{
    std::string text;
    for (const OperatorId id : launch.operators)
        text += (text.empty() ? "" : " + ") + graph.op(id).name;
    return launch.isMerged() ? text + " merged" : text;
}

} // namespace

std::string launchText(const Graph &graph, const StreamLaunch &launch)
{
    return fmt::format("stream {}  {}", launch.stream + 1, shownText(namesOf(graph, launch)));
}

std::string streamsText(const Graph &graph, const Streams &streams)
{
    std::vector<std::string> lines(streams.count);
    for (const StreamLaunch &launch : streams.launches) {
        std::string &line = lines[launch.stream];
        line += (line.empty() ? "" : ", ") + namesOf(graph, launch);
        for (const std::uint32_t before : launch.waits)
            line += (before == launch.waits.front() ? " after " : " and ") +
                    graph.op(streams.launches[before].operators.front()).name;
    }
    std::string text;
    for (std::size_t i = 0; i < lines.size(); ++i)
        text += fmt::format("stream {}  {}\n", i + 1, shownText(lines[i]));
    return text;
}

std::string synchronisationText(const Synchronisation &needs)
{
    const auto text = [](std::size_t count, const char *what) {
        return count == 0 ? fmt::format("no {}s", what) : counted(static_cast<std::int64_t>(count), what);
    };
    return fmt::format("{}, {}, {}", text(needs.streams, "stream"), text(needs.events, "event"),
                       text(needs.barriers, "barrier"));
}

} // namespace stagecraft
