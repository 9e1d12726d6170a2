#include "flow/open/carry_schedule.h"

#include "flow/open/split_opened.h"
#include "schedule/edit/move_to_blocks.h"
#include "schedule/verify.h"

#include <optional>
#include <set>
#include <string>
#include <utility>

namespace stagecraft {
namespace {

struct FurtherSplits {
    OperatorSplits parts;
    std::set<std::string> byRows;
};

// Empty: some that were split are whole again, or others of the file are units.
std::optional<FurtherSplits> furtherSplits(const Reading &before, const Reading &after)
{
    Reading same = before;
    same.joinedAfter = after.joinedAfter;
    same.cutAfter = after.cutAfter;
    FurtherSplits further;
    for (const auto &[op, parts] : after.splits) {
        if (!same.splits.emplace(op, parts).second)
            continue;
        further.parts.emplace(op, parts);
        if (after.splitByRows.contains(op))
            further.byRows.insert(op);
    }
    same.splitByRows.insert(further.byRows.begin(), further.byRows.end());
    return same == after ? std::optional(std::move(further)) : std::nullopt;
}

} // namespace

Result<TimedSchedule> carrySchedule(const Model &before, const TimedSchedule &schedule, const Model &after)
{
    const auto further = furtherSplits(before.reading, after.reading);
    if (!further)
        return fail(ErrorCode::InvalidInput, "its operators are others now", "Search again");
    TimedSchedule carried = schedule;
    if (!further->parts.empty()) {
        Model split = before;
        TRY_AS(auto made, splitInSchedule(split, schedule, further->parts, further->byRows));
        carried = TimedSchedule{std::move(made), {}, {}, {}};
    }
    TRY_AS(carried, movedToBlocks(*after.graph, after.blocks, std::move(carried)));
    TRY(verifySchedule(*after.graph, after.blocks, carried));
    carried.context.model = after.reference();
    carried.context.batch = after.graph->batch();
    return carried;
}

} // namespace stagecraft
