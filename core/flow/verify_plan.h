#pragma once

// Whether a plan can go wrong: the kind of a file is told by its content, and each is checked as far as it goes.
//
//   schedules      legal (schedule/verify.h, schedule/streams/verify_streams.h), and what shares bytes of the planned
//                  arena is used one after the other
//   launches       no races, no bytes written over before they are read, no wait for nothing, no stream left alone
//                  (plan/program_faults.h)
//   ONNX Runtime   every node of the model is in one of its streams
//   CUDA graphs    a path leads along each edge of the model between operators whose kernels are known
//   profiles       along each of these edges, kernels began after others had ended, or on the same stream after they
//                  began, in each run that was recorded

#include "device/recorded/profiles/profile_reader.h"
#include "flow/verify/verified_plan.h"
#include "model/model.h"
#include "support/result.h"

#include <stop_token>
#include <string>

namespace stagecraft {

struct PlanFile {
    ProfileFile file; // of whatever kind it is
    PlanKind kind = PlanKind::Schedule;
};

// Errors: InvalidInput, naming the file: it cannot be read, or is none of these; Cancelled.
[[nodiscard]] Result<PlanFile> openPlan(const std::string &path, const std::stop_token &stop = {});

// Launches are checked without one.
[[nodiscard]] bool needsModel(PlanKind kind);

// `model`: may be null where none is needed. Errors: InvalidInput, naming the file and the place: it is damaged, or of
// another model; Cancelled.
[[nodiscard]] Result<VerifiedPlan> verifyPlan(PlanFile plan, const Model *model, const std::stop_token &stop = {});

} // namespace stagecraft
