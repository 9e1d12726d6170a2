#include "device/worker_protocol/messages.h"

#include <algorithm>
#include <cstring>

namespace stagecraft::worker {
namespace {

tl::unexpected<Error> refuse(std::string message)
{
    return fail(ErrorCode::InvalidInput,
                "a message between the program and its worker is wrong: " + std::move(message));
}

// Enumerations travel as their numbers.
template <typename Enum>
Result<Enum> enumFrom(int value, Enum last)
{
    if (value < 0 || value > static_cast<int>(last))
        return refuse("value " + std::to_string(value) + " of an enumeration");
    return static_cast<Enum>(value);
}

std::string bytesOf(const std::vector<float> &values)
{
    return {reinterpret_cast<const char *>(values.data()), values.size() * sizeof(float)};
}

Result<std::vector<float>> floatsFrom(const std::string &bytes, const stagecraft::Shape &shape)
{
    std::vector<float> values(bytes.size() / sizeof(float));
    if (bytes.size() % sizeof(float) != 0 || static_cast<std::int64_t>(values.size()) != shape.elements())
        return refuse("values of another size than their shape");
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
}

void write(const stagecraft::Shape &shape, Shape &message)
{
    message.mutable_dims()->Add(shape.dims.begin(), shape.dims.end());
    message.set_unknown(!shape.known);
}

stagecraft::Shape shapeFrom(const Shape &message)
{
    return {{message.dims().begin(), message.dims().end()}, !message.unknown()};
}

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
    const auto type = enumFrom(message.type(), DataType::Other);
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

// Rebuilds a graph operator by operator; ids of tensors are given anew, ids of operators stay.
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
            return refuse("a tensor that is not there");
        const Tensor &tensor = m_message.tensors(static_cast<int>(index));
        const auto type = enumFrom(tensor.type(), DataType::Other);
        if (!type)
            return tl::unexpected(type.error());
        return stagecraft::Tensor{tensor.name(), shapeFrom(tensor.shape()), *type, {}};
    }

