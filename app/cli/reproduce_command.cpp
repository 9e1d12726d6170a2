// reproduce: all tables and figures of the IOS paper compared with ours, with the error of each entry.

#include "cli/command_line.h"
#include "cli/commands.h"
#include "reproduction/reproduce.h"
#include "reproduction/reproduction_report.h"
#include "services/text_file.h"
#include "support/output_file.h"

#include <CLI/CLI.hpp>

#include <filesystem>
#include <iostream>
#include <memory>
#include <system_error>

namespace stagecraft {
namespace {

struct ReproduceOptions {
    DeviceOption device;
    std::string folder;
};

Result<void> writeReport(const std::filesystem::path &folder, const Reproduction &reproduction)
{
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error)
        return within(folder.string(), Error{ErrorCode::InvalidInput,
                                             "the folder cannot be made (" + error.message() + ")",
                                             "Choose another place",
                                             {}});
    if (auto page = writeTextFile((folder / "reproduction.html").string(), reproductionHtml(reproduction)); !page)
        return page;
    if (auto text = writeTextFile((folder / "reproduction.txt").string(), reproductionText(reproduction)); !text)
        return text;
    return writeTextFile((folder / "reproduction.json").string(), reproductionJson(reproduction));
}

Result<void> reproduceCommand(const ReproduceOptions &options, const CommandLine &line)
{
    const auto progress = [](const std::string &part, double done) {
        showProgress({"reproduce", std::to_string(static_cast<int>(done * 100)) + " %", part});
    };
    if (options.folder == kStandardOutput)
        return fail(ErrorCode::WrongUse, "reproduce writes several files, which cannot go to standard output",
                    "Name a folder");
    const auto listening = line.listen();
    const auto reproduction = reproduce(options.device.id, progress, line.stop);
    endProgress();
    if (!reproduction)
        return tl::unexpected(reproduction.error());
    if (!options.folder.empty()) {
        if (auto written = writeReport(options.folder, *reproduction); !written)
            return written;
        std::cerr << "wrote " << (std::filesystem::path(options.folder) / "reproduction.html").string()
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
    options->device.addTo(*command);
    command->add_option("-o,--output", options->folder, "also write a page with plots to this folder")
        ->type_name("FOLDER");
    command->callback(
        [&line, options] { line.command = [&line, options] { return reproduceCommand(*options, line); }; });
}

} // namespace stagecraft
