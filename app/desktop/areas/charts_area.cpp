#include "desktop/areas/charts_area.h"

#include "desktop/document/document.h"
#include "flow/verify/verify_schedule_file.h"
#include "support/error_text.h"
#include "widgets/charts/latency_chart.h"
#include "widgets/charts/memory_chart.h"
#include "widgets/charts/roofline_chart.h"
#include "widgets/charts/units_chart.h"
#include "widgets/inspector/latency_reasons.h"

#include <utility>

namespace stagecraft {

ChartsArea::ChartsArea(const AreaContext &context)
    : Area(context), m_latency(new LatencyChart(&selection(), &window())),
      m_roofline(new RooflineChart(&selection(), &window())), m_memory(new MemoryChart(&selection(), &window())),
      m_units(new UnitsChart(&selection(), &window()))
{
    offerMenu(m_latency, {"fit_schedule", "lengths", "-", "measure_stage", "copy_page"});
    offerMenu(m_roofline, {"fit_schedule", "-", "measure_stage", "copy_page"});
    offerMenu(m_units, {"fit_schedule", "-", "measure_stage", "copy_page"});
    offerMenu(m_memory, {"fit_schedule", "-", "measure_stage", "copy_page"});
    connect(&results(), &Results::frontChanged, this, &ChartsArea::showFront);
    connect(&results(), &Results::shelfChanged, this, [this] {
        requestMemory();
        showMemory();
    });
    connect(&results(), &Results::memoryChanged, this, &ChartsArea::showMemory);
    connect(&m_planning, &JobLane::busyChanged, this, [this] {
        requestMemory();
        emit busyChanged();
    });
    showFront();
    showReasons(nullptr);
}

std::vector<Dock> ChartsArea::docks() const
{
    return {{5, QStringLiteral("Stage latency"), "stage_latency", m_latency},
            {11, QStringLiteral("Roofline"), "roofline", m_roofline},
            {12, QStringLiteral("Memory"), "memory", m_memory},
            {15, QStringLiteral("Virtual units"), "virtual_units", m_units, QStringLiteral("Alt+Shift+U")}};
}

void ChartsArea::showFront()
{
    const RatedResult &front = results().front();
    const bool hasStreams = front.schedule && front.schedule->streams;
    m_latency->setHint(!front.whyNot.empty() ? whyNotText(front)
                       : hasStreams          ? QStringLiteral("A schedule with streams has no stages.")
                                             : QStringLiteral("The latency of each stage appears here."));
    m_latency->setSchedule(front.schedule);
    showMemory();
}

void ChartsArea::showReasons(const std::shared_ptr<const LatencyReasons> &reasons)
{
    const RatedResult &front = results().front();
    const bool hasStreams = front.schedule && front.schedule->streams;
    m_roofline->setHint(!front.whyNot.empty() ? whyNotText(front)
                        : hasStreams          ? QStringLiteral("A schedule with streams has no stages.")
                                     : QStringLiteral("How near each stage comes to the device's peaks appears here."));
    const ModelPtr &model = next().model();
    m_units->setFused(model ? model->graph : nullptr, front.schedule,
                      reasons ? reasons->fused : std::vector<FusedUnits>());
    if (!reasons) {
        m_roofline->setLoads(nullptr, {}, {});
        return;
    }
    std::vector<StageLoad> loads;
    for (const auto &load : reasons->loads) {
        if (load)
            loads.push_back(*load);
    }
    m_roofline->setLoads(front.schedule, std::move(loads), reasons->roof);
}

void ChartsArea::requestMemory()
{
    if (m_planning.isBusy()) // what is missing then is asked for when the answer comes
        return;
    std::vector<MemoryToPlan> wanted = results().memoryToPlan();
    if (wanted.empty())
        return;
    m_planning.start([this, wanted = std::move(wanted)](const JobLane::Context &context) -> JobLane::Delivery {
        std::vector<PlannedMemory> planned;
        for (const MemoryToPlan &result : wanted) {
            if (context.stop.stop_requested())
                break;
            auto memory = plannedMemoryOf(*result.model, *result.schedule, result.device);
            PlannedMemory &made = planned.emplace_back(PlannedMemory{result, nullptr, {}});
            if (memory)
                made.memory = std::make_shared<const ScheduleMemory>(std::move(*memory));
            else
                made.whyNot = QString::fromStdString(errorText(memory.error()));
            if (result.schedule->isOfProfile()) // what ran is no plan
                continue;
            if (auto verified = verifyPlannedSchedule(*result.schedule, *result.model, context.stop))
                made.verified = std::make_shared<const VerifiedPlan>(std::move(*verified));
        }
        return [this, planned = std::move(planned)] { results().setMemory(planned); };
    });
}

void ChartsArea::showMemory()
{
    const RatedResult &front = results().front();
    const ModelPtr &model = next().model();
    const PlannedMemory *planned = results().memoryOf(front.id);
    if (!planned || !planned->memory || !model || !front.schedule) {
        m_memory->setHint(!front.whyNot.empty() ? whyNotText(front)
                          : planned             ? planned->whyNot
                                    : QStringLiteral("What a schedule keeps in memory, stage by stage, appears here."));
        m_memory->setMemory(std::nullopt);
        return;
    }
    const ScheduleMemory &memory = *planned->memory;
    m_memory->setMemory(ShownMemory{model->graph, planned->of.schedule, memory.use, memory.referenceCountedBytes,
                                    memory.weightsBytes, QString::fromStdString(memory.basis), memory.targets});
}

} // namespace stagecraft
