#pragma once

// compare with several files: results and profiles compared as they are (flow/compare_recorded.h).

#include "cli/command_line.h"
#include "cli/model_options.h"

#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace stagecraft {

struct CompareFilesOptions {
    std::vector<std::string> files; // behind the first; empty: a model is compared, and no files
    std::string model;              // --model
    std::string format = "text";
    std::string output;

    // The arguments beside MODEL, which is the first file.
    void addTo(CLI::App &command, CommandLine &line);
    // WrongUse: an option that is of no use there.
    [[nodiscard]] Result<void> checkWithoutFiles(const CLI::App &command) const;
};

// `model.request.spec`: the first file. Sets the status to 1 where one of the others is shown to be below `failBelow`.
[[nodiscard]] Result<void> compareFiles(const CompareFilesOptions &options, const ModelOptions &model,
                                        std::optional<double> failBelow, CommandLine &line);

} // namespace stagecraft
