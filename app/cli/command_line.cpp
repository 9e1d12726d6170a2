#include "cli/command_line.h"

#include "answers/answer_parts.h"
#include "cli/cost_text.h"
#include "cli/option_checks.h"
#include "cli/schedule_names.h"
#include "cli/stop_after.h"
#include "cli/text_table.h"
#include "flow/find/measured.h"
#include "flow/open/schedule_file.h"
#include "flow/open_model.h"
#include "model/built_in.h"
#include "results/files/schedule_json.h"
#include "results/schedule_words.h"
#include "support/closest_name.h"
#include "support/error_text.h"
#include "support/shown_text.h"
#include "support/text_file.h"
#include "timing/profile_words.h"
#include "wiring/device_catalog.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <iostream>

namespace stagecraft {

void printJson(const Json &document)
{
    // Names of files and operators are bytes, but JSON is UTF-8.
    std::cout << document.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
}

void tellRefusals(const std::optional<Error> &refusal, const TimedSchedule &found, const std::string &title)
{
    if (!refusal)
        return;
    const std::int64_t count = found.search.stagesRefused;
    std::cerr << "stagecraft-cli: " << title << ": " << counted(count, "stage")
              << (count == 1 ? " was left out: " : " were left out, for example ") << errorText(*refusal) << '\n';
}

std::string simulationLines(const std::string &calibration, const SimulationErrors &errors, const std::string &indent)
{
    return (calibration.empty() ? "" : indent + "calibrated on: " + calibration + "\n") +
           (errors ? indent + simulatedText(*errors) + "\n" : "");
}

std::string disturbedLine(const TimedSchedule &schedule)
{
    const auto disturbed = static_cast<std::int64_t>(disturbedStages(schedule));
    if (disturbed == 0)
        return {};
    return grouped(disturbed) + " of " + counted(static_cast<std::int64_t>(schedule.stages.size()), "stage") +
           (disturbed == 1 ? " was" : " were") +
           " disturbed every time they were measured: something else used the machine, or its clocks were held down\n";
}

CLI::Option *addOutputTo(CLI::App &command, CommandLine &line, std::string &file, const std::string &description,
                         OutputKind kind)
{
    CLI::Option *output = command.add_option("-o,--output", file, description)->type_name("FILE");
    addForceTo(command, line, std::move(kind));
    return output;
}

void addForceTo(CLI::App &command, CommandLine &line, OutputKind kind)
{
    command.add_flag("--force", line.force,
                     "replace the file of -o whatever it is; without, only a file of the kind that is written");
    line.outputs.emplace(&command, std::move(kind));
}

void addScheduleTo(CLI::App &command, std::string &schedule)
{
    command
        .add_option(
            "--schedule", schedule,
            "sequential, greedy, a schedule file (also of the public IOS project), or embedded: the one in a model "
            "that export --format onnx or ios-json or the IOS project wrote")
        ->type_name("SCHEDULE")
        ->capture_default_str();
}

void ModelOptions::addTo(CLI::App &of)
{
    of.add_option("MODEL", request.spec,
                  "a built-in name, NAME:PARAMETER=VALUE,... (see models), an .onnx file or an IOS .json graph; A+B: "
                  "two of them as one (see co-run)")
        ->required();
    addReadingTo(of);
}

void ModelOptions::addAsOptionTo(CLI::App &of)
{
    of.add_option("-m,--model", request.spec,
                  "the model of the plan: a built-in name, NAME:PARAMETER=VALUE,... (see models), an .onnx file or an "
                  "IOS .json graph")
        ->type_name("MODEL");
    addReadingTo(of);
}

void ModelOptions::addPairTo(CLI::App &of, std::string &other)
{
    addTo(of);
    of.add_option("OTHER", other,
                  "the model beside it, or the same one: a built-in name, an .onnx file or an IOS .json graph")
        ->required();
}

void ModelOptions::addReadingTo(CLI::App &of)
{
    command = &of;
    of.add_option("--batch", request.batch, "batch size (default: the model's own, or 1 if the model leaves it open)")
        ->type_name("N")
        ->check(wholeNumber(1, kLargestBatch));
    of.add_option(
          "--units", units,
          "what becomes one schedule unit of a model file: ios (as in the paper), tvm (by fusion class) or none "
          "(every operator)")
        ->type_name("UNITS")
        ->capture_default_str();
    of.add_option("--shape", shapes,
                  "sizes of an input that the file leaves open, as in x=1x3x512x512; may be given several times")
        ->type_name("INPUT=SIZES")
        ->expected(1)
        ->take_all();
    of.add_option("--without", request.reading.without,
                  "leave a pass out (see info --passes); may be given several times")
        ->type_name("PASS")
        ->expected(1)
        ->take_all();
    of.add_option(
          "--split-operator", splits,
          "split an operator into parts that may run side by side, by channels or columns, and a concat; may be "
          "given several times")
        ->type_name("OP:PARTS")
        ->expected(1)
        ->take_all();
}

namespace {

// "x=1x3x224x224", one for each input.
Result<InputSizes> inputSizes(const std::vector<std::string> &shapes)
{
    InputSizes sizes;
    for (const std::string &text : shapes) {
        const std::size_t equals = text.rfind('=');
        const bool isNamed = equals != std::string::npos && equals > 0;
        auto dims = isNamed ? sizesFromText(std::string_view(text).substr(equals + 1)) : std::nullopt;
        if (!dims)
            return fail(ErrorCode::WrongUse, "--shape: " + text + " is not the name of an input and its sizes",
                        "Write it as in --shape x=1x3x224x224");
        sizes[text.substr(0, equals)] = std::move(*dims);
    }
    return sizes;
}

} // namespace

Result<OperatorSplits> ModelOptions::operatorSplits() const
{
    OperatorSplits read;
    for (const std::string &text : splits) {
        const std::size_t colon = text.rfind(':');
        std::int64_t parts = 0;
        const bool isNamed = colon != std::string::npos && colon > 0;
        const auto [end, error] = isNamed ? std::from_chars(text.data() + colon + 1, text.data() + text.size(), parts)
                                          : std::from_chars_result{text.data(), std::errc::invalid_argument};
        if (error != std::errc() || end != text.data() + text.size())
            return fail(ErrorCode::WrongUse, "--split-operator: " + text + " is not an operator and a count of parts",
                        "Write it as in --split-operator conv1:2");
        if (!read.emplace(text.substr(0, colon), parts).second)
            return fail(ErrorCode::WrongUse, "--split-operator: " + text.substr(0, colon) + " is given twice",
                        "Leave one out");
    }
    return read;
}

Result<OpenRequest> ModelOptions::complete() const
{
    const auto known = unitsFromString(units);
    if (!known)
        return unknownValue("--units", units, {"ios", "tvm", "none"});
    OpenRequest asked = request;
    asked.reading.units = *known;
    TRY_AS(asked.reading.sizes, inputSizes(shapes));
    TRY_AS(asked.reading.splits, operatorSplits());
    if (asked.reading.isUsual())
        asked.reading = madeWith;
    return asked;
}

namespace {

// The process ends with its command: a graph is not taken apart before, which takes long for a million operators.
void keepUntilExit(std::shared_ptr<const Graph> graph)
{
    static auto *const kept = new std::vector<std::shared_ptr<const Graph>>();
    kept->push_back(std::move(graph));
}

} // namespace

Result<OpenedModel> ModelOptions::openWithSchedule(std::optional<double> maxSeconds) const
{
    TRY_AS(auto asked, complete());
    const std::string &spec = asked.spec;
    const std::int64_t batch = asked.batch;
    const StopAfter time(maxSeconds);
    asked.budget = openingBudget(time.token());
    auto opened = openModel(asked);
    if (!opened && opened.error().code == ErrorCode::Cancelled)
        return within(
            spec, fail(ErrorCode::Cancelled, "--max-seconds were over before the model was open", "Give it more time")
                      .value());
    if (!opened && batch > 0) { // the batch or the model may be at fault
        asked.batch = 0;
        asked.budget.reset();
        const auto asItIs = openModel(asked);
        if (asItIs) {
            const std::int64_t own = asItIs->model.graph->batch();
            Error error = within(fmt::format("--batch {}", batch), std::move(opened.error())).value();
            error.code = ErrorCode::WrongUse;
            error.remedy = fmt::format("At batch {} the model opens: leave --batch out, or {}", own,
                                       isBuiltIn(spec) ? "choose a smaller one"
                                                       : "export the model with an open batch size, or at this one");
            return tl::unexpected(std::move(error));
        }
    }
    if (opened) {
        const Model &model = opened->model;
        keepUntilExit(model.graph);
        const CLI::Option *output = command ? command->get_option_no_throw("-o") : nullptr;
        if (output && !output->empty()) {
            TRY(refuseOverwritingModel(output->as<std::string>(), model));
        }
        for (const ImportNote &note : model.report.notes) {
            if (note.severity == ImportNote::Severity::Warning)
                std::cerr << "note: "
                          << shownText((note.operatorName.empty() ? "" : note.operatorName + ": ") + note.text) << '\n';
        }
        if (const auto open = std::ranges::find(model.report.openInputs, false, &OpenInput::isChosen);
            open != model.report.openInputs.end())
            std::cerr << "note: --shape " << shownText(open->name) << "=" << toString(Shape{open->sizes})
                      << " is what was taken; give other sizes in the same way\n";
    }
    return opened;
}

Result<Model> ModelOptions::open(std::optional<double> maxSeconds) const
{
    return openWithSchedule(maxSeconds).map([](OpenedModel opened) { return std::move(opened.model); });
}

void DeviceOption::addTo(CLI::App &command)
{
    id = defaultDeviceId();
    command
        .add_option("-d,--device", id,
                    "device (see devices); A,B,C or pool:FILE: equal devices that measure side by side")
        ->type_name("DEVICE")
        ->capture_default_str();
}

Result<OpenDevice> DeviceOption::open(const Model &model) const
{
    auto device = findDevice(id);
    if (!device && device.error().code == ErrorCode::WrongUse)
        return within(option + " " + id, std::move(device.error()));
    TRY(device);
    OpenDevice opened{(*device)->info(), nullptr};
    (*device)->setModelFile(onnxFileOf(model));
    auto session = (*device)->open(model.graph);
    if (!session)
        return withinModel(model, std::move(session.error()));
    opened.session = std::move(*session);
    return opened;
}

void SearchFlags::addPruningTo(CLI::App &command)
{
    command.add_option("--r", r, "at most N operators per group")->type_name("N")->check(wholeNumber(1, kLargestBound));
    command.add_option("--s", s, "at most N groups per stage")->type_name("N")->check(wholeNumber(1, kLargestBound));
    command.add_flag("--single-source", singleSource,
                     "only groups with a single source, as in the public implementation");
}

void SearchFlags::addBudgetTo(CLI::App &command)
{
    command.add_flag("--exhaustive", exhaustive, "measure every stage of the search space");
    command.add_option("--max-measurements", maxMeasurements, "stop after N stage measurements")
        ->type_name("N")
        ->check(wholeNumber(1));
    command.add_option("--max-seconds", maxSeconds, "stop after this many seconds")
        ->type_name("SECONDS")
        ->check(numberAbove(0));
    command
        .add_option(
            "--bounds", bounds,
            "what proofs are based on: safe (a stage takes at least as long as its slowest group), assumed (also, no "
            "stage gets faster with one more operator; the answer says how often that was true) or auto (assumed if "
            "the device "
            "knows no bounds of its own)")
        ->type_name("BOUNDS")
        ->capture_default_str();
    command
        .add_option("--order", order,
                    "which stages are measured next: learned (those that prove the best schedule with the fewest "
                    "measurements, by a model of what is known of the device), bounds (all that the lower bounds leave "
                    "open) or auto (learned if the device measures). What is proved is the same")
        ->type_name("ORDER")
        ->capture_default_str();
    command.add_option("--epsilon", epsilon, "stop when proved to be within this share of the optimum, 0.02 for 2 %")
        ->type_name("SHARE")
        ->check(numberWithin(0, 1));
}

void SearchFlags::addStrategyTo(CLI::App &command, const std::string &description)
{
    command.add_option("--strategy", strategy, description)->type_name("STRATEGY")->capture_default_str();
}

tl::unexpected<Error> unknownValue(const std::string &option, const std::string &value,
                                   const std::vector<std::string> &known)
{
    return fail(ErrorCode::WrongUse, option + ": " + value + " is not known",
                didYouMean(value, known) + "Use " + listed(known, " or "));
}

Result<StrategySet> strategiesOf(const std::string &option, const std::string &text)
{
    if (const auto set = strategySetFromString(text))
        return *set;
    return unknownValue(option, text, {"both", "parallel", "merge", "all"});
}

void addMemoryTargetTo(CLI::App &command, std::string &target, const std::string &description)
{
    command.add_option("--target", target, description + ": onnxruntime, onnxruntime-cuda or pytorch")
        ->type_name("RUNTIME");
}

Result<std::optional<plan::MemoryTarget>> memoryTargetOption(const std::string &text)
{
    if (text.empty())
        return std::nullopt;
    if (const auto target = plan::memoryTargetFrom(text))
        return target;
    std::vector<std::string> known;
    for (const plan::MemoryTargetRow &row : plan::memoryTargets())
        known.emplace_back(row.word);
    return unknownValue("--target", text, known);
}

Result<SearchOptions> SearchFlags::options(std::optional<int> defaultR, std::optional<int> defaultS) const
{
    SearchOptions options;
    TRY_AS(const auto set, strategiesOf("--strategy", strategy));
    options.strategies = set;
    options.r = r ? r : defaultR;
    options.s = s ? s : defaultS;
    options.singleSource = singleSource;
    options.exhaustive = exhaustive;
    options.maxMeasurements = maxMeasurements;
    options.maxSeconds = maxSeconds;
    options.epsilon = epsilon.value_or(0);
    const auto known = searchBoundsFromString(bounds);
    if (!known)
        return unknownValue("--bounds", bounds, {"auto", "safe", "assumed"});
    options.bounds = *known;
    const auto knownOrder = searchOrderFromString(order);
    if (!knownOrder)
        return unknownValue("--order", order, {"auto", "learned", "bounds"});
    options.order = *knownOrder;
    return options;
}

namespace {

// Opens the model at the batch that the schedule was made for, and reads it as it was read then.
Result<OpenedModel> openFor(const ModelOptions &asked, const std::string &spec, std::string_view text)
{
    const auto batch = batchOfSchedule(text);
    ModelOptions options = asked;
    options.madeWith = readingOfSchedule(text);
    TRY_AS(const auto wanted, asked.complete());
    if (wanted.reading.isUsual() && !options.madeWith.isUsual())
        std::cerr << "note: " << spec << " was made for " << asked.request.spec << ' '
                  << shownText(toString(options.madeWith)) << ", so it is read like that\n";
    auto opened = options.openWithSchedule();
    if (!opened || options.request.batch != 0 || !batch || opened->model.graph->batch() == *batch)
        return opened;
    const std::string made = fmt::format("{} was made for batch {}", spec, *batch);
    TRY_AS(auto atBatch, options.complete());
    atBatch.batch = *batch;
    auto other = openModel(atBatch);
    if (!other || other->model.graph->batch() != *batch)
        return fail(ErrorCode::WrongUse,
                    fmt::format("{}, but {} cannot be opened at that{}", made, opened->model.name,
                                other ? "" : ": " + other.error().message),
                    fmt::format("Search for a schedule at batch {0}, or give --batch {0} to use this one anyway",
                                opened->model.graph->batch()));
    std::cerr << "note: " << made << ", so the model is opened at batch " << *batch << "; --batch chooses another\n";
    return other;
}

// Uses the file's schedule for the model as it is open; differences are reported on standard error.
void useFile(ScheduledModel &opened, const std::string &origin, TimedSchedule read)
{
    const std::int64_t batch = opened.model.graph->batch();
    if (read.context.batch != batch)
        std::cerr << "note: " << origin << " was made for batch " << read.context.batch
                  << ", the model is open at batch " << batch << '\n';
    opened.file = read;
    opened.schedule = std::move(read);
    opened.schedule.context.model = opened.model.reference();
    opened.schedule.context.batch = batch;
}

Result<ScheduledModel> openEmbedded(const ModelOptions &options)
{
    TRY_AS(auto read, options.openWithSchedule());
    TRY_AS(auto embedded, embeddedSchedule(read));
    ScheduledModel opened{std::move(read.model), {}, {}};
    useFile(opened, "the schedule in " + opened.model.source, std::move(embedded));
    return opened;
}

} // namespace

Result<ScheduledModel> openScheduled(const ModelOptions &options, const std::string &spec)
{
    if (spec == "sequential" || spec == "greedy") {
        TRY_AS(auto model, options.open());
        ScheduledModel opened{std::move(model), {}, {}};
        opened.schedule = spec == "greedy" ? greedySchedule(*opened.model.graph, opened.model.blocks)
                                           : sequentialSchedule(*opened.model.graph, opened.model.blocks);
        opened.schedule.context.model = opened.model.reference();
        opened.schedule.context.batch = opened.model.graph->batch();
        return opened;
    }
    TRY(checkKnownSchedule(spec));
    if (spec == kEmbeddedSchedule)
        return openEmbedded(options);
    TRY_AS(const auto text, readTextFile(spec));
    TRY_AS(auto openedFor, openFor(options, spec, text));
    ScheduledModel opened{std::move(openedFor.model), {}, {}};
    auto read = scheduleAndBlocksFromFile(text, opened.model);
    if (!read)
        return within(spec, std::move(read.error()));
    const ModelReference &made = read->context.model;
    if (!made.sha256.empty() && !opened.model.sha256.empty() && made.sha256 != opened.model.sha256)
        std::cerr << "note: " << spec << " was made for another file of " << made.name << '\n';
    useFile(opened, spec, std::move(*read));
    return opened;
}

Result<void> checkBatchOfProfile(const ScheduledModel &opened)
{
    if (!opened.file || opened.file->context.batch == opened.model.graph->batch())
        return {};
    return refuseBatchOfProfile(opened.file->context.batch, opened.model);
}

Result<OpenedModel> openForSchedule(const ModelOptions &options, const std::string &spec)
{
    const bool isNamed = spec == kEmbeddedSchedule || streamKindFromString(spec) || scheduleKindFromString(spec);
    if (isNamed)
        return options.openWithSchedule();
    const auto text = readTextFile(spec);
    return openFor(options, spec, text.value_or(std::string()));
}

void ScheduledModel::tellProvenance(const DeviceInfo &device) const
{
    if (!file || file->context.device.empty())
        return;
    if (!device.isDeviceOf(file->context))
        std::cerr << "note: the schedule was made for " << file->context.device << ", not for " << device.id << '\n';
    else if (file->latencyUs() && isOfOlderSimulator(*file))
        std::cerr << "note: the latencies in the file were simulated by an older simulator, and are made anew\n";
    const std::string here = latencyBasis(model, device).precision;
    if (file->context.precision != here && file->context.precision != kPrecisionNotStated)
        std::cerr << "note: the schedule was made for " << file->context.precision << ", " << device.id
                  << " computes in " << here << '\n';
}

std::optional<answers::MadeFor> madeFor(const ScheduledModel &opened)
{
    if (!opened.file)
        return std::nullopt;
    return answers::MadeFor{opened.file->context.device, opened.file->context.batch, opened.file->context.precision};
}

} // namespace stagecraft
