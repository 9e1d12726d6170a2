#include "reproduction/reproduce_kernels.h"

#include "device/simulated/simulated_device.h"
#include "flow/fit_device.h"
#include "reproduction/reproducer.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <utility>

namespace stagecraft {
namespace {

FigureRow errorsRow(std::string label, const std::vector<SimulatedKernel> &kernels)
{
    const KernelErrors errors = errorsOf(kernels);
    FigureRow row{std::move(label), {}};
    for (const double value : {static_cast<double>(errors.kernels), 100 * errors.medianError, 100 * errors.meanError,
                               errors.lowestRatio, errors.highestRatio})
        row.cells.push_back({std::nullopt, value});
    return row;
}

Figure errorsFigure(const std::string &id, const std::string &file, const std::vector<SimulatedKernel> &kernels)
{
    Figure figure = newFigure(id + "-errors", "Errors on the kernels of " + file, "", "kernels");
    figure.note = "Errors are absolute ones of the simulated against the measured time, ratios simulated by measured. "
                  "Families are the algorithms of convolutions, as the file names them, and the rows of products; then "
                  "come all kernels by their measured time.";
    figure.columns = {"count", "median error, %", "mean error, %", "lowest ratio", "highest ratio"};
    for (const auto groupOf : {familyOf, sizeClassOf}) {
        auto groups = groupedBy(groupOf, kernels);
        std::ranges::sort(groups, {}, &KernelGroup::name);
        for (KernelGroup &group : groups)
            figure.rows.push_back(errorsRow(std::move(group.name), group.kernels));
    }
    figure.rows.push_back(errorsRow("all", kernels));
    figure.compared = figure.plotted = false;
    return figure;
}

// "508 kernels of DeepBench", or of the file that a device was fitted to; a device that was only judged says neither.
bool wasCalibratedOn(const DeviceDescription &device, const std::string &file)
{
    const auto names = [&](const DeviceJudgement &judgement) {
        return judgement.files.find(file) != std::string::npos;
    };
    return device.calibration.find(" kernels of ") != std::string::npos &&
           std::ranges::any_of(device.judgements, names);
}

// The kernels of one algorithm.
Figure kernelsFigure(const std::string &id, const std::string &file, const KernelGroup &group, FigureRole role)
{
    Figure figure = newFigure(id, fmt::format("{} of {}", group.name, file), "us", "kernel");
    figure.columns = {"time"};
    for (const SimulatedKernel &kernel : group.kernels)
        figure.rows.push_back({kernelText(kernel.kernel), {{kernel.kernel.us, kernel.simulatedUs, role}}});
    figure.plotted = false;
    return figure;
}

} // namespace

Result<Reproduction> reproduceKernels(std::span<const std::string> files, const std::string &deviceId,
                                      const ReproduceProgress &progress, std::stop_token stop)
{
    TRY_AS(const auto device, kernelDevice(deviceId));
    const DeviceInfo info = makeSimulatedDevice(device.description)->info();
    Reproduction reproduction;
    reproduction.subject = "Kernels that others measured";
    reproduction.theirs = "measured";
    reproduction.deviceId = deviceId;
    reproduction.deviceTitle = info.title + ", " + device.precision;
    reproduction.provenance = std::string(toString(info.provenance));
    reproduction.calibration = info.calibration;
    reproduction.judged = withinText(*info.simulationErrors);
    for (std::size_t i = 0; i < files.size(); ++i) {
        const std::string name = std::filesystem::path(files[i]).filename().string();
        if (progress)
            progress(name, static_cast<double>(i) / static_cast<double>(files.size()));
        TRY_AS(const auto kernels, simulateKernels(files[i], device, stop));
        const std::string id = fmt::format("kernels-{}", i + 1);
        reproduction.figures.push_back(errorsFigure(id, name, kernels));
        const FigureRole role = wasCalibratedOn(device.description, name) ? FigureRole::Fitted : FigureRole::Predicted;
        std::size_t number = 0;
        for (const KernelGroup &group : groupedBy(algorithmOf, kernels))
            reproduction.figures.push_back(kernelsFigure(fmt::format("{}-{}", id, ++number), name, group, role));
    }
    return reproduction;
}

} // namespace stagecraft
