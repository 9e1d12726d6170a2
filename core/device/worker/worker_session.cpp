#include "device/worker/worker_session.h"

#include "device/executing/session_steps.h"
#include "device/recorded/recorded_latencies.h"
#include "device/worker/ask_worker.h"
#include "device/worker/graph_weights.h"
#include "device/worker/open_with_weights.h"
#include "device/worker/protocol/messages.h"
#include "device/worker/transports/transport.h"
#include "device/worker/worker_process.h"
#include "graph/operator_cost.h"
#include "operators/parameter_values.h"
#include "schedule/rtasks/require_unfused.h"
#include "schedule/stage_groups.h"
#include "schedule/verify.h"
#include "support/number_text.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <thread>
#include <utility>
#include <vector>

namespace stagecraft {
namespace {

using worker::Reply;
using worker::Request;
using worker::WorkerProcess;

constexpr int kReconnects = 3;
constexpr std::chrono::milliseconds kReconnectPause{700};
// To another machine: its network may need a while. The pause doubles.
constexpr int kReconnectsElsewhere = 6;
constexpr std::chrono::milliseconds kLookAtStop{50};
constexpr std::size_t kWorthTelling = std::size_t{8} << 20U; // bytes that are sent

class WorkerSession : public DeviceSession, public Executor, public WorkspaceSource, public KernelTuner {
public:
    WorkerSession(WorkerSessionParts parts, std::unique_ptr<WorkerProcess> process)
        : m_deviceId(parts.device.id), m_inner(std::move(parts.inner)), m_kind(kindOf(parts.device.provenance)),
          m_options(std::move(parts.options)), m_graph(std::move(parts.graph)), m_file(std::move(parts.file)),
          m_kernels(std::move(parts.kernels)),
          m_process(process ? std::move(process)
                            : std::make_unique<WorkerProcess>(worker::commandFrom(m_options, m_deviceId)))
    {
    }

    // Starts the worker and sends it the graph; a worker that cannot take the graph is stopped.
    Result<void> connect(const std::stop_token &stop)
    {
        for (int asked = 1;; ++asked) {
            Result<void> opened = open(stop);
            if (opened)
                return opened;
            m_process->stop();
            if (asked == worker::kAttemptsAfterRefusal || !worker::isWorthAnother(*m_process, opened.error(), asked))
                return opened;
        }
    }

    Result<StageLatency> stageLatency(const StageQuestion &question, std::stop_token stop) override
    {
        const Stage &stage = question.stage;
        const auto lost = std::ranges::find(m_unavailable, stage, &std::pair<Stage, Error>::first);
        if (lost != m_unavailable.end())
            return tl::unexpected(lost->second);
        leaveProfiledWorker();
        Request request;
        TRY(write(stage, *request.mutable_measure_stage()));
        const auto what = [&] { return "stage " + stageText(operatorNames(*m_graph, stage)); };
        const auto reply = askAgain(request, m_options.stageDeadline, what, stop);
        if (!reply) {
            if (m_gone || !m_process->lost() || m_process->loss() != worker::Loss::Worker ||
                reply.error().code != ErrorCode::DeviceFailed)
                return tl::unexpected(reply.error());
            auto error = within(what(), reply.error());
            m_unavailable.emplace_back(stage, error.value());
            return error;
        }
        if (reply->what_case() != Reply::kSample)
            return worker::unexpectedReply();
        TRY_AS(auto timing, worker::read(reply->sample()));
        return StageLatency{std::move(timing), m_kind};
    }

    bool isLost() const override { return m_gone.has_value(); }

    Result<ScheduleLatency> measureWhole(const Schedule &schedule, std::stop_token stop) override
    {
        leaveProfiledWorker();
        Request request;
        TRY(write(schedule, *request.mutable_measure_whole()));
        const auto what = [] { return std::string("the whole schedule"); };
        const auto reply = askAgain(request, m_options.longDeadline, what, stop);
        if (!reply)
            return within("measuring the whole schedule on " + m_deviceId, reply.error());
        if (reply->what_case() != Reply::kSample)
            return worker::unexpectedReply();
        TRY_AS(auto timing, worker::read(reply->sample()));
        return ScheduleLatency{std::move(timing)};
    }

