#include "device/stored_session.h"

#include "device/latency_quality.h"

#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace stagecraft {
namespace {

constexpr int kInVain = 8; // times in a row that measuring again did not help: the machine is busy

// What it means for whoever measures, beside what went wrong.
Error goingOnWithout(Error error)
{
    error.message += "; going on, latencies of this run are not kept";
    return error;
}

class StoredSession : public DeviceSession {
public:
    StoredSession(std::unique_ptr<DeviceSession> session, std::shared_ptr<const Graph> graph, const DeviceInfo &device,
                  LatencyStore store, StoreTrouble trouble)
        : m_session(std::move(session)), m_graph(std::move(graph)), m_signer(*m_graph),
          m_store(std::move(store)), m_context{device.fingerprint, device.title, device.id, m_graph->batch(),
                                               m_graph->name()},
          m_trouble(std::move(trouble))
    {
    }

    Result<LatencySample> measureStage(const Stage &stage, std::stop_token stop) override
    {
        return measured(stage, Again::UnlessInVain, stop);
    }

    // What it is made of is what counts: disturbed stages are measured again however busy the machine is.
    Result<ScheduleMeasurement> measureSchedule(const Schedule &schedule, std::stop_token stop) override
    {
        ScheduleMeasurement measurement;
        for (const Stage &stage : schedule.stages) {
            auto sample = measured(stage, Again::Always, stop);
            if (!sample)
                return tl::unexpected(sample.error());
            measurement.stages.push_back(std::move(*sample));
        }
        auto whole = measureWhole(schedule, stop);
        if (whole && whole->isDisturbed())
            whole = better(std::move(*whole), measureWhole(schedule, stop));
        if (!whole)
            return tl::unexpected(whole.error());
        measurement.whole = std::move(*whole);
        return measurement;
    }

    Result<LatencySample> measureWhole(const Schedule &schedule, std::stop_token stop) override
    {
        auto whole = m_session->measureWhole(schedule, std::move(stop));
        if (whole && !whole->isSumOfStages)
            keepWhole(schedule, *whole);
        return whole;
    }

    Result<std::int64_t> measureDisturbedAgain(std::stop_token stop) override
    {
        std::int64_t helped = 0;
        m_inVain = 0; // the machine may have come to rest
        for (const auto &[signature, stage] : std::exchange(m_disturbed, {})) {
            if (m_inVain >= kInVain) {
                m_disturbed.emplace(signature, stage);
                continue;
            }
            const auto sample = measured(stage, Again::Always, stop);
            if (!sample && sample.error().code == ErrorCode::Cancelled)
                return tl::unexpected(sample.error());
            helped += sample && !sample->isDisturbed() ? 1 : 0;
        }
        return helped;
    }

    Result<Timeline> timeline(const Schedule &schedule, std::stop_token stop) override
    {
        return m_session->timeline(schedule, std::move(stop));
    }

    Result<std::vector<HostTensor>> run(const Schedule &schedule, std::vector<HostTensor> inputs,
                                        std::stop_token stop) override
    {
        return m_session->run(schedule, std::move(inputs), std::move(stop));
    }

    BoundaryCost boundaryCost() const override { return m_session->boundaryCost(); }
    bool isNoisy() const override { return m_session->isNoisy(); }
    double lowerBoundUs(const Stage &stage) const override { return m_session->lowerBoundUs(stage); }
    std::vector<double> sharesUs(OperatorId id) const override { return m_session->sharesUs(id); }

private:
    enum class Again { UnlessInVain, Always };

    // Kept, or measured and kept; what is disturbed is measured once more.
    Result<LatencySample> measured(const Stage &stage, Again again, const std::stop_token &stop)
    {
        const StageSignature signature = m_signer.sign(stage);
        const RecordedStage named{stage.strategy, operatorNames(*m_graph, stage)};
        auto found = m_store.find(m_context, signature, named);
        if (!found)
            tell(found.error());
        const bool isKept = found && *found;
        auto sample = isKept ? Result<LatencySample>(**found) : m_session->measureStage(stage, stop);
        if (!sample)
            return sample;
        if (!isKept)
            keep(signature, named, *sample);
        if (sample->isDisturbed() && mayHelp(signature, isKept, again)) {
            auto second = m_session->measureStage(stage, stop);
            if (second) {
                keep(signature, named, *second);
                m_inVain = second->isDisturbed() ? m_inVain + 1 : 0;
            }
            m_triedAgain.insert(signature);
            sample = better(std::move(*sample), std::move(second));
        }
        if (sample && sample->isDisturbed())
            m_disturbed.try_emplace(signature, stage);
        else if (sample)
            m_disturbed.erase(signature);
        return sample;
    }

