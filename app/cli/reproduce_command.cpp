// reproduce: all tables and figures of the IOS paper compared with ours, with the error of each entry; or the same for
// kernels that others measured.

#include "cli/command_line.h"
#include "cli/commands.h"
#include "export/cpp_project/export_folder.h"
#include "reproduction/reproduce.h"
#include "reproduction/reproduce_kernels.h"
#include "reproduction/reproduction_report.h"
#include "support/output_file.h"
#include "support/text_file.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <filesystem>
#include <iostream>
#include <memory>
#include <system_error>
#include <utility>

namespace stagecraft {
namespace {

struct ReproduceOptions {
    DeviceOption device;
    std::string folder;
    std::vector<std::string> kernels;
    const CLI::App *command = nullptr;
};

// The folders above it, which an earlier version made, too.
Result<void> makeFoldersAbove(const std::filesystem::path &folder)
{
    std::error_code error;
    const std::filesystem::path above = folder.lexically_normal().parent_path();
    if (!above.empty())
        std::filesystem::create_directories(above, error);
    if (error)
        return within(
            folder.string(),
            refused(fmt::format("the folder cannot be made ({})", error.message()), "Choose another place").value());
    return {};
}

// `name`: of its files, without what they end in.
Result<void> writeReport(const std::filesystem::path &path, const std::string &name, const Reproduction &reproduction)
{
    TRY_AS(auto folder, ExportFolder::create(path));
    for (const auto &[ending, text] :
         {std::pair{".html", reproductionHtml(reproduction)}, std::pair{".txt", reproductionText(reproduction)},
          std::pair{".json", reproductionJson(reproduction)}}) {
        if (auto written = writeTextFile((folder.beside() / (name + ending)).string(), text); !written)
            return within(path.string(), std::move(written.error()));
    }
    return folder.publish().map([](const WrittenFolder & /*written*/) {});
}

Result<void> reproduceCommand(const ReproduceOptions &options, const CommandLine &line)
{
    const auto progress = [](const std::string &part, double done) {
        showProgress({"reproduce", fmt::format("{} %", static_cast<int>(done * 100)), part});
    };
    if (options.folder == kStandardOutput)
        return fail(ErrorCode::WrongUse, "reproduce writes several files, which cannot go to standard output",
                    "Name a folder");
    if (!options.folder.empty()) { // before the work
        if (auto may = makeFoldersAbove(options.folder).and_then([&] { return ExportFolder::check(options.folder); });
            !may)
            return may;
    }
    const auto listening = line.listen();
    const std::string name = options.kernels.empty() ? "reproduction" : "kernels";
    // Kernels need a simulated device: without --device that of the paper, wherever the default measures.
    const std::string id = options.kernels.empty() || options.command->count("--device") > 0
                               ? options.device.id
                               : std::string(kPublishedDevice);
    const auto reproduction = options.kernels.empty() ? reproduce(id, progress, line.stop)
                                                      : reproduceKernels(options.kernels, id, progress, line.stop);
    endProgress();
    TRY(reproduction);
    if (!options.folder.empty()) {
        if (auto written = writeReport(options.folder, name, *reproduction); !written)
            return written;
        std::cerr << "wrote " << (std::filesystem::path(options.folder) / (name + ".html")).string()
                  << ", and .txt and .json next to it\n";
    }
    std::cout << (line.json ? reproductionJson(*reproduction) : reproductionText(*reproduction));
    return {};
}

} // namespace

void addReproduceCommand(CLI::App &app, CommandLine &line)
{
    auto *command = app.add_subcommand("reproduce", "Compare the tables and figures of the IOS paper with ours");
    const auto options = std::make_shared<ReproduceOptions>();
    options->command = command;
    options->device.addTo(*command);
    command
        ->add_option("--kernels", options->kernels,
                     "instead of the paper: kernels that others measured, beside the simulation of each; tables (.csv) "
                     "and traces of the PyTorch profiler, as devices fit takes them (-d sim:v100:fp16: in float16)")
        ->type_name("FILE")
        ->expected(1, -1);
    command->add_option("-o,--output", options->folder, "also write a page with plots to this folder")
        ->type_name("FOLDER");
    command->callback(
        [&line, options] { line.command = [&line, options] { return reproduceCommand(*options, line); }; });
}

} // namespace stagecraft
