#pragma once

// The options of optimize, and the search that they ask for.

#include "cli/command_line.h"
#include "cli/keep_option.h"
#include "cli/kit_next.h"
#include "cli/model_options.h"
#include "flow/find_schedule.h"
#include "support/result.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace CLI {
class App;
}

namespace stagecraft {

struct OptimizeOptions {
    ModelOptions model;
    DeviceOption device;
    SearchFlags search;
    KeepOption keep;
    std::string output;
    int rounds = kDefaultRounds;
    bool why = false;
    std::string maxMemory;
    std::string target;
    std::size_t streams = StreamsWanted{}.most;
    bool launchOrder = false;
    std::int64_t mostParts = 0; // of operators that are split; 0: none is
    KitNextOptions kit;

    void addTo(CLI::App &command, CommandLine &line);

    // Without what is kept. WrongUse: options that do not go together, and what is not known.
    [[nodiscard]] Result<SearchRequest> request() const;
    // WrongUse, naming an option that only a plain search takes; `reason`: "does not go with --kit-next".
    [[nodiscard]] Result<void> refuseSearchOptions(std::string_view reason) const;
};

} // namespace stagecraft
