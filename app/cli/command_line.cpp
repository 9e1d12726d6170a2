#include "cli/command_line.h"

#include "cli/text_table.h"
#include "engine/device_catalog.h"
#include "engine/error_text.h"
#include "engine/open_model.h"
#include "engine/text_file.h"
#include "schedule/schedule_json.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <iostream>
#include <unistd.h>

namespace stagecraft {
namespace {

// CLI11's own PositiveNumber spells out the largest double in its message.
const CLI::Validator kAboveZero(
    [](std::string &text) {
        double value = 0;
        return CLI::detail::lexical_cast(text, value) && value > 0 ? std::string() : text + " is not a number above 0";
    },
    "NUMBER ABOVE 0");

} // namespace

void printJson(const Json &document)
{
    std::cout << document.dump(2) << '\n';
}

SearchProgressCallback terminalProgress(const std::string &title, Provenance provenance)
{
    if (isatty(STDERR_FILENO) == 0)
        return {};
    return [title, provenance](const SearchProgress &progress) {
        std::cerr << "\r\033[K" << title << ": block " << progress.block + 1 << " of " << progress.blocks << ", "
                  << counted(progress.statesDone, "state") << ", "
                  << counted(progress.stageMeasurements, "stage measurement");
        if (progress.bestUs > 0) // nothing is known before the first schedule
            std::cerr << ", best " << latencyText(progress.bestUs) << " (" << toString(provenance) << ')';
        std::cerr << std::flush;
    };
}

void tellRefusals(const MadeSchedule &made, const std::string &title)
{
    if (!made.refusal)
        return;
    const std::int64_t count = made.schedule.search.stagesRefused;
    std::cerr << "stagecraft-cli: " << title << ": " << counted(count, "stage")
              << (count == 1 ? " was left out: " : " were left out, for example ") << errorText(*made.refusal) << '\n';
}

Json mhzJson(int mhz)
{
    return mhz > 0 ? Json(mhz) : Json();
}

std::string calibrationLine(const std::string &calibration)
{
    return calibration.empty() ? "" : "calibrated on: " + calibration + "\n";
}

void clearProgress()
{
    if (isatty(STDERR_FILENO) != 0)
        std::cerr << "\r\033[K" << std::flush;
}

void ModelOptions::addTo(CLI::App &command)
{
    command.add_option("MODEL", spec, "A built-in name (see models), an .onnx file or an IOS .json graph")->required();
    command.add_option("--batch", batch, "Batch size (default: the model's own, 1 where it is open)")
        ->check(CLI::Range(1, 65536));
}

Result<Model> ModelOptions::open() const
{
    auto model = openModel(spec, {batch});
    if (model) {
        for (const ImportNote &note : model->report.notes) {
            if (note.severity == ImportNote::Severity::Warning)
                std::cerr << "note: " << (note.operatorName.empty() ? "" : note.operatorName + ": ") << note.text
                          << '\n';
        }
    }
    return model;
}

void DeviceOption::addTo(CLI::App &command)
{
    id = defaultDeviceId();
    command.add_option("--device,-d", id, "Device (see devices)")->capture_default_str();
}

Result<OpenDevice> DeviceOption::open(const Model &model) const
{
    auto device = findDevice(id);
    if (!device)
        return tl::unexpected(std::move(device.error()));
    OpenDevice opened{(*device)->info(), nullptr};
    auto session = (*device)->open(model.graph);
    if (!session)
        return withinModel(model, std::move(session.error()));
    opened.session = std::move(*session);
    return opened;
}

void SearchFlags::addPruningTo(CLI::App &command)
{
    command.add_option("--r", r, "At most this many operators per group");
    command.add_option("--s", s, "At most this many groups per stage");
    command.add_flag("--single-source", singleSource, "Only groups with a single source, as the public implementation");
}

void SearchFlags::addBudgetTo(CLI::App &command)
{
    command.add_flag("--exhaustive", exhaustive, "Measure every stage of the space");
    command.add_option("--max-measurements", maxMeasurements, "Stop after this many stage measurements")
        ->check(kAboveZero);
    command.add_option("--max-seconds", maxSeconds, "Stop after this many seconds")->check(kAboveZero);
    command
        .add_option("--bounds", bounds,
                    "What proofs rest on: safe (a stage takes at least its slowest group), assumed (nor does it get "
                    "faster by an operator more; the answer says how that held) or auto (assumed where the device "
                    "knows no bounds of its own)")
        ->capture_default_str();
    command.add_option("--epsilon", epsilon, "Stop when proved within this share of the optimum, 0.02 for 2 %")
        ->check(CLI::Range(0.0, 1.0));
}

Result<SearchOptions> SearchFlags::options(int defaultR, int defaultS) const
{
    SearchOptions options;
    const auto set = strategySetFromString(strategy);
    if (!set)
        return fail(ErrorCode::WrongUse, "the strategy " + strategy + " is not known", "Use both, parallel or merge");
    if (r.value_or(1) < 1 || s.value_or(1) < 1) {
        const bool badR = r.value_or(1) < 1;
        return fail(ErrorCode::WrongUse,
                    std::string(badR ? "r" : "s") + " = " + std::to_string(badR ? *r : *s) +
                        " leaves no stage to choose from",
                    std::string("Use --") + (badR ? "r" : "s") + " 1 or more");
    }
    options.strategies = *set;
    options.r = r.value_or(defaultR);
    options.s = s.value_or(defaultS);
    options.singleSource = singleSource;
    options.exhaustive = exhaustive;
    options.maxMeasurements = maxMeasurements;
    options.maxSeconds = maxSeconds;
    options.epsilon = epsilon.value_or(0);
    const auto known = searchBoundsFromString(bounds);
    if (!known)
        return fail(ErrorCode::WrongUse, "the bounds " + bounds + " are not known", "Use auto, safe or assumed");
    options.bounds = *known;
    return options;
}

namespace {

// The model at the batch that the schedule was made for.
Result<Model> openFor(const ModelOptions &options, const std::string &spec, std::optional<std::int64_t> batch)
{
    auto model = options.open();
    if (!model || options.batch != 0 || !batch || model->graph->batch() == *batch)
        return model;
    ModelOptions adapted = options;
    adapted.batch = *batch;
    const std::string made = spec + " was made for batch " + std::to_string(*batch);
    auto other = openModel(adapted.spec, {adapted.batch});
    if (!other || other->graph->batch() != *batch)
        return fail(ErrorCode::WrongUse,
                    made + ", and " + model->name + " cannot be opened at that" +
                        (other ? std::string() : ": " + other.error().message),
                    "Search a schedule at batch " + std::to_string(model->graph->batch()) + ", or say --batch " +
                        std::to_string(model->graph->batch()) + " to use this one all the same");
    std::cerr << "note: " << made << ", so the model is opened at batch " << *batch << "; --batch chooses another\n";
    return other;
}

} // namespace

Result<ScheduledModel> openScheduled(const ModelOptions &options, const std::string &spec)
{
    if (spec == "sequential" || spec == "greedy") {
        auto model = options.open();
        if (!model)
            return tl::unexpected(std::move(model.error()));
        ScheduledModel opened{std::move(*model), {}, {}};
        opened.schedule = spec == "greedy" ? greedySchedule(*opened.model.graph, opened.model.blocks)
                                           : sequentialSchedule(*opened.model.graph, opened.model.blocks);
        opened.schedule.model = {opened.model.name, opened.model.sha256};
        opened.schedule.batch = opened.model.graph->batch();
        return opened;
    }
    const auto text = readTextFile(spec);
    if (!text)
        return tl::unexpected(text.error());
    auto model = openFor(options, spec, batchOfSchedule(*text));
    if (!model)
        return tl::unexpected(std::move(model.error()));
    ScheduledModel opened{std::move(*model), {}, {}};
    auto read =
        scheduleFromJson(*text, *opened.model.graph, opened.model.blocks, {opened.model.name, opened.model.sha256});
    if (!read)
        return within(spec, std::move(read.error()));
    opened.file = *read;
    opened.schedule = std::move(*read);
    const Schedule &file = *opened.file;
    const std::int64_t batch = opened.model.graph->batch();
    if (!file.model.sha256.empty() && !opened.model.sha256.empty() && file.model.sha256 != opened.model.sha256)
        std::cerr << "note: " << spec << " was made for another file of " << file.model.name << '\n';
    if (file.batch != batch)
        std::cerr << "note: " << spec << " was made for batch " << file.batch << ", the model is open at batch "
                  << batch << '\n';
    opened.schedule.model = {opened.model.name, opened.model.sha256};
    opened.schedule.batch = batch;
    return opened;
}

void ScheduledModel::tellOrigin(const DeviceInfo &device) const
{
    if (!file || file->device.empty())
        return;
    if (file->device != device.id)
        std::cerr << "note: the schedule was made for " << file->device << ", not for " << device.id << '\n';
    if (file->precision != device.precision)
        std::cerr << "note: the schedule was made for " << file->precision << ", " << device.id << " computes in "
                  << device.precision << '\n';
}

Json madeForJson(const ScheduledModel &opened)
{
    if (!opened.file)
        return nullptr;
    return {{"device", opened.file->device}, {"batch", opened.file->batch}, {"precision", opened.file->precision}};
}

Json searchJson(const SearchRecord &record)
{
    return Json::parse(toJson(record));
}

} // namespace stagecraft
