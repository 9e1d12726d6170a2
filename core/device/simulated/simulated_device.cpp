#include "device/simulated/simulated_device.h"

#include "device/simulated/simulated_options.h"
#include "device/simulated/simulated_session.h"
#include "timing/simulator_version.h"

#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace stagecraft {

namespace {

const std::string kPrefix = "sim:";

std::string shortNumber(double value)
{
    return value == std::floor(value) ? fmt::format("{:.0f}", value) : fmt::format("{:.3g}", value);
}

class SimulatedDevice final : public Device {
public:
    SimulatedDevice(DeviceDescription description, const SimulatedOptions &options, SimulatedRun run, std::string id)
        : m_description(std::move(description)), m_options(options), m_run(run), m_id(std::move(id))
    {
    }

    [[nodiscard]] DeviceInfo info() const override;
    [[nodiscard]] Result<std::unique_ptr<DeviceSession>> open(std::shared_ptr<const Graph> graph) const override
    {
        return std::make_unique<SimulatedSession>(m_description, m_run, m_id, std::move(graph));
    }

private:
    DeviceDescription m_description;
    SimulatedOptions m_options; // that were asked for
    SimulatedRun m_run;
    std::string m_id;
};

DeviceInfo SimulatedDevice::info() const
{
    DeviceInfo info;
    info.id = m_id;
    info.title = m_description.title;
    if (m_options.precision)
        info.title += fmt::format(", {}", toString(*m_options.precision));
    if (m_run.launches != m_description.launches)
        info.title += fmt::format(", launched {}", toString(m_run.launches));
    info.title += (m_description.name.ends_with('*') ? " (what-if, simulated)" : " (simulated)");
    info.provenance = Provenance::Simulated;
    info.calibration = m_description.calibration;
    info.simulationErrors.emplace();
    for (const DeviceJudgement &judgement : m_description.judgements) {
        if (!m_options.precision || judgement.error.precision == kernelPrecision(*m_options.precision))
            info.simulationErrors->push_back(judgement.error);
    }
    info.precision = toString(m_run.precision);
    info.launches = toString(m_run.launches);
    info.version = simulatorVersion();
    info.facts.emplace_back("Precision", info.precision);
    info.facts.emplace_back("Launches", info.launches);
    const double peak =
        m_description.smCount * m_description.fp32FmaPerClockPerSm * 2 * m_description.smClockMhz * 1e-6;
    info.facts.emplace_back("FP32 peak", shortNumber(std::floor(peak * 10 + 0.5) / 10) + " TFLOP/s");
    for (const DeviceNumber &number : deviceNumbers()) {
        std::string text = shortNumber(m_description.*number.member);
        if (!number.unit.empty())
            text += " " + std::string(number.unit);
        if (number.member == &DeviceDescription::eventUs && m_description.eventUs == 0)
            text = fmt::format("{} us (assumed)", shortNumber(kAssumedEventUs));
        info.facts.emplace_back(number.label, std::move(text));
    }
    return info;
}

} // namespace

std::unique_ptr<Device> makeSimulatedDevice(DeviceDescription description)
{
    std::string id = kPrefix + description.name;
    const auto run = runOf(description, {}); // nothing that it could lack is asked for
    return std::make_unique<SimulatedDevice>(std::move(description), SimulatedOptions{}, run.value_or(SimulatedRun{}),
                                             std::move(id));
}

Result<std::unique_ptr<Device>> openSimulatedDevice(const std::string &nameOrPath)
{
    TRY_AS(auto description, findDeviceDescription(nameOrPath));
    TRY_AS(const auto options, simulatedOptions(nameOrPath));
    TRY_AS(const auto run, runOf(description, options));
    std::string id = kPrefix + nameWith(simulatedName(nameOrPath), options, description);
    return std::make_unique<SimulatedDevice>(std::move(description), options, run, std::move(id));
}

Result<double> boundWithoutBarriersUs(const std::string &nameOrPath, std::shared_ptr<const Graph> graph)
{
    TRY_AS(auto description, findDeviceDescription(nameOrPath));
    TRY_AS(const auto options, simulatedOptions(nameOrPath));
    TRY_AS(const auto run, runOf(description, options));
    return SimulatedSession(std::move(description), run, nameOrPath, std::move(graph)).boundWithoutBarriersUs();
}

Result<RTaskLatencies> rTaskLatencies(const std::string &nameOrPath, std::shared_ptr<const Graph> graph,
                                      const Blocks &blocks)
{
    TRY_AS(auto description, findDeviceDescription(nameOrPath));
    TRY_AS(const auto options, simulatedOptions(nameOrPath));
    TRY_AS(const auto run, runOf(description, options));
    return SimulatedSession(std::move(description), run, nameOrPath, std::move(graph)).rTaskLatencies(blocks);
}

std::vector<DeviceInfo> listSimulatedDevices()
{
    std::vector<DeviceInfo> infos;
    for (const DeviceDescription &description : builtInDeviceDescriptions())
        infos.push_back(makeSimulatedDevice(description)->info());
    return infos;
}

} // namespace stagecraft
