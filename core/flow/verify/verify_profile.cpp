#include "flow/verify/verify_profile.h"

#include "flow/import_profile.h"
#include "flow/verify/edge_order.h"
#include "support/number_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace stagecraft {
namespace {

// What began too early, over all runs.
struct EarlyStarts {
    std::size_t runs = 0;
    std::int64_t mostNs = 0; // before what it reads had ended
};

constexpr std::int64_t kNsOfUs = 1000;

// How exactly the file states times: in whole microseconds, or in nanoseconds.
std::int64_t resolutionNs(const Profile &profile)
{
    const bool isWhole = std::ranges::all_of(profile.kernels, [](const ProfiledKernel &kernel) {
        return *kernel.startNs % kNsOfUs == 0 && kernel.durationNs % kNsOfUs == 0;
    });
    return isWhole ? kNsOfUs : 1;
}

// How long before the end of the first the second began; 0: not before it. A stream orders its own kernels, which may
// overlap on purpose (programmatic dependent launch); between streams, times are rounded.
std::int64_t earlyNs(const ProfiledKernel &first, const ProfiledKernel &second, std::int64_t resolution)
{
    const std::int64_t early = *first.endNs() - *second.startNs;
    const bool isOneStream = first.stream == second.stream && first.stream != kNoPlace;
    const bool isOrdered = isOneStream ? *first.startNs <= *second.startNs : early <= resolution;
    return isOrdered ? 0 : early;
}

PlanFault wordedFault(const Graph &graph, const ObservedEdge &edge, const EarlyStarts &early, std::size_t runs)
{
    const std::string &from = graph.op(edge.from).name;
    const std::string &to = graph.op(edge.to).name;
    return {"began too early",
            fmt::format("{} began up to {} before {}, which it reads from, had ended, in {} of {}", to,
                        plainLatency(static_cast<double>(early.mostNs) / 1000), from, early.runs,
                        counted(static_cast<std::int64_t>(runs), "run")),
            fmt::format("Add an event from {} to {}", from, to),
            {from, to}};
}

} // namespace

Result<VerifiedPlan> verifyProfile(ProfileFile file, const Model &model, const std::stop_token &stop)
{
    std::vector<ProfileFile> files;
    files.push_back(std::move(file)); // it may be large
    TRY_AS(auto profile, profileOf(std::move(files), stop));
    if (profile.isHostTimeOfDevice ||
        !std::ranges::all_of(profile.kernels, [](const ProfiledKernel &kernel) { return kernel.startNs.has_value(); }))
        return refused("it does not say when kernels started and ended on the device",
                       "Give a trace with the times of kernels, of the PyTorch profiler or Nsight Systems");
    const ImportedProfile imported = bindProfile(model, std::move(profile));
    TRY(requireMapped(model, imported.mappings));
    const Graph &graph = *model.graph;
    const auto &runs = imported.times.runs.runs;
    const std::int64_t resolution = resolutionNs(imported.profile);
    VerifiedPlan verified;
    std::map<ObservedEdge, EarlyStarts> early;
    std::set<std::uint32_t> streams;
    for (std::size_t run = 0; run < runs.size(); ++run) {
        if (stop.stop_requested())
            return fail(ErrorCode::Cancelled, "cancelled");
        const KernelsOfOperators kernels = kernelsOfOperators(graph, runs[run], imported.mappings);
        const std::vector<ObservedEdge> edges = observedEdges(graph, kernels);
        const auto earlyBy = [&](std::uint32_t first, std::uint32_t second) {
            return earlyNs(imported.profile.kernels[first], imported.profile.kernels[second], resolution);
        };
        const auto isBefore = [&](std::uint32_t first, std::uint32_t second) { return earlyBy(first, second) == 0; };
        for (const ObservedEdge &edge : brokenEdges(edges, kernels, isBefore)) {
            EarlyStarts &starts = early[edge];
            ++starts.runs;
            for (const std::uint32_t first : kernels[edge.from.index()]) {
                for (const std::uint32_t second : kernels[edge.to.index()])
                    starts.mostNs = std::max(starts.mostNs, earlyBy(first, second));
            }
        }
        for (const std::uint32_t kernel : runs[run])
            streams.insert(imported.profile.kernels[kernel].stream);
        if (run != imported.times.typical)
            continue;
        verified.launches = runs[run].size();
        verified.edges = edges.size();
        verified.mappedOperators = mappedOperators(kernels);
        verified.notShown = mappingGaps(kernels, runs[run], imported.mappings);
    }
    verified.streams = streams.size();
    for (const auto &[edge, starts] : early)
        verified.faults.push_back(wordedFault(graph, edge, starts, runs.size()));
    verified.notShown.insert(verified.notShown.begin(),
                             {fmt::format("waits: a trace has the order of {}, which another run may not keep",
                                          counted(static_cast<std::int64_t>(runs.size()), "run")),
                              fmt::format("overlaps of kernels of one stream, which orders them, and of others by {} "
                                          "or less, as exactly as the file states times",
                                          resolution == 1 ? "1 ns" : "1 us"),
                              "memory"});
    return verified;
}

} // namespace stagecraft
