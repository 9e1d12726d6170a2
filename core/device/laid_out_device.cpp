#include "device/laid_out_device.h"

#include "device/forwarding_session.h"
#include "schedule/layouts/stated_layouts.h"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace stagecraft {
namespace {

using OpenGraph = std::function<Result<std::unique_ptr<DeviceSession>>(std::shared_ptr<const Graph>)>;

class LayingOutSession : public ForwardingSession {
public:
    LayingOutSession(std::shared_ptr<const Graph> graph, std::unique_ptr<DeviceSession> session, OpenGraph open)
        : ForwardingSession(std::move(session)), m_graph(std::move(graph)), m_open(std::move(open))
    {
    }

    Result<ScheduleMeasurement> measureSchedule(const Schedule &schedule, std::stop_token stop) override
    {
        if (schedule.layouts.empty())
            return ForwardingSession::measureSchedule(schedule, std::move(stop));
        TRY_AS(auto open, sessionFor(schedule));
        const auto made = open->laidOut.stages(schedule.stages);
        auto measured = open->session->measureSchedule(withStages(schedule, made.stages), std::move(stop));
        if (!measured)
            return measured;
        ScheduleMeasurement result{std::move(measured->whole), {}, measured->boundariesUs};
        for (std::size_t i = 0; i < made.stages.size(); ++i) {
            if (made.isConversion[i])
                result.boundariesUs += measured->stages[i].timing.latencyUs;
            else
                result.stages.push_back(std::move(measured->stages[i]));
        }
        return result;
    }

    Result<ScheduleLatency> measureWhole(const Schedule &schedule, std::stop_token stop) override
    {
        if (schedule.layouts.empty())
            return ForwardingSession::measureWhole(schedule, std::move(stop));
        TRY_AS(auto open, sessionFor(schedule));
        return open->session->measureWhole(withStages(schedule, open->laidOut.stages(schedule.stages).stages),
                                           std::move(stop));
    }

    Result<Timeline> timeline(const Schedule &schedule, std::stop_token stop) override
    {
        if (schedule.layouts.empty())
            return ForwardingSession::timeline(schedule, std::move(stop));
        TRY_AS(auto open, sessionFor(schedule));
        const auto made = open->laidOut.stages(schedule.stages);
        auto timeline = open->session->timeline(withStages(schedule, made.stages), std::move(stop));
        if (!timeline)
            return timeline;
        for (KernelSpan &kernel : timeline->kernels) {
            kernel.stage = static_cast<std::uint32_t>(made.of[kernel.stage]);
            for (OperatorId &id : kernel.operators)
                id = open->laidOut.original(id);
        }
        joinSpans(timeline->stages, made.of);
        return timeline;
    }

    Result<std::vector<HostTensor>> run(const Schedule &schedule, std::vector<HostTensor> inputs,
                                        std::stop_token stop) override
    {
        if (schedule.layouts.empty())
            return ForwardingSession::run(schedule, std::move(inputs), std::move(stop));
        TRY_AS(auto open, sessionFor(schedule));
        auto outputs = open->session->executor()->run(
            withStages(schedule, open->laidOut.stages(schedule.stages).stages), std::move(inputs), std::move(stop));
        for (std::size_t i = 0; outputs && i < outputs->size(); ++i)
            (*outputs)[i].name = m_graph->tensor(m_graph->outputs()[i]).name; // a copy has another
        return outputs;
    }

private:
    struct OpenLayouts {
        StatedLayouts layouts;
        LaidOutSchedule laidOut;
        std::unique_ptr<DeviceSession> session;
    };

    static Schedule withStages(Schedule schedule, std::vector<Stage> stages)
    {
        schedule.stages = std::move(stages);
        schedule.layouts = {};
        return schedule;
    }

    // One span for all stages that became of one.
    static void joinSpans(std::vector<StageSpan> &spans, std::span<const std::size_t> of)
    {
        std::vector<StageSpan> joined;
        for (StageSpan span : spans) {
            span.stage = of[span.stage];
            if (!joined.empty() && joined.back().stage == span.stage)
                joined.back().endNs = span.endNs;
            else
                joined.push_back(span);
        }
        spans = std::move(joined);
    }

    Result<OpenLayouts *> sessionFor(const Schedule &schedule)
    {
        for (OpenLayouts &open : m_laidOut) {
            if (open.layouts == schedule.layouts)
                return &open;
        }
        TRY_AS(auto laidOut, LaidOutSchedule::make(*m_graph, schedule.layouts));
        auto session = m_open(laidOut.graph());
        if (!session)
            return within("layouts of the schedule", session.error());
        m_laidOut.push_back({schedule.layouts, std::move(laidOut), std::move(*session)});
        return &m_laidOut.back();
    }

    std::shared_ptr<const Graph> m_graph;
    OpenGraph m_open;
    std::vector<OpenLayouts> m_laidOut;
};

class LayingOutDevice : public Device {
public:
    LayingOutDevice(std::unique_ptr<Device> device, bool executes) : m_device(std::move(device)), m_executes(executes)
    {
    }

    DeviceInfo info() const override { return m_device->info(); }

    Result<std::unique_ptr<DeviceSession>> open(std::shared_ptr<const Graph> graph) const override
    {
        passOnSettings(*m_device);
        auto session = m_device->open(graph);
        if (!session)
            return session;
        OpenGraph open = [device = m_device](std::shared_ptr<const Graph> laidOut) {
            return device->open(std::move(laidOut));
        };
        if (!m_executes)
            open = [id = info().id](const std::shared_ptr<const Graph> &) -> Result<std::unique_ptr<DeviceSession>> {
                return fail(ErrorCode::WrongUse, id + " does not execute layouts that a schedule states",
                            "Choose cpu, a GPU, or a schedule without layouts");
            };
        return std::make_unique<LayingOutSession>(std::move(graph), std::move(*session), std::move(open));
    }

private:
    std::shared_ptr<Device> m_device; // sessions open more
    bool m_executes;
};

} // namespace

std::unique_ptr<Device> layingOutDevice(std::unique_ptr<Device> device)
{
    return std::make_unique<LayingOutDevice>(std::move(device), true);
}

std::unique_ptr<Device> refusingLayouts(std::unique_ptr<Device> device)
{
    return std::make_unique<LayingOutDevice>(std::move(device), false);
}

} // namespace stagecraft
