#include "flow/find/measured.h"

#include "device/simulated/simulated_options.h"

#include <algorithm>
#include <utility>

namespace stagecraft {

namespace {

std::string precisionOf(const Model &model, const DeviceInfo &device)
{
    using enum SimulatedPrecision;
    for (const SimulatedPrecision precision : {OfFile, Tf32Convolutions, Fp32, Tf32, Fp16}) {
        if (device.provenance == Provenance::Simulated && device.precision == toString(precision))
            return precisionText(*model.graph, model.costs.precision, precision);
    }
    return device.provenance == Provenance::Simulated ? model.costs.precision : device.precision;
}

} // namespace

void describeDevice(TimedSchedule &schedule, const Model &model, const DeviceInfo &device)
{
    schedule.context.device = device.contextDevice();
    schedule.context.deviceVersion = device.contextVersion();
    schedule.measured.calibration = device.calibration;
    schedule.measured.simulationErrors = device.simulationErrors;
    schedule.measured.provenance = device.provenance;
    schedule.measured.profile.reset();
    schedule.search.costs = latencyBasis(model, device);
    schedule.context.precision = schedule.search.costs.precision;
}

CostBasis latencyBasis(const Model &model, const DeviceInfo &device)
{
    const bool simulated = device.provenance == Provenance::Simulated;
    const bool recordedFromOne =
        device.provenance == Provenance::Recorded && std::ranges::any_of(device.facts, [](const auto &fact) {
            return fact.first == "recorded on" && fact.second.starts_with("sim:");
        });
    if (simulated || recordedFromOne) {
        CostBasis basis = model.costs;
        basis.precision = precisionOf(model, device);
        return basis;
    }
    CostBasis basis;
    basis.operators = model.costs.operators;
    basis.precision = device.precision;
    return basis;
}

Result<void> measureInto(TimedSchedule &schedule, const Model &model, DeviceSession &session, const DeviceInfo &device,
                         std::stop_token stop)
{
    TRY_AS(auto measurement, session.measureSchedule(schedule, std::move(stop)));
    schedule.measured.stages.clear();
    for (StageLatency &stage : measurement.stages)
        schedule.measured.stages.push_back(std::move(stage.timing));
    schedule.measured.whole = std::move(measurement.whole.timing);
    schedule.measured.how = measurement.whole.how;
    describeDevice(schedule, model, device);
    return {};
}

} // namespace stagecraft
