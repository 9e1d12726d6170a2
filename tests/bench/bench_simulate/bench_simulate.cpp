// How long the simulated V100 takes for a stage: percentiles over the different stages that an exhaustive search of
// each network asks for (both strategies, r = 3, s = 8). Stages with the same kernels in the same groups count once,
// since a session remembers them. Issue 4: median under 20 us, 99th percentile under 300 us on one core.
//   bench_simulate [NETWORK]...   inception_v3, nasnet and randwire without arguments

#include "device/simulated/lowering.h"
#include "device/simulated/simulated_device.h"
#include "model/built_in.h"
#include "search/stages/search.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <set>
#include <string>
#include <vector>

using namespace stagecraft;

namespace {

// Forwards requests and times those that are new.
class TimedSource final : public StageLatencySource {
public:
    TimedSource(DeviceSession &session, const Graph &graph) : m_session(session)
    {
        Lowering lowering(*findDeviceDescription("v100"));
        std::vector<std::vector<Kernel>> classes;
        for (std::size_t i = 0; i < graph.size(); ++i) {
            const std::vector<Kernel> kernels = lowering.lower(graph, OperatorId::fromIndex(i), DataType::Float32);
            const auto known = std::ranges::find(classes, kernels);
            m_classOf.push_back(static_cast<std::size_t>(known - classes.begin()));
            if (known == classes.end())
                classes.push_back(kernels);
        }
    }

    Result<StageLatency> stageLatency(const StageQuestion &question, std::stop_token stop) override
    {
        const Stage &stage = question.stage;
        std::vector<std::vector<std::size_t>> key;
        for (const auto &group : stage.groups) {
            key.emplace_back();
            for (const OperatorId id : group)
                key.back().push_back(m_classOf[id.index()]);
        }
        std::ranges::sort(key);
        if (stage.strategy == Strategy::Merge)
            key.emplace_back(); // distinguishes it from a stage with the same operators side by side
        const bool first = m_asked.insert(std::move(key)).second;
        const auto begin = std::chrono::steady_clock::now();
        auto latency = m_session.stageLatency(question, std::move(stop));
        const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - begin;
        if (first)
            m_tookUs.push_back(took.count());
        return latency;
    }
    [[nodiscard]] BoundaryCost boundaryCost() const override { return m_session.boundaryCost(); }

    void print(const std::string &network)
    {
        std::ranges::sort(m_tookUs);
        const auto at = [&](double share) {
            return m_tookUs[static_cast<std::size_t>(share * static_cast<double>(m_tookUs.size() - 1))];
        };
        std::printf("%-13s %7zu stages  median %6.1f us  90 %% %6.1f us  99 %% %6.1f us  longest %7.1f us\n",
                    network.c_str(), m_tookUs.size(), at(0.5), at(0.9), at(0.99), at(1));
    }

private:
    DeviceSession &m_session;
    std::vector<std::size_t> m_classOf;
    std::set<std::vector<std::vector<std::size_t>>> m_asked;
    std::vector<double> m_tookUs;
};

} // namespace

int main(int argc, char **argv)
{
    std::vector<std::string> networks(argv + 1, argv + argc);
    if (networks.empty())
        networks = {"inception_v3", "nasnet", "randwire"};
    for (const std::string &network : networks) {
        Result<SourceGraph> source = builtInNetwork(network);
        if (!source) {
            std::fprintf(stderr, "%s\n", source.error().message.c_str());
            return 2;
        }
        const auto graph = std::make_shared<const Graph>(std::move(source->graph));
        const auto session = *(*openSimulatedDevice("v100"))->open(graph);
        TimedSource timed(*session, *graph);
        SearchOptions options;
        options.exhaustive = true;
        if (!searchSchedule(*graph, source->blocks, timed, options))
            return 1;
        timed.print(network);
    }
    return 0;
}
