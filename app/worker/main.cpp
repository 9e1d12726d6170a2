// stagecraft-worker: serves the measuring devices of this machine over standard input and output. Not meant to be
// started by hand; it opens no port and writes only messages to standard output.

#include "device/cpu/cpu_device.h"
#include "device/executing/processor_clock.h"
#include "worker/gpu_module.h"
#include "worker/onnxruntime.h"
#include "worker/server.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <sched.h>
#include <unistd.h>

namespace {

// The thread that times also computes, on its own core: the clock of that core stands for all.
std::unique_ptr<stagecraft::Device> cpu()
{
    stagecraft::CpuOptions options;
    options.stage.clocks = [] { return stagecraft::processorClock(sched_getcpu()); };
    options.schedule.clocks = options.stage.clocks;
    return stagecraft::makeCpuDevice(options);
}

stagecraft::Result<std::unique_ptr<stagecraft::Device>> deviceById(const std::string &id)
{
    if (id == "cpu")
        return cpu();
    if (id.starts_with("gpu:"))
        return stagecraft::worker::gpuById(id);
    if (stagecraft::isOnnxRuntime(id))
        return stagecraft::onnxRuntimeOptionsFrom(id).map(stagecraft::worker::onnxRuntime);
    return stagecraft::fail(stagecraft::ErrorCode::WrongUse, "the worker has no device " + id,
                            "it has cpu, gpu:0 and onnxruntime");
}

std::vector<stagecraft::DeviceInfo> allDevices()
{
    std::vector<stagecraft::DeviceInfo> devices = stagecraft::worker::listGpus();
    devices.insert(devices.begin(), cpu()->info());
    devices.push_back(stagecraft::worker::onnxRuntime({})->info());
    return devices;
}

// A thread of an operator that waits for the others spins for a moment, then sleeps: long enough for the next operator,
// short enough that another program on the core does not delay the measurement by hundreds of milliseconds. The device
// decides how many threads there are and where they run, whatever the shell sets for other programs. The OpenMP runtime
// reads all this before main, so the worker restarts itself once.
void settleOpenMp(char **arguments)
{
    bool changed = false;
    for (const char *name :
         {"OMP_NUM_THREADS", "OMP_THREAD_LIMIT", "OMP_DYNAMIC", "OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY"}) {
        changed = changed || std::getenv(name);
        unsetenv(name);
    }
    if (!std::getenv("GOMP_SPINCOUNT") && !std::getenv("OMP_WAIT_POLICY")) {
        setenv("GOMP_SPINCOUNT", "2000", 0);
        changed = true;
    }
    if (!changed)
        return;
    std::error_code error;
    const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
    execv(self.c_str(), arguments); // keeps its name in a list of processes
    execv("/proc/self/exe", arguments);
    // Without a restart the worker still works, but less evenly.
}

// Streams share the queues through which a GPU gets its work; streams in one queue wait for each other without need.
// CUDA creates 8 by default, some stages have more groups, and the maximum is 32 (CUDA programming guide, "CUDA
// environment variables"; read when CUDA starts). A value set by a person stays; the GPU device reports it.
void widenGpuQueues()
{
    setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", 0);
}

} // namespace

int main(int argc, char **arguments)
{
    if (argc > 1 || isatty(STDIN_FILENO) != 0) {
        std::fputs("stagecraft-worker is started by stagecraft and stagecraft-cli; it takes no arguments.\n", stderr);
        return 2;
    }
    widenGpuQueues();
    settleOpenMp(arguments);
    // A write to a program that is gone must be an error, not a signal.
    std::signal(SIGPIPE, SIG_IGN);
    // Output of libraries goes to standard error: standard output is only for messages.
    const int output = dup(STDOUT_FILENO);
    dup2(STDERR_FILENO, STDOUT_FILENO);
    try {
        return stagecraft::worker::serve(STDIN_FILENO, output, deviceById, allDevices);
    } catch (const std::exception &exception) {
        std::fprintf(stderr, "stagecraft-worker: %s\n", exception.what());
        _exit(1); // its threads may still run
    }
}
