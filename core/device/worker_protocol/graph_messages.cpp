// Graphs as messages.

#include "device/worker_protocol/message_parts.h"
#include "device/worker_protocol/messages.h"

#include <algorithm>

namespace stagecraft::worker {
namespace {

void write(const stagecraft::Activation &activation, Activation &message)
{
    message.set_kind(static_cast<int>(activation.kind));
    message.set_alpha(activation.alpha);
    message.set_beta(activation.beta);
}

stagecraft::Activation read(const Activation &message)
{
    const auto kind = enumFrom(message.kind(), ActivationKind::Other).value_or(ActivationKind::Other);
    return {kind, message.alpha(), message.beta()};
}

void write(const stagecraft::Window &window, Window &message)
{
    message.mutable_kernel()->Add(window.kernel.begin(), window.kernel.end());
    message.mutable_stride()->Add(window.stride.begin(), window.stride.end());
    message.mutable_dilation()->Add(window.dilation.begin(), window.dilation.end());
    message.mutable_padding()->Add(window.padding.begin(), window.padding.end());
}

stagecraft::Window read(const Window &message)
{
    stagecraft::Window window;
    const auto fill = [](const auto &from, auto &to) {
        std::copy_n(from.begin(), std::min<std::size_t>(to.size(), static_cast<std::size_t>(from.size())), to.begin());
    };
    fill(message.kernel(), window.kernel);
    fill(message.stride(), window.stride);
    fill(message.dilation(), window.dilation);
    fill(message.padding(), window.padding);
    return window;
}

struct AttributeWriter {
    Operator &message;

    void operator()(const GenericAttributes &attributes) const
    {
        Generic &generic = *message.mutable_generic();
        for (const auto &[name, value] : attributes.values) {
            generic.add_names(name);
            generic.add_values(value);
        }
    }
    void operator()(const ConvAttributes &attributes) const
    {
        Conv &conv = *message.mutable_conv();
        conv.set_out_channels(attributes.outChannels);
        write(attributes.window, *conv.mutable_window());
        conv.set_groups(attributes.groups);
        write(attributes.before, *conv.mutable_before());
        write(attributes.after, *conv.mutable_after());
    }
    void operator()(const SepConvAttributes &attributes) const
    {
        SepConv &conv = *message.mutable_sep_conv();
        conv.set_out_channels(attributes.outChannels);
        write(attributes.window, *conv.mutable_window());
        write(attributes.before, *conv.mutable_before());
        write(attributes.between, *conv.mutable_between());
        write(attributes.after, *conv.mutable_after());
    }
    void operator()(const PoolAttributes &attributes) const
    {
        Pool &pool = *message.mutable_pool();
        pool.set_average(attributes.mode == PoolAttributes::Mode::Average);
        pool.set_global(attributes.global);
        pool.set_ceil_mode(attributes.ceilMode);
        pool.set_count_include_pad(attributes.countIncludePad);
        write(attributes.window, *pool.mutable_window());
    }
    void operator()(const GemmAttributes &attributes) const
    {
        Gemm &gemm = *message.mutable_gemm();
        gemm.set_out_features(attributes.outFeatures);
        gemm.set_in_features(attributes.inFeatures);
        gemm.set_transpose_b(attributes.transposeB);
        write(attributes.after, *gemm.mutable_after());
    }
    void operator()(const stagecraft::Activation &attributes) const
    {
        write(attributes, *message.mutable_activation());
    }
};

Attributes attributesFrom(const Operator &message)
{
    switch (message.attributes_case()) {
    case Operator::kConv: {
        const Conv &conv = message.conv();
        return ConvAttributes{conv.out_channels(), read(conv.window()), conv.groups(), read(conv.before()),
                              read(conv.after())};
    }
    case Operator::kSepConv: {
        const SepConv &conv = message.sep_conv();
        return SepConvAttributes{conv.out_channels(), read(conv.window()), read(conv.before()), read(conv.between()),
                                 read(conv.after())};
    }
    case Operator::kPool: {
        const Pool &pool = message.pool();
        return PoolAttributes{pool.average() ? PoolAttributes::Mode::Average : PoolAttributes::Mode::Max, pool.global(),
                              pool.ceil_mode(), pool.count_include_pad(), read(pool.window())};
    }
    case Operator::kGemm: {
        const Gemm &gemm = message.gemm();
        return GemmAttributes{gemm.out_features(), gemm.in_features(), gemm.transpose_b(), read(gemm.after())};
    }
    case Operator::kActivation: return read(message.activation());
    default: break;
    }
    GenericAttributes generic;
    for (int i = 0; i < std::min(message.generic().names_size(), message.generic().values_size()); ++i)
        generic.values.emplace_back(message.generic().names(i), message.generic().values(i));
    return generic;
}

Result<stagecraft::Parameter> parameterFrom(const Parameter &message)
{
    const auto type = enumFrom(message.type(), DataType::BFloat16);
    if (!type)
        return tl::unexpected(type.error());
    stagecraft::Parameter parameter{message.role(), message.name(), shapeFrom(message.shape()), *type, nullptr};
    if (message.seeded())
        return parameter;
    auto values = floatsFrom(message.values(), parameter.shape);
    if (!values)
        return tl::unexpected(values.error());
    parameter.values = std::make_shared<const std::vector<float>>(std::move(*values));
    return parameter;
}

// Rebuilds a graph operator by operator; operators keep their ids, tensors get new ones.
class GraphReader {
public:
    explicit GraphReader(const Graph &message)
        : m_message(message), m_builder(message.name()), m_ids(static_cast<std::size_t>(message.tensors_size()))
    {
    }

