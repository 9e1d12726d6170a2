#pragma once

// The answer on layouts of tensors.

#include "answers/answer_parts.h"
#include "flow/layouts/layout_study.h"
#include "search/layouts/joint_search.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace stagecraft {

void eachMember(Of<LayoutProfiles> auto &profiles, auto &&visit)
{
    visit({"asked", "latencies of operators and conversions that the search needed", Unit::Count}, profiles.asked);
    visit({"distinct", "of which so many differ; equal ones are profiled once", Unit::Count}, profiles.distinct);
    visit(
        {"kept", "of the distinct ones, those that were stored already; without profiling all four are 0", Unit::Count},
        profiles.kept);
    visit({"refused", "layouts of operators for which the device has no kernel: impossible", Unit::Count},
          profiles.refused);
}

void eachMember(Of<MeasuredVariant> auto &measured, auto &&visit)
{
    const SpeedupEstimate &against = measured.timing.against;
    visit({"latency_us", "of the network: found, or an alternative", Unit::Us}, measured.timing.timing.latencyUs);
    visit({"speedup", "against the library's own choice", Unit::Times}, against.speedup);
    visit(fields::kInterval, answers::intervalOf(against));
    visit({"verdict", "faster, slower, same or no difference shown; null: fewer than eight rounds"},
          answers::statedVerdict(against));
    visit(
        {"largest_difference", "of its outputs from those of the library's choice, of the largest value", Unit::Share},
        measured.largestDifference);
}

