#include "device/checked_device.h"

#include "device/executing/session_steps.h"
#include "device/forwarding_session.h"
#include "graph/operator_cost.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <random>
#include <utility>

namespace stagecraft {
namespace {

// In [-1, 1); zeros where they are no real numbers.
std::vector<HostTensor> drawnInputs(const Graph &graph)
{
    std::minstd_rand generator(1);
    std::vector<HostTensor> inputs;
    for (const TensorId id : graph.inputs()) {
        const Tensor &tensor = graph.tensor(id);
        HostTensor &input = inputs.emplace_back(HostTensor{tensor.name, tensor.shape, {}});
        input.values.resize(static_cast<std::size_t>(tensor.shape.elements()));
        for (float &value : input.values) {
            if (isFloatingPoint(tensor.type))
                value = static_cast<float>(generator()) * (2.0F / static_cast<float>(std::minstd_rand::max())) - 1.0F;
        }
        input = asType(std::move(input), tensor.type);
    }
    return inputs;
}

// One operator after another.
Schedule inOrder(const Graph &graph)
{
    Schedule schedule;
    for (std::size_t i = 0; i < graph.size(); ++i)
        schedule.stages.push_back(stageAlone(OperatorId::fromIndex(i)));
    return schedule;
}

// Of the largest magnitude of `wanted`; infinite where there is no number.
double differenceOf(const std::vector<float> &made, const std::vector<float> &wanted)
{
    double largest = 0;
    double most = made.size() == wanted.size() ? 0 : HUGE_VAL;
    for (std::size_t i = 0; i < std::min(made.size(), wanted.size()); ++i) {
        const double difference = std::abs(double{made[i]} - double{wanted[i]});
        const bool isSame = made[i] == wanted[i] || (std::isnan(made[i]) && std::isnan(wanted[i]));
        largest = std::max(largest, std::abs(double{wanted[i]}));
        most = std::max(most, isSame ? 0 : std::isfinite(difference) ? difference : HUGE_VAL);
    }
    return largest > 0 ? most / largest : most;
}

// Where one device rounds numbers inside the graph to 16 bits, another may compute with more.
double toleranceOf(const Graph &graph)
{
    const auto has = [&](DataType type) { return std::ranges::count(graph.tensors(), type, &Tensor::type) > 0; };
    return has(DataType::BFloat16) ? 0.05 : has(DataType::Float16) ? 0.01 : 0;
}

class CheckedSession : public ForwardingSession {
public:
    CheckedSession(std::unique_ptr<DeviceSession> session, std::shared_ptr<const Graph> graph, std::string device,
                   OutputCheck check)
        : ForwardingSession(std::move(session)), m_graph(std::move(graph)), m_device(std::move(device)),
          m_check(std::move(check))
    {
    }

