#include "device/pool/common_stages.h"

#include "timing/statistics/means.h"
#include "timing/statistics/students_t.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>

namespace stagecraft {
namespace {

constexpr double kTolerance = 0.03;
constexpr double kToleranceOfOne = 0.1; // with a single stage
constexpr double kTails = 0.05;

struct Against {
    std::vector<double> logRatios;
    double ownUs = 0; // sums of the same stages
    double othersUs = 0;

    [[nodiscard]] double offBy() const { return logRatios.empty() ? 0 : std::abs(meanOf(logRatios)); }

    [[nodiscard]] bool disagrees(std::size_t members) const
    {
        if (logRatios.size() < 2)
            return offBy() > std::log1p(kToleranceOfOne);
        const double error = deviationOf(logRatios) / std::sqrt(static_cast<double>(logRatios.size()));
        const double t = studentsT(logRatios.size() - 1, kTails / static_cast<double>(members));
        return offBy() > std::log1p(kTolerance) && offBy() > t * error;
    }

    [[nodiscard]] std::string text(const std::string &others) const
    {
        return fmt::format("it takes {:.3g} times as long as {} on {} in common ({:.1f} us against {:.1f} us)",
                           std::exp(meanOf(logRatios)), others,
                           logRatios.size() == 1 ? std::string("1 stage") : fmt::format("{} stages", logRatios.size()),
                           ownUs, othersUs);
    }
};

Against against(const std::vector<TimedInCommon> &members, const std::vector<std::size_t> &present, std::size_t own)
{
    Against result;
    for (std::size_t stage = 0; stage < members[own].latenciesUs.size(); ++stage) {
        std::vector<double> others;
        for (const std::size_t other : present) {
            if (other != own && members[other].latenciesUs[stage] > 0)
                others.push_back(members[other].latenciesUs[stage]);
        }
        const double ownUs = members[own].latenciesUs[stage];
        if (others.empty() || ownUs <= 0)
            continue;
        const double othersUs = medianOf(std::move(others));
        result.logRatios.push_back(std::log(ownUs / othersUs));
        result.ownUs += ownUs;
        result.othersUs += othersUs;
    }
    return result;
}

} // namespace

Result<std::vector<MemberLeftOut>> membersToLeaveOut(const std::vector<TimedInCommon> &members)
{
    std::vector<MemberLeftOut> leftOut;
    std::vector<std::size_t> present(members.size());
    std::iota(present.begin(), present.end(), std::size_t{0});
    while (present.size() > 1) {
        std::vector<Against> all;
        for (const std::size_t member : present)
            all.push_back(against(members, present, member));
        const auto farthest = std::ranges::max_element(all, {}, &Against::offBy);
        if (!farthest->disagrees(present.size()))
            break;
        const auto place = farthest - all.begin();
        const std::size_t member = present[static_cast<std::size_t>(place)];
        if (present.size() == 2) {
            const std::size_t other = present[place == 0 ? 1 : 0];
            return fail(ErrorCode::WrongUse,
                        fmt::format("the members {} and {} of the pool disagree: of {}, {}", members[member].device,
                                    members[other].device, members[member].device,
                                    farthest->text(members[other].device)),
                        "Search on the one that is right, or add a third member that tells which it is");
        }
        leftOut.push_back({member, farthest->text("the others")});
        present.erase(present.begin() + place);
    }
    return leftOut;
}

} // namespace stagecraft
