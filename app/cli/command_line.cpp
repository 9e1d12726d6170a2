#include "cli/command_line.h"

#include "cli/cost_text.h"
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

SearchProgressCallback terminalProgress(const std::string &title, Provenance provenance, const CostBasis &basis)
{
    if (isatty(STDERR_FILENO) == 0)
        return {};
    return [title, provenance, basis](const SearchProgress &progress) {
        std::cerr << "\r\033[K" << title << ": block " << progress.block + 1 << " of " << progress.blocks << ", "
                  << counted(progress.statesDone, "state") << ", "
                  << counted(progress.stageMeasurements, "stage measurement");
        if (progress.bestUs > 0) // nothing is known before the first schedule
            std::cerr << ", best " << latencyText(progress.bestUs, basis) << " (" << toString(provenance) << ')';
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

Result<Schedule> scheduleNamed(const std::string &spec, const Model &model)
{
    Schedule schedule;
    if (spec == "sequential" || spec == "greedy") {
        schedule = spec == "greedy" ? greedySchedule(*model.graph, model.blocks)
                                    : sequentialSchedule(*model.graph, model.blocks);
    } else {
        const auto text = readTextFile(spec);
        if (!text)
            return tl::unexpected(text.error());
        auto read = scheduleFromJson(*text, *model.graph, model.blocks, {model.name, model.sha256});
        if (!read)
            return within(spec, std::move(read.error()));
        schedule = std::move(*read);
        if (!schedule.model.sha256.empty() && !model.sha256.empty() && schedule.model.sha256 != model.sha256)
            std::cerr << "note: " << spec << " was made for another file of " << schedule.model.name << '\n';
        if (schedule.batch != model.graph->batch())
            std::cerr << "note: " << spec << " was made for batch " << schedule.batch << ", the model is open at batch "
                      << model.graph->batch() << '\n';
    }
    schedule.model = {model.name, model.sha256};
    schedule.batch = model.graph->batch();
    return schedule;
}

Json searchJson(const SearchRecord &record)
{
    return Json::parse(toJson(record));
}

} // namespace stagecraft
