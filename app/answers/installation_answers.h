#pragma once

// The answers on what there is: networks, devices, stored latencies, help.

#include "answers/answer_parts.h"
#include "device/device_record.h"
#include "flow/open_model.h"
#include "measure/store/latency_store.h"

#include <string>
#include <utility>
#include <vector>

namespace stagecraft {

void eachMember(Of<GeneratorParameter> auto &parameter, auto &&visit)
{
    visit({"name", "name"}, parameter.name);
    visit({"usual", "value unless told", Unit::Count}, parameter.usual);
    visit({"least", "smallest value", Unit::Count}, parameter.least);
    visit({"most", "largest value", Unit::Count}, parameter.most);
    visit({"means", "meaning"}, parameter.means);
}

void eachMember(Of<BuiltInModel> auto &model, auto &&visit)
{
    visit({"name", "what MODEL takes"}, model.name);
    visit({"title", "name for people"}, model.title);
    visit({"parameters", "what MODEL takes behind it, NAME:PARAMETER=VALUE,...; empty: its sizes are fixed"},
          model.parameters);
}

void eachMember(Of<StoredSet> auto &set, auto &&visit)
{
    const auto mhz = [](const int &value) { return NullIf<const int>{value, 0}; };
    visit({"device", "name of the device for people"}, set.context.deviceTitle);
    visit({"engine", "what --device takes"}, set.context.deviceId);
    visit(fields::kModel, set.context.model);
    visit(fields::kBatch, set.context.batch);
    visit({"stages", "stages", Unit::Count}, set.stages);
    visit({"newest", "when the newest was measured, UTC"}, set.newest);
    visit({"lowest_clock_mhz", "lowest clock while they were measured; null: not known", Unit::MHz},
          mhz(set.lowest.coreMhz));
    visit({"highest_clock_mhz", "highest clock while they were measured; null: not known", Unit::MHz},
          mhz(set.highest.coreMhz));
    visit({"lowest_memory_clock_mhz", "lowest clock of the memory; null: not known", Unit::MHz},
          mhz(set.lowest.memoryMhz));
    visit({"highest_memory_clock_mhz", "highest clock of the memory; null: not known", Unit::MHz},
          mhz(set.highest.memoryMhz));
    visit({"fingerprint", "what the latencies depend on beside the stage"}, set.context.fingerprint);
}

namespace answers {

struct Models {
    static constexpr Title kTitle{"models", "stagecraft-cli models --json", "the built-in networks"};
    std::vector<BuiltInModel> models{};
};

void eachMember(Of<Models> auto &answer, auto &&visit)
{
    visit({"models", "one network"}, answer.models);
}

struct OneDevice {
    static constexpr Title kTitle{"device-info", "stagecraft-cli devices DEVICE --json", "one device"};
    DeviceInfo info;
    std::vector<std::pair<std::string, double>> numbers{};
};

void eachMember(Of<OneDevice> auto &device, auto &&visit)
{
    eachMember(device.info, visit);
    visitSimulationErrors(device.info.simulationErrors, visit);
    visit({"numbers", "the facts that are numbers; of a simulated device every number of its description", Unit::InKey},
          device.numbers);
}

struct Devices {
    static constexpr Title kTitle{"devices", "stagecraft-cli devices --json",
                                  "the devices of this installation, available or not"};
    std::vector<OneDevice> devices{};
};

void eachMember(Of<Devices> auto &answer, auto &&visit)
{
    visit({"devices", "one device"}, answer.devices);
}

struct LatenciesList {
    static constexpr Title kTitle{"latencies-list", "stagecraft-cli latencies list --json", "the stored latencies"};
    std::string store;
    std::vector<StoredSet> sets{};
};

void eachMember(Of<LatenciesList> auto &answer, auto &&visit)
{
    visit({"store", "the file they are kept in"}, answer.store);
    visit({"sets", "latencies of one model on one device at one batch size"}, answer.sets);
}

struct LatenciesExport {
    static constexpr Title kTitle{"latencies-export", "stagecraft-cli latencies export MODEL -o FILE --json",
                                  "latencies as a file"};
    std::string file;
    std::size_t stages = 0;
    std::size_t schedules = 0;
};

void eachMember(Of<LatenciesExport> auto &answer, auto &&visit)
{
    visit({"file", "the file that was written"}, answer.file);
    visit({"stages", "stages in it", Unit::Count}, answer.stages);
    visit({"schedules", "whole schedules that were written", Unit::Count}, answer.schedules);
}

struct LatenciesImport {
    static constexpr Title kTitle{"latencies-import", "stagecraft-cli latencies import FILE --json",
                                  "latencies from a file"};
    std::string file;
    std::int64_t stages = 0;
};

void eachMember(Of<LatenciesImport> auto &answer, auto &&visit)
{
    visit({"file", "the file that was read"}, answer.file);
    visit({"stages", "stages in it", Unit::Count}, answer.stages);
}

struct LatenciesClear {
    static constexpr Title kTitle{"latencies-clear", "stagecraft-cli latencies clear --json",
                                  "latencies that were deleted"};
    std::int64_t latencies = 0;
};

void eachMember(Of<LatenciesClear> auto &answer, auto &&visit)
{
    visit({"latencies", "how many", Unit::Count}, answer.latencies);
}

struct Completion {
    static constexpr Title kTitle{"completion", "stagecraft-cli completion SHELL --json",
                                  "a script by which a shell completes the command line"};
    std::string shell;
    std::string text;
};

void eachMember(Of<Completion> auto &answer, auto &&visit)
{
    visit({"shell", "bash, zsh or fish"}, answer.shell);
    visit({"text", "the script"}, answer.text);
}

struct Man {
    static constexpr Title kTitle{"man", "stagecraft-cli man --json", "the manual page"};
    std::string text;
};

void eachMember(Of<Man> auto &answer, auto &&visit)
{
    visit({"text", "the page, for man(1)"}, answer.text);
}

struct Help {
    static constexpr Title kTitle{"help", "stagecraft-cli help [TOPIC] --json", "what the program says of itself"};
    std::vector<std::string> topic{};
    std::string text;
};

void eachMember(Of<Help> auto &answer, auto &&visit)
{
    visit({"topic", "the words of TOPIC"}, answer.topic);
    visit({"text", "the help"}, answer.text);
}

} // namespace answers
} // namespace stagecraft