    // A latency of before is measured again once in a session, unless it stands in a schedule that is measured.
    [[nodiscard]] bool mayHelp(const StageSignature &signature, bool isKept, Again again) const
    {
        if (again == Again::Always)
            return true;
        return m_inVain < kInVain && !(isKept && m_triedAgain.contains(signature));
    }

    // The first stays where there is no second, unless that was cancelled.
    static Result<LatencySample> better(LatencySample first, Result<LatencySample> second)
    {
        if (second ? isBetter(*second, first) : second.error().code == ErrorCode::Cancelled)
            return second;
        first.cached = false; // it cost a measurement
        return first;
    }

    void keep(const StageSignature &signature, const RecordedStage &named, const LatencySample &sample)
    {
        if (const auto kept = m_store.keep(m_context, signature, named, sample); !kept)
            tell(kept.error());
    }

    void keepWhole(const Schedule &schedule, const LatencySample &whole)
    {
        RecordedSchedule recorded{namedStages(*m_graph, schedule), whole};
        for (std::size_t i = 0; i < schedule.stages.size(); ++i)
            recorded.stages[i].signature = m_signer.sign(schedule.stages[i]).toHex();
        if (const auto kept = m_store.keepWhole(m_context, recorded); !kept)
            tell(kept.error());
    }

    void tell(const Error &error)
    {
        if (m_trouble)
            std::exchange(m_trouble, {})(within(m_store.path(), goingOnWithout(error)).value());
    }

    std::unique_ptr<DeviceSession> m_session;
    std::shared_ptr<const Graph> m_graph;
    StageSigner m_signer;
    LatencyStore m_store;
    MeasurementContext m_context;
    StoreTrouble m_trouble;
    std::unordered_map<StageSignature, Stage> m_disturbed; // asked for, and disturbed still
    std::unordered_set<StageSignature> m_triedAgain;
    int m_inVain = 0; // times in a row
};

class StoredDevice : public Device {
public:
    StoredDevice(std::unique_ptr<Device> device, std::string path, StoreTrouble trouble)
        : m_device(std::move(device)), m_path(std::move(path)), m_trouble(std::move(trouble))
    {
    }

    DeviceInfo info() const override { return m_device->info(); }

    Result<std::unique_ptr<DeviceSession>> open(std::shared_ptr<const Graph> graph) const override
    {
        auto session = m_device->open(graph);
        if (!session)
            return session;
        auto store = LatencyStore::open(m_path);
        if (!store) {
            if (m_trouble)
                m_trouble(goingOnWithout(store.error()));
            store = LatencyStore::inMemory(); // what is disturbed is measured again all the same
            if (!store)
                return session;
        }
        if (!store->notice().empty() && m_trouble)
            m_trouble(
                {ErrorCode::DeviceFailed, store->notice(), "What it held is measured again when it is needed", {}});
        return storedSession(std::move(*session), std::move(graph), info(), std::move(*store), m_trouble);
    }

private:
    std::unique_ptr<Device> m_device;
    std::string m_path;
    StoreTrouble m_trouble;
};

} // namespace

std::unique_ptr<Device> storedDevice(std::unique_ptr<Device> device, std::string path, StoreTrouble trouble)
{
    return std::make_unique<StoredDevice>(std::move(device), std::move(path), std::move(trouble));
}

std::unique_ptr<DeviceSession> storedSession(std::unique_ptr<DeviceSession> session, std::shared_ptr<const Graph> graph,
                                             const DeviceInfo &device, LatencyStore store, StoreTrouble trouble)
{
    return std::make_unique<StoredSession>(std::move(session), std::move(graph), device, std::move(store),
                                           std::move(trouble));
}

} // namespace stagecraft
