#pragma once

// The members of what a search did, for JSON: as a whole (schedule/schedule.h) and in a block (search/result.h).

#include "graph/cost_record.h"
#include "search/infinity.h"
#include "search/result.h"
#include "support/records/record.h"

namespace stagecraft {

void eachMember(Of<BoundAssumption> auto &assumption, auto &&visit)
{
    visit({"text", "the assumption"}, assumption.text);
    visit({"stages_checked", "measured stages it was checked on", Unit::Count}, assumption.stagesChecked);
    visit({"stages_broken", "of which so many broke it", Unit::Count}, assumption.stagesBroken);
    visit({"worst", "by up to so much", Unit::Share}, assumption.worst);
    visit({"gap_without", "the gap without it", Unit::Share}, NullIf{assumption.gapWithout, kInfinity});
    visit({"allowed", "by how much stages may break it: the gap allows for that", Unit::Share}, assumption.allowed);
}

void eachMember(Of<ChosenLaunchOrders> auto &orders, auto &&visit)
{
    visit({"stages", "that have one", Unit::Count}, orders.stages);
    visit({"stages_tried", "that could have one: stages of several groups", Unit::Count}, orders.stagesTried);
    visit({"stages_exact", "of which so many had all their orders tried", Unit::Count}, orders.stagesExact);
    visit({"orders_tried", "of all these stages", Unit::Count}, orders.ordersTried);
    visit({"without_us", "the schedule without them", Unit::Us}, orders.withoutUs);
    visit({"with_us", "the schedule with them, when they were chosen", Unit::Us}, orders.withUs);
}

namespace fields {

inline constexpr Field kMostPerGroup{"r", "most operators per group", Unit::Count};
inline constexpr Field kMostPerStage{"s", "most groups per stage", Unit::Count};
inline constexpr Field kStates{"states", "sets of operators the search had left to do", Unit::Count};
inline constexpr Field kTransitions{"transitions", "states, and a stage that could be their last", Unit::Count};
inline constexpr Field kStageMeasurements{"stage_measurements", "stages the device was asked for", Unit::Count};
inline constexpr Field kCacheHits{"cache_hits", "stages whose latency was known before", Unit::Count};

} // namespace fields

void eachMember(Of<SearchRecord> auto &search, auto &&visit)
{
    visit({"strategy", "both, parallel or merge"}, search.strategy);
    visit(fields::kMostPerGroup, ZeroIfEmpty{search.r});
    visit(fields::kMostPerStage, ZeroIfEmpty{search.s});
    visit({"single_source", "whether groups had to start at one operator"}, search.singleSource);
    visit(fields::kStates, search.states);
    visit(fields::kTransitions, search.transitions);
    visit(fields::kStageMeasurements, search.stageMeasurements);
    visit({"stages_repeated", "of which so many had a stored latency that was disturbed, and were measured again",
           Unit::Count},
          search.stagesRepeated);
    visit({"stages_refused", "stages the device could not run", Unit::Count}, search.stagesRefused);
    visit(fields::kCacheHits, search.cacheHits);
    visit({"order", "by which stages were measured next, where a learned model said so: learned"}, search.order,
          search.order == "learned");
    visit({"trained_on", "stages that this model had learned from at the end; 0: too few were known", Unit::Count},
          search.trainedOn, search.order == "learned");
    visit({"search_seconds", "spent thinking", Unit::Seconds}, search.searchSeconds);
    visit({"measure_seconds", "spent measuring", Unit::Seconds}, search.measureSeconds);
    visit({"gap", "how far, at most, the schedule is from the best of its search space; null: not known", Unit::Share},
          NullIf{search.gap, kInfinity});
    visit({"assumption", "what the gap rests on beside the measurements; null: nothing"}, search.assumption);
    visit({"termination", "how the search ended"}, search.termination);
    visit(
        Field{"sum_us", "what the search minimised: its stages and what lies between them; null: not known", Unit::Us},
        NullIf{search.sumUs, 0});
    visit({"edited_from", "of a schedule edited by hand: what it was made of"}, search.editedFrom,
          !search.editedFrom.empty());
    visit({"pinned_stages", "stages that the search had to keep, where there were any", Unit::Count},
          search.pinnedStages, search.pinnedStages > 0);
    visit({"free_sum_us", "sum_us of the best schedule of the space that keeps none of them, where it is known",
           Unit::Us},
          search.freeUs, search.freeUs.has_value());
    visit({"bound_without_barriers_us",
           "of a simulated device: no schedule takes less, even without barriers between its stages, unless it merges "
           "convolutions",
           Unit::Us},
          search.boundWithoutBarriersUs, search.boundWithoutBarriersUs.has_value());
    visit({"launch_orders", "where launch orders of stages were chosen after the search, which knows of none"},
          search.launchOrders, search.launchOrders.has_value());
    const bool isPart = !search.costs.isComplete();
    visit({"operators", "schedule units of the model, where some have no cost", Unit::Count}, search.costs.operators,
          isPart);
    visit({"costed_operators", "of which so many have one", Unit::Count}, search.costs.costed(), isPart);
    visit(fields::kUncosted, search.costs.uncosted, isPart);
}
template <>
inline constexpr std::string_view kPartName<SearchRecord> = "search";

// Without the runners-up.
void eachMember(Of<BlockSearch> auto &block, auto &&visit)
{
    visit(Field{"block", "of the block", Unit::Index}.required(), block.block);
    visit(fields::kStates, block.states);
    visit(fields::kTransitions, block.transitions);
    visit(fields::kStageMeasurements, block.stageMeasurements);
    visit(fields::kCacheHits, block.cacheHits);
    visit({"latency_us", "of the block: its stages and the barriers between them", Unit::Us},
          NullIf{block.latencyUs, kInfinity});
    visit({"lower_bound_us", "no schedule of the block alone takes less", Unit::Us},
          NullIf{block.lowerBoundUs, kInfinity});
    visit({"in_place_bound_us",
           "no schedule of the block takes less between the stages before and after it: what it could save alone, "
           "it would lose in the barriers to these; 0: not known",
           Unit::Us},
          block.inPlaceBoundUs);
}

// Without the operators of the stage.
void eachMember(Of<RunnerUp> auto &other, auto &&visit)
{
    visit({"latency_us", "of the stage", Unit::Us}, NullIf{other.latencyUs, kInfinity});
    visit({"extra_us", "what the best schedule with this stage takes more", Unit::Us},
          NullIf{other.extraUs, kInfinity});
    visit({"measured", "false: latency_us and extra_us are lower bounds"}, other.measured);
}

void visitSynchronisation(const Synchronisation &needs, auto &&visit)
{
    visit({"streams", "as many run side by side; of stages: the most groups of one", Unit::Count}, needs.streams);
    visit({"events", "that a stream waits for; stages have none", Unit::Count}, needs.events);
    visit({"barriers", "between stages; streams have none", Unit::Count}, needs.barriers);
}

void eachMember(Of<StreamStart> auto &start, auto &&visit)
{
    visit({"strategy", "the schedule, as --strategy and --schedule name it"}, start.strategy);
    visit({"latency_us", "of the whole schedule in one go", Unit::Us}, start.latencyUs);
    visitSynchronisation(start.needs, visit);
}

void eachMember(Of<StreamSearchRecord> auto &search, auto &&visit)
{
    visit({"starts", "a schedule that the search began with or is held against"}, search.starts);
    visit({"schedules_timed", "whole schedules that were timed", Unit::Count}, search.schedulesTimed);
    visit({"ended", "proved, converged, time or stopped; null: nothing was searched for"}, search.ended);
}

} // namespace stagecraft
