#include "flow/fit_device.h"

#include "flow/fit/open_kernels.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <functional>
#include <iterator>
#include <string_view>
#include <utility>

namespace stagecraft {

namespace {

std::string calibrationText(const FitRequest &request, std::size_t kernels, const std::string &files)
{
    return fmt::format("{} kernels of {} in {}, fitted from {}", kernels, files, request.base.precision,
                       request.base.id);
}

// A description that was read from a file says so in title and calibration; what is written is a file of its own.
void forgetFile(DeviceDescription &device)
{
    const std::size_t from = device.title.rfind(", from ");
    if (from == std::string::npos)
        return;
    const std::string says =
        fmt::format("as {} says, ", device.title.substr(from + std::string_view(", from ").size()));
    device.title.resize(from);
    if (device.calibration.starts_with(says))
        device.calibration.erase(0, says.size());
}

// The base with new constants is another device.
void nameFitted(DeviceDescription &device, const FitRequest &request, std::size_t kernels, const std::string &files)
{
    device.calibration = calibrationText(request, kernels, files);
    if (!device.title.ends_with(", fitted"))
        device.title += ", fitted";
}

} // namespace

Result<KernelDevice> kernelDevice(const std::string &id)
{
    constexpr std::string_view kSimulated = "sim:";
    if (!id.starts_with(kSimulated))
        return fail(ErrorCode::WrongUse, id + " is no simulated device", "Name one like sim:v100 or sim:FILE.json");
    const std::string name = id.substr(kSimulated.size());
    KernelDevice device;
    device.id = id;
    TRY_AS(device.description, findDeviceDescription(name));
    TRY_AS(const auto options, simulatedOptions(name));
    TRY_AS(device.run, runOf(device.description, options));
    device.precision = kernelPrecision(device.run.precision);
    return device;
}

Result<std::vector<SimulatedKernel>> simulateKernels(const std::string &file, const KernelDevice &device,
                                                     const std::stop_token &stop)
{
    TRY_AS(auto kernels, openKernels(file, stop));
    const auto simulation = KernelSimulation::of(std::move(kernels), device.run);
    if (!simulation)
        return within(file, simulation.error());
    TRY_AS(auto fitted, fitConstants(*simulation, device.description, {.keepConstants = true}, {}, stop));
    return std::move(fitted.kernels);
}

Result<FittedDevice> fitDevice(const FitRequest &request, const FitProgress &progress, const std::stop_token &stop)
{
    std::vector<MeasuredKernel> kernels;
    std::string files;
    for (const std::string &file : request.files) {
        TRY_AS(auto read, openKernels(file, stop));
        kernels.insert(kernels.end(), std::make_move_iterator(read.begin()), std::make_move_iterator(read.end()));
        files += (files.empty() ? "" : ", ") + std::filesystem::path(file).filename().string();
    }
    TRY_AS(const auto simulation, KernelSimulation::of(std::move(kernels), request.base.run));
    TRY_AS(auto fitted, fitConstants(simulation, request.base.description, request.options, progress, stop));
    FittedDevice result{std::move(fitted.device), std::move(fitted.constants), std::move(fitted.kernels), {}};
    const bool isKept = request.options.keepConstants;
    forgetFile(result.device);
    result.judgement = judgementBy(result.kernels, request.base.precision, files, !isKept);
    if (!isKept)
        nameFitted(result.device, request, result.kernels.size(), files);
    else // what other precisions say still holds
        std::ranges::copy_if(
            request.base.description.judgements, std::back_inserter(result.device.judgements),
            [&](const DeviceJudgement &other) { return other.error.precision != request.base.precision; });
    result.device.judgements.push_back(result.judgement);
    std::ranges::sort(result.device.judgements, std::greater(),
                      [](const DeviceJudgement &one) { return one.error.precision; });
    return result;
}

} // namespace stagecraft
