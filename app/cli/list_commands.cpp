// models and devices: what there is to choose from.

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/text_table.h"
#include "engine/device_catalog.h"
#include "engine/open_model.h"
#include "engine/text_file.h"
#include "simulate/device_description.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <iomanip>
#include <iostream>
#include <memory>
#include <sstream>

namespace stagecraft {
namespace {

Result<void> listModels(bool json)
{
    if (json) {
        Json models = Json::array();
        for (const BuiltInModel &model : builtInModels())
            models.push_back({{"name", model.name}, {"title", model.title}});
        printJson({{"models", models}});
        return {};
    }
    TextTable table({"model", "title"});
    for (const BuiltInModel &model : builtInModels())
        table.add({model.name, model.title});
    std::cout << table << "\nAlso: any .onnx file, any IOS .json graph.\n";
    return {};
}

Json deviceJson(const DeviceInfo &device)
{
    Json facts = Json::object();
    for (const auto &[name, value] : device.facts)
        facts[name] = value;
    return {{"id", device.id},
            {"title", device.title},
            {"provenance", toString(device.provenance)},
            {"available", device.available},
            {"reason", device.unavailableReason},
            {"calibration", device.calibration},
            {"facts", facts}};
}

void printDevice(const DeviceInfo &device)
{
    std::cout << device.id << "  " << device.title << "  [latencies " << toString(device.provenance) << "]\n";
    if (!device.available)
        std::cout << "    not available: " << device.unavailableReason << '\n';
    if (!device.calibration.empty())
        std::cout << "    " << calibrationLine(device.calibration);
}

struct DevicesOptions {
    std::string id;
    std::string file;
};

Result<void> allDevices(bool json)
{
    const std::vector<DeviceInfo> devices = listDevices();
    if (json) {
        Json list = Json::array();
        for (const DeviceInfo &device : devices)
            list.push_back(deviceJson(device));
        printJson({{"devices", list}});
        return {};
    }
    std::ranges::for_each(devices, printDevice);
    std::cout << "A GPU takes options behind its number: fp32, tf32, fp16, graph, streams, nchw, nhwc, flush, instage, "
                 "quick (gpu:0:tf32:streams).\n"
                 "Also: sim:FILE.json (a device description of your own: devices sim:v100 -o FILE.json writes one to "
                 "change), rec:FILE (recorded latencies).\n";
    return {};
}

// Every number of a simulated device, as its description spells it, and what it may be.
std::string numbersTable(const DeviceDescription &description)
{
    TextTable table({"key", "value", "unit", "from", "to", "meaning"});
    for (const DeviceNumber &number : deviceNumbers()) {
        const auto text = [](double value) {
            std::ostringstream shown;
            shown << std::setprecision(10) << value;
            return shown.str();
        };
        table.add({std::string(number.key), text(description.*number.member), std::string(number.unit),
                   text(number.minimum), text(number.maximum), std::string(number.label)});
    }
    std::ostringstream text;
    text << table;
    return text.str();
}

Result<void> oneDevice(const DevicesOptions &options, bool json)
{
    constexpr std::string_view kSimulated = "sim:";
    const auto device = findDevice(options.id);
    if (!device)
        return tl::unexpected(device.error());
    const bool simulated = options.id.starts_with(kSimulated);
    const auto description =
        simulated ? findDeviceDescription(options.id.substr(kSimulated.size()))
                  : Result<DeviceDescription>(fail(ErrorCode::WrongUse, options.id + " has no description to write",
                                                   "Choose a simulated device"));
    if (!options.file.empty()) {
        if (!description)
            return tl::unexpected(description.error());
        if (auto written = writeTextFile(options.file, deviceFileText(*description, options.file)); !written)
            return written;
        std::cerr << "wrote " << options.file << ": use it as sim:" << options.file << '\n';
    }
    const DeviceInfo info = (*device)->info();
    if (json) {
        printJson(deviceJson(info));
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
    auto *command = app.add_subcommand("devices", "List the devices, and why one is not available");
    const auto options = std::make_shared<DevicesOptions>();
    CLI::Option *device = command->add_option("DEVICE", options->id, "Everything about this one");
    command->add_option("-o,--output", options->file, "Write its description into this file, to be changed")
        ->needs(device);
    command->callback([&line, options] {
        line.command = [&line, options] {
            return options->id.empty() ? allDevices(line.json) : oneDevice(*options, line.json);
        };
    });
}

} // namespace stagecraft
