// stagecraft-worker: serves the measuring devices of this machine over standard input and output. See DESIGN.md,
// "Processes". Not meant to be started by hand; it opens no port and writes nothing but messages to standard output.

#include "cpu/cpu_device.h"
#include "device/processor_clock.h"
#include "worker/gpu_module.h"
#include "worker/server.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <sched.h>
#include <unistd.h>

namespace {

// The thread that times also computes, on a core of its own: that core's clock stands for all.
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
    return stagecraft::fail(stagecraft::ErrorCode::WrongUse, "the worker has no device " + id, "it has cpu and gpu:0");
}

std::vector<stagecraft::DeviceInfo> allDevices()
{
    std::vector<stagecraft::DeviceInfo> devices = stagecraft::worker::listGpus();
    devices.insert(devices.begin(), cpu()->info());
    return devices;
}

// A thread of an operator that waits for the others spins for a moment, then sleeps: long enough for the next operator,
// short enough that another program's turn on a core does not cost the measurement hundreds of milliseconds. How many
// threads there are and where they run is the device's to say, whatever a shell has set for other programs. The OpenMP
// runtime reads all this before main, so the worker begins anew once.
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
    execv(self.c_str(), arguments); // under its own name in a list of processes
    execv("/proc/self/exe", arguments);
    // Without a new beginning the worker works all the same, only less evenly.
}

// Streams share the queues through which a GPU gets its work, and what shares one waits for no reason. CUDA makes 8
// by default, and some stages have more groups, and 32 are the most (CUDA programming guide, "CUDA environment
// variables"; read when CUDA starts). What a person has set stays; the GPU device tells which number it was.
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
    // A write to a program that is gone is an error to handle, not a signal to die from.
    std::signal(SIGPIPE, SIG_IGN);
    // Libraries that print reach standard error: standard output is for messages alone.
    const int output = dup(STDOUT_FILENO);
    dup2(STDERR_FILENO, STDOUT_FILENO);
    try {
        return stagecraft::worker::serve(STDIN_FILENO, output, deviceById, allDevices);
    } catch (const std::exception &exception) {
        std::fprintf(stderr, "stagecraft-worker: %s\n", exception.what());
        _exit(1); // its threads may be at work
    }
}
