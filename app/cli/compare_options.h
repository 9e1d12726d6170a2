#pragma once

// The options of compare, of a model and of files.

#include "cli/command_line.h"
#include "cli/compare_files.h"
#include "cli/model_options.h"

#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace stagecraft {

struct CompareOptions {
    ModelOptions model;
    DeviceOption device;
    SearchFlags search;
    int rounds = kDefaultRounds;
    std::vector<std::string> schedules; // empty: comparedUnlessTold
    std::optional<double> failBelow;    // speed-up of the last over the first
    bool differences = false;
    bool why = false;
    CompareFilesOptions files;

    void addTo(CLI::App &command, CommandLine &line);
};

} // namespace stagecraft