    Result<Timeline> timeline(const Schedule &schedule, std::stop_token stop) override
    {
        leaveProfiledWorker(); // CUPTI may record no kernels in a process that sampled counters
        Request request;
        TRY(write(schedule, *request.mutable_timeline()));
        const auto reply = askAgain(
            request, m_options.longDeadline, [] { return std::string("the timeline"); }, stop);
        m_isProfiled = !reply || reply->profiled();
        TRY(reply);
        if (reply->what_case() != Reply::kTimeline)
            return worker::unexpectedReply();
        TRY_AS(auto read, worker::read(reply->timeline(), *m_graph, schedule.stages.size()));
        Timeline timeline = withWork(std::move(read));
        timeline.device = m_deviceId;
        return timeline;
    }

    Result<std::vector<HostTensor>> run(const Schedule &schedule, std::vector<HostTensor> inputs,
                                        std::stop_token stop) override
    {
        if (m_options.makesWeights)
            return fail(ErrorCode::WrongUse, "the weights on " + m_deviceId + " are made at random there",
                        "leave out the word random of the device");
        Request request;
        TRY(write(schedule, *request.mutable_run()->mutable_schedule()));
        for (const HostTensor &input : inputs)
            worker::write(input, *request.mutable_run()->add_inputs());
        TRY_AS(const auto reply, askAgain(
                                     request, m_options.longDeadline, [] { return std::string("the run"); }, stop));
        if (reply.what_case() != Reply::kOutputs)
            return worker::unexpectedReply();
        std::vector<HostTensor> outputs;
        for (const worker::HostTensor &message : reply.outputs().tensors()) {
            TRY_AS(auto tensor, worker::read(message));
            outputs.push_back(std::move(tensor));
        }
        return outputs;
    }

    Result<std::vector<std::size_t>> workspaceBytes(const Stage &stage, std::stop_token stop) override
    {
        Request request;
        worker::write(stage, *request.mutable_workspace());
        const auto reply = askAgain(
            request, m_options.longDeadline, [] { return std::string("the workspace"); }, stop);
        if (!reply)
            return within("stage " + stageText(operatorNames(*m_graph, stage)), reply.error());
        if (reply->what_case() != Reply::kWorkspaceBytes ||
            static_cast<std::size_t>(reply->workspace_bytes().values_size()) !=
                (stage.isFused() ? stage.operatorCount() : stage.concurrentGroups()))
            return worker::unexpectedReply();
        std::vector<std::size_t> bytes;
        for (const std::int64_t value : reply->workspace_bytes().values())
            bytes.push_back(static_cast<std::size_t>(std::max<std::int64_t>(value, 0)));
        return bytes;
    }

    Result<std::vector<TunableKernel>> tunableKernels(std::stop_token stop) override
    {
        Request request;
        request.mutable_list_kernels();
        TRY_AS(const auto reply, askAgain(
                                     request, m_options.longDeadline, [] { return std::string("the kernels"); }, stop));
        if (reply.what_case() != Reply::kKernels)
            return worker::unexpectedReply();
        return worker::read(reply.kernels());
    }

    Result<KernelTrial> tryKernel(const std::string &key, const KernelParameters &parameters, int rounds,
                                  std::stop_token stop) override
    {
        Request request;
        request.mutable_try_kernel()->mutable_choice()->set_key(key);
        request.mutable_try_kernel()->mutable_choice()->mutable_parameters()->Add(parameters.begin(), parameters.end());
        request.mutable_try_kernel()->set_rounds(rounds);
        TRY_AS(const auto reply, askAgain(
                                     request, m_options.stageDeadline, [&] { return key; }, stop));
        if (reply.what_case() != Reply::kTrial || reply.trial().tuned_us_size() != rounds ||
            reply.trial().library_us_size() != rounds)
            return worker::unexpectedReply();
        return worker::read(reply.trial());
    }

    KernelTuner *tuner() override { return m_hasKernels ? this : nullptr; }
    Executor *executor() override { return this; }
    WorkspaceSource *workspace() override { return m_hasWorkspace ? this : nullptr; }
    BoundaryCost boundaryCost() const override { return m_boundary; }
    bool isNoisy() const override { return true; }
    bool chainsAddUp() const override { return m_chainsAddUp; }
    bool measuresStages() const override { return m_measuresStages; }

private:
    // Timings must not follow a profiler in the same process: the next request gets a new worker.
    void leaveProfiledWorker()
    {
        if (m_isProfiled)
            m_process->stop();
        m_isProfiled = false;
    }

