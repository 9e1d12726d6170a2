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

// By rows: of the image that a convolution makes, or of the matrix.
std::size_t rowAxis(const Graph &graph, OperatorId id)
{
    return graph.op(id).gemm() ? graph.outputShape(id).dims.size() - 2 : 2;
}

std::int64_t rowsOf(const Graph &graph, OperatorId id)
{
    return graph.outputShape(id).dims[rowAxis(graph, id)];
}

// The first channel or row of each part, and the end: whole granules where there are enough.
std::vector<std::int64_t> beginsOf(std::int64_t extent, std::int64_t parts, std::int64_t granule)
{
    granule = extent % granule == 0 && extent / granule >= parts ? granule : 1;
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

// Rows of the input from `begin` to `end`, and of zeros before and behind them.
struct RowsRead {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    std::int64_t before = 0;
    std::int64_t behind = 0;
};

// What the rows from `begin` to `end` of the output need. `rows`: of the input.
RowsRead rowsRead(const Operator &op, std::int64_t begin, std::int64_t end, std::int64_t rows)
{
    if (op.gemm())
        return {begin, end};
    const Window &window = op.conv()->window;
    const std::int64_t first = begin * window.stride[0] - window.padding[0];
    const std::int64_t last =
        (end - 1) * window.stride[0] - window.padding[0] + (window.kernel[0] - 1) * window.dilation[0] + 1;
    return {std::clamp<std::int64_t>(first, 0, rows), std::clamp<std::int64_t>(last, 0, rows),
            std::max<std::int64_t>(0, -first), std::max<std::int64_t>(0, last - rows)};
}

Operator sliceOf(const std::string &name, TensorId input, std::size_t axis, std::int64_t begin, std::int64_t end)
{
    Operator slice{name, "Slice", OperatorKind::Slice, GenericAttributes{}, {{input}}, {}, {}};
    for (const std::int64_t value : {begin, end, static_cast<std::int64_t>(axis)}) {
        const std::string role = role::operand(slice.parameters.size() + 1);
        slice.parameters.push_back({role, fmt::format("{}.{}", name, role), Shape{{1}}, DataType::Int64,
                                    shared(std::vector<std::int64_t>{value})});
    }
    return slice;
}

class Splitter {
public:
    Splitter(const Graph &graph, const OperatorSplits &splits, const std::set<std::string> &byRows)
        : m_graph(graph), m_splits(splits), m_byRows(byRows), m_builder(graph.name()), m_moved(graph.tensors().size())
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
        m_became.back().push_back({OperatorId::fromIndex(m_builder.size())});
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
        const bool byRows = m_byRows.contains(op.name);
        TRY(checkSplit(m_graph, id, parts, byRows));
        m_became.emplace_back();
        const std::size_t axis = byRows ? rowAxis(m_graph, id) : axisOf(m_graph, id);
        const std::vector<std::int64_t> begins =
            byRows ? beginsOf(rowsOf(m_graph, id), parts, 1) : beginsOf(extentOf(op), parts, kGranule);
        InputExpression joined;
        for (std::size_t i = 0; i + 1 < begins.size(); ++i) {
            Tensor output = m_graph.tensor(op.outputs.front());
            output.name = nameOfPart(op.name, static_cast<std::int64_t>(i) + 1);
            output.shape.dims[axis] = begins[i + 1] - begins[i];
            m_became.back().emplace_back();
            TRY_AS(auto part, byRows ? rowsOfPart(op, id, begins[i], begins[i + 1], output.name)
                                     : Result<Operator>(partOf(op, begins[i], begins[i + 1], output.name)));
            m_became.back().back().push_back(OperatorId::fromIndex(m_builder.size()));
            TRY_AS(const auto made, m_builder.addWithOutput(std::move(part), output));
            joined.push_back({made});
        }
        return add(joinOf(op, axis, std::move(joined)), id);
    }

    // The operator on the rows that it needs of each tensor that it reads.
    Result<Operator> rowsOfPart(const Operator &op, OperatorId id, std::int64_t begin, std::int64_t end,
                                const std::string &name)
    {
        const std::size_t axis = op.gemm() ? m_graph.inputShape(id).dims.size() - 2 : 2;
        const RowsRead rows = rowsRead(op, begin, end, m_graph.inputShape(id).dims[axis]);
        Operator part = op;
        part.name = name;
        if (part.conv()) {
            part.conv()->window.padding[0] = rows.before;
            part.conv()->window.padding[2] = rows.behind;
        }
        int slices = 0;
        for (auto &summands : part.inputs) {
            for (TensorId &input : summands) {
                Tensor taken = m_builder.tensor(input);
                taken.name = name + ".rows" + (slices > 0 ? std::to_string(slices + 1) : "");
                ++slices;
                taken.shape.dims[axis] = rows.end - rows.begin;
                m_became.back().back().push_back(OperatorId::fromIndex(m_builder.size()));
                TRY_AS(input, m_builder.addWithOutput(sliceOf(taken.name, input, axis, rows.begin, rows.end), taken));
            }
        }
        return part;
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
    const std::set<std::string> &m_byRows;
    GraphBuilder m_builder;
    std::vector<TensorId> m_moved; // by tensor of the graph before
    std::vector<std::vector<std::vector<OperatorId>>> m_became;
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

namespace {

Result<void> checkByChannels(const Operator &op)
{
    if (op.conv() && op.conv()->groups != 1)
        return refuse(op.name, "a convolution of groups is split already", "Split it by rows");
    if (op.parameter(role::kSlope))
        return refuse(op.name, "an activation with slopes of its own is not split", "Split it by rows");
    const Parameter *bias = op.parameter(role::kBias);
    if (bias && (bias->shape.elements() != extentOf(op) || bias->shape.dims.back() != extentOf(op)))
        return refuse(op.name, "its bias does not have one value a channel or column");
    return {};
}

// Each tensor it reads has the rows of what it reads.
Result<void> checkByRows(const Graph &graph, OperatorId id)
{
    const Operator &op = graph.op(id);
    const Shape &read = graph.inputShape(id);
    const std::size_t axes = op.gemm() ? 2 : 4;
    if (!read.known || read.dims.size() < axes || (op.conv() && read.dims.size() != axes) ||
        graph.outputShape(id).dims.size() != read.dims.size())
        return refuse(op.name, "it has no rows");
    for (const auto &summands : op.inputs) {
        for (const TensorId input : summands) {
            const Shape &shape = graph.tensor(input).shape;
            const std::size_t axis = op.gemm() ? read.dims.size() - 2 : 2;
            if (!shape.known || shape.dims.size() != read.dims.size() || shape.dims[axis] != read.dims[axis])
                return refuse(op.name, "what it reads, " + graph.tensor(input).name + ", has other rows");
        }
    }
    if (const Parameter *bias = op.parameter(role::kBias); op.gemm() && bias && bias->shape.elements() > extentOf(op))
        return refuse(op.name, "its bias has a value for each row");
    return {};
}

// Some row of the input for each part.
bool readsInEachPart(const Graph &graph, OperatorId id, std::int64_t parts)
{
    const Operator &op = graph.op(id);
    const std::size_t axis = op.gemm() ? graph.inputShape(id).dims.size() - 2 : 2;
    const auto begins = beginsOf(rowsOf(graph, id), parts, 1);
    for (std::size_t i = 0; i + 1 < begins.size(); ++i) {
        const RowsRead rows = rowsRead(op, begins[i], begins[i + 1], graph.inputShape(id).dims[axis]);
        if (rows.begin >= rows.end)
            return false;
    }
    return true;
}

} // namespace

Result<void> checkSplit(const Graph &graph, OperatorId id, std::int64_t parts, bool byRows)
{
    const Operator &op = graph.op(id);
    if (op.kind == OperatorKind::Fused)
        return refuse(op.name, "a unit of several operators is not split", "Read the model with --units none");
    if (op.kind != OperatorKind::Conv && op.kind != OperatorKind::Gemm)
        return refuse(op.name, "only convolutions and matrix products with weights are split, not " + displayType(op));
    const Parameter *weight = op.parameter(role::kWeight);
    if (op.gemm() && weight == nullptr)
        return refuse(op.name, "a product of two tensors is not split: it has no weight");
    if (op.gemm() && weight->shape.dims.size() != 2)
        return refuse(op.name, "a product of several matrices is not split");
    if (!graph.outputShape(id).known)
        return refuse(op.name, "its shape is not known");
    TRY(byRows ? checkByRows(graph, id) : checkByChannels(op));
    const std::int64_t extent = byRows ? rowsOf(graph, id) : extentOf(op);
    if (parts < 2 || parts > std::min(kMostParts, extent))
        return refuse(op.name,
                      fmt::format("it has {} {}, and cannot be split into {} parts", extent,
                                  byRows      ? "rows"
                                  : op.gemm() ? "columns"
                                              : "channels",
                                  parts),
                      fmt::format("Choose 2 to {}", std::min(kMostParts, extent)));
    if (byRows && !readsInEachPart(graph, id, parts))
        return refuse(op.name, "one of its parts would read nothing but padding", "Choose fewer parts");
    return {};
}

Blocks SplitGraph::blocksOf(const Blocks &before) const
{
    Blocks blocks = before;
    for (Block &block : blocks) {
        std::vector<OperatorId> now;
        for (const OperatorId id : block.operators) {
            for (const auto &chain : became[id.index()])
                now.insert(now.end(), chain.begin(), chain.end());
        }
        block.operators = std::move(now);
    }
    return blocks;
}

Result<SplitGraph> splitOperators(const Graph &graph, const OperatorSplits &splits, const std::set<std::string> &byRows)
{
    for (const auto &[name, parts] : splits) {
        if (!graph.find(name))
            return fail(ErrorCode::InvalidInput, "the model has no operator " + name + ", which is to be split",
                        "The names are those of its schedule units");
    }
    return Splitter(graph, splits, byRows).split();
}

} // namespace stagecraft
