#include "cli/scheduled_model.h"

#include "answers/answer_parts.h"
#include "cli/schedule_names.h"
#include "flow/find/measured.h"
#include "flow/open/schedule_file.h"
#include "results/files/schedule_json.h"
#include "results/schedule_words.h"
#include "support/shown_text.h"
#include "support/text_file.h"
#include "timing/profile_words.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <iostream>
#include <string_view>
#include <utility>

namespace stagecraft {

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