    Result<void> open(const std::stop_token &stop)
    {
        Request request;
        request.mutable_open()->set_device(m_inner);
        worker::write(*m_graph, *request.mutable_open()->mutable_graph());
        if (m_file && !m_options.transport) // its path means nothing elsewhere
            worker::write(*m_file, *request.mutable_open()->mutable_file());
        if (m_kernels)
            worker::write(*m_kernels, *request.mutable_open());
        if (m_options.python) {
            auto statements = m_options.python->ofGraph(*m_graph);
            if (!statements)
                return within(m_deviceId, std::move(statements.error()));
            worker::write(*statements, *request.mutable_open()->mutable_python());
        }
        for (const Operator &op : m_graph->operators()) {
            if (const auto fault = faultOf(op))
                return tl::unexpected(*fault);
        }
        TRY_AS(const auto reply,
               m_options.transport ? openByHash(request, stop) : m_process->ask(request, m_options.longDeadline, stop));
        if (reply.what_case() != Reply::kOpened)
            return worker::unexpectedReply();
        if (reply.opened().no_turns() && m_options.tell)
            m_options.tell(m_deviceId +
                           " is used without taking turns, as no lock file can be created in the folder for "
                           "temporary files: programs that measure on it at the same time slow each other down.  "
                           "Set TMPDIR to a folder that may be written.");
        m_boundary = {reply.opened().barrier_us(), reply.opened().chain_us()};
        m_chainsAddUp = reply.opened().chains_add_up();
        m_hasWorkspace = reply.opened().has_workspace();
        m_measuresStages = !reply.opened().wholes_only();
        m_hasKernels = reply.opened().has_kernels();
        return {};
    }

    // A worker that computes with PyTorch gets what it runs, which is checked here: it does not know the rules.
    Result<void> write(const Stage &stage, worker::Stage &message) const
    {
        worker::write(stage, message);
        if (!m_options.python)
            return {};
        TRY(requireUnfused(stage, m_deviceId));
        TRY(verifyStage(*m_graph, stage));
        return stage.isMerged() ? writeMerge(operatorsOf(stage), *message.mutable_python()) : Result<void>();
    }

    Result<void> write(const Schedule &schedule, worker::Schedule &message) const
    {
        worker::write(schedule, message);
        if (!m_options.python)
            return {};
        TRY(requireUnfused(schedule.stages, m_deviceId));
        TRY(verifyRunnable(*m_graph, schedule));
        for (std::size_t i = 0; i < schedule.stages.size(); ++i) {
            if (schedule.stages[i].isMerged()) {
                TRY(writeMerge(operatorsOf(schedule.stages[i]),
                               *message.mutable_stages(static_cast<int>(i))->mutable_python()));
            }
        }
        for (std::size_t i = 0; schedule.streams && i < schedule.streams->launches.size(); ++i) {
            if (schedule.streams->launches[i].isMerged()) {
                TRY(writeMerge(schedule.streams->launches[i].operators,
                               *message.mutable_streams()->mutable_launches(static_cast<int>(i))->mutable_python()));
            }
        }
        return {};
    }

    Result<Reply> openByHash(Request &request, const std::stop_token &stop)
    {
        const auto sending = [this](std::size_t bytes) {
            if (bytes >= kWorthTelling && m_options.tell)
                m_options.tell(fmt::format("{}: sends {} of weights, which are kept there", m_deviceId,
                                           plainBytes(static_cast<double>(bytes))));
        };
        if (m_options.makesWeights)
            worker::leaveOutWeights(*request.mutable_open()->mutable_graph());
        return worker::openWithWeights(*m_process, request, m_options.longDeadline, sending, stop);
    }

    Result<void> writeMerge(const std::vector<OperatorId> &operators, worker::PythonMerge &message) const
    {
        TRY_AS(const auto statements, m_options.python->ofMerge(*m_graph, operators));
        worker::write(statements, message);
        return {};
    }

    // Kernels of a worker that does not know the work of operators.
    Timeline withWork(Timeline timeline) const
    {
        if (!m_options.python)
            return timeline;
        for (KernelSpan &kernel : timeline.kernels) {
            for (const OperatorId id : kernel.operators) {
                kernel.flops += flops(*m_graph, id);
                kernel.bytes += memoryBytes(*m_graph, id);
            }
        }
        return timeline;
    }

