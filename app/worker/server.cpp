#include "worker/server.h"

#include "device/executing/device_lock.h"
#include "device/executing/running_program.h"
#include "device/worker/protocol/channel.h"
#include "device/worker/protocol/messages.h"
#include "worker/load_facts.h"
#include "worker/weight_cache.h"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <fmt/format.h>
#include <mutex>
#include <new>
#include <optional>
#include <thread>
#include <unistd.h>

namespace stagecraft::worker {
namespace {

constexpr std::chrono::milliseconds kHeartbeat{500};

// Executes requests on the one open session.
class RequestHandler {
public:
    // `preparing`: see Device::onPreparing.
    RequestHandler(const DeviceSource &devices, const DeviceLister &list, Device::Preparing preparing)
        : m_devices(devices), m_list(list), m_preparing(std::move(preparing))
    {
    }

    [[nodiscard]] bool isBroken() const { return hardware() && hardware()->isBroken(); }
    [[nodiscard]] bool wasProfiled() const { return hardware() && hardware()->wasProfiled(); }
    // For others that use the same hardware; empty: it does not wait. Called on any thread.
    [[nodiscard]] std::optional<stagecraft::DeviceWait> wait() const
    {
        std::optional<Wait> now;
        {
            const std::lock_guard lock(m_waitMutex);
            now = m_wait;
        }
        if (!now)
            return std::nullopt;
        stagecraft::DeviceWait wait;
        wait.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - now->since).count();
        if (const auto holder = DeviceLock::holder(now->hardware)) {
            wait.holder = runningProgram(*holder);
            wait.isOwn = workingFor(*holder) == getppid();
        }
        return wait;
    }

    Result<void> carryOut(Request &request, Reply &reply, const std::stop_token &stop)
    {
        if (request.version() != kVersion)
            return fail(ErrorCode::DeviceFailed,
                        fmt::format("this worker speaks version {} of the protocol, the program {}", kVersion,
                                    request.version()));
        switch (request.what_case()) {
        case Request::kDescribe: return describe(request.describe(), reply);
        case Request::kListDevices: listDevices(request.list_devices(), *reply.mutable_devices()); return {};
        case Request::kOpen: return open(std::move(*request.mutable_open()), reply);
        case Request::kWeights: {
            const auto &asked = request.weights().sha256();
            for (const std::string &name : weightCache().lacking({asked.begin(), asked.end()}))
                reply.mutable_lacking()->add_sha256(name);
            reply.mutable_lacking();
            return {};
        }
        case Request::kKeepValues:
            reply.mutable_lacking();
            return weightCache().keep(request.keep_values().sha256(),
                                      std::move(*request.mutable_keep_values()->mutable_values()));
        default: break;
        }
        if (!m_session)
            return fail(ErrorCode::WrongUse, "no graph is open");
        setWait(Wait{hardwareName(), std::chrono::steady_clock::now()});
        const DeviceLock turn(hardwareName(), stop);
        setWait(std::nullopt);
        if (!turn.isHeld())
            return fail(ErrorCode::Cancelled, "stopped");
        switch (request.what_case()) {
        case Request::kMeasureStage: {
            TRY_AS(const auto stage, read(request.measure_stage(), *m_graph));
            return answer(timingOf(m_session->stageLatency(stage, stop)), *reply.mutable_sample());
        }
        case Request::kMeasureWhole: {
            TRY_AS(const auto schedule, read(request.measure_whole(), *m_graph));
            return answer(timingOf(m_session->measureWhole(schedule, stop)), *reply.mutable_sample());
        }
        case Request::kTimeline: {
            TRY_AS(const auto schedule, read(request.timeline(), *m_graph));
            return answer(m_session->timeline(schedule, stop), *reply.mutable_timeline());
        }
        case Request::kRun: return run(request.run(), reply, stop);
        case Request::kWorkspace: return workspace(request.workspace(), reply, stop);
        case Request::kListKernels:
        case Request::kTryKernel: return tune(request, reply, stop);
        default: return fail(ErrorCode::WrongUse, "the request is empty");
        }
    }

private:
    [[nodiscard]] const LocalHardware *hardware() const { return m_session ? m_session->hardware() : nullptr; }
    [[nodiscard]] std::string hardwareName() const { return hardware() ? hardware()->name() : std::string(); }

    struct Wait {
        std::string hardware;
        std::chrono::steady_clock::time_point since;
    };

    void setWait(std::optional<Wait> wait)
    {
        const std::lock_guard lock(m_waitMutex);
        m_wait = std::move(wait);
    }

    template <typename Latency>
    static Result<Timing> timingOf(Result<Latency> latency)
    {
        return std::move(latency).map([](Latency known) { return std::move(known.timing); });
    }

