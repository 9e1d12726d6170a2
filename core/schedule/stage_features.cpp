#include "schedule/stage_features.h"

#include "graph/operator_cost.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <set>

namespace stagecraft {

namespace {

// Of a concurrent stage, the share of what is not its slowest group that does not hide behind that; of a group, a
// merge and a fused stage, the share of the sum of its operators.
constexpr double kConcurrentShare = 0.25;
constexpr double kInterleavedShare = 0.85;
constexpr double kMergedShare = 0.75;
constexpr double kFusedShare = 0.5;

constexpr int kKinds = 7;

enum Kind { kConv, kGroupedConv, kSepConv, kPool, kProduct, kElementwise, kOther };

Kind kindOf(const Operator &op)
{
    switch (op.kind) {
    case OperatorKind::Conv: return op.conv() && op.conv()->groups > 1 ? kGroupedConv : kConv;
    case OperatorKind::SepConv: return kSepConv;
    case OperatorKind::Pool: return kPool;
    case OperatorKind::Gemm: return kProduct;
    case OperatorKind::Activation:
    case OperatorKind::Join:
    case OperatorKind::BatchNorm:
    case OperatorKind::Elementwise: return kElementwise;
    default: return kOther;
    }
}

double area(const Window &window)
{
    return static_cast<double>(window.kernel[0] * window.kernel[1]);
}

double windowOf(const Operator &op)
{
    if (const ConvAttributes *conv = op.conv())
        return area(conv->window);
    if (const SepConvAttributes *separable = op.sepConv())
        return area(separable->window);
    if (const PoolAttributes *pool = op.pool())
        return area(pool->window);
    return 1;
}

// Sum, largest and least of a quantity over operators or groups.
struct Spread {
    double sum = 0, most = 0, least = 0, second = 0;
    std::size_t count = 0;

    void add(double value)
    {
        sum += value;
        least = count == 0 ? value : std::min(least, value);
        second = std::max(std::min(most, value), second);
        most = std::max(most, value);
        ++count;
    }
};

float logOf(double value)
{
    return static_cast<float>(std::log2(1 + value));
}

float share(double part, double whole)
{
    return static_cast<float>(whole > 0 ? part / whole : 0);
}

} // namespace

std::vector<Stage> partsOf(const Stage &stage)
{
    std::vector<Stage> parts;
    if (stage.operatorCount() < 2)
        return parts;
    const auto add = [&](std::vector<OperatorId> group) {
        Stage part;
        part.block = stage.block;
        part.groups.push_back(std::move(group));
        parts.push_back(std::move(part));
    };
    for (const auto &group : stage.groups) {
        if (formOf(stage.strategy, stage.groups.size()) == StageForm::Concurrent) {
            add(group);
            continue;
        }
        for (const OperatorId id : group)
            add({id});
    }
    return parts;
}

StageForm formOf(Strategy strategy, std::size_t groups)
{
    if (strategy != Strategy::Concurrent)
        return strategy == Strategy::Merge ? StageForm::Merge : StageForm::Fused;
    return groups > 1 ? StageForm::Concurrent : StageForm::OneGroup;
}

double guessFromParts(StageForm form, std::span<const double> partsUs)
{
    const double sum = std::accumulate(partsUs.begin(), partsUs.end(), 0.0);
    if (form == StageForm::OneGroup)
        return kInterleavedShare * sum;
    if (form == StageForm::Merge)
        return kMergedShare * sum;
    if (form == StageForm::Fused)
        return kFusedShare * sum;
    const double most = partsUs.empty() ? 0 : std::ranges::max(partsUs);
    return most + kConcurrentShare * (sum - most);
}

StageFeatures::StageFeatures(const Graph &graph) : m_graph(graph)
{
    m_operators.reserve(graph.size());
    for (std::size_t i = 0; i < graph.size(); ++i) {
        const OperatorId id = OperatorId::fromIndex(i);
        const Operator &op = graph.op(id);
        const Shape &shape = graph.outputShape(id);
        OfOperator made{flops(graph, id), memoryBytes(graph, id), 1, windowOf(op), 0, kindOf(op)};
        for (const std::int64_t extent : shape.dims)
            made.outputs *= static_cast<double>(std::max<std::int64_t>(1, extent));
        made.channels = shape.dims.size() > 1 ? static_cast<double>(std::max<std::int64_t>(0, shape.dims[1])) : 0;
        m_operators.push_back(made);
    }
}

void StageFeatures::appendParts(std::span<const double> partsUs, std::vector<float> &to)
{
    Spread parts;
    for (const double us : partsUs)
        parts.add(us);
    to.insert(to.end(), {logOf(parts.sum), share(parts.most, parts.sum), share(parts.second, parts.sum),
                         share(parts.least, parts.sum)});
}

void StageFeatures::append(const Stage &stage, std::vector<float> &to) const
{
    Spread flopsOf, bytesOf, outputsOf, windows, channels, groupFlops, groupBytes, groupSizes, intensities;
    std::array<int, kKinds> kinds{};
    std::set<TensorId> inputs;
    for (const auto &group : stage.groups) {
        double groupOps = 0, groupTraffic = 0;
        for (const OperatorId id : group) {
            const OfOperator &op = m_operators[id.index()];
            flopsOf.add(op.flops);
            bytesOf.add(op.bytes);
            outputsOf.add(op.outputs);
            windows.add(op.window);
            channels.add(op.channels);
            intensities.add(op.flops / std::max(1.0, op.bytes));
            ++kinds[static_cast<std::size_t>(op.kind)];
            groupOps += op.flops;
            groupTraffic += op.bytes;
            for (const auto &part : m_graph.op(id).inputs)
                inputs.insert(part.begin(), part.end());
        }
        groupFlops.add(groupOps);
        groupBytes.add(groupTraffic);
        groupSizes.add(static_cast<double>(group.size()));
    }
    const double operators = static_cast<double>(stage.operatorCount());
    to.insert(to.end(), {static_cast<float>(stage.strategy),
                         static_cast<float>(operators),
                         static_cast<float>(stage.groups.size()),
                         static_cast<float>(groupSizes.most),
                         static_cast<float>(inputs.size()),
                         logOf(flopsOf.sum),
                         logOf(flopsOf.most),
                         logOf(flopsOf.least),
                         logOf(bytesOf.sum),
                         logOf(bytesOf.most),
                         logOf(bytesOf.least),
                         logOf(outputsOf.sum),
                         logOf(outputsOf.most),
                         logOf(outputsOf.least),
                         logOf(flopsOf.sum / std::max(1.0, bytesOf.sum)),
                         logOf(intensities.most),
                         logOf(intensities.least),
                         share(groupFlops.most, groupFlops.sum),
                         share(groupFlops.second, groupFlops.sum),
                         share(groupBytes.most, groupBytes.sum),
                         share(groupBytes.second, groupBytes.sum),
                         static_cast<float>(windows.most),
                         static_cast<float>(windows.sum / operators),
                         logOf(channels.most),
                         logOf(channels.least)});
    for (const int count : kinds)
        to.push_back(static_cast<float>(count / operators));
}

StageSample sampleOf(const StageFeatures &features, const Stage &stage, std::span<const double> partsUs,
                     double latencyUs)
{
    StageSample sample;
    sample.features.reserve(StageFeatures::kCount);
    features.append(stage, sample.features);
    StageFeatures::appendParts(partsUs, sample.features);
    sample.guessedUs = guessFromParts(formOf(stage.strategy, stage.groups.size()), partsUs);
    sample.latencyUs = latencyUs;
    return sample;
}

} // namespace stagecraft
