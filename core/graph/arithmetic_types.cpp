#include "graph/cost_basis.h"
#include "graph/graph.h"
#include "operators/parameter_roles.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

namespace stagecraft {
namespace {

bool isReal(DataType type)
{
    return type == DataType::Float32 || type == DataType::Float16;
}

// The type of the multiplied weights: biases and scales often stay wider.
std::optional<DataType> weightType(const Operator &op)
{
    if (op.parameters.empty())
        return std::nullopt;
    for (const std::string_view role : {role::kWeight, role::kPointwiseWeight, role::kDepthwiseWeight}) {
        const Parameter *weight = op.parameter(role);
        if (weight && isReal(weight->type))
            return weight->type;
    }
    return std::nullopt;
}

// The type of all weights, if they share one: an input of another type is converted to it first.
std::optional<DataType> commonWeightType(const Graph &graph)
{
    std::optional<DataType> common;
    for (const Operator &op : graph.operators()) {
        const auto type = weightType(op);
        if (type && common && *type != *common)
            return std::nullopt;
        if (type)
            common = type;
    }
    return common;
}

DataType inputType(const Graph &graph, const Operator &op, const std::vector<DataType> &made)
{
    for (const auto &part : op.inputs) {
        for (const TensorId id : part) {
            const Tensor &tensor = graph.tensor(id);
            if (isReal(tensor.type))
                return tensor.producer.isValid() ? made[tensor.producer.index()] : tensor.type;
        }
    }
    return DataType::Float32;
}

} // namespace

std::vector<DataType> arithmeticTypes(const Graph &graph)
{
    if (const auto common = commonWeightType(graph))
        return std::vector<DataType>(graph.size(), *common);
    std::vector<DataType> types;
    types.reserve(graph.size());
    for (const Operator &op : graph.operators())
        types.push_back(weightType(op).value_or(inputType(graph, op, types)));
    return types;
}

} // namespace stagecraft
