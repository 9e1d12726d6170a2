// Schedules for one batch size or device, run on another.

#include "reproduction/published_figures.h"
#include "reproduction/published_schedules.h"
#include "reproduction/reproducer.h"
#include "reproduction/reproduction_steps.h"
#include "wiring/device_catalog.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>
#include <optional>

namespace stagecraft {
Result<void> reproduceBatches(Reproducer &run)
{
    Figure sweep = newFigure("batch-sweep", "Inception V3 by batch size", "ms", "batch");
    sweep.note = "IOS: IOS-Both, searched anew for each batch size. TensorRT as published.";
    sweep.columns = {"Sequential", "TensorRT 7", "IOS"};
    std::map<int, ModelOnDevice> models;
    std::map<int, TimedSchedule> best;
    for (const published::BatchPoint &point : published::kBatchSweep) {
        TRY_AS(auto on, run.open("inception_v3", point.batch, run.device()));
        const auto sequential = run.make(on, ScheduleKind::Sequential);
        const auto ios = run.make(on, ScheduleKind::IosBoth);
        if (!sequential || !ios)
            return tl::unexpected(sequential ? ios.error() : sequential.error());
        const FigureRole role = point.batch == 1 ? FigureRole::Fitted : FigureRole::Predicted;
        sweep.rows.push_back({std::to_string(point.batch),
                              {{point.sequentialMs, *sequential->schedule.latencyUs() / 1000, role},
                               {point.tensorRtMs, std::nullopt},
                               {point.iosMs, *ios->schedule.latencyUs() / 1000}}});
        best.emplace(point.batch, ios->schedule);
        models.emplace(point.batch, std::move(on));
    }
    run.add(std::move(sweep));

    Figure special = newFigure("special-batch", "Inception V3, schedules for other batch sizes", "ms", "run at batch");
    bool diagonal = true;
    for (const int optimisedFor : published::kSpecialBatches)
        special.columns.push_back(fmt::format("optimised for {}", optimisedFor));
    for (std::size_t row = 0; row < published::kSpecialBatches.size(); ++row) {
        FigureRow cells{std::to_string(published::kSpecialBatches[row]), {}};
        std::array<double, published::kSpecialBatches.size()> ms{};
        for (std::size_t column = 0; column < published::kSpecialBatches.size(); ++column) {
            TRY_AS(const auto measured, run.measureMs(models.at(published::kSpecialBatches[row]),
                                                      best.at(published::kSpecialBatches[column])));
            ms[column] = measured;
            cells.cells.push_back({published::kSpecialBatchMs[row][column], measured});
        }
        diagonal = diagonal && ms[row] <= std::ranges::min(ms);
        special.rows.push_back(std::move(cells));
    }
    run.add(std::move(special));
    run.claim("Every batch size is best served by its own schedule", diagonal, "");
    return {};
}

Result<void> reproduceDevices(Reproducer &run)
{
    if (run.info().id != kPublishedDevice) {
        run.leaveOut("Schedules for K80 and V100 on each other: shown for sim:v100.");
        return {};
    }
    TRY_AS(auto k80, findDevice("sim:k80"));
    const std::array<const Device *, 2> on{k80.get(), &run.device()};
    const std::array<std::string, 2> names{"K80", "V100"};
    std::array<std::optional<ModelOnDevice>, 2> models;
    std::array<TimedSchedule, 2> best;
    for (std::size_t i = 0; i < on.size(); ++i) {
        TRY_AS(auto opened, run.open("inception_v3", 1, *on[i]));
        models[i] = std::move(opened);
        TRY_AS(const auto made, run.make(*models[i], ScheduleKind::IosBoth));
        best[i] = made.schedule;
    }
    Figure figure = newFigure("special-device", "Inception V3, schedules for other devices", "ms", "run on");
    figure.note = "Each device has a search of its own. sim:k80 is calibrated on: " + k80->info().calibration + ".";
    bool diagonal = true;
    for (std::size_t row = 0; row < on.size(); ++row) {
        figure.columns.push_back("optimised for " + names[row]);
        FigureRow cells{names[row], {}};
        std::array<double, 2> ms{};
        for (std::size_t column = 0; column < on.size(); ++column) {
            TRY_AS(const auto measured, run.measureMs(*models[row], best[column]));
            ms[column] = measured;
            // The K80's constant was fitted to every entry that it affects.
            const bool fitted = row == 0 || column == 0;
            cells.cells.push_back({published::kSpecialDeviceMs[row][column], measured,
                                   fitted ? FigureRole::Fitted : FigureRole::Predicted});
        }
        diagonal = diagonal && ms[row] <= std::ranges::min(ms);
        figure.rows.push_back(std::move(cells));
    }
    run.add(std::move(figure));
    run.claim("Each device is best served by its own schedule", diagonal, "");
    return {};
}

// The published schedules as they are: their latencies here compared with the published ones.
Result<void> reproducePublishedSchedules(Reproducer &run)
{
    const std::array schedules{&published::kForV100, &published::kForBatch32, &published::kForBatch128};
    Figure batch =
        newFigure("published-batch", "Inception V3, the published schedules by batch size", "ms", "run at batch");
    batch.note = "The published schedules themselves, without a search.";
    for (const int optimisedFor : published::kSpecialBatches)
        batch.columns.push_back(fmt::format("published for {}", optimisedFor));
    std::string notBest;
    for (std::size_t row = 0; row < schedules.size(); ++row) {
        const std::string label = std::to_string(published::kSpecialBatches[row]);
        TRY_AS(auto on, run.open("inception_v3", published::kSpecialBatches[row], run.device()));
        FigureRow cells{label, {}};
        TRY_AS(const auto ms, run.measurePublished(on, schedules));
        for (std::size_t column = 0; column < schedules.size(); ++column)
            cells.cells.push_back({published::kSpecialBatchMs[row][column], ms[column]});
        if (ms[row] > std::ranges::min(ms))
            notBest += fmt::format("{}batch {}", notBest.empty() ? "" : ", ", label);
        batch.rows.push_back(std::move(cells));
    }
    run.add(std::move(batch));
    if (run.info().id == kPublishedDevice) {
        TRY_AS(auto k80, findDevice("sim:k80"));
        const std::array pair{&published::kForK80, &published::kForV100};
        const std::array<const Device *, 2> devices{k80.get(), &run.device()};
        const std::array<std::string, 2> names{"K80", "V100"};
        Figure figure =
            newFigure("published-device", "Inception V3, the published schedules by device", "ms", "run on");
        figure.note = "The published schedules themselves, without a search. sim:k80 is calibrated on: " +
                      k80->info().calibration + ".";
        figure.columns = {"published for K80", "published for V100"};
        for (std::size_t row = 0; row < devices.size(); ++row) {
            TRY_AS(auto on, run.open("inception_v3", 1, *devices[row]));
            TRY_AS(const auto ms, run.measurePublished(on, pair));
            FigureRow cells{names[row], {}};
            for (std::size_t column = 0; column < pair.size(); ++column)
                cells.cells.push_back({published::kSpecialDeviceMs[row][column], ms[column]});
            if (ms[row] > std::ranges::min(ms))
                notBest += (notBest.empty() ? "" : ", ") + names[row];
            figure.rows.push_back(std::move(cells));
        }
        run.add(std::move(figure));
    }
    run.claim("Of the published schedules, each is the best where it was made for", notBest.empty(),
              notBest.empty() ? "" : "another one is faster on " + notBest);
    return {};
}

} // namespace stagecraft
