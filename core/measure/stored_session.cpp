#include "measure/stored_session.h"

#include "device/forwarding_session.h"
#include "schedule/verify.h"
#include "timing/device_id.h"
#include "timing/latency_quality.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace stagecraft {
namespace {

constexpr int kMaxFutileRepeats = 8; // measurements in a row that did not help: the machine is busy

// Adds what the error means for a person who measures.
Error withConsequence(Error error)
{
    error.message += "; latencies of this run are not stored";
    return error;
}

class StoredSession : public ForwardingSession, public DisturbedLatencies {
public:
    StoredSession(std::unique_ptr<DeviceSession> session, std::shared_ptr<const Graph> graph, const DeviceInfo &device,
                  LatencyStore store, StoreErrorHandler onError)
        : ForwardingSession(std::move(session)), m_graph(std::move(graph)), m_signer(*m_graph), m_features(*m_graph),
          m_store(std::move(store)), m_context{device.fingerprint, device.title, storedDeviceId(device.id),
                                               m_graph->batch(), m_graph->name()},
          m_onError(std::move(onError))
    {
    }

    Result<StageLatency> stageLatency(const StageQuestion &question, std::stop_token stop) override
    {
        return measured(question, Remeasure::IfPromising, stop);
    }

    Result<StageLatency> measureStage(const Stage &stage, std::stop_token stop) override
    {
        TRY(verifyStage(*m_graph, stage));
        auto latency = ForwardingSession::measureStage(stage, std::move(stop));
        if (latency && stage.launchOrder.empty()) {
            const StageSignature signature = m_signer.sign(stage);
            store(signature, {stage.strategy, operatorNames(*m_graph, stage)}, latency->timing);
            if (!latency->timing.isDisturbed())
                m_disturbed.erase(signature);
        }
        return latency;
    }

    // The stages of a measured schedule matter: disturbed ones are measured again, however busy the machine is.
    Result<ScheduleMeasurement> measureSchedule(const Schedule &schedule, std::stop_token stop) override
    {
        ScheduleMeasurement measurement;
        for (const Stage &stage : schedule.stages) {
            TRY_AS(auto latency, measured(stage, Remeasure::Always, stop));
            measurement.stages.push_back(std::move(latency));
        }
        auto whole = measureWhole(schedule, stop);
        if (whole && whole->timing.isDisturbed())
            whole = better(std::move(*whole), measureWhole(schedule, stop));
        TRY(whole);
        measurement.whole = std::move(*whole);
        return measurement;
    }

    Result<ScheduleLatency> measureWhole(const Schedule &schedule, std::stop_token stop) override
    {
        auto whole = ForwardingSession::measureWhole(schedule, std::move(stop));
        if (whole && whole->how != MeasuredHow::SumOfStages)
            storeSchedule(schedule, whole->timing);
        return whole;
    }

    Result<std::int64_t> measureAgain(const std::function<bool()> &goOn, std::stop_token stop) override
    {
        std::int64_t helped = 0;
        m_futileRepeats = 0; // the machine may be idle again
        for (const auto &[signature, stage] : std::exchange(m_disturbed, {})) {
            if (m_futileRepeats >= kMaxFutileRepeats || !goOn()) {
                m_disturbed.emplace(signature, stage);
                continue;
            }
            const auto latency = measured({stage, signature}, Remeasure::Always, stop);
            if (!latency && latency.error().code == ErrorCode::Cancelled)
                return tl::unexpected(latency.error());
            helped += latency && !latency->timing.isDisturbed() ? 1 : 0;
        }
        return helped;
    }

    DisturbedLatencies *disturbed() override { return this; }

    std::vector<StageSample> samples() override
    {
        auto samples = m_store.samples(m_context);
        if (!samples)
            tell(samples.error());
        return samples.value_or(std::vector<StageSample>{});
    }

private:
    enum class Remeasure { IfPromising, Always };

    // The stored latency, or a new one that is then stored; a disturbed one is measured once more.
    Result<StageLatency> measured(const StageQuestion &asked, Remeasure again, const std::stop_token &stop)
    {
        const Stage &stage = asked.stage;
        TRY(asked.signature ? Result<void>{} : verifyStage(*m_graph, stage));
        if (!stage.launchOrder.empty()) // the store knows stages by their groups
            return ForwardingSession::stageLatency(asked, stop);
        const StageSignature signature = asked.signature ? *asked.signature : m_signer.sign(stage);
        const StageQuestion question(stage, signature);
        const RecordedStage named{stage.strategy, operatorNames(*m_graph, stage)};
        auto found = m_store.find(m_context, signature, named);
        if (!found)
            tell(found.error());
        const bool isStored = found && *found;
        auto latency = isStored ? Result<StageLatency>(StageLatency{std::move(**found), LatencyKind::Stored})
                                : ForwardingSession::stageLatency(question, stop);
        if (!latency)
            return latency;
        if (!isStored)
            store(signature, named, latency->timing);
        describe(stage, signature);
        if (latency->timing.isDisturbed() && mayHelp(signature, isStored, again)) {
            auto second = ForwardingSession::stageLatency(question, stop);
            if (second) {
                store(signature, named, second->timing);
                m_futileRepeats = second->timing.isDisturbed() ? m_futileRepeats + 1 : 0;
            }
            m_remeasured.insert(signature);
            latency = better(std::move(*latency), std::move(second));
            if (latency) // whichever it is, it took a measurement
                latency->kind = isStored ? LatencyKind::Repeated : LatencyKind::Measured;
        }
        if (latency && latency->timing.isDisturbed())
            m_disturbed.try_emplace(signature, stage);
        else if (latency)
            m_disturbed.erase(signature);
        return latency;
    }

