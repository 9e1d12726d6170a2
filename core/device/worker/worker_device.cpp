#include "device/worker/worker_device.h"

#include "device/worker/ask_worker.h"
#include "device/worker/protocol/messages.h"
#include "device/worker/transports/transport.h"
#include "device/worker/worker_process.h"
#include "device/worker/worker_session.h"
#include "support/stop_here.h"

#include <mutex>
#include <utility>

namespace stagecraft {
namespace {

using worker::Reply;
using worker::Request;
using worker::WorkerProcess;

class WorkerDevice : public Device {
public:
    WorkerDevice(std::string inner, WorkerOptions options, const std::string &deviceId)
        : m_inner(std::move(inner)), m_options(std::move(options)),
          m_process(std::make_unique<WorkerProcess>(worker::commandFrom(m_options, deviceId)))
    {
        Request request;
        request.mutable_describe()->set_device(m_inner);
        const auto reply = worker::askAnyWorker(*m_process, m_options, request, stopHere());
        if (!m_options.transport) // a connection is kept for the first session: it may have cost a password
            m_process.reset();
        if (reply && reply->what_case() == Reply::kInfo) {
            m_info = worker::read(reply->info());
            m_info.id = deviceId;
            if (m_options.transport)
                m_info.title += " on " + m_options.transport->place();
            return;
        }
        m_process.reset();
        m_isStopped = !reply && reply.error().code == ErrorCode::Cancelled;
        m_info.title = deviceId;
        m_info.provenance = Provenance::Measured;
        m_info.available = false;
        m_info.unavailableReason = reply ? worker::unexpectedReply().value().message : reply.error().message;
        if (!reply && !reply.error().remedy.empty())
            m_info.unavailableReason += "; " + reply.error().remedy;
        m_info.id = deviceId;
    }

    DeviceInfo info() const override { return m_info; }

    Result<std::unique_ptr<DeviceSession>> open(std::shared_ptr<const Graph> graph) const override
    {
        if (m_isStopped)
            return fail(ErrorCode::Cancelled, "stopped");
        if (!m_info.available)
            return fail(ErrorCode::DeviceFailed, m_info.id + " is not available: " + m_info.unavailableReason);
        WorkerOptions options = m_options;
        if (m_waiting)
            options.onWaiting = m_waiting;
        std::unique_ptr<WorkerProcess> process;
        {
            const std::lock_guard lock(m_mutex);
            process = std::move(m_process);
        }
        if (process)
            process->setCommand(worker::commandFrom(options, m_info.id));
        return openWorkerSession({m_info, m_inner, std::move(options), std::move(graph), m_file, m_kernels},
                                 std::move(process), stopHere());
    }

private:
    std::string m_inner; // its id in the worker
    WorkerOptions m_options;
    DeviceInfo m_info;
    bool m_isStopped = false;                         // before it could tell what it is
    mutable std::mutex m_mutex;                       // protects m_process
    mutable std::unique_ptr<WorkerProcess> m_process; // elsewhere, for the next session; null: it gets its own
};

} // namespace

std::unique_ptr<Device> makeWorkerDevice(const std::string &deviceId, const WorkerOptions &options,
                                         const std::string &shownId)
{
    return std::make_unique<WorkerDevice>(deviceId, options, shownId.empty() ? deviceId : shownId);
}

Result<std::vector<DeviceInfo>> listWorkerDevices(const WorkerOptions &options, const std::stop_token &stop)
{
    Request request;
    request.mutable_list_devices()->set_with_load(options.transport != nullptr);
    WorkerProcess process(worker::commandFrom(options, options.transport ? options.transport->place() : std::string()));
    TRY_AS(const auto reply, worker::askAnyWorker(process, options, request, stop));
    if (reply.what_case() != Reply::kDevices)
        return worker::unexpectedReply();
    std::vector<DeviceInfo> devices;
    for (const worker::DeviceInfo &message : reply.devices().devices())
        devices.push_back(worker::read(message));
    return devices;
}

} // namespace stagecraft
