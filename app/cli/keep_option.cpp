#include "cli/keep_option.h"

#include "cli/edit_options.h"
#include "cli/schedule_names.h"
#include "cli/text_table.h"
#include "schedule/streams/stream_parts.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <utility>

namespace stagecraft {
namespace {

constexpr std::string_view kBlock = "block";

// A number, or "block2" for all stages of a block.
Result<void> keep(const std::string &text, const Schedule &schedule, std::vector<Stage> &kept)
{
    const bool isBlock = text.starts_with(kBlock) && !schedule.streams;
    TRY_AS(const std::size_t number,
           schedule.streams ? numberFrom(text, "launch", "Launches are counted from 1, in launch order")
                            : stageNumbers(isBlock ? text.substr(kBlock.size()) : text).map([](const auto &numbers) {
                                  return numbers.front();
                              }));
    const std::vector<Stage> stages = schedule.streams ? launchesAsStages(*schedule.streams) : schedule.stages;
    std::vector<Stage> chosen;
    if (isBlock)
        std::ranges::copy_if(stages, std::back_inserter(chosen),
                             [&](const Stage &stage) { return stage.block == number; });
    else if (number < stages.size())
        chosen.push_back(stages[number]);
    if (chosen.empty()) {
        const std::string noun = isBlock ? "block" : schedule.streams ? "launch" : "stage";
        const std::size_t count = isBlock ? stages.back().block + 1 : stages.size();
        return refused(fmt::format("there is no {} {}: the schedule has {}", noun, number + 1,
                                   schedule.streams ? fmt::format("{} launches", count)
                                                    : counted(static_cast<std::int64_t>(count), noun)));
    }
    for (Stage &stage : chosen) {
        if (std::ranges::find(kept, stage) == kept.end())
            kept.push_back(std::move(stage));
    }
    return {};
}

Result<void> keepFrom(const std::string &value, const Model &model, KeptStages &kept)
{
    const std::size_t colon = value.rfind(':');
    if (colon == std::string::npos || colon == 0 || colon + 1 == value.size())
        return fail(ErrorCode::WrongUse, "it is not clear which stages of which file",
                    "Give it as FILE:STAGE,... with stages counted from 1, or FILE:block2 for all stages of a block");
    TRY_AS(auto schedule, readScheduleFile(value.substr(0, colon), model));
    std::istringstream stages(value.substr(colon + 1));
    for (std::string stage; std::getline(stages, stage, ',');) {
        if (auto one = keep(stage, schedule, kept.stages); !one)
            return one;
    }
    kept.files.push_back(std::move(schedule));
    return {};
}

} // namespace

void KeepOption::addTo(CLI::App &command)
{
    command
        .add_option("--keep", values,
                    "keep these stages of a schedule file, whatever r and s are, and search the rest; block2 means "
                    "all stages of a block. With --strategy streams: launches of a file with streams, from which the "
                    "search begins")
        ->type_name("FILE:STAGE,...")
        ->allow_extra_args(false);
}

Result<KeptStages> keptStages(const KeepOption &option, const Model &model)
{
    KeptStages kept;
    for (const std::string &value : option.values) {
        if (auto added = keepFrom(value, model, kept); !added)
            return within("--keep " + value, std::move(added.error()));
    }
    return kept;
}

} // namespace stagecraft
