// Benchmarks of the search (issue 3): counting, the dynamic program, measurements to a proved optimum, and searches
// that must be quick. Prints one line each; nothing here passes or fails.
//   bench_search [count|solve|measurements|no-source-bound|budget|streams]...   all of them without arguments, and
//   bench_search gpu-bounds [DEVICE NETWORK]...

#include "observed_bounds.h"

#include "device/simulated/simulated_device.h"
#include "model/built_in.h"
#include "search/stages/count.h"
#include "search/stages/dynamic_program.h"
#include "search/stages/search.h"
#include "search/streams/nimble.h"
#include "search/streams/opara.h"
#include "support/graph_making.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <sys/resource.h>
#include <thread>

using namespace stagecraft;
using namespace stagecraft::test;

namespace {

constexpr const char *kNetworks[] = {"squeezenet", "inception_v3", "nasnet", "randwire"};

double seconds()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double peakMib()
{
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) / 1024;
}

SearchOptions unpruned()
{
    SearchOptions options;
    options.strategies = StrategySet::Parallel;
    options.r = options.s = std::nullopt;
    return options;
}

void count()
{
    double total = 0;
    for (const char *network : kNetworks) {
        const SourceGraph source = take(builtInNetwork(network));
        const double begin = seconds();
        std::int64_t transitions = 0;
        for (const Block &block : source.blocks)
            transitions += take(countSpace(source.graph, block, unpruned())).transitions;
        const double took = seconds() - begin;
        total += took;
        std::printf("count unpruned    %-13s %9lld transitions  %.3f s\n", network, static_cast<long long>(transitions),
                    took);
    }
    std::printf("count unpruned    all four in %.3f s, peak %.0f MiB\n", total, peakMib());
}

void solveAll(const char *what, const SearchOptions &options)
{
    constexpr SpaceLimits kEverything{1'000'000, 30'000'000, 30'000'000};
    for (const char *network : kNetworks) {
        const SourceGraph source = take(builtInNetwork(network));
        double built = 0, solved = 0;
        std::size_t transitions = 0;
        for (std::size_t b = 0; b < source.blocks.size(); ++b) {
            double begin = seconds();
            const auto space =
                buildStateSpace(makeBlockView(source.graph, source.blocks[b], b), options, kEverything, {});
            built += seconds() - begin;
            std::vector<double> latencyUs;
            for (const SpaceStage &stage : space->stages)
                latencyUs.push_back(5 + 3.0 * size(stage.operators));
            BlockSolution solution;
            begin = seconds();
            static_cast<void>(solve(*space, latencyUs, {}, {0, 0}, solution, {}));
            solved += seconds() - begin;
            transitions += space->transitions.size();
        }
        std::printf("%-17s %-13s %9zu transitions  %.0f M/s enumerated and held, %.0f M/s solved from a table\n", what,
                    network, transitions, 1e-6 * static_cast<double>(transitions) / built,
                    1e-6 * static_cast<double>(transitions) / solved);
    }
    std::printf("%-17s peak %.0f MiB\n", what, peakMib());
}

FoundSchedule search(const char *network, StageLatencySource *(*wrap)(std::unique_ptr<DeviceSession>),
                     const SearchOptions &options)
{
    const SourceGraph source = take(builtInNetwork(network));
    auto session = take(take(openSimulatedDevice("v100"))->open(std::make_shared<const Graph>(source.graph)));
    const std::unique_ptr<StageLatencySource> wrapped(wrap(std::move(session)));
    return take(searchSchedule(source.graph, source.blocks, *wrapped, options));
}

// The simulated GPU without its known bound, or as slow to answer as a real one.
class Wrapped : public StageLatencySource {
public:
    Wrapped(std::unique_ptr<DeviceSession> session, bool bounds, std::chrono::microseconds delay)
        : m_session(std::move(session)), m_bounds(bounds), m_delay(delay)
    {
    }
    Result<StageLatency> stageLatency(const StageQuestion &question, std::stop_token stop) override
    {
        std::this_thread::sleep_for(m_delay);
        return m_session->stageLatency(question, stop);
    }
    BoundaryCost boundaryCost() const override { return m_session->boundaryCost(); }

