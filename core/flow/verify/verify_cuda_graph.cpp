#include "flow/verify/verify_cuda_graph.h"

#include "flow/verify/cuda_graph_dot.h"
#include "flow/verify/edge_order.h"
#include "plan/program_faults.h"
#include "schedule/streams/launch_order.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

namespace stagecraft {
namespace {

// Which nodes come before which.
class NodeOrder {
public:
    static Result<NodeOrder> of(const CudaGraphFile &graph, const std::stop_token &stop)
    {
        const std::size_t count = graph.nodes.size();
        if (count > plan::kMostCheckedLaunches)
            return refused(
                fmt::format("it has {} nodes, and {} can be checked together", count, plan::kMostCheckedLaunches),
                "Capture a part of the model");
        std::vector<std::vector<std::uint32_t>> before(count);
        std::vector<std::vector<std::uint32_t>> after(count);
        std::vector<std::size_t> missing(count);
        for (const auto &[from, to] : graph.edges) {
            before[to].push_back(from);
            after[from].push_back(to);
            ++missing[to];
        }
        NodeOrder made(count);
        std::vector<std::uint32_t> ready;
        for (std::uint32_t node = 0; node < count; ++node) {
            if (missing[node] == 0)
                ready.push_back(node);
        }
        for (std::uint32_t place = 0; place < ready.size(); ++place) {
            if (stop.stop_requested())
                return fail(ErrorCode::Cancelled, "cancelled");
            const std::uint32_t node = ready[place];
            made.m_places[node] = place;
            std::vector<std::uint32_t> waits;
            for (const std::uint32_t earlier : before[node])
                waits.push_back(made.m_places[earlier]);
            made.m_order.append(LaunchOrder::kFirst, waits);
            for (const std::uint32_t later : after[node]) {
                if (--missing[later] == 0)
                    ready.push_back(later);
            }
        }
        if (ready.size() < count)
            return refused("its edges go round in a circle", "Print the graph again");
        return made;
    }

    [[nodiscard]] bool isBefore(std::uint32_t one, std::uint32_t other) const
    {
        return m_order.isBefore(m_places[one], m_places[other]);
    }

private:
    explicit NodeOrder(std::size_t count) : m_order(count), m_places(count) {}

    LaunchOrder m_order; // in an order in which they may run
    std::vector<std::uint32_t> m_places;
};

PlanFault wordedFault(const Graph &graph, const ObservedEdge &edge)
{
    const std::string &from = graph.op(edge.from).name;
    const std::string &to = graph.op(edge.to).name;
    return {"no path",
            fmt::format("{} reads from {}, and no path of the graph makes it wait for all of its kernels", to, from),
            fmt::format("Add an event from {} to {} to what is captured", from, to),
            {from, to}};
}

} // namespace

Result<VerifiedPlan> verifyCudaGraph(std::string_view text, const Model &model, const std::stop_token &stop)
{
    TRY_AS(const auto file, cudaGraphFromDot(text));
    TRY_AS(const auto order, NodeOrder::of(file, stop));
    Profile launched;
    std::vector<std::uint32_t> nodes; // by kernel
    for (std::uint32_t node = 0; node < file.nodes.size(); ++node) {
        if (file.nodes[node].kernel.empty())
            continue;
        launched.kernels.push_back(ProfiledKernel{.name = file.nodes[node].kernel});
        nodes.push_back(node);
    }
    std::vector<std::uint32_t> all;
    KernelMappings mappings;
    const NodeNames names(model);
    for (std::uint32_t kernel = 0; kernel < nodes.size(); ++kernel) {
        all.push_back(kernel);
        mappings.push_back(names.find(launched.kernels[kernel].name));
    }
    mapByOrder(*model.graph, launched, all, mappings);
    TRY(requireMapped(model, mappings));
    const KernelsOfOperators kernels = kernelsOfOperators(*model.graph, all, mappings);
    const std::vector<ObservedEdge> edges = observedEdges(*model.graph, kernels);
    VerifiedPlan verified;
    verified.launches = nodes.size();
    verified.edges = edges.size();
    verified.mappedOperators = mappedOperators(kernels);
    for (const ObservedEdge &edge : brokenEdges(edges, kernels, [&](std::uint32_t first, std::uint32_t second) {
             return order.isBefore(nodes[first], nodes[second]);
         }))
        verified.faults.push_back(wordedFault(*model.graph, edge));
    verified.notShown = mappingGaps(kernels, all, mappings);
    verified.notShown.insert(verified.notShown.begin(), "memory: which bytes kernels read and write");
    return verified;
}

} // namespace stagecraft
