#pragma once

// What a search for operators to split found, as part of an answer.

#include "answers/answer_parts.h"
#include "flow/find/find_splits.h"

namespace stagecraft {

void eachMember(Of<SplitTrial> auto &trial, auto &&visit)
{
    visit({"operator", "that can be split"}, trial.op);
    visit({"parts", "the count that takes least", Unit::Count}, trial.parts);
    visit({"whole_us", "a stage of the operator", Unit::Us}, trial.wholeUs);
    visit({"parts_us", "a stage of its parts, side by side", Unit::Us}, trial.partsUs);
    visit({"join_us", "a stage of their join", Unit::Us}, trial.joinUs);
    visit({"gain_us", "by which the parts and their join take less; below 0: more", Unit::Us}, trial.gainUs());
}

void eachMember(Of<SplitSearch> auto &search, auto &&visit)
{
    visit({"operators", "one that can be split, whole and in parts"}, search.trials);
    visit({"chosen", "into how many parts operators are split, by name", Unit::Count}, search.chosen);
    visit({"without_us", "the schedule that is found without splits", Unit::Us}, search.withoutUs);
    visit({"with_us", "and with the best splits that were searched; null: no operator gains by itself", Unit::Us},
          search.withUs);
    visit({"exact", "whether every choice of parts was searched"}, search.isExact);
    visit({"free_join_gain_us", "what all parts would gain by themselves, were joins to take no time", Unit::Us},
          search.freeJoinGainUs());
}

} // namespace stagecraft