namespace answers {

struct Converted {
    std::string tensor;
    std::string from;
    std::string to;
    double latencyUs = 0;
    std::optional<std::string> before{};
};

void eachMember(Of<Converted> auto &conversion, auto &&visit)
{
    visit({"tensor", "the tensor"}, conversion.tensor);
    visit({"from", "the layout it is read in"}, conversion.from);
    visit({"to", "the layout of the copy"}, conversion.to);
    visit({"latency_us", "of the conversion", Unit::Us}, conversion.latencyUs);
    visit({"before", "the first operator that reads the copy; null: it is an output of the network"},
          conversion.before);
}

struct OperatorLayouts {
    std::string in;
    std::string out;
    double latencyUs = 0;
};

struct OperatorInLayouts {
    OperatorLayouts chosen;
    OperatorLayouts fastest; // by itself
};

void eachMember(Of<OperatorInLayouts> auto &op, auto &&visit)
{
    visit({"in", "the layout in which the operator reads"}, op.chosen.in);
    visit({"out", "the layout in which it writes"}, op.chosen.out);
    visit({"latency_us", "of the operator in these layouts", Unit::Us}, op.chosen.latencyUs);
    visit({"fastest_in", "the layout in which it would read where it is fastest by itself"}, op.fastest.in);
    visit({"fastest_out", "the layout in which it would write there"}, op.fastest.out);
    visit({"fastest_us", "its latency there", Unit::Us}, op.fastest.latencyUs);
}

struct Alternatives {
    std::optional<double> allNchw{};
    std::optional<double> allNhwc{};
    std::optional<double> library{};
    std::optional<double> perOperatorFastest{};
};

void eachMember(Of<Alternatives> auto &us, auto &&visit)
{
    visit({"all_nchw", "every operator in NCHW where it can; null: not possible", Unit::UsByKey}, us.allNchw);
    visit({"all_nhwc", "every operator in NHWC where it can; null: not possible, or not among the layouts",
           Unit::UsByKey},
          us.allNhwc);
    visit({"library", "the layouts that the device's library chooses, timed; null: not known", Unit::UsByKey},
          us.library);
    visit({"per_operator_fastest",
           "every operator as it is fastest by itself, and the conversions that takes; null: not possible",
           Unit::UsByKey},
          us.perOperatorFastest);
}

struct Jointly {
    std::string basis;
    JointResult result;
    std::int64_t stageMeasurements = 0;
    double searchSeconds = 0;
    std::vector<NamedGroups> stages{};
};

void eachMember(Of<Jointly> auto &joint, auto &&visit)
{
    auto &result = joint.result;
    visit({"basis", "where the latencies of stages in layouts come from"}, joint.basis);
    visit({"layouts_then_stages_us",
           "with the layouts chosen first, by operators one by one, then the stages; null: not possible", Unit::Us},
          NullIf{result.layoutsThenStagesUs, kImpossible});
    visit({"stages_then_layouts_us", "with the stages chosen first, in NCHW, then the layouts; null: not possible",
           Unit::Us},
          NullIf{result.stagesThenLayoutsUs, kImpossible});
    visit({"rounds", "alternations between stages and layouts until nothing changed", Unit::Count}, result.rounds);
    visit({"gap", "latency_us is at most so much above the least that can be; 0: proved", Unit::Share},
          result.layouts.latencyUs / result.lowerBoundUs - 1);
    visit({"transitions", "that the joint search looked at", Unit::Count}, result.transitions);
    visit({"stages_evaluated", "stages that were tried in all their layouts", Unit::Count}, result.stagesEvaluated);
    visit({"stages_of_space", "stages that r, s and the strategies allow", Unit::Count}, result.stagesOfSpace);
    visit({"stage_measurements", "stages that the device was asked for", Unit::Count}, joint.stageMeasurements);
    visit({"search_seconds", "spent in the search and what it asked for", Unit::Seconds}, joint.searchSeconds);
    visit({"stages", "a stage, in order"}, joint.stages);
}

struct Layout {
    static constexpr Title kTitle{"layout", "stagecraft-cli layout MODEL -d DEVICE --json",
                                  "one layout per tensor, of least total latency"};
    std::string model;
    std::optional<std::string> device{};
    std::int64_t batch = 0;
    double latencyUs = 0;
    double sumUs = 0;
    std::string provenance;
    std::vector<std::pair<std::string, std::string>> layouts{};
    std::vector<Converted> conversions{};
    std::vector<std::pair<std::string, OperatorInLayouts>> operators{};
    LayoutProfiles profiles;
    std::int64_t states = 0;
    std::size_t widestCut = 0;
    std::string prune;
    bool proved = false;
    double lowerBoundUs = 0;
    double searchSeconds = 0;
    Alternatives alternatives;
    std::optional<std::vector<std::pair<std::string, MeasuredVariant>>> inRounds{};
    std::optional<Jointly> joint{};
    std::vector<ImportNote> notes{};
};

void eachMember(Of<Layout> auto &answer, auto &&visit)
{
    visit(fields::kModel, answer.model);
    visit({"device", "the device, as --device takes it; with --costs what the file says, null: nothing"},
          answer.device);
    visit(fields::kBatch, answer.batch);
    visit({"latency_us", "of the network in these layouts, conversions included", Unit::Us}, answer.latencyUs);
    visit({"sum_us",
           "of operators and conversions one by one (with --joint: of stages, conversions and boundaries), which "
           "the search made least; latency_us is the network in one go where the device executes it, otherwise "
           "this sum",
           Unit::Us},
          answer.sumUs);
    visit({"provenance",
           "of the latencies: measured, recorded or assumed (published figures applied to a simulated device)"},
          answer.provenance);
    visit({"layouts", "the layout in which each tensor is written, by tensor; inputs of the network are NCHW"},
          answer.layouts);
    visit({"conversions", "a copy of a tensor in another layout, made once for all later readers"}, answer.conversions);
    visit({"operators", {}}, answer.operators);
    visit({"profiles", {}}, answer.profiles);
    visit({"states", "states of all cuts of the search", Unit::Count}, answer.states);
    visit({"widest_cut", "most tensors that cross a cut", Unit::Count}, answer.widestCut);
    visit({"prune", "what --prune was"}, answer.prune);
    visit({"proved", "whether no layouts take less, going by these latencies; never with a threshold"}, answer.proved);
    visit({"lower_bound_us", "no layouts take less", Unit::Us}, answer.lowerBoundUs);
    visit({"search_seconds", "spent in the search", Unit::Seconds}, answer.searchSeconds);
    visit({"alternatives", {}}, answer.alternatives);
    visit({"in_turn",
           "the network in each choice of layouts, one operator after the other, timed in rounds on a device that "
           "executes; null: not timed"},
          answer.inRounds);
    visit({"joint", "with --joint: stages and layouts chosen together; latency_us, layouts, conversions, operators, "
                    "states, proved and lower_bound_us are theirs"},
          answer.joint);
    visit(fields::kNotes, answer.notes);
}

} // namespace answers
} // namespace stagecraft
