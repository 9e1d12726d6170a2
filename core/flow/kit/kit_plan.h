#pragma once

// Which stages a kit asks a machine for that nothing connects to. A search there takes answer after answer; here every
// round is a journey of files, so a kit holds what a search would ask for whatever it is answered, as far as that fits
// the budget of a round.
//
// A round: what is known bounds the rest from below. Stages that no faster schedule can have, under these bounds, are
// not wanted any more; if none is left, the best known schedule is proved to be the best (under the assumption that the
// search states). If all that are left fit the budget, the next round proves it. If not, searches on imagined devices
// (imagined_device.h) choose: first with the guesses as they are, then with lower ones, which ask for more.

#include "flow/kit/imagined_device.h"
#include "flow/kit/known_stages.h"
#include "model/model.h"
#include "search/stages/search.h"

#include <functional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace stagecraft {

inline constexpr std::size_t kDefaultKitStages = 30'000;

struct KitPlanRequest {
    SearchOptions options = {};
    std::vector<std::string> like = {"a100"}; // simulated devices whose latencies are guesses
    std::size_t mostStages = kDefaultKitStages;
};

// A stage to measure, and the equal ones of the model that get its latency.
struct KitStage {
    Stage stage;
    std::vector<Stage> equal = {};
};

struct KitPlan {
    std::vector<KitStage> stages{}; // the most promising first
    std::size_t again = 0;          // of these, the last: their latencies are known, but were disturbed
    bool isWhole = false;           // measured, they decide the search: the next round proves the optimum
};

struct NextKit {
    FoundSchedule found;    // the best of what is known, with the gap
    bool isProved = false;  // no stage is left that could make it faster, as far as the search's assumption holds
    std::size_t wanted = 0; // stages that could; none, but not proved: a gap is left that measuring does not close
    KitPlan plan{};         // empty if it is proved, or none is wanted and none was disturbed
};

// Called with what is being done and how many stages are chosen so far.
using KitProgress = std::function<void(const std::string &step, std::size_t stages)>;

// For a device of which nothing is known. Errors: WrongUse (a simulated device that there is none of, options),
// Cancelled.
[[nodiscard]] Result<KitPlan> firstKit(const Model &model, const KitPlanRequest &request, const KitProgress &progress,
                                       std::stop_token stop);

// The same errors; and DeviceFailed: the recording lacks operators by themselves, or the device refused one.
[[nodiscard]] Result<NextKit> nextKit(const Model &model, KnownStages &known, const KitPlanRequest &request,
                                      const KitProgress &progress, std::stop_token stop);

} // namespace stagecraft
