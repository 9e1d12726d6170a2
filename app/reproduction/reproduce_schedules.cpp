// The five schedules, pruning, and the blocks of Inception V3.

#include "reproduction/published_figures.h"
#include "reproduction/reproducer.h"
#include "reproduction/reproduction_steps.h"
#include "support/number_text.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace stagecraft {

Result<void> reproduceSchedules(Reproducer &run)
{
    Figure figure = newFigure("schedules", "Latency by schedule, batch 1", "ms", "network");
    for (const ScheduleKind kind : kScheduleKinds)
        figure.columns.emplace_back(title(kind));
    bool bothBest = true;
    bool greedyAsPublished = true;
    bool mergeAsPublished = true;
    std::string greedyNumbers;
    std::string mergeNumbers;
    for (const published::Network &network : published::kNetworks) {
        TRY_AS(auto on, run.open(std::string(network.model), 1, run.device()));
        std::array<double, kScheduleKinds.size()> ms{};
        FigureRow row{std::string(network.title), {}};
        for (std::size_t i = 0; i < kScheduleKinds.size(); ++i) {
            TRY_AS(const auto made, run.make(on, kScheduleKinds[i]));
            ms[i] = *made.schedule.latencyUs() / 1000;
            const bool baseline =
                kScheduleKinds[i] == ScheduleKind::Sequential || kScheduleKinds[i] == ScheduleKind::Greedy;
            row.cells.push_back({network.scheduleMs[i], ms[i], baseline ? FigureRole::Fitted : FigureRole::Predicted});
        }
        figure.rows.push_back(std::move(row));
        constexpr double kTie = 1.01;
        bothBest = bothBest && ms[4] <= kTie * std::ranges::min(ms);
        greedyAsPublished = greedyAsPublished && (ms[1] > ms[0]) == (network.scheduleMs[1] > network.scheduleMs[0]);
        const std::string name(network.title);
        greedyNumbers += fmt::format("{}{} {}x", greedyNumbers.empty() ? "" : ", ", name, fixedText(ms[0] / ms[1], 2));
        if (network.model == "randwire" || network.model == "nasnet") {
            mergeAsPublished = mergeAsPublished && ms[2] <= kTie * ms[0] && ms[0] <= kTie * ms[2];
            mergeNumbers += fmt::format("{}{} {} %", mergeNumbers.empty() ? "" : ", ", name,
                                        fixedText(100 * (ms[2] / ms[0] - 1), 1));
        }
    }

    Figure frameworks = newFigure("frameworks", "Other frameworks on a V100, batch 1", "ms", "network");
    frameworks.note = "Published numbers: this device runs no other framework. IOS-Both is that of the table above.";
    frameworks.compared = false;
    frameworks.columns.assign(published::kFrameworks.begin(), published::kFrameworks.end());
    frameworks.columns.emplace_back("IOS-Both");
    for (std::size_t i = 0; i < published::kNetworks.size(); ++i) {
        const published::Network &network = published::kNetworks[i];
        FigureRow row{std::string(network.title), {}};
        for (const double ms : network.frameworkMs)
            row.cells.push_back({ms, std::nullopt});
        row.cells.push_back(figure.rows[i].cells.back());
        frameworks.rows.push_back(std::move(row));
    }
    run.add(std::move(figure));
    run.add(std::move(frameworks));

    run.claim("IOS-Both is the best schedule of every network (ties at 1 %)", bothBest, "");
    run.claim("Greedy is slower than Sequential on SqueezeNet only", greedyAsPublished,
              "speed-up of Greedy: " + greedyNumbers);
    run.claim("IOS-Merge equals Sequential on RandWire and NASNet (1 %)", mergeAsPublished, mergeNumbers);
    return {};
}

