#include "cli/optimize_options.h"

#include "cli/option_checks.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <optional>
#include <utility>
#include <vector>

namespace stagecraft {
namespace {

Result<std::optional<MemoryLimit>> memoryCapFrom(const OptimizeOptions &options, const SearchOptions &search)
{
    const std::string &text = options.maxMemory;
    TRY_AS(const auto target, memoryTargetOption(options.target));
    if (text.empty() && target)
        return fail(ErrorCode::WrongUse, "--target says what --max-memory counts, and there is none",
                    "Give --max-memory, or leave --target out");
    if (text.empty())
        return std::nullopt;
    const auto cap = bytesFrom(text);
    if (!cap)
        return fail(ErrorCode::WrongUse, "--max-memory: " + text + " is not a number of bytes",
                    "Give bytes, or a number with KiB, MiB or GiB: 48MiB");
    if (search.maxMeasurements || search.maxSeconds)
        return fail(ErrorCode::WrongUse, "--max-memory is searched for in full",
                    "Leave --max-measurements and --max-seconds out");
    return MemoryLimit{*cap, target};
}

// With --strategy of streams.
Result<SearchRequest> streamsRequestOf(const OptimizeOptions &options, StreamKind kind)
{
    const auto refused = [&](const char *option, const char *reason) {
        return fail(ErrorCode::WrongUse,
                    fmt::format("{} goes with stages, and --strategy {} makes streams: {}", option,
                                options.search.strategy, reason),
                    fmt::format("Leave {} out", option));
    };
    if (options.keep.values.size() > (kind == StreamKind::Searched ? 1 : 0))
        return refused("--keep", kind == StreamKind::Searched ? "a search begins with one file"
                                                              : "only --strategy streams searches for them");
    if (options.why)
        return refused("--why", "it tries stages that were not taken");
    if (options.launchOrder)
        return refused("--launch-order", "streams have a launch order of their own");
    SearchFlags staged = options.search;
    staged.strategy = "both";
    TRY_AS(auto search, staged.options());
    SearchRequest request{.options = std::move(search), .streams = StreamsWanted{kind, options.streams}};
    TRY_AS(request.memoryCap, memoryCapFrom(options, request.options));
    request.streams->memoryCap = request.memoryCap;
    return request;
}

// With --strategy wavefront: a policy, with nothing to search for.
Result<SearchRequest> wavefrontRequestOf(const OptimizeOptions &options)
{
    TRY(options.refuseSearchOptions("goes with a search, and wavefront is a policy"));
    return SearchRequest{.kind = ScheduleKind::Wavefront};
}

} // namespace

void OptimizeOptions::addTo(CLI::App &command, CommandLine &line)
{
    model.addTo(command);
    device.addTo(command);
    search.addStrategyTo(command, "what the search may do with a stage: parallel, merge or both, or all, which also "
                                  "fuses whole waves of operators on simulated devices and cpu; or streams without "
                                  "barriers: nimble, opara, by-depth, list, round-robin, ios-relaxed, or streams, "
                                  "which searches; or wavefront, Rammer's policy: blocks "
                                  "as fused stages of rTasks, on simulated devices and cpu");
    search.addPruningTo(command);
    search.addBudgetTo(command);
    keep.addTo(command);
    addOutputTo(command, line, output, "write the schedule to this file; with --kit-next, the kit to this folder",
                [this] { return kit.isAsked ? std::nullopt : std::optional(FileKind::Schedule); });
    command
        .add_option("--rounds", rounds,
                    "on a measuring device: time the result and the baselines in this many rounds; 0: not at all")
        ->type_name("N")
        ->check(wholeNumber(0, 1000))
        ->capture_default_str();
    command
        .add_option("--max-memory", maxMemory,
                    "only schedules that need at most this many bytes at any time, for tensors and workspace, without "
                    "weights (see memory): 48MiB")
        ->type_name("BYTES");
    addMemoryTargetTo(command, target, "of --max-memory: count what the schedule takes in this runtime");
    command.add_option("--streams", streams, "of by-depth, list and round-robin: at most as many streams")
        ->type_name("N")
        ->check(wholeNumber(1, 64))
        ->capture_default_str();
    command.add_flag("--launch-order", launchOrder,
                     "afterwards choose in which order the launches of each stage come, where that is faster");
    command
        .add_option("--try-splits", mostParts,
                    "try each operator in up to so many parts side by side, and split those that are faster (see edit "
                    "--split-operator)")
        ->type_name("PARTS")
        ->check(wholeNumber(2, 16));
    command.add_flag("--why", why,
                     "try each stage that was nearly taken, and say where the time goes that it takes more");
    kit.addTo(command);
}

Result<SearchRequest> OptimizeOptions::request() const
{
    if (search.strategy == toString(ScheduleKind::Wavefront))
        return wavefrontRequestOf(*this);
    if (const auto ofStreams = streamKindFromString(search.strategy))
        return streamsRequestOf(*this, *ofStreams);
    if (!strategySetFromString(search.strategy)) {
        std::vector<std::string> known{"both", "parallel", "merge", "all"};
        for (const StreamKind kind : kStreamKinds)
            known.emplace_back(toString(kind));
        known.emplace_back(toString(ScheduleKind::Wavefront));
        return unknownValue("--strategy", search.strategy, known);
    }
    TRY_AS(auto options, search.options());
    SearchRequest asked{.kind = kindOf(options.strategies), .findsCostOfKept = true};
    TRY_AS(asked.memoryCap, memoryCapFrom(*this, options));
    if (asked.memoryCap && options.strategies == StrategySet::All)
        return fail(ErrorCode::WrongUse, "--max-memory does not search for fused stages",
                    "Leave it out, or use --strategy both");
    asked.options = std::move(options);
    asked.options.ordersLaunches = launchOrder;
    if (launchOrder && (asked.options.maxMeasurements || asked.options.maxSeconds))
        return fail(ErrorCode::WrongUse, "--launch-order is chosen in full, after the search",
                    "Leave --max-measurements and --max-seconds out");
    return asked;
}

Result<void> OptimizeOptions::refuseSearchOptions(std::string_view reason) const
{
    const char *given = !keep.values.empty() ? "--keep"
                        : !maxMemory.empty() ? "--max-memory"
                        : why                ? "--why"
                        : launchOrder        ? "--launch-order"
                        : mostParts > 0      ? "--try-splits"
                                             : nullptr;
    if (!given)
        return {};
    return fail(ErrorCode::WrongUse, fmt::format("{} {}", given, reason), fmt::format("Leave {} out", given));
}

} // namespace stagecraft
