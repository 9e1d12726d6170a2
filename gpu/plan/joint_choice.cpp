#include "gpu/plan/joint_choice.h"

#include <map>

namespace stagecraft::gpu {

std::vector<std::size_t> chooseJointly(std::span<const std::size_t> candidates,
                                       const std::function<double(const std::vector<std::size_t> &)> &cost,
                                       double worthwhile, int rounds)
{
    std::map<std::vector<std::size_t>, double> known;
    const auto costOf = [&](const std::vector<std::size_t> &choice) {
        const auto found = known.find(choice);
        return found != known.end() ? found->second : known.emplace(choice, cost(choice)).first->second;
    };
    std::vector<std::size_t> best(candidates.size(), 0);
    bool improved = true;
    for (int round = 0; round < rounds && improved; ++round) {
        improved = false;
        for (std::size_t i = 0; i < candidates.size(); ++i) {
            for (std::size_t candidate = 0; candidate < candidates[i]; ++candidate) {
                std::vector<std::size_t> other = best;
                other[i] = candidate;
                if (costOf(other) < costOf(best) * (1 - worthwhile)) {
                    best = std::move(other);
                    improved = true;
                }
            }
        }
    }
    return best;
}

} // namespace stagecraft::gpu
