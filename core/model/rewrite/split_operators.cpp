#include "model/rewrite/split_operators.h"

#include "operators/parameter_roles.h"
#include "operators/parameter_values.h"
#include "operators/schema.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

namespace stagecraft {
namespace {

constexpr std::int64_t kGranule = 8; // channels of a block of the layouts that devices prefer

tl::unexpected<Error> refuse(const std::string &op, std::string reason, std::string remedy = {})
{
    return within("operator " + op, Error{ErrorCode::InvalidInput, std::move(reason), std::move(remedy), {}});
}

// Channels or columns.
std::int64_t extentOf(const Operator &op)
{
    return op.gemm() ? op.gemm()->outFeatures : op.conv()->outChannels;
}

std::size_t axisOf(const Graph &graph, OperatorId id)
{
    return graph.op(id).gemm() ? graph.outputShape(id).dims.size() - 1 : 1;
}

// The first channel of each part, and the end: whole granules where there are enough.
std::vector<std::int64_t> beginsOf(std::int64_t extent, std::int64_t parts)
{
    const std::int64_t granule = extent % kGranule == 0 && extent / kGranule >= parts ? kGranule : 1;
    std::vector<std::int64_t> begins;
    for (std::int64_t part = 0; part <= parts; ++part)
        begins.push_back(extent / granule * part / parts * granule);
    return begins;
}

// Which of a constant's values belong to a part: the channels from `begin` to `end` of `extent`, in each of `rows`.
struct PartOfValues {
    std::int64_t rows = 1;
    std::int64_t begin = 0;
    std::int64_t end = 0;
    std::int64_t extent = 0;
};

// The values of a part, taken from the whole when something first needs them.
class PartValues final : public StoredValues {
public:
    PartValues(Parameter whole, PartOfValues part) : m_whole(std::move(whole)), m_part(part) {}

    std::size_t count() const override
    {
        return static_cast<std::size_t>(m_whole.shape.elements() / m_part.extent * (m_part.end - m_part.begin));
    }
    bool areReal() const override { return true; }
    std::optional<Error> fault() const override { return m_whole.values.fault(); }

    std::shared_ptr<const ConstantValues> read() const override
    {
        std::call_once(m_once, [this] {
            const auto values = parameterValues(m_whole);
            const std::int64_t pitch = std::ssize(*values) / m_part.rows;
            const std::int64_t each = pitch / m_part.extent;
            std::vector<float> part;
            part.reserve(count());
            for (auto row = values->begin(); row != values->end(); row += pitch)
                part.insert(part.end(), row + m_part.begin * each, row + m_part.end * each);
            m_values = std::make_shared<const ConstantValues>(std::move(part));
        });
        return m_values;
    }

private:
    Parameter m_whole;
    PartOfValues m_part;
    mutable std::once_flag m_once;
    mutable std::shared_ptr<const ConstantValues> m_values;
};

Parameter partOf(const Parameter &parameter, const Operator &op, std::int64_t begin, std::int64_t end,
                 const std::string &name)
{
    const bool isWeight = parameter.role == role::kWeight;
    const bool ofColumns = isWeight && op.gemm() && !op.gemm()->transposeB;
    Parameter part{parameter.role, name + "." + parameter.role, parameter.shape, parameter.type, {}, {}};
    // A bias may have sizes of 1 before its own.
    part.shape.dims[ofColumns || !isWeight ? part.shape.dims.size() - 1 : 0] = end - begin;
    const PartOfValues which{ofColumns ? op.gemm()->inFeatures : 1, begin, end, extentOf(op)};
    part.values = std::shared_ptr<const StoredValues>(std::make_shared<PartValues>(parameter, which));
    return part;
}

Operator partOf(const Operator &op, std::int64_t begin, std::int64_t end, std::string name)
{
    Operator part = op;
    part.name = std::move(name);
    if (auto *gemm = std::get_if<GemmAttributes>(&part.attributes))
        gemm->outFeatures = end - begin;
    else
        part.conv()->outChannels = end - begin;
    for (Parameter &parameter : part.parameters)
        parameter = partOf(parameter, op, begin, end, part.name);
    return part;
}

class Splitter {
public:
    Splitter(const Graph &graph, const OperatorSplits &splits)
        : m_graph(graph), m_splits(splits), m_builder(graph.name()), m_moved(graph.tensors().size())
    {
    }

    Result<SplitGraph> split() &&
    {
        for (const TensorId input : m_graph.inputs()) {
            const Tensor &tensor = m_graph.tensor(input);
            TRY_AS(m_moved[input.index()], m_builder.addInput(tensor.name, tensor.shape, tensor.type, tensor.layout));
        }
        for (std::size_t i = 0; i < m_graph.size(); ++i) {
            const OperatorId id = OperatorId::fromIndex(i);
            const auto asked = m_splits.find(m_graph.op(id).name);
            TRY(asked == m_splits.end() ? keep(id) : split(id, asked->second));
        }
        std::vector<TensorId> outputs;
        for (const TensorId output : m_graph.outputs())
            outputs.push_back(m_moved[output.index()]);
        TRY_AS(auto built, std::move(m_builder).build(std::move(outputs)));
        return SplitGraph{std::move(built), std::move(m_became)};
    }

private:
    Operator moved(Operator op) const
    {
        for (auto &part : op.inputs)
            std::ranges::transform(part, part.begin(), [&](TensorId id) { return m_moved[id.index()]; });
        return op;
    }

