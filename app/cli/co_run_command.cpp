// co-run: two models on one device.

#include "cli/co_run_answer.h"
#include "cli/co_run_options.h"
#include "cli/commands.h"
#include "cli/cost_text.h"
#include "cli/print_answer.h"
#include "flow/co_run.h"
#include "flow/open_model.h"
#include "model/union/model_union.h"
#include "results/files/schedule_json.h"
#include "support/number_text.h"
#include "support/text_file.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>

namespace stagecraft {
namespace {

Result<std::vector<Model>> openModels(const CoRunOptions &options)
{
    const auto specs = options.specs();
    const auto names = namesInUnion(specs);
    std::vector<Model> models;
    for (std::size_t i = 0; i < specs.size(); ++i) {
        ModelOptions one = options.model;
        one.request.spec = specs[i];
        one.shapes = shapesOf(names[i], names, options.model.shapes);
        TRY_AS(auto model, one.open());
        models.push_back(std::move(model));
    }
    return models;
}

Result<std::optional<CoRunDeadline>> deadlineOf(const std::vector<std::optional<double>> &deadlinesUs)
{
    std::optional<CoRunDeadline> deadline;
    for (std::size_t i = 0; i < deadlinesUs.size(); ++i) {
        if (!deadlinesUs[i])
            continue;
        if (deadline)
            return fail(ErrorCode::WrongUse,
                        "--deadline is of one model: the other has what is left of the device as early as it can",
                        "Leave one out");
        deadline = CoRunDeadline{i, *deadlinesUs[i]};
    }
    return deadline;
}

Result<std::optional<QueueArrivals>> arrivalsOf(const std::vector<std::optional<double>> &rates,
                                                const std::vector<std::string> &names)
{
    if (std::ranges::none_of(rates, [](const auto &rate) { return rate.has_value(); }))
        return std::nullopt;
    QueueArrivals arrivals;
    for (std::size_t i = 0; i < rates.size(); ++i) {
        if (!rates[i])
            return fail(ErrorCode::WrongUse, "--rate says nothing of " + names[i],
                        "Give the requests a second of both models");
        arrivals.perSecond[i] = *rates[i];
    }
    return arrivals;
}

struct OpenDevices {
    std::array<OpenDevice, kUnionModels> own;
    OpenDevice both;
};

Result<OpenDevices> openDevices(const CoRunOptions &options, const std::vector<Model> &models, const Model &both)
{
    OpenDevices devices;
    for (std::size_t i = 0; i < kUnionModels; ++i) {
        TRY_AS(devices.own[i], options.device.open(models[i]));
    }
    TRY_AS(devices.both, options.device.open(both));
    return devices;
}

CoRunCallbacks callbacksFor(const std::vector<Model> &models, const OpenDevices &devices)
{
    CoRunCallbacks callbacks;
    const Provenance provenance = devices.both.info.provenance;
    for (std::size_t i = 0; i < kUnionModels; ++i)
        callbacks.alone[i] =
            terminalProgress("search for " + models[i].name + " alone", provenance,
                             latencyBasis(models[i], devices.own[i].info), devices.own[i].session->members());
    const auto shown = [provenance](const char *work, const char *noun) {
        return [=](std::int64_t asked, double bestUs) {
            showProgress(
                {work, fmt::format("best {} ({})", plainLatency(bestUs), toString(provenance)), counted(asked, noun)});
        };
    };
    callbacks.stages = shown("search for stages over both", "stage");
    callbacks.streams = shown("search for streams over both", "schedule");
    callbacks.rounds = showRounds;
    return callbacks;
}

Result<void> coRun(const CoRunOptions &options, const CommandLine &line)
{
    const auto names = namesInUnion(options.specs());
    TRY_AS(auto deadlines, deadlinesFrom(options.deadlines, names));
    TRY_AS(const auto rates, ratesFrom(options.rates, names));
    CoRunRequest request{.maxSeconds = options.search.maxSeconds, .rounds = options.rounds};
    TRY_AS(request.alone, options.search.options());
    TRY_AS(request.deadline, deadlineOf(deadlines));
    TRY_AS(const auto arrivals, arrivalsOf(rates, names));
    TRY_AS(const auto models, openModels(options));
    TRY_AS(auto both, unionOf(models));
    TRY_AS(const auto devices, openDevices(options, models, both));
    const auto listening = line.listen();
    const CoRunSessions sessions{{devices.own[0].session.get(), devices.own[1].session.get()},
                                 devices.both.session.get()};
    const DeviceInfo &device = devices.both.info;
    const auto found =
        coRun(models, std::move(both), sessions, device, request, callbacksFor(models, devices), line.stop);
    endProgress();
    TRY(found);
    if (!options.output.empty())
        TRY(writeTextFile(options.output, toJson(*found->both.graph, found->plan().schedule)));
    const CoRunAnswer answer{
        *found, device, {models[0].graph->batch(), models[1].graph->batch()}, std::move(deadlines), arrivals};
    if (line.json)
        printAnswer(coRunAnswer(answer));
    else
        printCoRun(answer);
    if (found->isStopped)
        return fail(ErrorCode::Cancelled, "the search was cancelled; the best plan so far was kept");
    return {};
}

} // namespace

void addCoRunCommand(CLI::App &app, CommandLine &line)
{
    auto *command = app.add_subcommand("co-run", "Plan two models that run on one device at a time");
    const auto options = std::make_shared<CoRunOptions>();
    options->addTo(*command, line);
    command->callback([&line, options] { line.command = [&line, options] { return coRun(*options, line); }; });
}

} // namespace stagecraft
