// models and devices: what there is to choose from.

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/text_table.h"
#include "engine/device_catalog.h"
#include "engine/open_model.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <iostream>

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

Result<void> listDevicesCommand(bool json)
{
    const std::vector<DeviceInfo> devices = listDevices();
    if (json) {
        Json list = Json::array();
        for (const DeviceInfo &device : devices)
            list.push_back(deviceJson(device));
        printJson({{"devices", list}});
        return {};
    }
    for (const DeviceInfo &device : devices) {
        std::cout << device.id << "  " << device.title << "  [latencies " << toString(device.provenance) << "]\n";
        if (!device.available)
            std::cout << "    not available: " << device.unavailableReason << '\n';
        if (!device.calibration.empty())
            std::cout << "    " << calibrationLine(device.calibration);
    }
    std::cout << "A GPU takes options behind its number: fp32, tf32, fp16, graph, streams, nchw, nhwc, flush "
                 "(gpu:0:tf32:streams).\n"
                 "Also: sim:FILE.json (a device description of your own), rec:FILE (recorded latencies).\n";
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
    command->callback([&line] { line.command = [&line] { return listDevicesCommand(line.json); }; });
}

} // namespace stagecraft
