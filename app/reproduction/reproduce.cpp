#include "reproduction/reproduce.h"

#include "flow/open_model.h"
#include "reproduction/reproducer.h"
#include "wiring/device_catalog.h"

#include <array>
#include <cmath>
#include <cstdio>

namespace stagecraft {

Figure newFigure(std::string id, std::string title, std::string unit, std::string rowsAre)
{
    Figure figure;
    figure.id = std::move(id);
    figure.title = std::move(title);
    figure.unit = std::move(unit);
    figure.rowsAre = std::move(rowsAre);
    return figure;
}

namespace {

// The published numbers were measured on a V100: for another device they are only a point of reference.
void withoutErrors(Reproduction &reproduction)
{
    for (Figure &figure : reproduction.figures) {
        figure.compared = false;
        for (FigureRow &row : figure.rows) {
            for (FigureCell &cell : row.cells)
                cell.role = FigureRole::Predicted;
        }
    }
}

} // namespace

Result<ModelOnDevice> Reproducer::open(const std::string &model, std::int64_t batch, const Device &device) const
{
    TRY_AS(auto opened, openModel(model, {.batch = batch}));
    TRY_AS(auto session, device.open(opened.model.graph));
    return ModelOnDevice{std::move(opened.model), std::move(session)};
}

Result<FoundSchedule> Reproducer::make(ModelOnDevice &on, ScheduleKind kind) const
{
    // Simulating a stage is cheaper than choosing which stages to ask for; the optimum is the same.
    return make(on, kind, 3, 8, m_info.provenance == Provenance::Simulated);
}

Result<FoundSchedule> Reproducer::make(ModelOnDevice &on, ScheduleKind kind, int r, int s, bool exhaustive) const
{
    SearchOptions options;
    options.r = r;
    options.s = s;
    options.exhaustive = exhaustive;
    auto made = findSchedule(on.model, *on.session, m_info, {kind, options}, {}, m_stop);
    if (made && m_stop.stop_requested())
        return fail(ErrorCode::Cancelled, "the reproduction was stopped");
    return made;
}

Result<double> Reproducer::measureMs(ModelOnDevice &on, const Schedule &schedule) const
{
    TRY_AS(const auto measured, on.session->measureSchedule(schedule, m_stop));
    return measured.whole.timing.latencyUs / 1000;
}

Result<std::vector<double>>
Reproducer::measurePublished(ModelOnDevice &on, std::span<const published::PublishedSchedule *const> schedules) const
{
    std::vector<double> ms;
    for (const published::PublishedSchedule *one : schedules) {
        TRY_AS(const auto schedule, publishedSchedule(*one, *on.model.graph, on.model.blocks));
        TRY_AS(const auto measured, measureMs(on, schedule));
        ms.push_back(measured);
    }
    return ms;
}

Result<Reproduction> Reproducer::all()
{
    m_result.deviceId = m_info.id;
    m_result.deviceTitle = m_info.title;
    m_result.provenance = std::string(toString(m_info.provenance));
    m_result.calibration = m_info.calibration;
    const std::array<std::pair<const char *, Step>, 12> steps{{{"schedules of four networks", &Reproducer::schedules},
                                                               {"sample network", &Reproducer::sample},
                                                               {"active warps", &Reproducer::activeWarps},
                                                               {"pruning", &Reproducer::pruning},
                                                               {"cost of the search", &Reproducer::wholeSearches},
                                                               {"blocks of Inception V3", &Reproducer::blocks},
                                                               {"batch sizes", &Reproducer::batches},
                                                               {"devices", &Reproducer::devices},
                                                               {"published schedules", &Reproducer::publishedSchedules},
                                                               {"networks", &Reproducer::networks},
                                                               {"size of the search", &Reproducer::searchSpaces},
                                                               {"layouts", &Reproducer::layoutStudy}}};
    for (std::size_t i = 0; i < steps.size(); ++i) {
        if (m_progress)
            m_progress(steps[i].first, static_cast<double>(i) / static_cast<double>(steps.size()));
        if (m_stop.stop_requested())
            return fail(ErrorCode::Cancelled, "the reproduction was stopped");
        if (Result<void> done = (this->*steps[i].second)(); !done)
            return within(steps[i].first, done.error());
    }
    if (m_info.id != kPublishedDevice)
        withoutErrors(m_result);
    return std::move(m_result);
}

Result<Reproduction> reproduce(const std::string &deviceId, const ReproduceProgress &progress, std::stop_token stop)
{
    TRY_AS(auto device, findDevice(deviceId));
    return Reproducer(std::move(device), progress, std::move(stop)).all();
}

} // namespace stagecraft
