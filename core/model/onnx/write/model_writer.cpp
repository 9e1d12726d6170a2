#include "model/onnx/write/model_writer.h"

#include "model/onnx/file/onnx_source.h"
#include "model/onnx/file/stage_metadata.h"
#include "model/onnx/write/check_written.h"
#include "model/onnx/write/node_writer.h"
#include "operators/parameter_values.h"

#include <algorithm>
#include <onnx/onnx_pb.h>
#include <unordered_map>

namespace stagecraft {
namespace {

constexpr std::int64_t kOpset = 17;
constexpr std::int64_t kIrVersion = 8;
constexpr std::int64_t kOldestIrVersion = 4; // the first in which weights need not be inputs

// For another batch: only the rank is known.
void forgetSizes(onnx::TypeProto::Tensor &type)
{
    if (type.has_shape()) {
        for (auto &dim : *type.mutable_shape()->mutable_dim())
            dim.Clear();
    }
}

void setShape(const Shape &shape, onnx::TypeProto::Tensor &type)
{
    type.clear_shape();
    if (!shape.known)
        return;
    auto &written = *type.mutable_shape();
    for (const std::int64_t dim : shape.dims) {
        auto &size = *written.add_dim();
        if (!shape.atMost)
            size.set_dim_value(dim);
    }
}

class ModelWriter {
public:
    ModelWriter(const Graph &graph, const OnnxExportOptions &options)
        : m_graph(graph), m_options(options), m_source(options.onnx.get())
    {
        const OnnxSource *source = m_source;
        m_form.types = source ? realTypes(*source->file) : plainFloats();
        m_form.opset = source ? source->opset : kOpset;
        m_form.source = source;
        if (source)
            m_declared = declaredTypes(*source);
    }

    // Writes everything but large weights.
    Result<void> write()
    {
        writeHeader();
        onnx::GraphProto &proto = *m_model.mutable_graph();
        proto.set_name(m_graph.name().empty() ? "graph" : m_graph.name());
        for (const TensorId id : m_graph.inputs())
            describe(m_graph.tensor(id), *proto.add_input());
        TRY_AS(auto written, writeNodes(m_graph, m_form, proto, m_options));
        m_weights = std::move(written.weights);
        m_nodes = std::move(written.nodes);
        if (m_options.stages) {
            addMetadata(m_model, kScheduleKey, m_options.stages->schedule);
            addMetadata(m_model, kMergesKey, std::move(written.merges));
        }
        describeUnknown();
        return writeOutputs().and_then([&] { return checkOutputs(); });
    }

    // Checks against the schemas, before the weights take memory.
    [[nodiscard]] Result<void> check() const
    {
        onnx::ModelProto model = m_model;
        for (const WrittenWeight &weight : m_weights) {
            if (isSmall(weight)) {
                if (auto ok = fillWeight(weight, *model.mutable_graph()->add_initializer()); !ok)
                    return ok;
                continue;
            }
            onnx::ValueInfoProto &info = *model.mutable_graph()->add_input();
            info.set_name(weight.parameter.name);
            info.mutable_type()->mutable_tensor_type()->set_elem_type(weight.elementType);
            setShape(weight.parameter.shape, *info.mutable_type()->mutable_tensor_type());
        }
        return checkWritten(std::move(model));
    }

    [[nodiscard]] WrittenModel take()
    {
        return {std::make_shared<onnx::ModelProto>(std::move(m_model)), std::move(m_weights), std::move(m_form),
                std::move(m_nodes)};
    }

private:
    static bool isSmall(const WrittenWeight &weight)
    {
        return weight.stored ||
               static_cast<std::size_t>(weight.parameter.shape.elements()) * sizeof(float) < kSmallWeightBytes;
    }

    void writeHeader()
    {
        m_model.set_producer_name("stagecraft");
        m_model.set_ir_version(kIrVersion);
        if (!m_source) {
            addOpset("", kOpset);
            return;
        }
        const onnx::ModelProto &file = *m_source->file;
        m_model.set_ir_version(std::max<std::int64_t>(file.ir_version(), kOldestIrVersion));
        for (const auto &import : file.opset_import()) {
            if (!import.domain().empty() && import.domain() != "ai.onnx")
                addOpset(import.domain(), import.version());
        }
        if (m_model.opset_import_size() == file.opset_import_size() && file.opset_import_size() > 0)
            m_form.opset = kOpset; // the file uses no operators of the ONNX domain
        addOpset("", m_form.opset);
        *m_model.mutable_metadata_props() = file.metadata_props();
        *m_model.mutable_functions() = file.functions();
    }

    void addOpset(const std::string &domain, std::int64_t version)
    {
        auto &opset = *m_model.add_opset_import();
        opset.set_domain(domain);
        opset.set_version(version);
    }

