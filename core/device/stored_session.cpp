#include "device/stored_session.h"

#include "device/session_steps.h"

#include <utility>

namespace stagecraft {
namespace {

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
        const StageSignature signature = m_signer.sign(stage);
        const RecordedStage named{stage.strategy, operatorNames(*m_graph, stage)};
        const auto found = m_store.find(m_context, signature, named);
        if (!found)
            tell(found.error());
        else if (*found)
            return **found;
        auto sample = m_session->measureStage(stage, std::move(stop));
        if (sample) {
            if (const auto kept = m_store.keep(m_context, signature, named, *sample); !kept)
                tell(kept.error());
        }
        return sample;
    }

    Result<ScheduleMeasurement> measureSchedule(const Schedule &schedule, std::stop_token stop) override
    {
        return measureStagesAndWhole(*this, schedule, std::move(stop));
    }

    Result<LatencySample> measureWhole(const Schedule &schedule, std::stop_token stop) override
    {
        return m_session->measureWhole(schedule, std::move(stop));
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
