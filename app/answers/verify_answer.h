#pragma once

// The answer on plans that were verified.

#include "answers/answer_parts.h"
#include "flow/verify/verified_plan.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace stagecraft {

void eachMember(Of<PlanFault> auto &fault, auto &&visit)
{
    visit({"kind", "tensor race, race on reused memory, workspace race, overwritten, wait for nothing, stream not "
                   "forked, stream not joined, illegal schedule; of ONNX Runtime: number of devices, empty stream, "
                   "node twice, unknown node, node left out; of a CUDA graph: no path; of a profile: began too early"},
          fault.kind);
    visit({"reason", "what can go wrong, with its names"}, fault.reason);
    visit({"remedy", "what to do about it; empty: nothing in general"}, fault.remedy);
    visit({"launches", "a launch that it is about, the earlier one first"}, fault.launches);
    visit({"memory", "a tensor or workspace that it is about"}, fault.memory);
}

void eachMember(Of<VerifiedPlan> auto &plan, auto &&visit)
{
    visit({"plan_kind", "schedule, launches, onnxruntime-streams, cuda-graph or profile"}, plan.kind);
    visit({"passed", "whether nothing was found"}, plan.faults.empty());
    visit({"launches",
           "launches of kernels, or nodes; of a profile, those of its typical run; null: an illegal schedule",
           Unit::Count},
          plan.launches);
    visit({"streams", "streams, or the most groups of a stage; null: the file does not show them", Unit::Count},
          plan.streams);
    visit({"events", "waits for an event; null: the file does not show them", Unit::Count}, plan.events);
    visit({"barriers", "between stages, or waits of the host for all; null: the file does not show them", Unit::Count},
          plan.barriers);
    visit({"buffers", "pieces of memory, parts of others left out; null: the file does not show them", Unit::Count},
          plan.buffers);
    visit({"sharing_pairs", "pairs of them that share bytes; null: the file does not show them", Unit::Count},
          plan.sharingPairs);
    visit({"mapped_operators", "operators of the model that kernels were told to be of; null: none is looked for",
           Unit::Count},
          plan.mappedOperators);
    visit({"edges", "of the model between them, along which the order was checked; null: likewise", Unit::Count},
          plan.edges);
    visit({"faults", "what can go wrong"}, plan.faults);
    visit({"not_shown", "what the file does not say, and what was not checked, therefore"}, plan.notShown);
}

namespace answers {

struct VerifiedFile {
    std::string file;
    VerifiedPlan plan;
};

void eachMember(Of<VerifiedFile> auto &verified, auto &&visit)
{
    visit({"file", "as it was named"}, verified.file);
    eachMember(verified.plan, visit);
}

struct Verify {
    static constexpr Title kTitle{"verify", "stagecraft-cli verify PLAN... --json", "whether plans can go wrong"};
    std::optional<std::string> model{};
    std::vector<VerifiedFile> plans{};
    std::size_t faults = 0;
};

void eachMember(Of<Verify> auto &answer, auto &&visit)
{
    visit({"model", "name of the model; null: none was opened"}, answer.model);
    visit({"plans", "a file"}, answer.plans);
    visit({"faults", "of all plans together; the exit status is 1 where there are any", Unit::Count}, answer.faults);
}

} // namespace answers
} // namespace stagecraft