    bool chains = false;
    bool chainsAddUp() const override { return chains; }
    double lowerBoundUs(const Stage &stage) const override { return m_bounds ? m_session->lowerBoundUs(stage) : 0; }

private:
    std::unique_ptr<DeviceSession> m_session;
    bool m_bounds;
    std::chrono::microseconds m_delay;
};

StageLatencySource *asIs(std::unique_ptr<DeviceSession> session)
{
    return session.release();
}
// Slow enough that thinking pays off; otherwise the search asks for everything.
StageLatencySource *withoutBound(std::unique_ptr<DeviceSession> session)
{
    return new Wrapped(std::move(session), false, std::chrono::microseconds(100));
}
StageLatencySource *slow(std::unique_ptr<DeviceSession> session)
{
    return new Wrapped(std::move(session), true, std::chrono::milliseconds(5));
}

void print(const char *what, const char *network, const FoundSchedule &result, double bestUs)
{
    const SearchRecord &record = result.schedule.search;
    std::printf(
        "%-17s %-13s %7lld measurements  %.2f %% above the optimum, proved within %.1f %%  %.1f s thinking  (%s)\n",
        what, network, static_cast<long long>(record.stageMeasurements),
        100 * (*result.schedule.latencyUs() / bestUs - 1), 100 * record.gap, record.searchSeconds,
        toString(record.termination).data());
    if (const auto &assumption = record.assumption)
        std::printf(
            "%-31s assumed: %s; broken by %lld of %lld measured stages, by up to %.0f %%; without it: %.1f %%\n", "",
            assumption->text.c_str(), static_cast<long long>(assumption->stagesBroken),
            static_cast<long long>(assumption->stagesChecked), 100 * assumption->worst, 100 * assumption->gapWithout);
    std::fflush(stdout);
}

// Measurements until a proof within 2 % and until a full proof, with the simulator's bound and without it, as on a real
// GPU. Without it: by what always holds, and under the assumption stated in the result.
void measurements(bool withBound)
{
    for (const char *network : kNetworks) {
        SearchOptions options;
        options.exhaustive = true;
        const FoundSchedule best = search(network, asIs, options);
        print("exhaustive", network, best, *best.schedule.latencyUs());
        options.exhaustive = false;
        for (const double epsilon : {0.02, 0.0}) {
            options.epsilon = epsilon;
            const auto run = [&](const char *what, StageLatencySource *(*wrap)(std::unique_ptr<DeviceSession>)) {
                print(what, network, search(network, wrap, options), *best.schedule.latencyUs());
            };
            if (withBound) {
                run("source's bound", asIs);
                continue;
            }
            options.bounds = SearchBounds::Assumed;
            run("assumed bounds", withoutBound);
            options.bounds = SearchBounds::Safe;
            run("safe bounds", withoutBound);
        }
    }
    std::printf("peak %.0f MiB\n", peakMib());
}

