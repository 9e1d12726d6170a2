// rTasks: the published numbers of Rammer beside ours.

#include "device/simulated/rtask_latencies.h"
#include "reproduction/published_figures.h"
#include "reproduction/reproducer.h"
#include "reproduction/reproduction_steps.h"

#include <fmt/format.h>

#include <array>
#include <utility>
#include <vector>

namespace stagecraft {
namespace {

constexpr const char *kDevice = "v100";

std::array<double, 4> msOf(const RTaskLatencies &us)
{
    return {us.fastestAlone / 1000, us.fastestFused / 1000, us.thriftiestAlone / 1000, us.thriftiestFused / 1000};
}

Result<RTaskLatencies> latenciesOf(Reproducer &run, std::string_view model)
{
    TRY_AS(const auto on, run.open(std::string(model), 1, run.device()));
    return rTaskLatencies(kDevice, on.model.graph, on.model.blocks);
}

Figure kernelsOfResNeXt(const RTaskLatencies &us)
{
    Figure figure =
        newFigure("rtask-kernels", "ResNeXt-29, the kernel that is fastest alone and the thriftiest", "ms", "kernels");
    figure.note = "Rammer's kernels are TVM's, ours those of the simulated device: the order tells, not the numbers. "
                  "Thriftiest: the least time x blocks x threads.";
    figure.columns = {"latency"};
    constexpr std::array kTitles{"fastest, one after another", "fastest, fused", "thriftiest, one after another",
                                 "thriftiest, fused"};
    const std::array<double, 4> ours = msOf(us);
    for (std::size_t i = 0; i < ours.size(); ++i)
        figure.rows.push_back({kTitles[i], {{published::kRammerKernelsMs[i], ours[i]}}});
    figure.compared = false;
    return figure;
}

} // namespace

Result<void> reproduceRTasks(Reproducer &run)
{
    Figure networks =
        newFigure("rtasks", "Fused stages of rTasks, over the same kernels one after another", "x", "network");
    networks.note = "Rammer's wavefront policy on the simulated V100, each block as one fused stage. A barrier between "
                    "waves takes 1.5 us, which is assumed.";
    networks.columns = {"speed-up"};
    networks.compared = false;
    std::vector<RTaskLatencies> found;
    for (const published::RammerNetwork &network : published::kRammerNetworks) {
        TRY_AS(const RTaskLatencies us, latenciesOf(run, network.model));
        networks.rows.push_back(
            {std::string(network.title), {{network.baseMs / network.fusedMs, us.fastestAlone / us.byWaveFused}}});
        found.push_back(us);
    }
    const std::array<double, 4> ms = msOf(found.front());
    run.claim(
        "Fused, ResNeXt-29 is faster than one kernel after another, with the thriftiest kernels most; one after "
        "another the fastest kernels win",
        ms[0] < ms[2] && ms[1] < ms[0] && ms[2] / ms[3] > ms[0] / ms[1],
        fmt::format("{:.2f}x with the fastest kernels, {:.2f}x with the thriftiest", ms[0] / ms[1], ms[2] / ms[3]));
    run.add(std::move(networks));
    run.add(kernelsOfResNeXt(found.front()));
    run.leaveOut(
        fmt::format("That of ResNeXt-29 fused the thriftiest kernels are the fastest (4.63 against 6.09 ms): on "
                    "the simulated V100, with the tiles of its libraries, it is {:.2f} against {:.2f} ms.",
                    ms[3], ms[1]));
    run.leaveOut("Rammer at batch 4 and 16, its utilisation and its scheduling overhead, and TensorRT's and TVM's "
                 "times of these networks: other kernels, which the simulated devices do not have.");
    return {};
}

} // namespace stagecraft
