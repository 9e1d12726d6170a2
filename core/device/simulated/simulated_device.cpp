#include "device/simulated/simulated_device.h"

#include "device/simulated/simulated_session.h"

#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace stagecraft {

namespace {

std::string shortNumber(double value)
{
    return value == std::floor(value) ? fmt::format("{:.0f}", value) : fmt::format("{:.3g}", value);
}

class SimulatedDevice final : public Device {
public:
    SimulatedDevice(DeviceDescription description, std::string id)
        : m_description(std::move(description)), m_id(std::move(id))
    {
    }

    [[nodiscard]] DeviceInfo info() const override;
    [[nodiscard]] Result<std::unique_ptr<DeviceSession>> open(std::shared_ptr<const Graph> graph) const override
    {
        return std::make_unique<SimulatedSession>(m_description, m_id, std::move(graph));
    }

private:
    DeviceDescription m_description;
    std::string m_id;
};

DeviceInfo SimulatedDevice::info() const
{
    DeviceInfo info;
    info.id = m_id;
    info.title = m_description.title + (m_description.name.ends_with('*') ? " (what-if, simulated)" : " (simulated)");
    info.provenance = Provenance::Simulated;
    info.calibration = m_description.calibration;
    info.simulationErrors.emplace();
    for (const DeviceJudgement &judgement : m_description.judgements)
        info.simulationErrors->push_back(judgement.error);
    const double peak =
        m_description.smCount * m_description.fp32FmaPerClockPerSm * 2 * m_description.smClockMhz * 1e-6;
    info.facts.emplace_back("FP32 peak", shortNumber(std::floor(peak * 10 + 0.5) / 10) + " TFLOP/s");
    for (const DeviceNumber &number : deviceNumbers()) {
        std::string text = shortNumber(m_description.*number.member);
        if (!number.unit.empty())
            text += " " + std::string(number.unit);
        info.facts.emplace_back(number.label, std::move(text));
    }
    return info;
}

} // namespace

std::unique_ptr<Device> makeSimulatedDevice(DeviceDescription description)
{
    std::string id = "sim:" + description.name;
    return std::make_unique<SimulatedDevice>(std::move(description), std::move(id));
}

Result<std::unique_ptr<Device>> openSimulatedDevice(const std::string &nameOrPath)
{
    TRY_AS(auto description, findDeviceDescription(nameOrPath));
    return std::make_unique<SimulatedDevice>(std::move(description), "sim:" + nameOrPath);
}

std::vector<DeviceInfo> listSimulatedDevices()
{
    std::vector<DeviceInfo> infos;
    for (const DeviceDescription &description : builtInDeviceDescriptions())
        infos.push_back(makeSimulatedDevice(description)->info());
    return infos;
}

} // namespace stagecraft
