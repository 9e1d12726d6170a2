// edit: a schedule edited by hand, and what that gains or costs.

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/cost_text.h"
#include "cli/edit_options.h"
#include "cli/option_checks.h"
#include "cli/text_table.h"
#include "flow/measure_edit.h"
#include "flow/open_model.h"
#include "results/files/schedule_json.h"
#include "results/schedule_words.h"
#include "schedule/compare/difference.h"
#include "schedule/edit/edit_history.h"
#include "schedule/stage_text.h"
#include "support/number_text.h"
#include "support/shown_text.h"
#include "support/text_file.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
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

struct EditedByHand {
    std::vector<std::string> words; // of all edits
    Schedule schedule;
    std::vector<std::size_t> changed; // stages that are new
};

// The origin of a schedule; an edit of an edit has the same origin.
std::string editedFrom(const ScheduledModel &opened, const std::string &spec)
{
    const SearchRecord &search = opened.schedule.search;
    if (!search.editedFrom.empty())
        return search.editedFrom;
    return search.strategy.empty() ? spec : search.strategy;
}

Result<EditedByHand> edited(const EditOptions &options, const ScheduledModel &opened)
{
    EditedByHand result;
    std::vector<Stage> stages = opened.schedule.stages;
    for (const TypedEdit &typed : options.edits) {
        TRY_AS(const auto edit, editFrom(typed, *opened.model.graph));
        auto applied = applyEdit(*opened.model.graph, opened.model.blocks, stages, edit);
        if (!applied)
            return within(typed.option + " " + typed.value, std::move(applied.error()));
        stages = std::move(applied->stages);
        result.words.push_back(std::move(applied->words));
    }
    const auto same = sameStages(opened.schedule.stages, stages);
    for (std::size_t i = 0; i < same.size(); ++i) {
        if (same[i] == kNoStage)
            result.changed.push_back(i);
    }
    result.schedule = editedSchedule(opened.schedule, editedFrom(opened, options.schedule), std::move(stages));
    return result;
}

// A span of both schedules in which they differ.
struct Difference {
    CommonSpan span; // side A: the original
    std::optional<double> beforeUs;
    double us = 0;
};

std::vector<Difference> differences(const Schedule &original, const Schedule &measured, bool isOriginalKnown)
{
    std::vector<Difference> result;
    for (CommonSpan &span : commonSpans({original.stages, measured.stages})) {
        if (span.isEqual)
            continue;
        Difference &difference = result.emplace_back();
        if (isOriginalKnown)
            difference.beforeUs = sumOfStagesUs(original, span.sides[0]);
        difference.us = sumOfStagesUs(measured, span.sides[1]).value_or(0);
        difference.span = std::move(span);
    }
    return result;
}

std::string numbersText(StageRange stages)
{
    return stages.count == 1 ? fmt::format("stage {}", stages.first + 1)
                             : fmt::format("stages {} to {}", stages.first + 1, stages.end());
}

// "+4.1 us, +4.9 %"
std::string changeText(double beforeUs, double us)
{
    const auto sign = [](double value) { return std::string(value < 0 ? "-" : "+"); };
    return sign(us - beforeUs) + plainLatency(std::abs(us - beforeUs)) +
           (beforeUs > 0 ? ", " + sign(us - beforeUs) + percent(std::abs(us / beforeUs - 1)) : "");
}

std::string againstText(const MeasuredEdit &measured, const std::string &original, const CostBasis &basis)
{
    const TimingInRounds &before = measured.times.front();
    const TimingInRounds &now = measured.times.back();
    std::string text = fmt::format("against {}: {} before, ", original, plainLatency(before.timing.latencyUs, basis));
    if (!measured.areComparable)
        return text + "which is not comparable with a sum of stages\n";
    text += changeText(before.timing.latencyUs, now.timing.latencyUs) + "; " + speedupText(now.against.speedup);
    if (measured.rounds > 0)
        text += fmt::format(" ({} to {}, timed in {})", speedupText(now.against.low), speedupText(now.against.high),
                            counted(measured.rounds, "round"));
    const std::string verdict = verdictText(now.against, now.secondsPerRound);
    return text + (verdict.empty() ? "; no verdict from fewer than 8 rounds" : ": " + verdict) + '\n';
}

Json againstJson(const MeasuredEdit &measured)
{
    const TimingInRounds &before = measured.times.front();
    const SpeedupEstimate &against = measured.times.back().against;
    Json json{{"rounds", measured.rounds}, {"latency_us", before.timing.latencyUs}};
    json["difference_us"] =
        measured.areComparable ? Json(measured.times.back().timing.latencyUs - before.timing.latencyUs) : Json();
    json["speedup"] = measured.areComparable ? Json(against.speedup) : Json();
    if (measured.rounds > 1)
        json["speedup_interval"] = {against.low, against.high};
    const bool hasVerdict = measured.areComparable && against.verdict != Verdict::None;
    json["verdict"] = hasVerdict ? Json(toString(against.verdict)) : Json();
    return json;
}

Json numbersJson(const std::vector<std::size_t> &stages)
{
    Json numbers = Json::array();
    for (const std::size_t stage : stages)
        numbers.push_back({{"stage_number", stage + 1}});
    return numbers;
}

