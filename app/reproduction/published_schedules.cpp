#include "reproduction/published_schedules.h"

#include "schedule/verify.h"

#include <ranges>
#include <string>
#include <vector>

namespace stagecraft {

namespace {

std::vector<std::string_view> parts(std::string_view text, char separator)
{
    std::vector<std::string_view> result;
    for (const auto part : std::views::split(text, separator)) {
        if (!part.empty())
            result.emplace_back(part.begin(), part.end());
    }
    return result;
}

OperatorId operatorOf(std::string_view number)
{
    std::uint32_t value = 0;
    for (const char digit : number)
        value = 10 * value + static_cast<std::uint32_t>(digit - '0');
    return OperatorId{value - 1};
}

Stage stageOf(std::string_view text, std::size_t block)
{
    Stage stage;
    stage.block = block;
    const bool merge = text.find('+') != std::string_view::npos;
    stage.strategy = merge ? Strategy::Merge : Strategy::Concurrent;
    for (const std::string_view group : parts(text, merge ? '+' : '|')) {
        stage.groups.emplace_back();
        for (const std::string_view number : parts(group, ','))
            stage.groups.back().push_back(operatorOf(number));
    }
    return normalized(std::move(stage));
}

} // namespace

Result<TimedSchedule> publishedSchedule(const published::PublishedSchedule &published, const Graph &graph,
                                        const Blocks &blocks)
{
    TimedSchedule schedule;
    const std::vector<std::string_view> lines = parts(published.stages, '\n');
    for (std::size_t block = 0; block < lines.size(); ++block) {
        for (const std::string_view stage : parts(lines[block], ' '))
            schedule.stages.push_back(stageOf(stage, block));
    }
    for (const Stage &stage : schedule.stages) {
        for (const auto &group : stage.groups) {
            for (const OperatorId id : group) {
                if (id.index() >= graph.size())
                    return fail(ErrorCode::WrongUse, "the published schedules are for Inception V3");
            }
        }
    }
    if (Result<void> verified = verifySchedule(graph, blocks, schedule); !verified)
        return within("the published schedule " + std::string(published.name), verified.error());
    return schedule;
}

} // namespace stagecraft