    Result<void> add(Operator op, OperatorId with)
    {
        std::vector<Tensor> outputs;
        for (const TensorId output : m_graph.op(with).outputs)
            outputs.push_back(m_graph.tensor(output));
        m_became.back().push_back(OperatorId::fromIndex(m_builder.size()));
        TRY_AS(const auto ids, m_builder.add(std::move(op), std::move(outputs)));
        for (std::size_t i = 0; i < ids.size(); ++i)
            m_moved[m_graph.op(with).outputs[i].index()] = ids[i];
        return {};
    }

    Result<void> keep(OperatorId id)
    {
        m_became.emplace_back();
        return add(moved(m_graph.op(id)), id);
    }

    Result<void> split(OperatorId id, std::int64_t parts)
    {
        const Operator op = moved(m_graph.op(id));
        TRY(checkSplit(m_graph, id, parts));
        m_became.emplace_back();
        const std::size_t axis = axisOf(m_graph, id);
        const std::vector<std::int64_t> begins = beginsOf(extentOf(op), parts);
        InputExpression joined;
        for (std::size_t i = 0; i + 1 < begins.size(); ++i) {
            Tensor output = m_graph.tensor(op.outputs.front());
            output.name = nameOfPart(op.name, static_cast<std::int64_t>(i) + 1);
            output.shape.dims[axis] = begins[i + 1] - begins[i];
            m_became.back().push_back(OperatorId::fromIndex(m_builder.size()));
            TRY_AS(const auto part, m_builder.addWithOutput(partOf(op, begins[i], begins[i + 1], output.name), output));
            joined.push_back({part});
        }
        return add(joinOf(op, axis, std::move(joined)), id);
    }

    static Operator joinOf(const Operator &op, std::size_t axis, InputExpression parts)
    {
        Operator join{nameOfJoin(op.name), "Concat", OperatorKind::Join, GenericAttributes{}, std::move(parts), {}, {}};
        if (axis != 1) { // joins are of channels
            join.kind = OperatorKind::Elementwise;
            join.attributes = GenericAttributes{{{"axis", static_cast<std::int64_t>(axis)}}};
        }
        return join;
    }

    const Graph &m_graph;
    const OperatorSplits &m_splits;
    GraphBuilder m_builder;
    std::vector<TensorId> m_moved; // by tensor of the graph before
    std::vector<std::vector<OperatorId>> m_became;
};

} // namespace

std::string nameOfPart(const std::string &op, std::int64_t part)
{
    return fmt::format("{}.part{}", op, part);
}

std::string nameOfJoin(const std::string &op)
{
    return op + ".join";
}

Result<void> checkSplit(const Graph &graph, OperatorId id, std::int64_t parts)
{
    const Operator &op = graph.op(id);
    if (op.kind == OperatorKind::Fused)
        return refuse(op.name, "a unit of several operators is not split", "Read the model with --units none");
    if (op.kind != OperatorKind::Conv && op.kind != OperatorKind::Gemm)
        return refuse(op.name, "only convolutions and matrix products with weights are split, not " + displayType(op));
    if (op.conv() && op.conv()->groups != 1)
        return refuse(op.name, "a convolution of groups is split already");
    const Parameter *weight = op.parameter(role::kWeight);
    if (op.gemm() && weight == nullptr)
        return refuse(op.name, "a product of two tensors is not split: it has no weight");
    if (op.gemm() && weight->shape.dims.size() != 2)
        return refuse(op.name, "a product of several matrices is not split");
    if (op.parameter(role::kSlope))
        return refuse(op.name, "an activation with slopes of its own is not split");
    const Parameter *bias = op.parameter(role::kBias);
    if (bias && (bias->shape.elements() != extentOf(op) || bias->shape.dims.back() != extentOf(op)))
        return refuse(op.name, "its bias does not have one value a channel or column");
    if (!graph.outputShape(id).known)
        return refuse(op.name, "its shape is not known");
    if (parts < 2 || parts > std::min(kMostParts, extentOf(op)))
        return refuse(op.name,
                      fmt::format("it has {} {}, and cannot be split into {} parts", extentOf(op),
                                  op.gemm() ? "columns" : "channels", parts),
                      fmt::format("Choose 2 to {}", std::min(kMostParts, extentOf(op))));
    return {};
}

Blocks SplitGraph::blocksOf(const Blocks &before) const
{
    Blocks blocks = before;
    for (Block &block : blocks) {
        std::vector<OperatorId> now;
        for (const OperatorId id : block.operators)
            now.insert(now.end(), became[id.index()].begin(), became[id.index()].end());
        block.operators = std::move(now);
    }
    return blocks;
}

Result<SplitGraph> splitOperators(const Graph &graph, const OperatorSplits &splits)
{
    for (const auto &[name, parts] : splits) {
        if (!graph.find(name))
            return fail(ErrorCode::InvalidInput, "the model has no operator " + name + ", which is to be split",
                        "The names are those of its schedule units");
    }
    return Splitter(graph, splits).split();
}

} // namespace stagecraft
