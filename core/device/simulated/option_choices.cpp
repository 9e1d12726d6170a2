#include "device/simulated/option_choices.h"

#include "device/simulated/device_description.h"
#include "device/simulated/simulated_options.h"

#include <optional>
#include <utility>

namespace stagecraft {
namespace {

class Choosing {
public:
    Choosing(SimulatedName name, DeviceDescription device) : m_name(std::move(name)), m_device(std::move(device)) {}

    [[nodiscard]] OptionChoice choice(std::string title, const SimulatedOptions &options, bool isChosen) const
    {
        const auto run = runOf(m_device, options);
        return {std::move(title), "sim:" + nameWith(m_name, options, m_device), isChosen,
                run ? std::string() : reasonOf(run.error())};
    }

private:
    // "NVIDIA Tesla K80 has no TF32"
    [[nodiscard]] static std::string reasonOf(const Error &error)
    {
        return error.message.substr(0, error.message.find(':'));
    }

    SimulatedName m_name;
    DeviceDescription m_device;
};

std::string toldText(const SimulatedOptions &options)
{
    std::string told = options.precision ? std::string(toString(*options.precision)) : std::string();
    if (options.launches) {
        told += told.empty() ? "" : ", ";
        told += *options.launches == Launches::Host ? "host" : "graph";
    }
    return told;
}

} // namespace

Result<OptionChoices> optionChoices(const std::string &nameOrPath)
{
    TRY_AS(const auto device, findDeviceDescription(nameOrPath));
    TRY_AS(const auto now, simulatedOptions(nameOrPath));
    const Choosing choosing(simulatedName(nameOrPath), device);
    OptionChoices choices{toldText(now), {"Precision", {}}, {"Launches", {}}};

    const auto unlessTold = runOf(device, SimulatedOptions{std::nullopt, now.launches});
    choices.precision.choices.push_back(
        choosing.choice(std::string(toString(unlessTold ? unlessTold->precision : SimulatedPrecision::OfFile)),
                        {std::nullopt, now.launches}, !now.precision));
    for (const auto precision : {SimulatedPrecision::Fp32, SimulatedPrecision::Tf32, SimulatedPrecision::Fp16})
        choices.precision.choices.push_back(
            choosing.choice(std::string(toString(precision)), {precision, now.launches}, now.precision == precision));
    for (const Launches launches : {Launches::Graph, Launches::Host})
        choices.launches.choices.push_back(choosing.choice(std::string(toString(launches)), {now.precision, launches},
                                                           now.launches.value_or(device.launches) == launches));
    return choices;
}

} // namespace stagecraft