Json answerJson(const ScheduledModel &opened, const EditedByHand &byHand, const std::optional<MeasuredEdit> &measured,
                const std::vector<Difference> &spans, const std::string &file)
{
    const Schedule &schedule = measured ? measured->edited : byHand.schedule;
    Json edits = Json::array();
    for (const std::string &words : byHand.words)
        edits.push_back({{"words", words}});
    Json differing = Json::array();
    for (const Difference &difference : spans)
        differing.push_back({{"before_first_stage_number", difference.span.sides[0].first + 1},
                             {"before_stages", difference.span.sides[0].count},
                             {"first_stage_number", difference.span.sides[1].first + 1},
                             {"stages", difference.span.sides[1].count},
                             {"before_sum_us", difference.beforeUs ? Json(*difference.beforeUs) : Json()},
                             {"sum_us", measured ? Json(difference.us) : Json()}});
    return {{"model", opened.model.name},
            {"edited_from", schedule.search.editedFrom},
            {"made_for", madeForJson(opened)},
            {"edits", edits},
            {"stages", schedule.stages.size()},
            {"changed", numbersJson(byHand.changed)},
            {"device", measured ? Json(schedule.device) : Json()},
            {"calibration", schedule.calibration},
            {"batch", schedule.batch},
            {"measured", measured ? numbersJson(measured->measured) : Json::array()},
            {"latency_us", measured ? Json(*schedule.latencyUs()) : Json()},
            {"provenance", measured ? Json(toString(*schedule.provenance)) : Json()},
            {"sum_of_stages", schedule.isSumOfStages},
            {"disturbed_stages", disturbedStages(schedule)},
            {"before", measured ? againstJson(*measured) : Json()},
            {"spans", differing},
            {"schedule", Json::parse(file)}};
}

void printEdit(const EditOptions &options, const ScheduledModel &opened, const EditedByHand &byHand,
               const std::optional<MeasuredEdit> &measured, const std::vector<Difference> &spans)
{
    const Schedule &schedule = measured ? measured->edited : byHand.schedule;
    const CostBasis &basis = schedule.search.costs;
    std::cout << costLines(basis);
    for (const std::string &words : byHand.words)
        std::cout << shownText(words) << '\n';
    for (const std::size_t stage : byHand.changed) {
        std::cout << "stage " << stage + 1 << "  block " << schedule.stages[stage].block + 1 << "  "
                  << (measured ? stageLatencyText(*opened.model.graph, schedule, stage) + "  " : "")
                  << stageText(*opened.model.graph, schedule.stages[stage]) << '\n';
    }
    std::cout << '\n'
              << opened.model.name << ", edited from " << schedule.search.editedFrom << ": "
              << counted(static_cast<std::int64_t>(schedule.stages.size()), "stage") << ", " << byHand.changed.size()
              << " changed";
    if (!measured) {
        std::cout << "; not measured, --device measures it\n";
        return;
    }
    std::cout << ", " << measured->measured.size() << " measured\n";
    for (const Difference &difference : spans) {
        std::cout << numbersText(difference.span.sides[1]) << ": " << plainLatency(difference.us, basis);
        if (difference.beforeUs)
            std::cout << ", before (" << numbersText(difference.span.sides[0]) << ") "
                      << plainLatency(*difference.beforeUs, basis) << ", "
                      << changeText(*difference.beforeUs, difference.us);
        std::cout << '\n';
    }
    std::cout << "on " << schedule.device << ": " << plainLatency(*schedule.latencyUs(), basis) << " ("
              << provenanceWords(schedule) << ", " << schedule.precision << ")\n"
              << againstText(*measured, options.schedule, basis) << disturbedLine(schedule)
              << calibrationLine(schedule.calibration);
}

Result<void> edit(const EditOptions &options, const CommandLine &line)
{
    if (options.edits.empty())
        return fail(ErrorCode::WrongUse, "no edit is given",
                    "Use --move, --new-stage, --split, --join, --merge or --concurrent");
    TRY_AS(const auto opened, openScheduled(options.model, options.schedule));
    TRY_AS(const auto byHand, edited(options, opened));
    const Schedule &original = opened.file ? *opened.file : opened.schedule;
    std::optional<MeasuredEdit> measured;
    bool isOriginalKnown = false;
    if (!options.device.id.empty()) {
        TRY_AS(auto device, options.device.open(opened.model));
        opened.tellProvenance(device.info);
        const auto listening = line.listen();
        auto answer = measureEdit(opened.model, *device.session, device.info, original, byHand.schedule, options.rounds,
                                  line.stop);
        if (!answer)
            return withinModel(opened.model, std::move(answer.error()));
        measured = std::move(*answer);
        isOriginalKnown = hasLatenciesOf(original, opened.model, device.info);
    }
    const Schedule &schedule = measured ? measured->edited : byHand.schedule;
    const auto spans = differences(original, schedule, isOriginalKnown);
    const std::string file = toJson(*opened.model.graph, schedule);
    if (auto written = writeTextFile(options.output, file); !written)
        return written;
    if (!original.layouts.empty())
        std::cerr << "note: the layouts that " << options.schedule
                  << " states are left out: an edit runs in those that the device chooses\n";
    if (line.json) {
        Json document = answerJson(opened, byHand, measured, spans, file);
        document["notes"] = notesJson(opened.model.report);
        addLatencyBasis(document, schedule.search.costs);
        printAnswer("edit", document);
    } else {
        printEdit(options, opened, byHand, measured, spans);
    }
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
    addEditTo(*command, options, "--concurrent", "STAGE", "run the groups of a stage concurrently");
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
    command->footer("Edits are applied in the order given; stages are counted from 1, as numbered after the previous "
                    "edits. An illegal edit is refused, and nothing is written.\n" +
                    command->get_footer());
    command->callback([&line, options] { line.command = [&line, options] { return edit(*options, line); }; });
}

} // namespace stagecraft
