// A worker for tests. The name of a stage's first operator says what its device does: crash, hang, once (a crash, but
// not if the graph was opened before), stop (the whole process), slow, nap (a while), print, break (what the device
// runs on); other names are answered at once. Slow ones say on standard error that they begin, and nap goes on for as
// long as STAGECRAFT_TEST_FOLDER has a file "held". It calls itself faulty, or cpu if a program asks for that: then
// merged stages crash. Its arguments: the hardware on which its sessions take turns; a file that records how often a
// graph was opened, and how often that fails after the first time.

#include "worker/server.h"

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>
#include <unistd.h>

namespace {

using namespace stagecraft;

class FaultySession : public DeviceSession, public Executor, public WorkspaceSource, public LocalHardware {
public:
    FaultySession(std::shared_ptr<const Graph> graph, std::string hardware, bool mergeCrashes, bool isLater,
                  Device::Preparing preparing)
        : m_graph(std::move(graph)), m_hardware(std::move(hardware)), m_mergeCrashes(mergeCrashes), m_isLater(isLater),
          m_preparing(std::move(preparing))
    {
    }

    Result<StageLatency> stageLatency(const StageQuestion &question, std::stop_token stop) override
    {
        const Stage &stage = question.stage;
        const std::string &name = m_graph->op(stage.groups.front().front()).name;
        m_preparing(name);
        if (name == "crash" || (m_mergeCrashes && stage.strategy == Strategy::Merge)) {
            std::signal(SIGSEGV, SIG_DFL); // a sanitizer would turn it into an exit
            std::raise(SIGSEGV);
        }
        if (name == "exit" || (name == "once" && !m_isLater))
            _exit(3);
        if (name == "nap" || name == "slow")
            std::fprintf(stderr, "%s begins\n", name.c_str());
        if (name == "nap")
            std::this_thread::sleep_for(std::chrono::milliseconds(700));
        while (name == "nap" && isHeld())
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        if (name == "stop")
            std::raise(SIGSTOP);
        if (name == "print")
            std::puts("a library prints to standard output");
        while (name == "hang")
            std::this_thread::sleep_for(std::chrono::seconds(1));
        while (name == "slow" && !stop.stop_requested())
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        if (stop.stop_requested())
            return fail(ErrorCode::Cancelled, "stopped");
        if (name == "break") {
            m_broken = true;
            return fail(ErrorCode::DeviceFailed, "an illegal memory access was encountered");
        }
        if (name == "refuse")
            return within("operator refuse", Error{ErrorCode::DeviceFailed, "no kernel", "use another", {}});
        m_preparing({});
        return StageLatency{{1.25, 1.5, 0.5, static_cast<int>(getpid()), {1980, 2619, "power limit"}}};
    }
    Result<ScheduleLatency> measureWhole(const Schedule &schedule, std::stop_token) override
    {
        const std::string name = m_graph->op(schedule.stages.front().groups.front().front()).name;
        if (name == "crash" || (name == "exit" && !m_isLater))
            _exit(3);
        return ScheduleLatency{{2, static_cast<double>(schedule.stages.size())}};
    }
    Result<Timeline> timeline(const Schedule &, std::stop_token) override
    {
        Timeline timeline;
        timeline.provenance = Provenance::Measured;
        timeline.device = "faulty";
        timeline.durationNs = 77;
        timeline.streams = 3;
        timeline.stages = {{0, 1, 70}};
        timeline.kernels.push_back({"k", {OperatorId{1}}, 0, 1, 2, 5, 60, {4, 5, 6}, 7, 8, 9, 10, 11});
        timeline.counters.push_back({"active threads", "threads", "measured", 2, {0, 5}, {1, 2}});
        timeline.notes = {"a right is missing"};
        m_profiled = true;
        return timeline;
    }
    Result<std::vector<HostTensor>> run(const Schedule &, std::vector<HostTensor> inputs, std::stop_token) override
    {
        return inputs;
    }
    Result<std::vector<std::size_t>> workspaceBytes(const Stage &stage, std::stop_token) override
    {
        if (m_graph->op(stage.groups.front().front()).name == "refuse")
            return fail(ErrorCode::DeviceFailed, "no kernel");
        return std::vector<std::size_t>{std::size_t{5} << 30U};
    }
    BoundaryCost boundaryCost() const override { return {3, 4}; }
    bool chainsAddUp() const override { return true; }
    WorkspaceSource *workspace() override { return this; }
    Executor *executor() override { return this; }
    const LocalHardware *hardware() const override { return this; }
    std::string name() const override { return m_hardware; }
    bool isBroken() const override { return m_broken; }
    bool wasProfiled() const override { return m_profiled; }

private:
    static bool isHeld()
    {
        const char *folder = std::getenv("STAGECRAFT_TEST_FOLDER");
        return folder && std::filesystem::exists(std::filesystem::path(folder) / "held");
    }

    std::shared_ptr<const Graph> m_graph;
    std::string m_hardware;
    bool m_mergeCrashes;
    bool m_isLater; // another worker opened the graph before
    Device::Preparing m_preparing;
    bool m_broken = false;
    bool m_profiled = false;
};

class FaultyDevice : public Device {
public:
    FaultyDevice(std::string id, std::vector<std::string> arguments)
        : m_id(std::move(id)), m_arguments(std::move(arguments))
    {
    }

    DeviceInfo info() const override
    {
        DeviceInfo info;
        info.id = m_id;
        info.title = "A device for tests";
        info.provenance = Provenance::Measured;
        info.fingerprint = "f";
        info.facts = {{"a", "b"}};
        return info;
    }
    Result<std::unique_ptr<DeviceSession>> open(std::shared_ptr<const Graph> graph) const override
    {
        if (m_arguments.size() > 2 && !mayOpen(m_arguments[1], std::stoi(m_arguments[2])))
            return fail(ErrorCode::DeviceFailed, "the GPU has fallen off the bus");
        return std::make_unique<FaultySession>(
            std::move(graph), m_arguments.empty() ? "" : m_arguments[0], m_id == "cpu",
            m_arguments.size() > 1 && std::filesystem::file_size(m_arguments[1]) > 1, m_preparing);
    }

private:
    // The file has one byte per attempt.
    static bool mayOpen(const std::string &path, int refusals)
    {
        std::ofstream(path, std::ios::app) << '.';
        const auto tries = static_cast<int>(std::filesystem::file_size(path));
        return tries == 1 || tries > 1 + refusals;
    }

    std::string m_id;
    std::vector<std::string> m_arguments;
};

} // namespace

int main(int argc, char **argv)
{
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    const int output = dup(STDOUT_FILENO);
    dup2(STDERR_FILENO, STDOUT_FILENO);
    return worker::serve(STDIN_FILENO, output, [&](const std::string &id) -> Result<std::unique_ptr<Device>> {
        if (id == "faulty" || id == "cpu")
            return std::make_unique<FaultyDevice>(id, arguments);
        return fail(ErrorCode::WrongUse, "the worker has no device " + id);
    });
}
