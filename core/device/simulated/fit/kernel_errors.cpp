#include "device/simulated/fit/kernel_errors.h"

#include "timing/statistics/means.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace stagecraft {

KernelErrors errorsOf(std::span<const SimulatedKernel> kernels)
{
    KernelErrors errors;
    if (kernels.empty())
        return errors;
    std::vector<double> absolute;
    errors.lowestRatio = errors.highestRatio = kernels.front().ratio();
    for (const SimulatedKernel &kernel : kernels) {
        absolute.push_back(std::abs(kernel.error()));
        errors.meanError += absolute.back() / static_cast<double>(kernels.size());
        errors.lowestRatio = std::min(errors.lowestRatio, kernel.ratio());
        errors.highestRatio = std::max(errors.highestRatio, kernel.ratio());
    }
    errors.kernels = static_cast<std::int64_t>(kernels.size());
    errors.medianError = medianOf(std::move(absolute));
    return errors;
}

std::vector<KernelGroup> groupedBy(std::string (*groupOf)(const MeasuredKernel &),
                                   std::span<const SimulatedKernel> kernels)
{
    std::vector<KernelGroup> groups;
    for (const SimulatedKernel &kernel : kernels) {
        const std::string name = groupOf(kernel.kernel);
        auto found = std::ranges::find(groups, name, &KernelGroup::name);
        if (found == groups.end())
            found = groups.insert(groups.end(), KernelGroup{name, {}});
        found->kernels.push_back(kernel);
    }
    return groups;
}

DeviceJudgement judgementBy(std::span<const SimulatedKernel> kernels, std::string precision, std::string files,
                            bool isOnLeftOut)
{
    const KernelErrors all = errorsOf(kernels);
    DeviceJudgement judgement{
        {std::move(precision), all.kernels, all.medianError, all.meanError, isOnLeftOut}, std::move(files), {}};
    for (const KernelGroup &group : groupedBy(familyOf, kernels)) {
        const KernelErrors errors = errorsOf(group.kernels);
        judgement.families.push_back({group.name, errors.kernels, errors.medianError, errors.meanError});
    }
    return judgement;
}

} // namespace stagecraft
