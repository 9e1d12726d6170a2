#include "plan/tensors.h"

#include <algorithm>

namespace stagecraft::plan {
namespace {

// Whether these channels can be written straight into the joined tensor.
bool fits(const MemoryRules &rules, const View &joined, TensorLayout layout, std::int64_t channel,
          std::int64_t channels)
{
    if (channel % joined.block != 0 || channels % joined.block != 0)
        return false;
    if (rules.strided == MemoryRules::Strided::Always) {
        const auto isEven = [&](std::int64_t bound) {
            return layout != TensorLayout::ChannelsLast || bound * rules.elementBytes % rules.strideBytes == 0;
        };
        return isEven(channel) && isEven(channels) && isEven(joined.dims[kChannelAxis]);
    }
    return isDense(sliced(joined, kChannelAxis, channel, channels), layout);
}

std::vector<int> joinsByTensor(const Graph &graph, const TensorPlan &plan)
{
    std::vector<int> count(graph.tensors().size());
    for (const Operator &op : graph.operators()) {
        if (!op.isConcat() || !plan.isHeld(op.outputs.front()))
            continue;
        for (const auto &part : op.inputs) {
            for (const TensorId tensor : part)
                ++count[tensor.index()];
        }
    }
    return count;
}

void chooseAliases(const Graph &graph, TensorPlan &plan)
{
    const std::vector<int> joinsOf = joinsByTensor(graph, plan);
    plan.aliases.resize(graph.tensors().size());
    for (const Operator &op : graph.operators()) {
        if (!op.isConcat() || !plan.isHeld(op.outputs.front()) ||
            graph.tensor(op.outputs.front()).shape.dims.size() < 2)
            continue;
        const TensorId joined = op.outputs.front();
        const TensorLayout layout = plan.layouts[joined.index()];
        const View whole = denseView(0, graph.tensor(joined).shape.dims, layout);
        std::int64_t channel = 0;
        for (const auto &part : op.inputs) {
            const TensorId tensor = part.front();
            const std::int64_t channels = graph.tensor(tensor).shape.channels();
            if (part.size() == 1 && joinsOf[tensor.index()] == 1 && graph.tensor(tensor).producer.isValid() &&
                plan.layouts[tensor.index()] == layout && fits(plan.rules, whole, layout, channel, channels))
                plan.aliases[tensor.index()] = ConcatAlias{joined, channel};
            channel += channels;
        }
    }
}

void findOnlyJoined(const Graph &graph, TensorPlan &plan)
{
    plan.onlyJoined.assign(graph.tensors().size(), true);
    for (const TensorId output : graph.outputs())
        plan.onlyJoined[output.index()] = false;
    for (const Operator &op : graph.operators()) {
        for (const auto &part : op.inputs) {
            for (const TensorId tensor : part) {
                if (part.size() > 1 || !op.isConcat() || !plan.isHeld(op.outputs.front()))
                    plan.onlyJoined[tensor.index()] = false;
            }
        }
    }
}

} // namespace

TensorPlan planTensors(const Graph &graph, std::vector<TensorLayout> layouts, const MemoryRules &rules,
                       std::vector<Planes> planes)
{
    TensorPlan plan{rules, std::move(layouts), {}, {}, {}, std::move(planes)};
    findOnlyJoined(graph, plan);
    chooseAliases(graph, plan);
    return plan;
}

TensorLayout jointLayout(std::span<const TensorLayout> layouts, std::span<const TensorId> tensors)
{
    const TensorLayout first = layouts[tensors.front().index()];
    const bool same = std::ranges::all_of(tensors, [&](TensorId tensor) { return layouts[tensor.index()] == first; });
    return same ? first : TensorLayout::RowMajor;
}

TensorLayout jointLayout(std::span<const TensorLayout> layouts, const InputExpression &inputs)
{
    std::vector<TensorId> firsts;
    for (const auto &part : inputs)
        firsts.push_back(part.front());
    return jointLayout(layouts, firsts);
}

Extent jointDims(const Graph &graph, const InputExpression &inputs)
{
    Extent dims = graph.tensor(inputs.front().front()).shape.dims;
    for (std::size_t part = 1; part < inputs.size() && dims.size() > kChannelAxis; ++part)
        dims[kChannelAxis] += graph.tensor(inputs[part].front()).shape.channels();
    return dims;
}

} // namespace stagecraft::plan