    void describe(const Tensor &tensor, onnx::ValueInfoProto &info) const
    {
        info.set_name(tensor.name);
        const auto declared = m_declared.find(tensor.name);
        if (declared != m_declared.end())
            *info.mutable_type() = *declared->second;
        if (declared != m_declared.end() && !declared->second->has_tensor_type())
            return; // sequences and the like
        auto &type = *info.mutable_type()->mutable_tensor_type();
        type.set_elem_type(type.elem_type() == 0 ? elementTypeOf(tensor.type, m_form.types)
                                                 : m_form.types.of(type.elem_type()));
        const bool keepsStated = tensor.shape.atMost && type.has_shape(); // values decide its sizes
        if (tensor.shape.known && !keepsStated)
            setShape(tensor.shape, type);
        else if (!m_source || !m_source->hasOwnBatch)
            forgetSizes(type);
    }

    // In the order of the file, including those that need no computation.
    [[nodiscard]] Result<void> writeOutputs()
    {
        onnx::GraphProto &proto = *m_model.mutable_graph();
        if (!m_source) {
            for (const TensorId id : m_graph.outputs())
                describe(m_graph.tensor(id), *proto.add_output());
            return {};
        }
        std::unordered_map<std::string, TensorId> byName;
        for (const auto ids : {m_graph.inputs(), m_graph.outputs()}) {
            for (const TensorId id : ids)
                byName.emplace(m_graph.tensor(id).name, id);
        }
        for (const SourceOutput &output : m_source->outputs) {
            const auto found = byName.find(output.info->name());
            if (found != byName.end())
                describe(m_graph.tensor(found->second), *proto.add_output());
            else if (output.constant)
                describe(Tensor{output.info->name(), Shape{output.constant->dims}, output.constant->type, {}},
                         *proto.add_output());
            else
                return within("output " + output.info->name(),
                              Error{ErrorCode::InvalidInput,
                                    "it is the same tensor as another output or an input",
                                    "Export the model again with outputs of their own",
                                    {}});
        }
        return {};
    }

    [[nodiscard]] Result<void> checkOutputs() const
    {
        for (const auto &output : m_model.graph().output()) {
            if (output.type().has_tensor_type() && !output.type().tensor_type().has_shape())
                return within("output " + output.name(), Error{ErrorCode::InvalidInput,
                                                               "its rank is unknown, but ONNX files have to state it",
                                                               "Export the model again with the shapes of its outputs",
                                                               {}});
        }
        return {};
    }

    // Shapes that only the file states, so that reading the result gives them again.
    void describeUnknown()
    {
        for (const Operator &op : m_graph.operators()) {
            for (const TensorId id : op.outputs) {
                const Tensor &tensor = m_graph.tensor(id);
                if (op.kind == OperatorKind::Unknown && tensor.shape.known && m_declared.contains(tensor.name) &&
                    std::ranges::count(m_graph.outputs(), id) == 0)
                    describe(tensor, *m_model.mutable_graph()->add_value_info());
            }
        }
    }

    const Graph &m_graph;
    const OnnxExportOptions &m_options;
    const OnnxSource *m_source;
    WrittenForm m_form;
    DeclaredTypes m_declared;
    onnx::ModelProto m_model;
    std::vector<WrittenWeight> m_weights;
    std::vector<ExportedNode> m_nodes;
};

} // namespace

Result<WrittenModel> writeModel(const Graph &graph, const OnnxExportOptions &options)
{
    ModelWriter writer(graph, options);
    if (auto ok = writer.write().and_then([&] { return writer.check(); }); !ok)
        return tl::unexpected(std::move(ok.error()));
    return writer.take();
}

Result<void> fillWeight(const WrittenWeight &weight, onnx::TensorProto &tensor)
{
    if (weight.stored)
        tensor = *weight.stored;
    tensor.set_name(weight.parameter.name);
    if (weight.stored)
        return tensor.data_location() == onnx::TensorProto::EXTERNAL
                   ? fail(ErrorCode::InvalidInput,
                          "the values of " + tensor.name() + " are in a file of their own, of a type (" +
                              elementTypeName(tensor.data_type()) + ") that the program does not read",
                          "Keep the original model file")
                   : Result<void>{};
    for (const std::int64_t dim : weight.parameter.shape.dims)
        tensor.add_dims(dim);
    tensor.set_data_type(weight.elementType);
    tensor.set_raw_data(bytesAs(weight.elementType, *typedValues(weight.parameter)));
    if (const auto fault = faultOf(weight.parameter))
        return tl::unexpected(*fault);
    return {};
}

} // namespace stagecraft
