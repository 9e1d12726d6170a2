// A recommender with lookups of categories beside a small network for numbers (DLRM, Naumov et al. 2019): bottom
// network, a bag of rows from each table that are added, products of all pairs, top network. One input of row numbers
// for each table.

#include "model/networks/networks.h"
#include "model/networks/tensor_parts.h"

#include "operators/parameter_roles.h"
#include "operators/parameter_values.h"

#include <fmt/format.h>
#include <utility>

namespace stagecraft {
namespace {

// [batch, width]
TensorId lookup(NetworkWriter &net, const std::string &name, TensorId indices, const GeneratorValues &of)
{
    Shape shape = net.shape(indices);
    shape.dims.push_back(of["width"]);
    Operator gather =
        parts::node(name + "/lookup", OperatorKind::Slice, "Gather", {indices}, {{"axis", std::int64_t{0}}},
                    {seededParameter(role::operand(0), name, {of["rows"], of["width"]})});
    const TensorId rows =
        net.add(std::move(gather), {{name + "/rows", std::move(shape), DataType::Float32, {}}}).front();
    if (of["bag"] == 1)
        return net.reshape(name + "/row", rows, {0, of["width"]});
    const std::string sum = name + "/sum";
    return net.add(parts::node(sum, OperatorKind::Reduce, "ReduceSum", {rows}, {{"keepdims", std::int64_t{0}}},
                               {parts::constant(sum, 1, {1})}));
}

// The products of all pairs, without repeats, of [batch, vectors, width]: [batch, pairs].
TensorId pairs(NetworkWriter &net, TensorId vectors, std::int64_t count)
{
    const TensorId all =
        parts::product(net, "interaction/products", vectors, net.transpose("interaction/turn", vectors, {0, 2, 1}));
    const TensorId flat = net.reshape("interaction/flatten", all, {0, count * count});
    std::vector<std::int64_t> below;
    for (std::int64_t row = 1; row < count; ++row) {
        for (std::int64_t column = 0; column < row; ++column)
            below.push_back(row * count + column);
    }
    const std::string name = "interaction/pairs";
    return net.add(parts::node(name, OperatorKind::Slice, "Gather", {flat}, {{"axis", std::int64_t{1}}},
                               {parts::constant(name, 1, std::move(below))}));
}

} // namespace

Result<SourceGraph> recommender(const GeneratorValues &of, std::int64_t batch)
{
    constexpr std::int64_t kNumbers = 13;     // of Criteo's data
    constexpr std::size_t kTablesOfBlock = 6; // side by side: a search takes a time that grows with each
    const std::int64_t width = of["width"];
    NetworkWriter net("dlrm", batch);
    TensorId x = net.input("numbers", {batch, kNumbers});
    std::vector<TensorId> indices;
    for (std::int64_t table = 0; table < of["tables"]; ++table)
        indices.push_back(net.input(fmt::format("rows{}", table), {batch, of["bag"]}, DataType::Int64));
    net.beginBlock();
    x = net.linearRelu("bottom/linear1", x, of["bottom"]);
    x = net.linearRelu("bottom/linear2", x, of["bottom"] / 2);
    x = net.linearRelu("bottom/linear3", x, width);
    InputExpression joined{{x}};
    for (std::size_t table = 0; table < indices.size(); ++table) {
        if (table > 0 && table % kTablesOfBlock == 0)
            net.beginBlock();
        joined.push_back({lookup(net, fmt::format("table{}", table), indices[table], of)});
    }
    const auto count = static_cast<std::int64_t>(joined.size());
    net.beginBlock();
    const TensorId vectors =
        net.reshape("interaction/vectors", net.join("interaction/join", std::move(joined)), {0, count, width});
    TensorId top = net.join("top/join", {{x}, {pairs(net, vectors, count)}});
    net.beginBlock();
    top = net.linearRelu("top/linear1", top, of["top"]);
    top = net.linearRelu("top/linear2", top, of["top"] / 2);
    top = net.linear("top/linear3", top, 1);
    parts::activation(net, "top/sigmoid", top, ActivationKind::Sigmoid);
    return net.finish();
}

} // namespace stagecraft
