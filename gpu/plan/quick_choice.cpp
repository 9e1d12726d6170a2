#include "gpu/plan/quick_choice.h"

#include <algorithm>
#include <limits>

namespace stagecraft::gpu {
namespace {

// Replays of the first pass, then for the best few.
constexpr int kFirstReplays = 2;
constexpr int kFinalReplays = 9;
constexpr std::size_t kFinalists = 3;

// Far slower: by this factor, and by more than the host may need for a few launches.
constexpr double kPruneFactor = 4;
constexpr double kLaunchesUs = 20;

} // namespace

std::vector<TimedCandidate> fastestOf(std::size_t candidates, const CandidateTimes &times)
{
    std::vector<TimedCandidate> timed;
    double bestUs = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < candidates; ++i) {
        const std::optional<double> direct = times.directUs(i);
        if (!direct || *direct > kPruneFactor * bestUs + kLaunchesUs)
            continue;
        if (const std::optional<double> replayed = times.replayedUs(i, kFirstReplays)) {
            timed.push_back({i, *replayed});
            bestUs = std::min(bestUs, *direct);
        }
    }
    std::ranges::stable_sort(timed, {}, &TimedCandidate::timeUs);
    if (timed.size() > kFinalists)
        timed.erase(timed.begin() + kFinalists, timed.end());
    std::erase_if(timed, [&](TimedCandidate &candidate) {
        const std::optional<double> replayed = times.replayedUs(candidate.index, kFinalReplays);
        candidate.timeUs = replayed.value_or(0);
        return !replayed;
    });
    std::ranges::stable_sort(timed, {}, &TimedCandidate::timeUs);
    return timed;
}

} // namespace stagecraft::gpu
