// profile: what another program recorded while the model ran, on the operators of the model.

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/model_options.h"
#include "cli/print_answer.h"
#include "cli/profile_answer.h"
#include "flow/import_profile.h"
#include "flow/profiled_schedule.h"
#include "results/files/schedule_json.h"
#include "results/files/schedule_parts.h"
#include "support/shown_text.h"
#include "support/text_file.h"

#include <CLI/CLI.hpp>

#include <iostream>
#include <limits>
#include <memory>

namespace stagecraft {
namespace {

struct ProfileOptions {
    ModelOptions model;
    std::vector<std::string> files;
    bool operators = false;
    std::string output;
};

// The schedule that was observed, with its recorded latency.
Result<ScheduleInFile> writeObserved(const Model &model, const ImportedProfile &imported, const std::string &output)
{
    TRY_AS(const auto schedule, profiledSchedule(model, imported));
    for (const std::string &note : schedule.measured.profile->notes)
        std::cerr << "warning: " << shownText(note) << '\n';
    TRY(writeTextFile(output, toJson(*model.graph, schedule)));
    return scheduleInFile(OperatorNames(*model.graph), schedule);
}

Result<void> profile(const ProfileOptions &options, const CommandLine &line)
{
    constexpr std::size_t kMostListed = 20;
    TRY_AS(const Model model, options.model.open());
    const auto listening = line.listen();
    TRY_AS(const auto imported, importProfile(model, options.files, line.stop));
    answers::ProfileAnswer answer = profileAnswer(model, imported);
    if (const std::string warning = unmappedWarning(imported, model.name); !warning.empty())
        std::cerr << "warning: " << warning << '\n';
    if (!options.output.empty()) {
        TRY_AS(answer.schedule, writeObserved(model, imported, options.output));
    }
    if (line.json)
        printAnswer(answer);
    else
        printProfile(answer, options.operators ? std::numeric_limits<std::size_t>::max() : kMostListed);
    if (!line.json && !options.output.empty())
        std::cout << "wrote " << options.output << ": the schedule that was observed, with its recorded latency\n";
    return {};
}

} // namespace

void addProfileCommand(CLI::App &app, CommandLine &line)
{
    auto *command = app.add_subcommand("profile", "Show a profile that another program recorded, operator by operator");
    const auto options = std::make_shared<ProfileOptions>();
    options->model.addTo(*command);
    command
        ->add_option("FILE", options->files,
                     "a trace of the PyTorch profiler, a profile of ONNX Runtime, the files of a TensorRT profile "
                     "(trtexec --exportProfile, --exportLayerInfo, --exportTimes), a database of Nsight Systems (nsys "
                     "export --type sqlite), or a trace that export wrote; gzipped or not")
        ->required()
        ->expected(1, -1);
    command->add_flag("--operators", options->operators, "list all operators and kernels, not only the longest");
    addOutputTo(*command, line, options->output,
                "write the schedule that was observed, with its recorded latency, to this file: measure, compare and "
                "export take it as --schedule or SCHEDULE, and the window opens it",
                [] { return FileKind::Schedule; });
    command->callback([&line, options] { line.command = [&line, options] { return profile(*options, line); }; });
}

} // namespace stagecraft
