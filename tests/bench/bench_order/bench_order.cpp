// How many measurements the two orders of a search take (search/options.h, SearchOrder), on networks that the model of
// the learned one has not seen. Prints lines; nothing here passes or fails.
//   bench_order own|safe|assumed NETWORK...   on the simulated V100, with its bounds, or with them hidden
//   bench_order STORE NETWORK...              on recorded latencies of cpu: a latency store with all stages of the
//                                             networks, as optimize -d cpu --exhaustive leaves it; bounds assumed
//   bench_order time NETWORK...               of features and prediction, a stage

#include "device/simulated/simulated_device.h"
#include "measure/store/latency_store.h"
#include "model/built_in.h"
#include "search/order/latency_model.h"
#include "search/stages/search.h"
#include "search/stages/state_space.h"
#include "support/graph_making.h"

#include <chrono>
#include <cstdio>
#include <string_view>
#include <unordered_map>

using namespace stagecraft;
using namespace stagecraft::test;

namespace {

double seconds()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// A device that is slow enough for thinking to pay, and notes what it was asked for.
class Noting : public StageLatencySource {
public:
    std::vector<std::pair<Stage, double>> answers;
    std::vector<StageSample> known;

    Result<StageLatency> stageLatency(const StageQuestion &question, std::stop_token stop) override
    {
        auto latency = answer(question, std::move(stop));
        if (latency)
            answers.emplace_back(question.stage, latency->timing.latencyUs);
        return latency;
    }
    std::vector<StageSample> samples() override { return known; }
    [[nodiscard]] virtual Result<StageLatency> answer(const StageQuestion &question, std::stop_token stop) = 0;
};

class Simulated : public Noting {
public:
    Simulated(const std::shared_ptr<const Graph> &graph, bool hasBounds)
        : m_session(take(take(openSimulatedDevice("v100"))->open(graph))), m_hasBounds(hasBounds)
    {
    }
    Result<StageLatency> answer(const StageQuestion &question, std::stop_token stop) override
    {
        return m_session->stageLatency(question, std::move(stop));
    }
    BoundaryCost boundaryCost() const override { return m_session->boundaryCost(); }
    double lowerBoundUs(const Stage &stage) const override { return m_hasBounds ? m_session->lowerBoundUs(stage) : 0; }

private:
    std::unique_ptr<DeviceSession> m_session;
    bool m_hasBounds;
};

class Stored : public Noting {
public:
    Stored(const std::shared_ptr<const Graph> &graph, const std::string &path) : m_graph(graph), m_signer(*graph)
    {
        LatencyStore store = take(LatencyStore::open(path));
        for (const StoredSet &set : take(store.list()))
            m_timings.merge(take(store.latencies(set.context)));
    }
    Result<StageLatency> answer(const StageQuestion &question, std::stop_token) override
    {
        const auto found = m_timings.find(m_signer.sign(question.stage).toHex());
        if (found == m_timings.end())
            return fail(ErrorCode::DeviceFailed, "not recorded");
        return StageLatency{Timing::ofLatency(found->second.latencyUs), LatencyKind::Measured};
    }

private:
    std::shared_ptr<const Graph> m_graph;
    StageSigner m_signer;
    std::unordered_map<std::string, Timing> m_timings;
};

struct Network {
    std::string name;
    SourceGraph source;
    std::shared_ptr<const Graph> graph;
};

Network opened(const std::string &name)
{
    Network network{name, take(builtInNetwork(name)), nullptr};
    network.graph = std::make_shared<const Graph>(network.source.graph);
    return network;
}

std::unique_ptr<Noting> deviceFor(const std::string &kind, const Network &network)
{
    if (kind == "own" || kind == "safe" || kind == "assumed")
        return std::make_unique<Simulated>(network.graph, kind == "own");
    return std::make_unique<Stored>(network.graph, kind);
}

FoundSchedule searched(const std::string &kind, const Network &network, Noting &device, SearchOrder order)
{
    SearchOptions options;
    options.order = order;
    options.bounds = kind == "own" || kind == "safe" ? SearchBounds::Safe : SearchBounds::Assumed;
    options.clock = {[] { return SearchClock::Time{}; }}; // or answers that take no time would all be asked for
    return take(searchSchedule(network.source.graph, network.source.blocks, device, options));
}

// Of stages whose parts were answered, too.
std::vector<StageSample> samplesOf(const Network &network, const Noting &device)
{
    StageSigner signer(*network.graph);
    std::unordered_map<StageSignature, double> latencyUs;
    for (const auto &[stage, us] : device.answers)
        latencyUs[signer.sign(stage)] = us;
    const StageFeatures features(*network.graph);
    std::vector<StageSample> samples;
    for (const auto &[stage, us] : device.answers) {
        std::vector<double> partsUs;
        const std::vector<Stage> parts = partsOf(stage);
        for (const Stage &part : parts) {
            if (const auto found = latencyUs.find(signer.sign(part)); found != latencyUs.end())
                partsUs.push_back(found->second);
        }
        if (!parts.empty() && partsUs.size() == parts.size())
            samples.push_back(sampleOf(features, stage, partsUs, us));
    }
    return samples;
}

void print(const char *order, const Network &network, const FoundSchedule &found, std::int64_t ofBounds, double took)
{
    const SearchRecord &record = found.schedule.search;
    std::printf("%-13s %-22s %6lld measurements  %+5.1f %%  best %.3f us  gap %.4f  (%s)  trained on %lld, %.1f s\n",
                network.name.c_str(), order, static_cast<long long>(record.stageMeasurements),
                100 * (static_cast<double>(record.stageMeasurements) / static_cast<double>(ofBounds) - 1),
                *found.schedule.latencyUs(), record.gap, toString(record.termination).data(),
                static_cast<long long>(record.trainedOn), took);
    std::fflush(stdout);
}

void compareOrders(const std::string &kind, const std::vector<Network> &networks)
{
    std::vector<std::vector<StageSample>> samples;
    std::vector<std::int64_t> counts;
    for (const Network &network : networks) {
        const auto device = deviceFor(kind, network);
        const double begin = seconds();
        const FoundSchedule found = searched(kind, network, *device, SearchOrder::Bounds);
        counts.push_back(found.schedule.search.stageMeasurements);
        print("bounds", network, found, counts.back(), seconds() - begin);
        samples.push_back(samplesOf(network, *device));
    }
    for (std::size_t i = 0; i < networks.size(); ++i) {
        for (const bool hasSamples : {false, true}) {
            const auto device = deviceFor(kind, networks[i]);
            for (std::size_t other = 0; hasSamples && other < networks.size(); ++other) {
                if (other != i)
                    device->known.insert(device->known.end(), samples[other].begin(), samples[other].end());
            }
            const double begin = seconds();
            const FoundSchedule found = searched(kind, networks[i], *device, SearchOrder::Learned);
            print(hasSamples ? "learned, from others" : "learned, from nothing", networks[i], found, counts[i],
                  seconds() - begin);
        }
    }
}

void timePrediction(const Network &network)
{
    const auto device = deviceFor("assumed", network);
    static_cast<void>(searched("assumed", network, *device, SearchOrder::Bounds));
    const auto samples = samplesOf(network, *device);
    double begin = seconds();
    const auto model = take(LatencyModel::fit(samples));
    const double fitted = seconds() - begin;
    const StageFeatures features(*network.graph);
    std::vector<float> values;
    begin = seconds();
    for (const auto &[stage, us] : device->answers) {
        features.append(stage, values);
        StageFeatures::appendParts({&us, 1}, values);
    }
    const double described = seconds() - begin;
    begin = seconds();
    static_cast<void>(take(model->ratios(values)));
    const double predicted = seconds() - begin;
    const double stages = static_cast<double>(device->answers.size());
    std::printf("%-13s fit to %zu samples %.3f s; features %.5f ms, prediction %.5f ms a stage\n", network.name.c_str(),
                samples.size(), fitted, 1e3 * described / stages, 1e3 * predicted / stages);
}

} // namespace

int main(int count, char **words)
{
    const std::string kind = count > 1 ? words[1] : "assumed";
    std::vector<Network> networks;
    for (int i = 2; i < count; ++i)
        networks.push_back(opened(words[i]));
    if (networks.empty()) {
        for (const char *name : {"squeezenet", "googlenet", "inception_v3"})
            networks.push_back(opened(name));
    }
    if (kind != "time")
        compareOrders(kind, networks);
    for (const Network &network : networks) {
        if (kind == "time")
            timePrediction(network);
    }
    return 0;
}