// Measurements until a full proof with bounds that a real GPU could have. A bound that is above a latency proves what
// is not so: the distance to the optimum shows it.
void gpuBounds(std::span<char *const> only)
{
    const auto wanted = [&](const char *name) {
        return only.empty() ||
               std::ranges::any_of(only, [&](const char *word) { return std::strcmp(word, name) == 0; });
    };
    struct Case {
        const char *what;
        ObservedParts parts;
        SearchBounds bounds;
    };
    constexpr Case kCases[]{
        {"groups", {.groups = true}, SearchBounds::Safe},
        {"+ active SMs", {.groups = true, .activeSms = true}, SearchBounds::Safe},
        {"+ warps, DRAM", {.groups = true, .warps = true, .dram = true}, SearchBounds::Safe},
        {"+ launches", {.groups = true, .warps = true, .dram = true, .launches = true}, SearchBounds::Safe},
        {"ordered", {.ordered = true}, SearchBounds::Safe},
        {"host order", {.hostOrder = true}, SearchBounds::Safe},
        {"host, assumed", {.hostOrder = true}, SearchBounds::Assumed},
        {"ordered, assumed", {.ordered = true}, SearchBounds::Assumed}};
    // Kernels that a host launches, as published; and as in CUDA graphs.
    for (const char *name : {"v100", "h200*launch_us=0,cudnn_call_us=0"}) {
        const auto device = take(findDeviceDescription(name));
        for (const char *network : kNetworks) {
            if (!wanted(network) || !wanted(name))
                continue;
            const SourceGraph source = take(builtInNetwork(network));
            const auto opened = [&] {
                return take(take(openSimulatedDevice(name))->open(std::make_shared<const Graph>(source.graph)));
            };
            const auto searched = [&](StageLatencySource &latencies, SearchBounds bounds) {
                SearchOptions options;
                options.bounds = bounds;
                options.maxSeconds = 120;
                return take(searchSchedule(source.graph, source.blocks, latencies, options));
            };
            std::printf("sim:%s\n", name);
            const double bestUs = *searched(*opened(), SearchBounds::Safe).schedule.latencyUs();
            print("its own", network, searched(*opened(), SearchBounds::Safe), bestUs);
            for (const bool chains : {false, true}) {
                for (const auto &[what, bounds] :
                     {std::pair{"safe", SearchBounds::Safe}, std::pair{"assumed", SearchBounds::Assumed}}) {
                    Wrapped without(opened(), false, std::chrono::microseconds(100));
                    without.chains = chains;
                    print((std::string(chains ? "chains, " : "none, ") + what).c_str(), network,
                          searched(without, bounds), bestUs);
                }
            }
            for (const Case &each : kCases) {
                ObservedBounds observed(opened(), device, source.graph, sequentialSchedule(source.graph, source.blocks),
                                        each.parts);
                print(each.what, network, searched(observed, each.bounds), bestUs);
                if (&each != &kCases[0])
                    continue;
                for (const ObservedBounds::Check &check : observed.checks())
                    std::printf("%-17s %-13s %-10s %7lld stages measured, above the latency of %lld, by up to %.1f %%; "
                                "%.2f of it "
                                "in the mean\n",
                                "", network, check.what, static_cast<long long>(check.stages),
                                static_cast<long long>(check.broken), 100 * check.worst, check.tightness);
            }
        }
    }
}

void budget()
{
    for (const char *network : kNetworks) {
        SearchOptions options;
        options.exhaustive = true;
        const FoundSchedule best = search(network, asIs, options);
        options.exhaustive = false;
        options.maxSeconds = 10;
        print("10 s, 5 ms each", network, search(network, slow, options), *best.schedule.latencyUs());
    }
}

// How long it takes to give operators to streams: published for NASNet are 1.75 ms (Opara) and 258 ms (Nimble).
void streams()
{
    constexpr int kTimes = 5;
    for (const char *name : {"googlenet", "inception_v3", "randwire", "nasnet"}) {
        const Graph graph = builtInNetwork(name)->graph;
        std::vector<OparaDemand> demands;
        for (const Operator &op : graph.operators())
            demands.push_back({isMemoryBoundFor(op), 0});
        const auto time = [&](const char *rule, const auto &make) {
            double best = 1e9;
            std::uint32_t count = 0;
            for (int i = 0; i < kTimes; ++i) {
                const double start = seconds();
                count = make().count;
                best = std::min(best, seconds() - start);
            }
            std::printf("%-14s %-8s %3u streams in %.3f ms\n", name, rule, count, best * 1e3);
        };
        time("nimble", [&] { return nimbleStreams(graph); });
        time("opara", [&] { return oparaStreams(graph, demands); });
    }
}

} // namespace

int main(int argc, char **argv)
{
    const auto wanted = [&](const char *name) {
        for (int i = 1; i < argc; ++i) {
            if (std::strcmp(argv[i], name) == 0)
                return true;
        }
        return argc == 1;
    };
    if (wanted("count"))
        count();
    if (wanted("solve")) {
        solveAll("program, pruned", {});
        solveAll("program, unpruned", unpruned());
    }
    if (wanted("measurements"))
        measurements(true);
    if (wanted("no-source-bound"))
        measurements(false);
    if (wanted("gpu-bounds"))
        gpuBounds(std::span(argv, static_cast<std::size_t>(argc)).subspan(std::min(argc, 2)));
    if (wanted("budget"))
        budget();
    if (wanted("streams"))
        streams();
    return 0;
}
