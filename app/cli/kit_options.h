#pragma once

// What the commands have in common that write kits.

#include "cli/command_line.h"
#include "flow/kit/kit_folder.h"

#include <filesystem>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace stagecraft {

struct KitOptions {
    std::size_t stages = kDefaultKitStages;
    std::vector<std::string> like = {"sim:a100"};

    void addTo(CLI::App &command, const std::string &prefix); // "--" or "--kit-"
    // WrongUse, naming a device that is not simulated.
    [[nodiscard]] Result<KitPlanRequest> request(const SearchOptions &search) const;
};

// Of the worker for PyTorch; empty: chosen there. WrongUse.
[[nodiscard]] Result<void> checkKitDevice(const std::string &id);

// Shows what is being done.
[[nodiscard]] KitProgress kitProgress();

// With the worker of this installation.
[[nodiscard]] Result<WrittenKit> writeKitOf(const Model &model, const KitPlan &plan, const std::string &device,
                                            const RecordedLatencies *before, const std::string &folder);

// What was written, and the two commands that go on from there.
[[nodiscard]] std::string kitText(const WrittenKit &kit, const Model &model, const std::string &folder);

} // namespace stagecraft