    template <typename Value, typename Message>
    static Result<void> answer(const Result<Value> &value, Message &message)
    {
        TRY(value);
        write(*value, message);
        return {};
    }

    void listDevices(const ListDevices &request, Devices &message) const
    {
        auto devices = m_list ? m_list() : std::vector<stagecraft::DeviceInfo>();
        if (request.with_load())
            addLoad(devices);
        for (const stagecraft::DeviceInfo &info : devices)
            write(info, *message.add_devices());
    }

    Result<void> describe(const Describe &request, Reply &reply)
    {
        TRY_AS(const auto device, m_devices(request.device()));
        write(device->info(), *reply.mutable_info());
        return {};
    }

    WeightCache &weightCache()
    {
        if (!m_weights)
            m_weights.emplace(ownWeightCache());
        return *m_weights;
    }

    // Puts in the values that are only named. False: some are lacking, which the reply says.
    bool fillIn(Graph &message, Reply &reply)
    {
        for (Operator &op : *message.mutable_operators()) {
            for (Parameter &parameter : *op.mutable_parameters()) {
                if (parameter.sha256().empty())
                    continue;
                if (auto values = weightCache().values(parameter.sha256()))
                    parameter.set_values(*std::move(values));
                else
                    reply.mutable_lacking()->add_sha256(parameter.sha256());
            }
        }
        return !reply.has_lacking();
    }

    Result<void> open(Open request, Reply &reply)
    {
        m_session.reset();
        if (!fillIn(*request.mutable_graph(), reply))
            return {};
        TRY_AS(auto graph, read(request.graph()));
        request.clear_graph(); // its weights are in memory once
        m_graph = std::make_shared<const stagecraft::Graph>(std::move(graph));
        TRY_AS(const auto device, m_devices(request.device()));
        device->onPreparing(m_preparing);
        if (request.has_file()) {
            TRY_AS(auto file, read(request.file()));
            device->setModelFile(std::move(file));
        }
        if (request.kernels_size() > 0)
            device->setKernels(std::make_shared<const TunedKernels>(kernelsOf(request)));
        TRY_AS(auto session, device->open(m_graph));
        m_session = std::move(session);
        reply.mutable_opened()->set_barrier_us(m_session->boundaryCost().barrierUs);
        reply.mutable_opened()->set_chain_us(m_session->boundaryCost().chainUs);
        reply.mutable_opened()->set_chains_add_up(m_session->chainsAddUp());
        reply.mutable_opened()->set_has_workspace(m_session->workspace() != nullptr);
        reply.mutable_opened()->set_has_kernels(m_session->tuner() != nullptr);
        reply.mutable_opened()->set_wholes_only(!m_session->measuresStages());
        reply.mutable_opened()->set_no_turns(!DeviceLock::canBeTaken(hardwareName()));
        return {};
    }

    Result<void> run(const Run &request, Reply &reply, const std::stop_token &stop)
    {
        TRY_AS(const auto schedule, read(request.schedule(), *m_graph));
        std::vector<stagecraft::HostTensor> inputs;
        for (const HostTensor &message : request.inputs()) {
            TRY_AS(auto tensor, read(message));
            inputs.push_back(std::move(tensor));
        }
        TRY_AS(const auto outputs, runOn(*m_session, schedule, std::move(inputs), stop));
        reply.mutable_outputs();
        for (const stagecraft::HostTensor &tensor : outputs)
            write(tensor, *reply.mutable_outputs()->add_tensors());
        return {};
    }

    Result<void> workspace(const Stage &request, Reply &reply, const std::stop_token &stop)
    {
        TRY_AS(const auto stage, read(request, *m_graph));
        if (!m_session->workspace())
            return fail(ErrorCode::WrongUse, "this device does not know the scratch memory of its kernels");
        TRY_AS(const auto bytes, m_session->workspace()->workspaceBytes(stage, stop));
        reply.mutable_workspace_bytes()->mutable_values()->Add(bytes.begin(), bytes.end());
        return {};
    }

    Result<void> tune(const Request &request, Reply &reply, const std::stop_token &stop)
    {
        KernelTuner *tuner = m_session->tuner();
        if (!tuner)
            return fail(ErrorCode::WrongUse, "this device has no kernels of its own to tune");
        if (request.has_list_kernels())
            return answer(tuner->tunableKernels(stop), *reply.mutable_kernels());
        const KernelChoice &choice = request.try_kernel().choice();
        const KernelParameters parameters(choice.parameters().begin(), choice.parameters().end());
        return answer(tuner->tryKernel(choice.key(), parameters, request.try_kernel().rounds(), stop),
                      *reply.mutable_trial());
    }

