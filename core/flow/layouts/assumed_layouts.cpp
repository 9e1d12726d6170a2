#include "flow/layouts/assumed_layouts.h"

#include "schedule/layouts/laid_out_graph.h"

#include <map>

namespace stagecraft {
namespace {

constexpr LayoutIndex kNchw = 0;
constexpr LayoutIndex kNhwc = 1;
constexpr std::int64_t kMany = 8;

double nhwcRatio(const Graph &graph, OperatorId id)
{
    const Operator &op = graph.op(id);
    if (!op.conv())
        return 1;
    const bool isFew = graph.inputShape(id).channels() / op.conv()->groups < kMany;
    const PublishedConvolution &like = isFew ? kFewChannels : kManyChannels;
    return like.nhwcMs / like.nchwMs;
}

} // namespace

Result<void> canAssumeLayouts(const std::string &deviceId)
{
    if (deviceId == "sim:v100")
        return {};
    return fail(ErrorCode::WrongUse, "no published figures say what layouts take on " + deviceId,
                "Choose cpu, a GPU or sim:v100");
}

Result<LayoutCosts> assumedLayouts(const Model &model, const Device &device, const std::stop_token &stop)
{
    const DeviceInfo info = device.info();
    TRY(canAssumeLayouts(info.id));
    const Graph &graph = *model.graph;
    const std::vector<TensorLayout> layouts{TensorLayout::RowMajor, TensorLayout::ChannelsLast};
    LayoutCosts costs{layoutProblemOf(graph, {"NCHW", "NHWC"}, kNchw),
                      {model.name, info.id, std::string(toString(Provenance::Assumed)), graph.batch()}};
    TRY_AS(auto session, device.open(model.graph));
    for (std::size_t i = 0; i < graph.size(); ++i) {
        const auto id = OperatorId::fromIndex(i);
        TRY_AS(const auto latency, session->stageLatency(stageAlone(id), stop));
        for (const LayoutPair pair : layoutPairsOf(graph, id, layouts)) {
            // Kernels that read one layout and write the other are not in the figures.
            const bool isPublished = pair.in == pair.out || !graph.op(id).conv();
            const double ratio = pair.in == kNhwc && pair.out == kNhwc ? nhwcRatio(graph, id) : 1;
            if (isPublished)
                costs.problem.operators[i].choices.push_back({pair, latency.timing.latencyUs * ratio});
        }
    }
    ProfileGraph conversions(graph);
    std::map<std::vector<std::int64_t>, std::uint32_t> tables;
    std::vector<OperatorId> ids;
    for (std::size_t i = 0; i < graph.tensors().size(); ++i) {
        const Tensor &tensor = graph.tensors()[i];
        if (!isImage(tensor))
            continue;
        const auto [place, fresh] = tables.try_emplace(tensor.shape.dims, static_cast<std::uint32_t>(ids.size() + 1));
        costs.problem.tensors[i].conversions = place->second;
        if (!fresh)
            continue;
        TRY_AS(const auto id, conversions.addConversion(tensor.shape, layouts[kNchw], layouts[kNhwc]));
        ids.push_back(id);
    }
    if (ids.empty()) // no images
        return costs;
    TRY_AS(auto built, conversions.build());
    TRY_AS(auto moving, device.open(std::make_shared<const Graph>(std::move(built))));
    for (const OperatorId id : ids) {
        TRY_AS(const auto latency, moving->stageLatency(stageAlone(id), stop));
        const double us = latency.timing.latencyUs;
        costs.problem.conversionTables.push_back({kImpossible, us, us, kImpossible});
    }
    return costs;
}

} // namespace stagecraft