    // A stored latency is measured again once in a session, unless its schedule is being measured.
    [[nodiscard]] bool mayHelp(const StageSignature &signature, bool isStored, Remeasure again) const
    {
        if (again == Remeasure::Always)
            return true;
        return m_futileRepeats < kMaxFutileRepeats && !(isStored && m_remeasured.contains(signature));
    }

    void store(const StageSignature &signature, const RecordedStage &named, const Timing &timing)
    {
        if (const auto added = m_store.add(m_context, signature, named, timing); !added)
            tell(added.error());
    }

    // For models that learn from latencies; a stage without parts tells them nothing.
    void describe(const Stage &stage, const StageSignature &signature)
    {
        const std::vector<Stage> parts = partsOf(stage);
        if (parts.empty() || !m_described.insert(signature).second)
            return;
        std::vector<float> features;
        m_features.append(stage, features);
        std::vector<StageSignature> signatures;
        for (const Stage &part : parts)
            signatures.push_back(m_signer.sign(part));
        if (const auto done = m_store.describe(m_context, signature, features, signatures); !done)
            tell(done.error());
    }

    void storeSchedule(const Schedule &schedule, const Timing &whole)
    {
        if (!std::ranges::all_of(schedule.stages, &std::vector<OperatorId>::empty, &Stage::launchOrder))
            return;
        RecordedSchedule recorded{namedStages(*m_graph, schedule), whole};
        for (std::size_t i = 0; i < schedule.stages.size(); ++i)
            recorded.stages[i].signature = m_signer.sign(schedule.stages[i]).toHex();
        if (const auto added = m_store.addSchedule(m_context, recorded); !added)
            tell(added.error());
    }

    void tell(const Error &error)
    {
        if (m_onError)
            std::exchange(m_onError, {})(within(m_store.path(), withConsequence(error)).value());
    }

    std::shared_ptr<const Graph> m_graph;
    StageSigner m_signer;
    StageFeatures m_features;
    LatencyStore m_store;
    MeasurementContext m_context;
    StoreErrorHandler m_onError;
    std::unordered_map<StageSignature, Stage> m_disturbed; // asked for, and still disturbed
    std::unordered_set<StageSignature> m_remeasured;
    std::unordered_set<StageSignature> m_described;
    int m_futileRepeats = 0; // in a row
};

class StoredDevice : public Device {
public:
    StoredDevice(std::unique_ptr<Device> device, std::string path, StoreErrorHandler onError)
        : m_device(std::move(device)), m_path(std::move(path)), m_onError(std::move(onError))
    {
    }

    DeviceInfo info() const override { return m_device->info(); }

    Result<std::unique_ptr<DeviceSession>> open(std::shared_ptr<const Graph> graph) const override
    {
        passOnSettings(*m_device);
        auto session = m_device->open(graph);
        if (!session)
            return session;
        auto store = LatencyStore::open(m_path);
        if (!store) {
            if (m_onError)
                m_onError(withConsequence(store.error()));
            store = LatencyStore::inMemory(); // disturbed stages are still measured again
            if (!store)
                return session;
        }
        tellNotice(*store, m_onError);
        return storedSession(std::move(*session), std::move(graph), info(), std::move(*store), m_onError);
    }

private:
    std::unique_ptr<Device> m_device;
    std::string m_path;
    StoreErrorHandler m_onError;
};

} // namespace

void tellNotice(const LatencyStore &store, const StoreErrorHandler &onError)
{
    if (!store.notice().empty() && onError)
        onError({ErrorCode::DeviceFailed, store.notice(), "What it held is measured again when it is needed", {}});
}

std::unique_ptr<Device> storedDevice(std::unique_ptr<Device> device, std::string path, StoreErrorHandler onError)
{
    return std::make_unique<StoredDevice>(std::move(device), std::move(path), std::move(onError));
}

std::unique_ptr<DeviceSession> storedSession(std::unique_ptr<DeviceSession> session, std::shared_ptr<const Graph> graph,
                                             const DeviceInfo &device, LatencyStore store, StoreErrorHandler onError)
{
    return std::make_unique<StoredSession>(std::move(session), std::move(graph), device, std::move(store),
                                           std::move(onError));
}

} // namespace stagecraft
