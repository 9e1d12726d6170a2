// edit: a schedule edited by hand, and what that gains or costs.

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/edit_answer.h"
#include "cli/edit_options.h"
#include "cli/edit_splits.h"
#include "cli/model_options.h"
#include "cli/option_checks.h"
#include "cli/print_answer.h"
#include "cli/scheduled_model.h"
#include "flow/compare_edit.h"
#include "flow/open_model.h"
#include "results/files/schedule_json.h"
#include "schedule/compare/difference.h"
#include "schedule/edit/edit_history.h"
#include "support/text_file.h"

#include <CLI/CLI.hpp>

#include <iostream>
#include <memory>
#include <optional>
#include <utility>

namespace stagecraft {
namespace {

struct EditOptions {
    ModelOptions model;
    DeviceOption device{"", "--device"};
    std::string schedule = "sequential";
    std::vector<TypedEdit> edits; // in the order given
    std::string output;
    int rounds = kDefaultRounds;
};

Result<void> edit(const EditOptions &options, const CommandLine &line)
{
    if (options.edits.empty() && options.model.splits.empty())
        return fail(
            ErrorCode::WrongUse, "no edit is given",
            "Use --move, --new-stage, --split, --join, --merge, --fuse, --concurrent or --split-operator; for streams "
            "--to-stream, --launch-before, --launch-after, --swap, --add-event or --drop-event");
    ModelOptions before = options.model;
    before.splits.clear();
    TRY_AS(auto opened, openScheduled(before, options.schedule));
    TRY_AS(const auto splits, splitInEdit(opened, options.model, options.device, line.stop));
    TRY_AS(auto byHand, edited(opened, options.schedule, options.edits));
    splits.addTo(byHand, *opened.model.graph);
    const TimedSchedule &original = opened.file ? *opened.file : opened.schedule;
    std::optional<EditOutcome> measured;
    bool isOriginalKnown = false;
    if (!options.device.id.empty()) {
        TRY_AS(auto device, options.device.open(opened.model));
        opened.tellProvenance(device.info);
        const auto listening = line.listen();
        isOriginalKnown = hasLatenciesOf(original, opened.model, device.info);
        auto answer = compareEdit(
            opened.model, *device.session, device.info,
            {byHand.schedule, isOriginalKnown ? original : TimedSchedule(), {original}, options.rounds}, line.stop);
        if (!answer)
            return withinModel(opened.model, std::move(answer.error()));
        measured = std::move(*answer);
    }
    const TimedSchedule &schedule = measured ? measured->edited : byHand.schedule;
    const auto spans = editedSpans(original, schedule, isOriginalKnown, measured && schedule.hasStageLatencies());
    TRY(writeTextFile(options.output, toJson(*opened.model.graph, schedule)));
    if (!original.layouts.empty())
        std::cerr << "note: the layouts that " << options.schedule
                  << " states are left out: an edit runs in those that the device chooses\n";
    if (line.json)
        printAnswer(editAnswer(opened, byHand, measured, spans));
    else
        printEdit(options.schedule, opened, byHand, measured, spans);
    return {};
}

// An option may be repeated, and the order among all edits matters.
void addEditTo(CLI::App &command, const std::shared_ptr<EditOptions> &options, const std::string &name,
               const std::string &form, const std::string &description)
{
    command
        .add_option_function<std::string>(
            name,
            [options, name](const std::string &value) {
                options->edits.push_back({name, value});
            },
            description)
        ->type_name(form)
        ->trigger_on_parse();
}

} // namespace

void addEditCommand(CLI::App &app, CommandLine &line)
{
    auto *command = app.add_subcommand("edit", "Edit a schedule, and measure what that gains or costs");
    const auto options = std::make_shared<EditOptions>();
    options->model.addTo(*command);
    addScheduleTo(*command, options->schedule);
    addEditTo(*command, options, "--move", "OP,...:STAGE", "move operators into this stage");
    addEditTo(*command, options, "--new-stage", "OP,...:BEFORE",
              "move operators into a new stage before this one, or after the last with the number after it");
    addEditTo(*command, options, "--split", "STAGE:OP,...",
              "split operators off into a new stage, before the rest if that is legal, otherwise after");
    addEditTo(*command, options, "--join", "STAGE,STAGE", "join stages into one");
    addEditTo(*command, options, "--merge", "STAGE", "merge the operators of a stage into one bigger operator");
    addEditTo(*command, options, "--fuse", "STAGE",
              "run the operators of a stage as rTasks, on simulated devices and cpu");
    addEditTo(*command, options, "--concurrent", "STAGE", "run the groups of a stage concurrently");
    addEditTo(*command, options, "--to-stream", "OP,...:STREAM",
              "run operators on this stream; with the number after the last on a new one");
    addEditTo(*command, options, "--launch-before", "OP,...:OP", "launch operators before this one");
    addEditTo(*command, options, "--launch-after", "OP,...:OP", "launch operators after this one");
    addEditTo(*command, options, "--swap", "OP,OP", "exchange the streams and the places of two operators");
    addEditTo(*command, options, "--add-event", "OP,OP", "let the second wait for the first");
    addEditTo(*command, options, "--drop-event", "OP,OP", "no longer let the second wait for the first");
    command
        ->add_option("-d,--device", options->device.id,
                     "measure changed stages, and the whole against the original, on this device (see "
                     "devices)")
        ->type_name("DEVICE");
    command
        ->add_option("--rounds", options->rounds,
                     "on a measuring device: time both schedules in this many rounds; 0: each once")
        ->type_name("N")
        ->check(wholeNumber(0, 1000))
        ->capture_default_str();
    addOutputTo(*command, line, options->output, "write the edited schedule to this file", [] {
        return FileKind::Schedule;
    })->required();
    command->footer(
        "Edits are applied in the order given; stages and streams are counted from 1, as numbered after the "
        "previous edits. Those from --to-stream on are for streams, whose events follow the edges. An illegal edit is "
        "refused, and nothing is written.\n" +
        command->get_footer());
    command->callback([&line, options] { line.command = [&line, options] { return edit(*options, line); }; });
}

} // namespace stagecraft
