#include "model/networks/network_writer.h"

#include "operators/parameter_roles.h"
#include "operators/parameter_values.h"
#include "operators/schema.h"

#include <utility>

namespace stagecraft {
namespace {

constexpr Activation kNone{};
constexpr Activation kRelu{ActivationKind::Relu, 0, 0};
constexpr Activation kRelu6{ActivationKind::Relu6, 0, 0};

} // namespace

NetworkWriter::NetworkWriter(std::string name, std::int64_t batch) : m_builder(std::move(name)), m_batch(batch) {}

TensorId NetworkWriter::input(std::int64_t channels, std::int64_t size)
{
    return this->input("input", {m_batch, channels, size, size});
}

TensorId NetworkWriter::input(const std::string &name, std::vector<std::int64_t> dims, DataType type)
{
    if (m_error)
        return {};
    auto added = m_builder.addInput(name, {std::move(dims)}, type);
    if (!added)
        m_error = std::move(added.error());
    return added.value_or(TensorId{});
}

TensorId NetworkWriter::convRelu(std::string name, TensorId input, const ConvShape &shape)
{
    return convolution(std::move(name), input, shape, kNone, kRelu);
}

TensorId NetworkWriter::convRelu6(std::string name, TensorId input, const ConvShape &shape)
{
    return convolution(std::move(name), input, shape, kNone, kRelu6);
}

TensorId NetworkWriter::reluConv(std::string name, TensorId input, const ConvShape &shape)
{
    return convolution(std::move(name), input, shape, kRelu, kNone);
}

TensorId NetworkWriter::conv(std::string name, TensorId input, const ConvShape &shape)
{
    return convolution(std::move(name), input, shape, kNone, kNone);
}

TensorId NetworkWriter::convolution(std::string name, TensorId input, const ConvShape &shape, Activation before,
                                    Activation after)
{
    if (m_error)
        return {};
    ConvAttributes attributes;
    attributes.outChannels = shape.outChannels;
    attributes.window.kernel = shape.kernel;
    attributes.window.stride = {shape.stride, shape.stride};
    attributes.window.padding = {shape.padding[0], shape.padding[1], shape.padding[0], shape.padding[1]};
    attributes.groups = shape.groups;
    attributes.before = before;
    attributes.after = after;
    Operator op;
    op.kind = OperatorKind::Conv;
    op.attributes = attributes;
    op.inputs = {{input}};
    op.parameters = {
        seededParameter(role::kWeight, name,
                        {shape.outChannels, channelsOf(op.inputs) / shape.groups, shape.kernel[0], shape.kernel[1]}),
        seededParameter(role::kBias, name, {shape.outChannels})};
    op.name = std::move(name);
    return add(std::move(op));
}

TensorId NetworkWriter::reluSepConv(std::string name, InputExpression inputs, std::int64_t outChannels,
                                    std::int64_t kernel, std::int64_t stride)
{
    if (m_error)
        return {};
    const std::int64_t channels = channelsOf(inputs);
    const std::int64_t padding = kernel / 2;
    SepConvAttributes attributes;
    attributes.outChannels = outChannels;
    attributes.window = {{kernel, kernel}, {stride, stride}, {1, 1}, {padding, padding, padding, padding}};
    attributes.before = kRelu;
    Operator op;
    op.kind = OperatorKind::SepConv;
    op.attributes = attributes;
    op.inputs = std::move(inputs);
    op.parameters = {seededParameter(role::kDepthwiseWeight, name, {channels, 1, kernel, kernel}),
                     seededParameter(role::kDepthwiseBias, name, {channels}),
                     seededParameter(role::kPointwiseWeight, name, {outChannels, channels, 1, 1}),
                     seededParameter(role::kPointwiseBias, name, {outChannels})};
    op.name = std::move(name);
    return add(std::move(op));
}

TensorId NetworkWriter::pool(std::string name, TensorId input, const PoolShape &shape)
{
    PoolAttributes attributes;
    attributes.mode = shape.mode;
    attributes.ceilMode = shape.ceilMode;
    attributes.countIncludePad = shape.mode == PoolAttributes::Mode::Average;
    attributes.window = {{shape.kernel, shape.kernel},
                         {shape.stride, shape.stride},
                         {1, 1},
                         {shape.padding, shape.padding, shape.padding, shape.padding}};
    return add({std::move(name), {}, OperatorKind::Pool, attributes, {{input}}, {}, {}});
}

TensorId NetworkWriter::globalAveragePool(std::string name, TensorId input)
{
    if (m_error)
        return {};
    const Shape &shape = m_builder.tensor(input).shape;
    PoolAttributes attributes;
    attributes.mode = PoolAttributes::Mode::Average;
    attributes.global = true;
    attributes.window.kernel = {shape.height(), shape.width()};
    return add({std::move(name), {}, OperatorKind::Pool, attributes, {{input}}, {}, {}});
}

TensorId NetworkWriter::relu(std::string name, TensorId input)
{
    return add({std::move(name), {}, OperatorKind::Activation, kRelu, {{input}}, {}, {}});
}

TensorId NetworkWriter::linear(std::string name, TensorId input, std::int64_t outFeatures)
{
    return product(std::move(name), input, outFeatures, kNone);
}

TensorId NetworkWriter::linearRelu(std::string name, TensorId input, std::int64_t outFeatures)
{
    return product(std::move(name), input, outFeatures, kRelu);
}

TensorId NetworkWriter::product(std::string name, TensorId input, std::int64_t outFeatures, Activation after)
{
    if (m_error)
        return {};
    const std::int64_t inFeatures = m_builder.tensor(input).shape.dims.back();
    std::vector<Parameter> parameters{seededParameter(role::kWeight, name, {outFeatures, inFeatures}),
                                      seededParameter(role::kBias, name, {outFeatures})};
    return add({std::move(name),
                {},
                OperatorKind::Gemm,
                GemmAttributes{outFeatures, inFeatures, true, after},
                {{input}},
                {},
                std::move(parameters)});
}

TensorId NetworkWriter::join(std::string name, InputExpression inputs)
{
    return add({std::move(name), {}, OperatorKind::Join, GenericAttributes{}, std::move(inputs), {}, {}});
}

TensorId NetworkWriter::reshape(std::string name, TensorId input, std::vector<std::int64_t> dims)
{
    return moved(std::move(name), OperatorKind::Reshape, "Reshape", input, {}, {std::move(dims)});
}

TensorId NetworkWriter::transpose(std::string name, TensorId input, std::vector<std::int64_t> permutation)
{
    return moved(std::move(name), OperatorKind::Transpose, "Transpose", input, {{"perm", std::move(permutation)}}, {});
}

TensorId NetworkWriter::channels(std::string name, TensorId input, std::int64_t begin, std::int64_t end)
{
    return moved(std::move(name), OperatorKind::Slice, "Slice", input, {}, {{begin}, {end}, {1}});
}

TensorId NetworkWriter::moved(std::string name, OperatorKind kind, std::string type, TensorId input,
                              std::vector<NamedAttribute> attributes,
                              const std::vector<std::vector<std::int64_t>> &operands)
{
    std::vector<Parameter> parameters;
    for (const std::vector<std::int64_t> &values : operands) {
        const std::string role = role::operand(parameters.size() + 1);
        const Shape shape{{static_cast<std::int64_t>(values.size())}};
        std::string parameterName = name;
        parameterName.append("/").append(role);
        parameters.push_back({role, std::move(parameterName), shape, DataType::Int64, shared(values)});
    }
    return add({std::move(name),
                std::move(type),
                kind,
                GenericAttributes{std::move(attributes)},
                {{input}},
                {},
                std::move(parameters)});
}

TensorId NetworkWriter::add(Operator op)
{
    if (m_error)
        return {};
    op.type = displayType(op);
    auto output = m_builder.add(std::move(op));
    if (!output) {
        m_error = std::move(output.error());
        return {};
    }
    m_blocks.back().operators.push_back(OperatorId::fromIndex(m_count++));
    return *output;
}

std::vector<TensorId> NetworkWriter::add(Operator op, std::vector<Tensor> outputs)
{
    const std::size_t count = outputs.size();
    if (m_error)
        return std::vector<TensorId>(count);
    auto added = m_builder.add(std::move(op), std::move(outputs));
    if (!added) {
        m_error = std::move(added.error());
        return std::vector<TensorId>(count);
    }
    m_blocks.back().operators.push_back(OperatorId::fromIndex(m_count++));
    return *added;
}

Shape NetworkWriter::shape(TensorId tensor) const
{
    return m_error ? Shape{{}, false} : m_builder.tensor(tensor).shape;
}

std::int64_t NetworkWriter::channelsOf(const InputExpression &inputs) const
{
    std::int64_t channels = 0;
    for (const auto &part : inputs)
        channels += m_builder.tensor(part.front()).shape.channels();
    return channels;
}

Result<SourceGraph> NetworkWriter::finish()
{
    if (m_error)
        return tl::unexpected(*m_error);
    TRY_AS(auto graph, m_builder.build());
    SourceGraph source;
    source.graph = std::move(graph);
    source.unitsFormed = true;
    source.blocks = std::move(m_blocks);
    return source;
}

} // namespace stagecraft
