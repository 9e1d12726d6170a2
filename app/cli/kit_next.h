#pragma once

// optimize --kit-next: what a kit's recording proves, and the kit that is still wanted.

#include "cli/command_line.h"
#include "cli/kit_options.h"
#include "cli/model_options.h"

#include <string>

namespace CLI {
class App;
}

namespace stagecraft {

struct KitNextOptions {
    bool isAsked = false;
    KitOptions kit = {};

    void addTo(CLI::App &command); // optimize
};

// `folder`: of the next kit; empty: none is written.
[[nodiscard]] Result<void> kitNext(const ModelOptions &modelOptions, const std::string &deviceId,
                                   const SearchOptions &search, const KitNextOptions &options,
                                   const std::string &folder, const CommandLine &line);

} // namespace stagecraft