    Result<stagecraft::Graph> read()
    {
        for (const std::uint32_t input : m_message.inputs()) {
            const auto tensor = tensorAt(input);
            if (!tensor)
                return tl::unexpected(tensor.error());
            const auto id = m_builder.addInput(tensor->name, tensor->shape, tensor->type);
            if (!id)
                return tl::unexpected(id.error());
            m_ids[input] = *id;
        }
        for (const Operator &op : m_message.operators()) {
            if (const auto added = addOperator(op); !added)
                return tl::unexpected(added.error());
        }
        std::vector<TensorId> outputs;
        for (const std::uint32_t output : m_message.outputs()) {
            const auto id = known(output);
            if (!id)
                return tl::unexpected(id.error());
            outputs.push_back(*id);
        }
        return m_builder.build(std::move(outputs));
    }

private:
    Result<stagecraft::Tensor> tensorAt(std::uint32_t index) const
    {
        if (index >= m_ids.size())
            return refuse("a tensor that does not exist");
        const Tensor &tensor = m_message.tensors(static_cast<int>(index));
        const auto type = enumFrom(tensor.type(), DataType::BFloat16);
        if (!type)
            return tl::unexpected(type.error());
        return stagecraft::Tensor{tensor.name(), shapeFrom(tensor.shape()), *type, {}};
    }

    Result<TensorId> known(std::uint32_t index) const
    {
        if (index >= m_ids.size() || !m_ids[index].isValid())
            return refuse("a tensor that does not exist yet");
        return m_ids[index];
    }

    Result<void> addOperator(const Operator &message)
    {
        const auto kind = enumFrom(message.kind(), OperatorKind::Unknown);
        if (!kind)
            return tl::unexpected(kind.error());
        stagecraft::Operator op{message.name(), message.type(), *kind, attributesFrom(message), {}, {}, {}};
        for (const Summands &part : message.inputs()) {
            op.inputs.emplace_back();
            for (const std::uint32_t tensor : part.tensors()) {
                const auto id = known(tensor);
                if (!id)
                    return tl::unexpected(id.error());
                op.inputs.back().push_back(*id);
            }
        }
        for (const Parameter &parameter : message.parameters()) {
            auto read = parameterFrom(parameter);
            if (!read)
                return tl::unexpected(read.error());
            op.parameters.push_back(std::move(*read));
        }
        std::vector<stagecraft::Tensor> outputs;
        for (const std::uint32_t output : message.outputs()) {
            auto tensor = tensorAt(output);
            if (!tensor)
                return tl::unexpected(tensor.error());
            outputs.push_back(std::move(*tensor));
        }
        const auto ids = m_builder.add(std::move(op), std::move(outputs));
        if (!ids)
            return tl::unexpected(ids.error());
        for (int i = 0; i < message.outputs_size(); ++i)
            m_ids[message.outputs(i)] = (*ids)[static_cast<std::size_t>(i)];
        return {};
    }

    const Graph &m_message;
    GraphBuilder m_builder;
    std::vector<TensorId> m_ids; // by index in the message
};

} // namespace

void write(const stagecraft::Graph &graph, Graph &message)
{
    message.set_name(graph.name());
    for (const stagecraft::Tensor &tensor : graph.tensors()) {
        Tensor &to = *message.add_tensors();
        to.set_name(tensor.name);
        write(tensor.shape, *to.mutable_shape());
        to.set_type(static_cast<int>(tensor.type));
    }
    for (const TensorId input : graph.inputs())
        message.add_inputs(input.value);
    for (const TensorId output : graph.outputs())
        message.add_outputs(output.value);
    for (const stagecraft::Operator &op : graph.operators()) {
        Operator &to = *message.add_operators();
        to.set_name(op.name);
        to.set_type(op.type);
        to.set_kind(static_cast<int>(op.kind));
        std::visit(AttributeWriter{to}, op.attributes);
        for (const auto &part : op.inputs) {
            Summands &summands = *to.add_inputs();
            for (const TensorId tensor : part)
                summands.add_tensors(tensor.value);
        }
        for (const TensorId output : op.outputs)
            to.add_outputs(output.value);
        for (const stagecraft::Parameter &parameter : op.parameters) {
            Parameter &constant = *to.add_parameters();
            constant.set_role(parameter.role);
            constant.set_name(parameter.name);
            write(parameter.shape, *constant.mutable_shape());
            constant.set_type(static_cast<int>(parameter.type));
            constant.set_seeded(!parameter.values);
            if (parameter.values)
                constant.set_values(bytesOf(*parameter.values));
        }
    }
}

Result<stagecraft::Graph> read(const Graph &message)
{
    return GraphReader(message).read();
}

} // namespace stagecraft::worker
