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

std::int64_t earlyNs(const Profile &profile, const KernelsOfOperators &kernels, const ObservedEdge &edge)
{
    std::int64_t most = 0;
    for (const std::uint32_t first : kernels[edge.from.index()]) {
        for (const std::uint32_t second : kernels[edge.to.index()])
            most = std::max(most, *profile.kernels[first].endNs() - *profile.kernels[second].startNs);
    }
    return most;
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
    VerifiedPlan verified;
    std::map<ObservedEdge, EarlyStarts> early;
    std::set<std::uint32_t> streams;
    for (std::size_t run = 0; run < runs.size(); ++run) {
        const KernelsOfOperators kernels = kernelsOfOperators(graph, runs[run], imported.mappings);
        const std::vector<ObservedEdge> edges = observedEdges(graph, kernels);
        const auto isBefore = [&](std::uint32_t first, std::uint32_t second) {
            return imported.profile.kernels[first].endNs() <= imported.profile.kernels[second].startNs;
        };
        for (const ObservedEdge &edge : brokenEdges(edges, kernels, isBefore)) {
            EarlyStarts &starts = early[edge];
            ++starts.runs;
            starts.mostNs = std::max(starts.mostNs, earlyNs(imported.profile, kernels, edge));
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
                              "memory"});
    return verified;
}

} // namespace stagecraft