    Result<TensorId> known(std::uint32_t index) const
    {
        if (index >= m_ids.size() || !m_ids[index].isValid())
            return refuse("a tensor that is not there yet");
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

void write(const stagecraft::Stage &stage, Stage &message)
{
    message.set_block(stage.block);
    message.set_merge(stage.strategy == Strategy::Merge);
    for (const auto &group : stage.groups) {
        Group &to = *message.add_groups();
        for (const OperatorId id : group)
            to.add_operators(id.value);
    }
}

Result<stagecraft::Stage> read(const Stage &message, const stagecraft::Graph &graph)
{
    stagecraft::Stage stage;
    stage.block = message.block();
    stage.strategy = message.merge() ? Strategy::Merge : Strategy::Concurrent;
    for (const Group &group : message.groups()) {
        stage.groups.emplace_back();
        for (const std::uint32_t id : group.operators()) {
            if (id >= graph.size())
                return refuse("operator " + std::to_string(id) + " is not in the graph");
            stage.groups.back().push_back(OperatorId{id});
        }
    }
    return stage;
}

void write(const stagecraft::HostTensor &tensor, HostTensor &message)
{
    message.set_name(tensor.name);
    write(tensor.shape, *message.mutable_shape());
    message.set_values(bytesOf(tensor.values));
}

Result<stagecraft::HostTensor> read(const HostTensor &message)
{
    stagecraft::HostTensor tensor{message.name(), shapeFrom(message.shape()), {}};
    auto values = floatsFrom(message.values(), tensor.shape);
    if (!values)
        return tl::unexpected(values.error());
    tensor.values = std::move(*values);
    return tensor;
}

void write(const stagecraft::DeviceInfo &info, DeviceInfo &message)
{
    message.set_id(info.id);
    message.set_title(info.title);
    message.set_provenance(static_cast<int>(info.provenance));
    message.set_available(info.available);
    message.set_unavailable_reason(info.unavailableReason);
    message.set_fingerprint(info.fingerprint);
    message.set_calibration(info.calibration);
    for (const auto &[name, value] : info.facts) {
        Fact &fact = *message.add_facts();
        fact.set_name(name);
        fact.set_value(value);
    }
}

stagecraft::DeviceInfo read(const DeviceInfo &message)
{
    stagecraft::DeviceInfo info;
    info.id = message.id();
    info.title = message.title();
    info.provenance = enumFrom(message.provenance(), Provenance::Simulated).value_or(Provenance::Measured);
    info.available = message.available();
    info.unavailableReason = message.unavailable_reason();
    info.fingerprint = message.fingerprint();
    info.calibration = message.calibration();
    for (const Fact &fact : message.facts())
        info.facts.emplace_back(fact.name(), fact.value());
    return info;
}

void write(const LatencySample &sample, Sample &message)
{
    message.set_mean_us(sample.meanUs);
    message.set_median_us(sample.medianUs);
    message.set_stddev_us(sample.stddevUs);
    message.set_runs(sample.runs);
}

LatencySample read(const Sample &message)
{
    return {message.mean_us(), message.median_us(), message.stddev_us(), message.runs(), false};
}

void write(const stagecraft::Timeline &timeline, Timeline &message)
{
    message.set_provenance(static_cast<int>(timeline.provenance));
    message.set_device(timeline.device);
    message.set_duration_ns(timeline.durationNs);
    message.set_streams(timeline.streams);
    for (const stagecraft::StageSpan &span : timeline.stages) {
        StageSpan &to = *message.add_stages();
        to.set_stage(span.stage);
        to.set_start_ns(span.startNs);
        to.set_end_ns(span.endNs);
    }
    for (const stagecraft::KernelSpan &span : timeline.kernels) {
        KernelSpan &to = *message.add_kernels();
        to.set_name(span.name);
        for (const OperatorId id : span.operators)
            to.add_operators(id.value);
        to.set_stage(span.stage);
        to.set_group(span.group);
        to.set_stream(span.stream);
        to.set_start_ns(span.startNs);
        to.set_end_ns(span.endNs);
        to.mutable_grid()->Add(span.grid.begin(), span.grid.end());
        to.set_threads_per_block(span.threadsPerBlock);
        to.set_registers_per_thread(span.registersPerThread);
        to.set_shared_bytes_per_block(span.sharedBytesPerBlock);
        to.set_flops(span.flops);
        to.set_bytes(span.bytes);
    }
    for (const std::string &note : timeline.notes)
        message.add_notes(note);
    for (const CounterSeries &series : timeline.counters) {
        Counter &to = *message.add_counters();
        to.set_name(series.name);
        to.set_unit(series.unit);
        to.set_kind(series.kind);
        to.set_maximum(series.maximum);
        to.mutable_times_ns()->Add(series.timesNs.begin(), series.timesNs.end());
        to.mutable_values()->Add(series.values.begin(), series.values.end());
    }
}

stagecraft::Timeline read(const Timeline &message)
{
    stagecraft::Timeline timeline;
    timeline.provenance = enumFrom(message.provenance(), Provenance::Simulated).value_or(Provenance::Measured);
    timeline.device = message.device();
    timeline.durationNs = message.duration_ns();
    timeline.streams = message.streams();
    for (const StageSpan &span : message.stages())
        timeline.stages.push_back({span.stage(), span.start_ns(), span.end_ns()});
    for (const KernelSpan &span : message.kernels()) {
        stagecraft::KernelSpan &to = timeline.kernels.emplace_back();
        to.name = span.name();
        for (const std::uint32_t id : span.operators())
            to.operators.push_back(OperatorId{id});
        to.stage = span.stage();
        to.group = span.group();
        to.stream = span.stream();
        to.startNs = span.start_ns();
        to.endNs = span.end_ns();
        std::copy_n(span.grid().begin(), std::min(span.grid_size(), 3), to.grid.begin());
        to.threadsPerBlock = span.threads_per_block();
        to.registersPerThread = span.registers_per_thread();
        to.sharedBytesPerBlock = span.shared_bytes_per_block();
        to.flops = span.flops();
        to.bytes = span.bytes();
    }
    timeline.notes.assign(message.notes().begin(), message.notes().end());
    for (const Counter &series : message.counters())
        timeline.counters.push_back({series.name(),
                                     series.unit(),
                                     series.kind(),
                                     series.maximum(),
                                     {series.times_ns().begin(), series.times_ns().end()},
                                     {series.values().begin(), series.values().end()}});
    return timeline;
}

void write(const Error &error, Failure &message)
{
    message.set_code(static_cast<int>(error.code));
    message.set_message(error.message);
    message.set_remedy(error.remedy);
    for (const std::string &link : error.context)
        message.add_context(link);
}

Error read(const Failure &message)
{
    return {enumFrom(message.code(), ErrorCode::Cancelled).value_or(ErrorCode::DeviceFailed),
            message.message(),
            message.remedy(),
            {message.context().begin(), message.context().end()}};
}

} // namespace stagecraft::worker
