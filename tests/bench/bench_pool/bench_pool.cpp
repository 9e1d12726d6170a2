// How much faster pools of four and eight members prove the same optimum than one device, when a stage takes 50 ms
// (exact simulated answers that really wait as long).
//   bench_pool [NETWORK] [R] [S] [MILLISECONDS]

#include "model/built_in.h"
#include "search/stages/search.h"
#include "support/fake_pool.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

using namespace stagecraft;
using namespace stagecraft::test;

namespace {

struct Run {
    double seconds = 0;
    SearchRecord search;
    std::vector<Stage> stages;
    std::vector<MemberCounts> members{};
};

Result<Run> runOn(std::size_t members, const std::shared_ptr<const Graph> &graph, const Blocks &blocks,
                  const SearchOptions &options, FakeHardware &hardware)
{
    std::unique_ptr<DeviceSession> session;
    if (members == 1) {
        TRY_AS(auto device, openSimulatedDevice("v100"));
        TRY_AS(session, FakeMember(std::move(device), hardware, "a").open(graph));
    } else {
        TRY_AS(const auto pool, fakePool(members, hardware));
        TRY_AS(session, pool->open(graph));
    }
    const auto begin = std::chrono::steady_clock::now();
    TRY_AS(auto found, searchSchedule(*graph, blocks, *session, options, {}, {}));
    Run run{std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(),
            std::move(found.schedule.search), std::move(found.schedule.stages)};
    if (session->members())
        run.members = session->members()->counts();
    return run;
}

} // namespace

int main(int argc, char **argv)
{
    auto source = builtInNetwork(argc > 1 ? argv[1] : "nasnet");
    if (!source) {
        std::fprintf(stderr, "%s\n", source.error().message.c_str());
        return 2;
    }
    const auto graph = std::make_shared<const Graph>(std::move(source->graph));
    SearchOptions options;
    options.r = argc > 2 ? std::atoi(argv[2]) : 1;
    options.s = argc > 3 ? std::atoi(argv[3]) : 4;
    FakeHardware hardware;
    hardware.delay = std::chrono::milliseconds(argc > 4 ? std::atoi(argv[4]) : 50);
    std::optional<Run> alone;
    for (const std::size_t members : {1, 2, 4, 8}) {
        const auto run = runOn(members, graph, source->blocks, options, hardware);
        if (!run) {
            std::fprintf(stderr, "%s\n", run.error().message.c_str());
            return 1;
        }
        if (!alone)
            alone = *run;
        const auto asked = static_cast<double>(run->search.stageMeasurements);
        std::int64_t stages = 0;
        std::int64_t inVain = 0;
        for (const MemberCounts &member : run->members) {
            stages += member.stages;
            inVain += member.inVain;
        }
        const double delay = std::chrono::duration<double>(hardware.delay).count();
        const double ownSeconds = run->seconds - asked * delay / static_cast<double>(members);
        std::printf("%zu: %.2f s, %.2f times as fast, %.0f stages asked for, %lld timed and used, %lld in vain, "
                    "%.2f ms a stage beside its share of the measuring, gap %g, %s\n",
                    members, run->seconds, alone->seconds / run->seconds, asked, static_cast<long long>(stages),
                    static_cast<long long>(inVain), ownSeconds / asked * 1e3, run->search.gap,
                    run->stages == alone->stages && run->search.sumUs == alone->search.sumUs ? "same schedule"
                                                                                             : "ANOTHER SCHEDULE");
        std::fflush(stdout);
    }
    return 0;
}
