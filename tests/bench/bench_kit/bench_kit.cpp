// How many rounds of kits prove the optimum, where a simulated device plays the machine that nothing connects to and
// others guess it. A row a network: stages by round, the gap after each, and how far the first and the last schedule
// are from the optimum.
//   bench_kit REMOTE LIKE MOST [NETWORK]...     bench_kit v100 k80 5000 nasnet

#include "device/simulated/simulated_device.h"
#include "flow/open_model.h"
#include "model/built_in.h"
#include "support/graph_making.h"
#include "support/kit_rounds.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

using namespace stagecraft;
using namespace stagecraft::test;

namespace {

constexpr int kRounds = 5;

double seconds()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void rounds(const std::string &network, const std::string &remote, const KitPlanRequest &request)
{
    const Model model = take(openModel({.spec = network})).model;
    const auto session = take(take(openSimulatedDevice(remote))->open(model.graph));
    const double bestUs =
        *take(searchSchedule(*model.graph, model.blocks, *session, request.options)).schedule.latencyUs();
    double begin = seconds();
    KitPlan plan = take(firstKit(model, request, {}, {}));
    RecordedLatencies recording;
    for (int round = 1; round <= kRounds; ++round) {
        const double planned = seconds() - begin;
        answerKit(*model.graph, plan, *session, recording);
        begin = seconds();
        const auto known = take(KnownStages::make(model.graph, recording));
        const NextKit next = take(nextKit(model, *known, request, {}, {}));
        const SearchRecord &search = next.found.schedule.search;
        std::printf("%-14s round %d  %6zu stages (%zu lines)  %.1f us (%.2f %% over)  gap %.2f %%  wanted %zu  %s%s  "
                    "planned in %.1f s\n",
                    network.c_str(), round, plan.stages.size(), recording.stages.size(), search.sumUs,
                    100 * (search.sumUs / bestUs - 1), 100 * search.gap, next.wanted, next.isProved ? "proved" : "",
                    next.plan.isWhole ? "next proves" : "", planned);
        std::fflush(stdout);
        if (next.isProved)
            break;
        plan = next.plan;
    }
}

} // namespace

int main(int argc, char **argv)
{
    if (argc < 4)
        return 2;
    KitPlanRequest request;
    request.options.bounds = SearchBounds::Auto;
    for (std::string rest = argv[2]; !rest.empty();) {
        const std::size_t comma = rest.find(',');
        request.like.push_back(rest.substr(0, comma));
        rest = comma == std::string::npos ? "" : rest.substr(comma + 1);
    }
    request.mostStages = static_cast<std::size_t>(std::atoll(argv[3]));
    if (argc > 4) {
        for (int i = 4; i < argc; ++i)
            rounds(argv[i], argv[1], request);
        return 0;
    }
    for (const BuiltInNetwork &network : builtInNetworks())
        rounds(std::string(network.name), argv[1], request);
    return 0;
}