Result<void> reproducePruning(Reproducer &run)
{
    Figure latency = newFigure("pruning", "Pruning: latency of IOS-Both", "ms", "(r, s)");
    latency.columns = {"Inception V3", "NASNet"};
    Figure cost = newFigure("search-cost", "Pruning: cost of the search", "", "(r, s)");
    cost.note =
        "Published: seconds of search, with measurements on a GPU. Ours: the number of stage measurements that the "
        "search asks for; how long they take depends on the device.";
    cost.compared = cost.plotted = false;
    cost.columns = {"Inception V3, s", "Inception V3, stages", "NASNet, s", "NASNet, stages"};
    for (const published::Pruning &point : published::kPruning) {
        const std::string label = fmt::format("({}, {})", point.r, point.s);
        FigureRow latencyRow{label, {}};
        FigureRow costRow{label, {}};
        for (std::size_t i = 0; i < 2; ++i) {
            TRY_AS(auto on, run.open(i == 0 ? "inception_v3" : "nasnet", 1, run.device()));
            TRY_AS(const auto made, run.make(on, ScheduleKind::IosBoth, point.r, point.s, false));
            latencyRow.cells.push_back({point.ms[i], *made.schedule.latencyUs() / 1000});
            costRow.cells.push_back({point.seconds[i], std::nullopt});
            costRow.cells.push_back({std::nullopt, double(made.schedule.search.stageMeasurements)});
        }
        latency.rows.push_back(std::move(latencyRow));
        cost.rows.push_back(std::move(costRow));
    }
    run.add(std::move(latency));
    run.add(std::move(cost));
    return {};
}

Result<void> reproduceWholeSearches(Reproducer &run)
{
    Figure figure = newFigure("whole-search", "The other networks: cost of the search at (3, 8)", "", "network");
    figure.note = "Columns as in the table before.";
    figure.compared = figure.plotted = false;
    figure.columns = {"s", "stages"};
    for (const published::WholeSearch &search : published::kWholeSearches) {
        TRY_AS(auto on, run.open(std::string(search.model), 1, run.device()));
        TRY_AS(const auto made, run.make(on, ScheduleKind::IosBoth, 3, 8, false));
        figure.rows.push_back(
            {std::string(search.title),
             {{search.seconds, std::nullopt}, {std::nullopt, double(made.schedule.search.stageMeasurements)}}});
    }
    run.add(std::move(figure));
    return {};
}

namespace {

// Latency of the stages of one block, boundaries between them included.
double blockUs(const TimedSchedule &schedule, std::size_t block, const BoundaryCost &boundary)
{
    double sumUs = 0;
    const Stage *earlier = nullptr;
    for (std::size_t i = 0; i < schedule.stages.size(); ++i) {
        if (schedule.stages[i].block != block)
            continue;
        sumUs += schedule.measured.stages[i].latencyUs + (earlier ? boundary.between(*earlier, schedule.stages[i]) : 0);
        earlier = &schedule.stages[i];
    }
    return sumUs;
}

} // namespace

Result<void> reproduceBlocks(Reproducer &run)
{
    TRY_AS(auto on, run.open("inception_v3", 1, run.device()));
    const auto sequential = run.make(on, ScheduleKind::Sequential);
    const auto ios = run.make(on, ScheduleKind::IosBoth);
    if (!sequential || !ios)
        return tl::unexpected(sequential ? ios.error() : sequential.error());
    Figure figure = newFigure("blocks", "Speed-up of the blocks of Inception V3", "x", "block");
    figure.note =
        "Speed-up of IOS-Both over Sequential. Only the best block was published. Blocks of one operator are left out.";
    figure.columns = {"speed-up"};
    double best = 0;
    for (std::size_t i = 0; i < on.model.blocks.size(); ++i) {
        if (on.model.blocks[i].operators.size() < 2)
            continue;
        const BoundaryCost boundary = on.session->boundaryCost();
        const double speedup = blockUs(sequential->schedule, i, boundary) / blockUs(ios->schedule, i, boundary);
        best = std::max(best, speedup);
        figure.rows.push_back({std::to_string(i + 1), {{std::nullopt, speedup}}});
    }
    figure.rows.push_back({"best", {{published::kBestBlockSpeedup, best}}});
    run.add(std::move(figure));
    return {};
}

} // namespace stagecraft
