#include "cli/layout_options.h"

#include "flow/layouts/layouts_of_schedule.h"
#include "flow/open_model.h"
#include "support/number_text.h"
#include "support/text_file.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <chrono>
#include <fmt/format.h>
#include <span>

namespace stagecraft {
namespace {

constexpr std::string_view kThreshold = "threshold=";
// Of those that the device executes: those that are named, NCHW, and without names all that are usual.
Result<std::vector<TensorLayout>> layoutsToProfile(const LayoutOptions &options, std::span<const TensorLayout> executed)
{
    const auto names = CLI::detail::split(options.layouts, ',');
    for (const std::string &name : names) {
        const auto layout = tensorLayoutOf(name);
        const bool isKnown = layout && std::ranges::find(executed, *layout) != executed.end();
        if (!options.layouts.empty() && !isKnown) {
            std::vector<std::string> known;
            for (const TensorLayout each : executed)
                known.emplace_back(nameOf(each));
            return unknownValue("--layouts", name, known);
        }
    }
    std::vector<TensorLayout> layouts;
    for (const TensorLayout layout : executed) {
        const bool isNamed =
            std::ranges::any_of(names, [&](const std::string &name) { return tensorLayoutOf(name) == layout; });
        const bool isUsual = !options.joint || channelBlock(layout) == 1; // of two layouts every stage can be measured
        if ((options.layouts.empty() && isUsual) || isNamed || layout == TensorLayout::RowMajor)
            layouts.push_back(layout);
    }
    return layouts;
}

} // namespace

Result<LayoutPruning> pruningFrom(const std::string &text)
{
    if (text == "none")
        return LayoutPruning{LayoutPruning::Rule::None};
    if (text == "dominance")
        return LayoutPruning{LayoutPruning::Rule::Dominance};
    if (text.starts_with(kThreshold)) {
        double factor = 0;
        const std::string_view number = std::string_view(text).substr(kThreshold.size());
        const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), factor);
        if (error == std::errc() && end == number.data() + number.size() && factor >= 1)
            return LayoutPruning{LayoutPruning::Rule::Threshold, factor};
        return fail(ErrorCode::WrongUse, fmt::format("--prune: {} is not a factor of at least 1", number));
    }
    return unknownValue("--prune", text, {"none", "dominance", "threshold=1.5"});
}

Result<LayoutProblem> chosenLayouts(const LayoutProblem &problem, const std::string &names)
{
    if (names.empty())
        return problem;
    std::vector<LayoutIndex> kept;
    for (const std::string &name : CLI::detail::split(names, ',')) {
        const auto found = std::ranges::find_if(problem.layouts,
                                                [&](const std::string &layout) { return isSameLayout(layout, name); });
        if (found == problem.layouts.end())
            return unknownValue("--layouts", name, problem.layouts);
        const auto layout = static_cast<LayoutIndex>(found - problem.layouts.begin());
        if (std::ranges::find(kept, layout) == kept.end())
            kept.push_back(layout);
    }
    if (std::ranges::find(kept, problem.fixed) == kept.end())
        return fail(ErrorCode::WrongUse, "--layouts lacks NCHW, in which the inputs and outputs of the model are");
    return withLayouts(problem, kept);
}

Result<ProfiledLayouts> costsFor(const LayoutOptions &options, const Model &model, const Device *device,
                                 const std::stop_token &stop)
{
    if (!options.costs.empty()) {
        TRY_AS(const auto text, readTextFile(options.costs));
        auto costs = layoutCostsFrom(text, *model.graph);
        if (!costs)
            return within(options.costs, std::move(costs.error()));
        // Measured by another run, maybe on another machine.
        if (costs->source.provenance != toString(Provenance::Assumed))
            costs->source.provenance = toString(Provenance::Recorded);
        return ProfiledLayouts{std::move(*costs), {}};
    }
    const DeviceInfo info = device->info();
    if (auto can = canChooseLayouts(info.id); !can) {
        can.error().remedy += ", or give the latencies with --costs";
        return tl::unexpected(can.error());
    }
    std::vector<TensorLayout> layouts;
    if (const auto executed = executedLayouts(info.id); !executed.empty()) {
        TRY_AS(auto profiled, layoutsToProfile(options, executed));
        layouts = std::move(profiled);
    }
    auto profiled = layoutCostsOn(
        model, *device, layouts,
        [](std::int64_t done, std::int64_t all) { showProgress({fmt::format("profiling {} of {}", done, all)}); },
        stop);
    endProgress();
    if (!profiled)
        return withinModel(model, std::move(profiled.error()));
    return profiled;
}

Result<JointAnswer> jointly(const LayoutOptions &options, const Model &model, const LayoutCosts &costs,
                            const Device *device, const std::stop_token &stop)
{
    TRY_AS(auto search, options.search.options());
    JointOptions joint;
    joint.search = std::move(search);
    joint.stop = stop;
    joint.progress = [](const char *step, std::int64_t states) { showProgress({step, counted(states, "state")}); };
    const auto start = std::chrono::steady_clock::now();
    auto found = chooseJointly(model, costs, device, std::move(joint));
    endProgress();
    if (!found)
        return options.costs.empty() ? withinModel(model, found.error()) : within(options.costs, found.error());
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return JointAnswer{std::move(*found), seconds};
}

} // namespace stagecraft
