#pragma once

// What can be typed where, read from the options of the program: what shell completion and the manual are made from.

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace stagecraft {

struct CompletedOption {
    std::vector<std::string> names; // "--device", "-d"; empty: a positional argument
    std::string value;              // "DEVICE"; empty: a flag
    std::string description;
    std::vector<std::string> words; // values that can be listed
    bool isFile = false;            // files, too
};

struct CompletedCommand {
    std::vector<std::string> path; // {"latencies", "export"}; empty: the program
    std::string description;
    std::vector<CompletedOption> options;
    std::vector<std::string> commands; // below it
};

// The program first, then its commands, each followed by those below it.
[[nodiscard]] std::vector<CompletedCommand> completedCommands(const CLI::App &program);

} // namespace stagecraft
