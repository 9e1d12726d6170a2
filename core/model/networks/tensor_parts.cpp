#include "model/networks/tensor_parts.h"

#include "operators/parameter_roles.h"
#include "operators/parameter_values.h"

#include <cmath>
#include <utility>

namespace stagecraft::parts {
namespace {

constexpr float kEpsilon = 1e-5F;

std::string roleOf(const std::string &operatorName, std::size_t place)
{
    return operatorName + "/" + role::operand(place);
}

} // namespace

Operator node(std::string name, OperatorKind kind, std::string type, const std::vector<TensorId> &tensors,
              std::vector<NamedAttribute> attributes, std::vector<Parameter> constants)
{
    Operator op;
    op.name = std::move(name);
    op.type = std::move(type);
    op.kind = kind;
    op.attributes = GenericAttributes{std::move(attributes)};
    for (const TensorId tensor : tensors)
        op.inputs.push_back({tensor});
    op.parameters = std::move(constants);
    return op;
}

Parameter constant(const std::string &operatorName, std::size_t place, std::vector<std::int64_t> dims,
                   std::vector<float> values)
{
    return {role::operand(place),
            roleOf(operatorName, place),
            {std::move(dims)},
            DataType::Float32,
            shared(std::move(values))};
}

Parameter constant(const std::string &operatorName, std::size_t place, std::vector<std::int64_t> values)
{
    const Shape shape{{static_cast<std::int64_t>(values.size())}};
    return {role::operand(place), roleOf(operatorName, place), shape, DataType::Int64, shared(std::move(values))};
}

TensorId product(NetworkWriter &net, const std::string &name, TensorId a, TensorId b)
{
    const Shape left = net.shape(a);
    const Shape right = net.shape(b);
    if (!left.known || !right.known)
        return {};
    Operator op;
    op.name = name;
    op.kind = OperatorKind::Gemm;
    op.attributes = GemmAttributes{right.dims.back(), left.dims.back(), false, {}};
    op.inputs = {{a}, {b}};
    return net.add(std::move(op));
}

TensorId groupedProduct(NetworkWriter &net, const std::string &name, TensorId input, std::int64_t outFeatures)
{
    const Shape shape = net.shape(input);
    if (!shape.known)
        return {};
    Parameter weight = seededParameter(role::operand(1), name, {shape.dims[0], shape.dims[2], outFeatures});
    return net.add(node(name, OperatorKind::Unknown, "MatMul", {input}, {}, {std::move(weight)}));
}

TensorId activation(NetworkWriter &net, const std::string &name, TensorId input, ActivationKind kind)
{
    return net.add({name, {}, OperatorKind::Activation, Activation{kind, 0, 0}, {{input}}, {}, {}});
}

TensorId softmax(NetworkWriter &net, const std::string &name, TensorId input)
{
    return net.add(node(name, OperatorKind::Softmax, "Softmax", {input}, {{"axis", std::int64_t{-1}}}));
}

TensorId layerNorm(NetworkWriter &net, const std::string &name, TensorId input)
{
    const Shape shape = net.shape(input);
    if (!shape.known)
        return {};
    const std::int64_t width = shape.dims.back();
    const std::vector<float> ones(static_cast<std::size_t>(width), 1.0F);
    return net.add(node(name, OperatorKind::Normalize, "LayerNormalization", {input},
                        {{"axis", std::int64_t{-1}}, {"epsilon", kEpsilon}},
                        {constant(name, 1, {width}, ones), seededParameter(role::operand(2), name, {width})}));
}

TensorId arithmetic(NetworkWriter &net, const std::string &name, const std::string &type, TensorId a, TensorId b)
{
    return net.add(node(name, OperatorKind::Elementwise, type, {a, b}));
}

TensorId scaled(NetworkWriter &net, const std::string &name, TensorId input, float factor)
{
    return net.add(node(name, OperatorKind::Elementwise, "Mul", {input}, {}, {constant(name, 1, {1}, {factor})}));
}

TensorId sum(NetworkWriter &net, const std::string &name, TensorId a, TensorId b)
{
    return net.join(name, {{a, b}});
}

TensorId joinedLast(NetworkWriter &net, const std::string &name, const std::vector<TensorId> &inputs)
{
    return net.add(node(name, OperatorKind::Elementwise, "Concat", inputs, {{"axis", std::int64_t{-1}}}));
}

std::vector<TensorId> splitLast(NetworkWriter &net, const std::string &name, TensorId input,
                                const std::vector<std::int64_t> &sizes)
{
    std::vector<Tensor> outputs;
    for (const std::int64_t size : sizes) {
        Shape shape = net.shape(input);
        if (shape.known)
            shape.dims.back() = size;
        outputs.push_back({name + "/" + std::to_string(outputs.size()), std::move(shape), DataType::Float32, {}});
    }
    return net.add(
        node(name, OperatorKind::Split, "Split", {input}, {{"axis", std::int64_t{-1}}}, {constant(name, 1, sizes)}),
        std::move(outputs));
}

TensorId gatherRows(NetworkWriter &net, const std::string &name, TensorId data, TensorId indices)
{
    Shape shape = net.shape(indices);
    const Shape rows = net.shape(data);
    if (rows.known)
        shape.dims.insert(shape.dims.end(), rows.dims.begin() + 1, rows.dims.end());
    return net
        .add(node(name, OperatorKind::Slice, "Gather", {data, indices}, {{"axis", std::int64_t{0}}}),
             {{name, std::move(shape), DataType::Float32, {}}})
        .front();
}

TensorId upsample(NetworkWriter &net, const std::string &name, TensorId image)
{
    return net.add(node(name, OperatorKind::Resize, "Resize", {image},
                        {{"coordinate_transformation_mode", std::string("asymmetric")},
                         {"mode", std::string("nearest")},
                         {"nearest_mode", std::string("floor")}},
                        {constant(name, 2, {4}, {1.0F, 1.0F, 2.0F, 2.0F})}));
}

TensorId heads(NetworkWriter &net, const std::string &name, TensorId input, std::int64_t count, bool turned)
{
    const Shape shape = net.shape(input);
    if (!shape.known)
        return {};
    const TensorId apart = net.reshape(name + "/reshape", input, {0, 0, count, shape.dims[2] / count});
    return net.transpose(name + "/transpose", apart,
                         turned ? std::vector<std::int64_t>{0, 2, 3, 1} : std::vector<std::int64_t>{0, 2, 1, 3});
}

TensorId attention(NetworkWriter &net, const std::string &name, TensorId query, TensorId key, TensorId value)
{
    const Shape from = net.shape(query);
    const Shape to = net.shape(value);
    if (!from.known || !to.known)
        return {};
    const float factor = 1.0F / std::sqrt(static_cast<float>(from.dims[3]));
    TensorId x = product(net, name + "/scores", query, key);
    x = softmax(net, name + "/softmax", scaled(net, name + "/scale", x, factor));
    x = product(net, name + "/values", x, value);
    x = net.transpose(name + "/transpose", x, {0, 2, 1, 3});
    return net.reshape(name + "/reshape", x, {0, 0, to.dims[1] * to.dims[3]});
}

TensorId multiHeadAttention(NetworkWriter &net, const std::string &name, TensorId tokens, TensorId context,
                            std::int64_t headCount, std::int64_t headSize)
{
    const Shape shape = net.shape(tokens);
    if (!shape.known)
        return {};
    const std::int64_t inner = headCount * headSize;
    const TensorId query = net.linear(name + "/query", tokens, inner);
    const TensorId key = net.linear(name + "/key", context, inner);
    const TensorId value = net.linear(name + "/value", context, inner);
    const TensorId attended =
        attention(net, name, heads(net, name + "/query", query, headCount),
                  heads(net, name + "/key", key, headCount, true), heads(net, name + "/value", value, headCount));
    return net.linear(name + "/output", attended, shape.dims.back());
}

TensorId feedForward(NetworkWriter &net, const std::string &name, TensorId input, std::int64_t hidden,
                     ActivationKind kind)
{
    const Shape shape = net.shape(input);
    if (!shape.known)
        return {};
    const TensorId up = net.linear(name + "/up", input, hidden);
    return net.linear(name + "/down", activation(net, name + "/activation", up, kind), shape.dims.back());
}

TensorId gatedFeedForward(NetworkWriter &net, const std::string &name, TensorId input, std::int64_t hidden)
{
    const Shape shape = net.shape(input);
    if (!shape.known)
        return {};
    const TensorId gate =
        activation(net, name + "/silu", net.linear(name + "/gate", input, hidden), ActivationKind::Silu);
    const TensorId up = net.linear(name + "/up", input, hidden);
    return net.linear(name + "/down", arithmetic(net, name + "/multiply", "Mul", gate, up), shape.dims.back());
}

} // namespace stagecraft::parts