    const DeviceSource &m_devices;
    const DeviceLister &m_list;
    Device::Preparing m_preparing;
    std::shared_ptr<const stagecraft::Graph> m_graph;
    std::unique_ptr<DeviceSession> m_session;
    mutable std::mutex m_waitMutex; // protects m_wait
    std::optional<Wait> m_wait;
    std::optional<WeightCache> m_weights; // empty: not asked for yet
};

class Server {
public:
    Server(int output, const DeviceSource &devices, const DeviceLister &list)
        : m_output(output), m_handler(devices, list, [this](const std::string &name) { tellPreparing(name); }),
          m_heartbeat([this](const std::stop_token &stop) { beat(stop); }),
          m_worker([this](const std::stop_token &stop) { work(stop); })
    {
    }

    void take(Request request)
    {
        const std::lock_guard lock(m_mutex);
        if (request.what_case() == Request::kCancel) {
            if (m_current == request.id())
                m_stop.request_stop();
            else
                std::erase_if(m_waiting, [&](const Request &waiting) { return waiting.id() == request.id(); });
            return;
        }
        m_waiting.push_back(std::move(request));
        m_changed.notify_all();
    }

private:
    void work(const std::stop_token &end)
    {
        for (;;) {
            Request request;
            std::stop_token stop;
            {
                std::unique_lock lock(m_mutex);
                if (!m_changed.wait(lock, end, [this] { return !m_waiting.empty(); }))
                    return;
                request = std::move(m_waiting.front());
                m_waiting.pop_front();
                m_current = request.id();
                m_stop = std::stop_source();
                stop = m_stop.get_token();
            }
            Reply reply;
            if (const auto done = carryOut(request, reply, stop); !done)
                write(done.error(), *reply.mutable_failure());
            reply.set_profiled(m_handler.wasProfiled());
            const bool broken = m_handler.isBroken() && reply.what_case() == Reply::kFailure;
            if (broken)
                reply.mutable_failure()->set_worker_ends(true);
            {
                const std::lock_guard lock(m_mutex);
                m_current.reset();
            }
            reply.set_id(request.id());
            say(reply);
            if (broken)
                _exit(1); // libraries of a broken GPU may hang when they are unloaded
        }
    }

    Result<void> carryOut(Request &request, Reply &reply, const std::stop_token &stop)
    {
        try {
            return m_handler.carryOut(request, reply, stop);
        } catch (const std::bad_alloc &) {
            return fail(ErrorCode::DeviceFailed, "there is not enough memory", "use a smaller batch");
        } catch (const std::exception &exception) {
            return fail(ErrorCode::DeviceFailed, std::string("the worker failed: ") + exception.what());
        }
    }

    // Sent at once: if this operator ends the worker, the program already knows its name.
    void tellPreparing(const std::string &name)
    {
        Reply reply;
        {
            const std::lock_guard lock(m_mutex);
            reply.set_id(m_current.value_or(0));
        }
        reply.mutable_heartbeat()->set_preparing(name);
        say(reply);
    }

    // Heartbeats are only sent during work.
    void beat(const std::stop_token &end)
    {
        std::unique_lock lock(m_mutex);
        while (!end.stop_requested()) {
            m_changed.wait_for(lock, end, kHeartbeat, [] { return false; });
            if (!m_current || end.stop_requested())
                continue;
            Reply reply;
            reply.set_id(*m_current);
            lock.unlock();
            writeWait(*reply.mutable_heartbeat());
            say(reply);
            lock.lock();
        }
    }

    void writeWait(Heartbeat &heartbeat) const
    {
        if (const auto wait = m_handler.wait())
            write(*wait, heartbeat);
    }

    void say(Reply &reply)
    {
        reply.set_version(kVersion);
        const std::lock_guard lock(m_outputMutex);
        // If the program is gone, the input ends too.
        (void)send(m_output, reply);
    }

    int m_output;
    std::mutex m_outputMutex;
    std::mutex m_mutex; // guards the members below, except the handler
    std::condition_variable_any m_changed;
    std::deque<Request> m_waiting;
    std::optional<std::uint64_t> m_current;
    std::stop_source m_stop;
    RequestHandler m_handler; // used only by m_worker
    std::jthread m_heartbeat;
    std::jthread m_worker;
};

} // namespace

int serve(int input, int output, const DeviceSource &devices, const DeviceLister &list)
{
    Server server(output, devices, list);
    Receiver receiver(input);
    for (;;) {
        Request request;
        const auto received = receiver.receive(request, std::chrono::milliseconds(-1));
        // Nobody waits for the current request any more, and it may be stuck.
        if (!received)
            _exit(0);
        server.take(std::move(request));
    }
}

} // namespace stagecraft::worker