    // If the worker is lost, a new one is asked again, a few times. `what` describes the request; it is only called
    // when needed.
    Result<Reply> askAgain(Request &request, std::chrono::milliseconds deadline,
                           const std::function<std::string()> &what, const std::stop_token &stop)
    {
        for (int asked = 1;; ++asked) {
            if (stop.stop_requested())
                return fail(ErrorCode::Cancelled, "stopped");
            auto reply = ask(request, deadline, stop);
            if (reply || m_gone)
                return reply;
            if (m_process->lost() && m_process->loss() != worker::Loss::Worker &&
                reply.error().code == ErrorCode::DeviceFailed) {
                if (m_process->loss() == worker::Loss::Place || asked == worker::kAttempts ||
                    !m_options.isConnectedAgain) {
                    m_gone = reply.error();
                    return reply;
                }
                tellAgain(reply.error(), what());
                continue;
            }
            if (!worker::isWorthAnother(*m_process, reply.error(), asked)) {
                if (m_process->lost() && asked > 1 && reply.error().remedy.empty())
                    reply.error().remedy = fmt::format("It was tried {} times, each with a new worker", asked);
                return reply;
            }
            tellAgain(reply.error(), what());
        }
    }

    void tellAgain(const Error &why, const std::string &what) const
    {
        if (m_options.tell)
            m_options.tell(fmt::format("{}: {}; {} is asked for again{}{}", m_deviceId, why.message, what,
                                       why.remedy.empty() ? "" : ". ", why.remedy));
    }

    // Replaces a lost worker first. What it broke may need a moment to recover; if it does not, the device is gone, and
    // further requests fail at once.
    Result<Reply> ask(Request &request, std::chrono::milliseconds deadline, const std::stop_token &stop)
    {
        auto pause = kReconnectPause;
        for (int attempt = 1; !m_gone && !m_process->isRunning(); ++attempt) {
            if (m_process->closed() && m_process->closed()->what == worker::Loss::Place) {
                m_gone = m_process->closed()->error;
                break;
            }
            const auto connected = connect(stop);
            if (connected)
                break;
            if (connected.error().code == ErrorCode::Cancelled)
                return tl::unexpected(connected.error());
            if (stop.stop_requested())
                return fail(ErrorCode::Cancelled, "stopped");
            const bool isElsewhere = m_options.transport != nullptr;
            if (attempt == (isElsewhere ? kReconnectsElsewhere : kReconnects) ||
                (m_process->lost() && m_process->loss() == worker::Loss::Place))
                m_gone = within("starting " + m_deviceId + " again", connected.error()).value();
            else
                sleepFor(pause, stop);
            if (isElsewhere)
                pause *= 2;
        }
        if (m_gone)
            return tl::unexpected(*m_gone);
        return m_process->ask(request, deadline, stop);
    }

    static void sleepFor(std::chrono::milliseconds time, const std::stop_token &stop)
    {
        for (; time.count() > 0 && !stop.stop_requested(); time -= kLookAtStop)
            std::this_thread::sleep_for(std::min(time, kLookAtStop));
    }

    static std::string stageText(const std::vector<std::vector<std::string>> &groups)
    {
        std::string text;
        for (const auto &group : groups)
            text += fmt::format("{}{}", text.empty() ? "{" : " | ", fmt::join(group, ", "));
        return text + "}";
    }

    std::string m_deviceId;
    std::string m_inner; // its id in the worker
    LatencyKind m_kind;
    WorkerOptions m_options;
    std::shared_ptr<const Graph> m_graph;
    std::optional<ModelFile> m_file;
    std::shared_ptr<const TunedKernels> m_kernels; // null: none
    std::unique_ptr<WorkerProcess> m_process;
    bool m_isProfiled = false;
    std::optional<Error> m_gone; // why the device could not be opened again
    BoundaryCost m_boundary;
    bool m_chainsAddUp = false;
    bool m_hasWorkspace = false;
    bool m_measuresStages = true;
    bool m_hasKernels = false;
    std::vector<std::pair<Stage, Error>> m_unavailable; // each of them cost workers, so there are few
};

} // namespace

Result<std::unique_ptr<DeviceSession>>
openWorkerSession(WorkerSessionParts parts, std::unique_ptr<worker::WorkerProcess> process, const std::stop_token &stop)
{
    auto session = std::make_unique<WorkerSession>(std::move(parts), std::move(process));
    TRY(session->connect(stop));
    return session;
}

} // namespace stagecraft