    Result<StageLatency> stageLatency(const StageQuestion &question, std::stop_token stop) override
    {
        TRY(checkOnce(stop));
        return ForwardingSession::stageLatency(question, std::move(stop));
    }
    Result<StageLatency> measureStage(const Stage &stage, std::stop_token stop) override
    {
        TRY(checkOnce(stop));
        return ForwardingSession::measureStage(stage, std::move(stop));
    }
    Result<ScheduleMeasurement> measureSchedule(const Schedule &schedule, std::stop_token stop) override
    {
        TRY(checkOnce(stop));
        return ForwardingSession::measureSchedule(schedule, std::move(stop));
    }
    Result<ScheduleLatency> measureWhole(const Schedule &schedule, std::stop_token stop) override
    {
        TRY(checkOnce(stop));
        return ForwardingSession::measureWhole(schedule, std::move(stop));
    }
    // It measures something else than the model: no stage will be answered.
    bool isLost() const override { return m_fault.has_value() || ForwardingSession::isLost(); }

private:
    Result<void> checkOnce(const std::stop_token &stop)
    {
        if (m_isChecked)
            return {};
        if (m_fault)
            return tl::unexpected(*m_fault);
        double work = 0;
        for (std::size_t i = 0; i < m_graph->size(); ++i)
            work += flops(*m_graph, OperatorId::fromIndex(i));
        if (work > m_check.mostFlops)
            return leaveOut(fmt::format("that would take it long ({:.0f} GFLOP)", work / 1e9));
        const std::string digest = m_check.digest ? m_check.digest(*m_graph) : std::string();
        m_isChecked = !digest.empty() && m_check.wereEqual(digest);
        if (m_isChecked)
            return {};
        const std::vector<HostTensor> inputs = drawnInputs(*m_graph);
        const Schedule schedule = inOrder(*m_graph);
        const auto wanted = outputsOfReference(schedule, inputs, stop);
        if (!wanted && wanted.error().code == ErrorCode::Cancelled)
            return tl::unexpected(wanted.error());
        if (!wanted)
            return leaveOut(wanted.error().message);
        const auto made = runOn(session(), schedule, inputs, stop);
        if (!made && made.error().code == ErrorCode::WrongUse) // its weights are made at random
            return leaveOut(made.error().message);
        TRY(made);
        for (std::size_t i = 0; i < wanted->size(); ++i) {
            const auto values = i < made->size() ? asType((*made)[i], DataType::Float32).values : std::vector<float>();
            const double difference = differenceOf(values, asType((*wanted)[i], DataType::Float32).values);
            if (difference > std::max(m_check.tolerance, toleranceOf(*m_graph)))
                return keepFault(
                    fmt::format("output {} of {} differs from that of {} by {:.3g} of its largest value, so "
                                "that its latencies are of something else",
                                (*wanted)[i].name, m_device, m_reference, difference),
                    "Use another version of what computes it, or leave its options out");
        }
        m_isChecked = true;
        if (!digest.empty())
            m_check.keepEqual(digest);
        return {};
    }

    Result<std::vector<HostTensor>> outputsOfReference(const Schedule &schedule, const std::vector<HostTensor> &inputs,
                                                       const std::stop_token &stop)
    {
        const auto device = m_check.reference();
        m_reference = device->info().id;
        TRY_AS(const auto reference, device->open(m_graph));
        return runOn(*reference, schedule, inputs, stop);
    }

    // Every stage would run both again.
    tl::unexpected<Error> keepFault(std::string message, std::string remedy)
    {
        m_fault = Error{ErrorCode::DeviceFailed, std::move(message), std::move(remedy), {}};
        return tl::unexpected(*m_fault);
    }

    Result<void> leaveOut(const std::string &why)
    {
        m_isChecked = true;
        if (m_check.tell)
            m_check.tell(fmt::format("the outputs of {} were not compared with those of {}: {}", m_device,
                                     m_reference.empty() ? "another device" : m_reference, why));
        return {};
    }

    std::shared_ptr<const Graph> m_graph;
    std::string m_device;
    OutputCheck m_check;
    std::string m_reference; // id
    bool m_isChecked = false;
    std::optional<Error> m_fault; // its outputs differ
};

class CheckedDevice : public Device {
public:
    CheckedDevice(std::unique_ptr<Device> device, OutputCheck check)
        : m_device(std::move(device)), m_check(std::move(check))
    {
    }

    DeviceInfo info() const override { return m_device->info(); }

    Result<std::unique_ptr<DeviceSession>> open(std::shared_ptr<const Graph> graph) const override
    {
        passOnSettings(*m_device);
        TRY_AS(auto session, m_device->open(graph));
        return std::make_unique<CheckedSession>(std::move(session), std::move(graph), info().id, m_check);
    }

private:
    std::unique_ptr<Device> m_device;
    OutputCheck m_check;
};

} // namespace

std::unique_ptr<Device> checkedDevice(std::unique_ptr<Device> device, OutputCheck check)
{
    return std::make_unique<CheckedDevice>(std::move(device), std::move(check));
}

} // namespace stagecraft
