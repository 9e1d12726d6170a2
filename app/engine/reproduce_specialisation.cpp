// Schedules for one batch size or device, run on another.

#include "engine/device_catalog.h"
#include "engine/published_figures.h"
#include "engine/reproducer.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>

namespace stagecraft {

Result<void> Reproducer::batches()
{
    Figure sweep = newFigure("batch-sweep", "Inception V3 by batch size", "ms", "batch");
    sweep.note = "IOS: IOS-Both, searched anew for each batch size. TensorRT as published.";
    sweep.columns = {"Sequential", "TensorRT 7", "IOS"};
    std::map<int, Bench> benches;
    std::map<int, Schedule> best;
    for (const published::BatchPoint &point : published::kBatchSweep) {
        Result<Bench> on = bench("inception_v3", point.batch, *m_device);
        if (!on)
            return tl::unexpected(on.error());
        const auto sequential = make(*on, ScheduleKind::Sequential);
        const auto ios = make(*on, ScheduleKind::IosBoth);
        if (!sequential || !ios)
            return tl::unexpected(sequential ? ios.error() : sequential.error());
        const FigureRole role = point.batch == 1 ? FigureRole::Fitted : FigureRole::Predicted;
        sweep.rows.push_back({std::to_string(point.batch),
                              {{point.sequentialMs, *sequential->schedule.latencyUs / 1000, role},
                               {point.tensorRtMs, std::nullopt},
                               {point.iosMs, *ios->schedule.latencyUs / 1000}}});
        best.emplace(point.batch, ios->schedule);
        benches.emplace(point.batch, *std::move(on));
    }
    m_result.figures.push_back(std::move(sweep));

    Figure special = newFigure("special-batch", "Inception V3, schedules for other batch sizes", "ms", "run at batch");
    bool diagonal = true;
    for (const int optimisedFor : published::kSpecialBatches)
        special.columns.push_back("optimised for " + std::to_string(optimisedFor));
    for (std::size_t row = 0; row < published::kSpecialBatches.size(); ++row) {
        FigureRow cells{std::to_string(published::kSpecialBatches[row]), {}};
        std::array<double, published::kSpecialBatches.size()> ms{};
        for (std::size_t column = 0; column < published::kSpecialBatches.size(); ++column) {
            const auto measured =
                measureMs(benches.at(published::kSpecialBatches[row]), best.at(published::kSpecialBatches[column]));
            if (!measured)
                return tl::unexpected(measured.error());
            ms[column] = *measured;
            cells.cells.push_back({published::kSpecialBatchMs[row][column], *measured});
        }
        diagonal = diagonal && ms[row] <= std::ranges::min(ms);
        special.rows.push_back(std::move(cells));
    }
    m_result.figures.push_back(std::move(special));
    claim("Every batch size is best served by its own schedule", diagonal, "");
    return {};
}

Result<void> Reproducer::devices()
{
    if (m_info.id != "sim:v100") {
        m_result.notReproduced.emplace_back("Schedules for K80 and V100 on each other: shown for sim:v100.");
        return {};
    }
    Result<std::unique_ptr<Device>> k80 = findDevice("sim:k80");
    if (!k80)
        return tl::unexpected(k80.error());
    const std::array<const Device *, 2> on{k80->get(), m_device.get()};
    const std::array<std::string, 2> names{"K80", "V100"};
    std::array<std::optional<Bench>, 2> benches;
    std::array<Schedule, 2> best;
    for (std::size_t i = 0; i < on.size(); ++i) {
        Result<Bench> opened = bench("inception_v3", 1, *on[i]);
        if (!opened)
            return tl::unexpected(opened.error());
        benches[i] = *std::move(opened);
        const auto made = make(*benches[i], ScheduleKind::IosBoth);
        if (!made)
            return tl::unexpected(made.error());
        best[i] = made->schedule;
    }
    Figure figure = newFigure("special-device", "Inception V3, schedules for other devices", "ms", "run on");
    figure.note = "sim:k80 is fitted on its own two entries; see its description.";
    bool diagonal = true;
    for (std::size_t row = 0; row < on.size(); ++row) {
        figure.columns.push_back("optimised for " + names[row]);
        FigureRow cells{names[row], {}};
        std::array<double, 2> ms{};
        for (std::size_t column = 0; column < on.size(); ++column) {
            const auto measured = measureMs(*benches[row], best[column]);
            if (!measured)
                return tl::unexpected(measured.error());
            ms[column] = *measured;
            cells.cells.push_back({published::kSpecialDeviceMs[row][column], *measured,
                                   row == 0 ? FigureRole::Fitted : FigureRole::Predicted});
        }
        diagonal = diagonal && ms[row] <= std::ranges::min(ms);
        figure.rows.push_back(std::move(cells));
    }
    m_result.figures.push_back(std::move(figure));
    claim("Each device is best served by its own schedule", diagonal, "");
    return {};
}

} // namespace stagecraft
