#include "reproduction/reproducer.h"

#include "flow/open_model.h"

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

Reproducer::Reproducer(std::unique_ptr<Device> device, std::stop_token stop)
    : m_device(std::move(device)), m_info(m_device->info()), m_stop(std::move(stop))
{
    m_result.deviceId = m_info.id;
    m_result.deviceTitle = m_info.title;
    m_result.provenance = std::string(toString(m_info.provenance));
    m_result.calibration = m_info.calibration;
    if (m_info.simulationErrors)
        m_result.judged = withinText(*m_info.simulationErrors);
}

Result<ModelOnDevice> Reproducer::open(const std::string &model, std::int64_t batch, const Device &device) const
{
    TRY_AS(auto opened, openModel({.spec = model, .batch = batch}));
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

Result<double> Reproducer::measureMs(ModelOnDevice &on, const TimedSchedule &schedule) const
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

} // namespace stagecraft
