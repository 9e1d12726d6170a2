// models and devices: what can be chosen.

#include "answers/installation_answers.h"
#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/print_answer.h"
#include "cli/text_table.h"
#include "device/simulated/device_description.h"
#include "flow/open_model.h"
#include "support/number_text.h"
#include "support/text_file.h"
#include "wiring/device_catalog.h"
#include "wiring/devices_elsewhere.h"

#include <CLI/CLI.hpp>
#include <fmt/ostream.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>

namespace stagecraft {
namespace {

Result<void> listModels(bool json)
{
    if (json) {
        printAnswer(answers::Models{builtInModels()});
        return {};
    }
    TextTable table({"model", "title"});
    for (const BuiltInModel &model : builtInModels())
        table.add({model.name, model.title});
    std::cout << table
              << "\nAlso: any .onnx file, any IOS .json graph.\n\nSizes of generators, as in "
                 "moe:tokens=256,experts=64:\n\n";
    TextTable parameters({"model", "parameter", "usual", "from", "to", "meaning"});
    for (const BuiltInModel &model : builtInModels()) {
        for (const GeneratorParameter &each : model.parameters)
            parameters.add(model.name, each.name, grouped(each.usual), grouped(each.least), grouped(each.most),
                           each.means);
    }
    std::cout << parameters;
    return {};
}

constexpr std::string_view kSimulated = "sim:";

Result<DeviceDescription> descriptionOf(const std::string &id)
{
    if (id.starts_with(kSimulated))
        return findDeviceDescription(id.substr(kSimulated.size()));
    return fail(ErrorCode::WrongUse, id + " has no description to write", "Choose a simulated device");
}

// "SM clock", "562 MHz" as {"sm_clock_mhz", 562}; empty if the fact is not a number.
std::optional<std::pair<std::string, double>> numberOf(const std::string &name, const std::string &fact)
{
    double value = 0;
    const auto [end, error] = std::from_chars(fact.data(), fact.data() + fact.size(), value);
    const std::string unit(error == std::errc() ? end : fact.data());
    const bool isUnit =
        unit.empty() || (unit.front() == ' ' && std::ranges::all_of(unit.substr(1), [](unsigned char letter) {
                             return std::isalpha(letter) != 0 || letter == '/';
                         }));
    if (error != std::errc() || !isUnit)
        return std::nullopt;
    std::string key;
    for (const char letter : name + unit) {
        if (letter == '/')
            key += "_per_";
        else
            key += std::isalnum(static_cast<unsigned char>(letter)) != 0
                       ? static_cast<char>(std::tolower(static_cast<unsigned char>(letter)))
                       : '_';
    }
    return std::pair{std::move(key), value};
}

answers::OneDevice deviceAnswer(const DeviceInfo &device)
{
    answers::OneDevice answer{device, {}};
    if (const auto description = descriptionOf(device.id)) {
        for (const DeviceNumber &number : deviceNumbers())
            answer.numbers.emplace_back(number.key, (*description).*number.member);
        return answer;
    }
    for (const auto &[name, value] : device.facts) {
        if (auto number = numberOf(name, value))
            answer.numbers.push_back(std::move(*number));
    }
    return answer;
}

void printDevice(const DeviceInfo &device)
{
    std::cout << device.id << "  " << device.title << "  [latencies " << toString(device.provenance) << "]\n";
    if (!device.available)
        std::cout << "    not available: " << device.unavailableReason << '\n';
    if (!device.launches.empty())
        std::cout << "    precision: " << device.precision << "; launches " << device.launches << '\n';
    std::cout << simulationLines(device.calibration, device.simulationErrors, "    ");
}

struct DevicesOptions {
    std::string id;
    std::string file;
};

void showDevices(const std::vector<DeviceInfo> &devices, bool json)
{
    if (json) {
        answers::Devices answer;
        std::ranges::transform(devices, std::back_inserter(answer.devices), deviceAnswer);
        printAnswer(answer);
        return;
    }
    std::ranges::for_each(devices, printDevice);
}

Result<void> devicesElsewhere(const std::string &place, bool json)
{
    TRY_AS(const auto devices, listDevicesOf(place));
    showDevices(devices, json);
    return {};
}

Result<void> allDevices(bool json)
{
    showDevices(listDevices(), json);
    if (json)
        return {};
    for (const DeviceOptions &options : deviceOptions())
        std::cout << options.text << ".\n";
    std::cout
        << "Also: sim:FILE.json (a device description of your own: devices sim:v100 -o FILE.json writes one to "
           "change), rec:FILE (recorded latencies), ssh:HOST/DEVICE and slurm:PARTITION/DEVICE (devices elsewhere: "
           "devices ssh:HOST lists those of a machine).\n";
    return {};
}

// All numbers of a simulated device: key, meaning and range.
std::string numbersTable(const DeviceDescription &description)
{
    TextTable table({"key", "value", "unit", "from", "to", "meaning"});
    for (const DeviceNumber &number : deviceNumbers()) {
        const auto text = [](double value) { return fmt::format("{:.10g}", value); };
        table.add(number.key, text(description.*number.member), number.unit, text(number.minimum), text(number.maximum),
                  number.label);
    }
    return fmt::format("{}", fmt::streamed(table));
}

Result<void> oneDevice(const DevicesOptions &options, bool json)
{
    TRY_AS(const auto device, findDevice(options.id));
    const auto description = descriptionOf(options.id);
    if (!options.file.empty()) {
        TRY(description);
        if (auto written = writeTextFile(options.file, deviceFileText(*description, options.file)); !written)
            return written;
        std::cerr << "wrote " << options.file << ": use it as sim:" << options.file << '\n';
    }
    const DeviceInfo info = device->info();
    if (json) {
        printAnswer(deviceAnswer(info));
        return {};
    }
    printDevice(info);
    if (description) {
        if (!description->sources.empty())
            std::cout << "    hardware from: " << description->sources << '\n';
        std::cout << '\n' << numbersTable(*description);
    } else {
        for (const auto &[name, value] : info.facts)
            std::cout << "    " << name << ": " << value << '\n';
    }
    return {};
}

} // namespace

void addModelsCommand(CLI::App &app, CommandLine &line)
{
    auto *command = app.add_subcommand("models", "List the built-in networks");
    command->callback([&line] { line.command = [&line] { return listModels(line.json); }; });
}

void addDevicesCommand(CLI::App &app, CommandLine &line)
{
    auto *command = app.add_subcommand("devices", "List the devices, with the reason if one is not available");
    const auto options = std::make_shared<DevicesOptions>();
    CLI::Option *device = command->add_option(
        "DEVICE", options->id, "show everything about this one; of a machine, as in ssh:HOST: list its devices");
    addOutputTo(*command, line, options->file, "write its description to this file, to be edited", [] {
        return FileKind::DeviceDescription;
    })->needs(device);
    addFitCommand(*command, line);
    command->callback([&line, options, command] {
        if (!command->get_subcommands().empty()) // it has set the command
            return;
        line.command = [&line, options] {
            if (options->id.empty())
                return allDevices(line.json);
            return isPlaceElsewhere(options->id) ? devicesElsewhere(options->id, line.json)
                                                 : oneDevice(*options, line.json);
        };
    });
}

} // namespace stagecraft
