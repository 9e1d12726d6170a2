#include "model/onnx/graph_reader.h"

#include "graph/cost_basis.h"
#include "graph/operator_table.h"
#include "model/onnx/convert.h"
#include "model/onnx/fold_constants.h"
#include "model/onnx/node_order.h"
#include "model/onnx/origin.h"
#include "model/onnx/output_use.h"
#include "model/onnx/refusal.h"
#include "model/onnx/shapes.h"
#include "support/name_map.h"

#include <algorithm>
#include <array>
#include <map>
#include <onnx/onnx_pb.h>
#include <set>
#include <unordered_map>
#include <unordered_set>

namespace stagecraft {
namespace {

constexpr std::int64_t kMaxSize = std::int64_t{1} << 24; // no dimension of a real input is near it

// Sizes for inputs that the file leaves open. Not every model runs at every size: where the first does not fit, the
// others are tried.
struct AssumedSizes {
    std::int64_t height = 224;
    std::int64_t width = 224;
    std::int64_t length = 128; // of what is no image
};

constexpr std::array kAssumed{
    AssumedSizes{224, 224, 128}, AssumedSizes{320, 320, 512},  AssumedSizes{48, 320, 256},  AssumedSizes{32, 320, 1024},
    AssumedSizes{299, 299, 64},  AssumedSizes{640, 640, 2048}, AssumedSizes{256, 256, 32},  AssumedSizes{512, 512, 16},
    AssumedSizes{128, 128, 8},   AssumedSizes{64, 64, 4},      AssumedSizes{32, 32, 16000}, AssumedSizes{28, 28, 1},
};

std::string listed(const std::vector<std::string> &names)
{
    std::string text;
    for (const std::string &name : names)
        text += (text.empty() ? "" : ", ") + name;
    return text;
}

bool isReadable(const onnx::TensorProto &tensor)
{
    return dataTypeOf(tensor.data_type()) != DataType::Other;
}

// Constants of the file that were read, by their names there: read once, however many sizes are tried.
using ReadConstants = std::unordered_map<std::string_view, std::shared_ptr<const Constant>>;

class GraphReader {
public:
    GraphReader(const std::shared_ptr<onnx::ModelProto> &model, const std::string &name,
                const std::filesystem::path &folder, const OnnxImportOptions &options, const AssumedSizes &sizes,
                ReadConstants &constants)
        : m_file(*model->mutable_graph()), m_folder(folder), m_constants(constants), m_options(options), m_sizes(sizes),
          m_outputUse(model->graph()), m_builder(name)
    {
        m_origin->file = model;
        for (const auto &import : model->opset_import()) {
            if (import.domain().empty() || import.domain() == "ai.onnx")
                m_opset = std::max(m_opset, import.version());
        }
    }

    [[nodiscard]] bool assumedSizes() const { return !m_assumed.empty(); }

    Result<SourceGraph> read()
    {
        const auto order = nodeOrder(m_file);
        if (!order)
            return tl::unexpected(order.error());
        const auto nodes = static_cast<std::size_t>(m_file.node_size());
        m_builder.reserve(nodes);
        m_values.reserve(nodes + static_cast<std::size_t>(m_file.initializer_size()));
        for (auto &initializer : *m_file.mutable_initializer())
            m_initializers.emplace(initializer.name(), &initializer);
        m_source.report.dataFiles = externalFiles(m_file, m_folder);
        for (const auto &info : m_file.value_info())
            m_declared.emplace(info.name(), &info);
        for (const auto &info : m_file.output())
            m_declared.emplace(info.name(), &info);
        renamePassedOutputs();
        if (auto ok = readInputs(); !ok)
            return tl::unexpected(std::move(ok.error()));
        for (const int i : *order) {
            auto &node = *m_file.mutable_node(i);
            if (auto ok = readNode(node); !ok) {
                if (!m_assumed.empty())
                    ok.error().remedy = "The file leaves sizes open, and the program assumed " + m_assumed +
                                        "; export the model with fixed sizes";
                return within("operator " + nodeLabel(node) + " (" + node.op_type() + ")", std::move(ok.error()));
            }
        }
        return finish();
    }

private:
    void note(ImportNote::Severity severity, std::string operatorName, std::string text)
    {
        m_source.report.notes.push_back({severity, std::move(operatorName), std::move(text)});
    }

    // A node that passes its input on is left out; where it makes an output of the graph, what it reads takes that
    // name, if it can.
    void renamePassedOutputs()
    {
        for (const auto &output : m_file.output())
            m_outputs.insert(output.name());
        const auto passes = [](const auto &node) {
            return node.op_type() == "Identity" || node.op_type() == "Dropout";
        };
        if (std::ranges::none_of(m_file.node(), passes))
            return;
        std::unordered_set<std::string_view> made;
        for (const auto &node : m_file.node())
            made.insert(node.output().begin(), node.output().end());
        for (int i = m_file.node_size(); i-- > 0;) {
            const auto &node = m_file.node(i);
            if (!passes(node) || node.input_size() < 1 || node.output_size() < 1 ||
                m_outputUse.outputsOf(node).size() > 1 || node.doc_string() == kUnitMark)
                continue;
            const auto renamed = m_renamed.find(node.output(0));
            const std::string &target = renamed == m_renamed.end() ? node.output(0) : renamed->second;
            if (m_outputs.contains(target) && made.contains(node.input(0)) && !m_outputs.contains(node.input(0)))
                m_renamed.emplace(node.input(0), target);
        }
    }

    Result<void> readInputs()
    {
        for (const auto &input : m_file.input()) {
            if (m_initializers.contains(input.name()))
                continue; // old files list weights among the inputs
            auto shape = inputShape(input);
            if (!shape)
                return within("input " + input.name(), std::move(shape.error()));
            const DataType type = dataTypeOf(input.type().tensor_type().elem_type());
            auto added = m_builder.addInput(input.name(), *shape, type);
            if (!added)
                return tl::unexpected(std::move(added.error()));
            m_values.add(input.name(), OnnxValue{*added, std::move(*shape), type, nullptr});
        }
        return {};
    }

    Result<Shape> inputShape(const onnx::ValueInfoProto &input)
    {
        if (!input.type().has_tensor_type())
            return refuseModel("it is not a tensor", "Export a model whose inputs are tensors");
        if (!input.type().tensor_type().has_shape())
            return refuseModel("it has no shape", "Export the model with the shapes of its inputs");
        const auto &dims = input.type().tensor_type().shape().dim();
        Shape shape;
        std::string open;
        for (int i = 0; i < dims.size(); ++i) {
            const auto &dim = dims[i];
            const bool isOpen = !dim.has_dim_value() || dim.dim_value() == -1;
            if (!isOpen && (dim.dim_value() < 1 || dim.dim_value() > kMaxSize))
                return refuseModel("its size " + std::to_string(dim.dim_value()) + " makes no sense");
            shape.dims.push_back(isOpen ? assumedSize(dim, i, dims.size()) : dim.dim_value());
            if (isOpen && i > 0 && (dim.dim_param().empty() || dim.dim_param() != dims[0].dim_param()))
                open += (open.empty() ? "" : ", ") + std::to_string(shape.dims.back());
        }
        if (!shape.dims.empty() && m_options.batch > 0) {
            const bool isOpen = !dims[0].has_dim_value() || dims[0].dim_value() == -1;
            if (!m_ownBatch)
                m_ownBatch = isOpen ? 1 : shape.dims[0];
            if (isOpen || shape.dims[0] == m_ownBatch)
                shape.dims[0] = m_options.batch;
        }
        if (!elementCount(shape.dims))
            return refuseModel("its shape " + toString(shape) + " is absurd");
        if (!dims.empty() && !dims[0].has_dim_value() && m_options.batch == 0)
            note(ImportNote::Severity::Info, {}, "The file leaves the batch of " + input.name() + " open; 1 is used");
        if (!open.empty()) {
            m_assumed = toString(shape) + " for " + input.name();
            note(ImportNote::Severity::Warning, {},
                 "The file leaves sizes of the input " + input.name() + " open; " + toString(shape) + " is used");
        }
        return shape;
    }

    // Sizes of the same name are the same size; the first dimension is the batch.
    std::int64_t assumedSize(const onnx::TensorShapeProto::Dimension &dim, int axis, int rank)
    {
        std::int64_t size = m_sizes.length;
        if (axis == 0)
            size = std::max<std::int64_t>(1, m_options.batch);
        else if (rank == 4)
            size = axis == 1 ? 3 : axis == 2 ? m_sizes.height : m_sizes.width;
        return dim.dim_param().empty() ? size : m_namedSizes.emplace(dim.dim_param(), size).first->second;
    }

    // Nothing for names left empty and for constants of a type that is not read (text).
    Result<std::optional<OnnxValue>> resolve(std::string_view name)
    {
        if (name.empty())
            return std::nullopt;
        if (const OnnxValue *found = m_values.find(name))
            return *found;
        const auto initializer = m_initializers.find(name);
        if (initializer == m_initializers.end() || !isReadable(*initializer->second))
            return std::nullopt;
        std::shared_ptr<const Constant> &read = m_constants[initializer->first];
        if (!read) {
            auto decoded = decodeTensor(*initializer->second, m_folder);
            if (!decoded)
                return within("tensor " + std::string(name), std::move(decoded.error()));
            read = std::make_shared<const Constant>(std::move(*decoded));
            if (!m_options.keepOrigin || initializer->second->data_type() != onnx::TensorProto::DOUBLE)
                dropValues(*initializer->second); // see OriginOperand::stored
        }
        m_foldBudget.addOwn(static_cast<std::int64_t>(read->size()));
        return define(initializer->first, read);
    }

    // Clearing the fields would keep their memory.
    static void dropValues(onnx::TensorProto &tensor)
    {
        delete tensor.release_raw_data();
        google::protobuf::RepeatedField<float>().Swap(tensor.mutable_float_data());
        google::protobuf::RepeatedField<double>().Swap(tensor.mutable_double_data());
        google::protobuf::RepeatedField<std::int32_t>().Swap(tensor.mutable_int32_data());
        google::protobuf::RepeatedField<std::int64_t>().Swap(tensor.mutable_int64_data());
        google::protobuf::RepeatedField<std::uint64_t>().Swap(tensor.mutable_uint64_data());
    }

    OnnxValue define(std::string_view name, std::shared_ptr<const Constant> constant)
    {
        OnnxValue value;
        value.shape = Shape{constant->dims};
        value.type = constant->type;
        value.constant = std::move(constant);
        m_values.set(name, value);
        return value;
    }

    // A node that makes constants does so once, too, and then needs its values no longer.
    void defineFolded(onnx::NodeProto &proto, std::vector<Constant> constants)
    {
        const bool isConstant = proto.op_type() == "Constant";
        for (std::size_t i = 0; i < constants.size() && i < static_cast<std::size_t>(proto.output_size()); ++i) {
            const std::string &name = proto.output(static_cast<int>(i));
            auto constant = std::make_shared<const Constant>(std::move(constants[i]));
            define(name, constant);
            if (isConstant)
                m_constants.emplace(name, std::move(constant));
        }
        if (isConstant && !constants.empty() && !m_options.keepOrigin)
            google::protobuf::RepeatedPtrField<onnx::AttributeProto>().Swap(proto.mutable_attribute());
    }

    Result<void> readNode(onnx::NodeProto &proto)
    {
        if (proto.op_type() == "Constant" && proto.output_size() > 0) {
            if (const auto read = m_constants.find(proto.output(0)); read != m_constants.end()) {
                define(proto.output(0), read->second);
                return {};
            }
        }
        OnnxNode node;
        node.proto = &proto;
        node.opset = m_opset;
        node.outputs = m_outputUse.outputsOf(proto);
        const bool isStandard = proto.domain().empty() || proto.domain() == "ai.onnx";
        node.type = isStandard ? proto.op_type() : proto.domain() + "::" + proto.op_type();
        if (auto fits = checkOutputCount(node, mostOutputs(node.type)); !fits)
            return fits;
        for (const std::string_view name : readNames(proto)) {
            auto value = resolve(name);
            if (!value)
                return tl::unexpected(std::move(value.error()));
            node.inputs.push_back(std::move(*value));
        }
        if (node.outputs.size() < 2 && isInTraining(node)) {
            // Old files list the statistics of training where they mean inference.
            const bool runs = node.type == "BatchNormalization" && node.opset < 14;
            note(ImportNote::Severity::Warning, nodeLabel(proto),
                 runs ? "The file has it in training; it is scheduled and executed as in inference"
                      : "The file has it in training; it is scheduled as in inference, and not executed");
            if (!runs)
                m_source.report.inTraining.push_back(nodeLabel(proto));
        }
        bool isUnit = proto.doc_string() == kUnitMark;
        if (const auto passed = passedInput(node); passed && !isUnit) {
            const OnnxValue input = passedOn(node, *node.inputs[*passed]);
            const bool loses = m_outputs.contains(proto.output(0)) && input.tensor.isValid() &&
                               m_builder.tensor(input.tensor).name != proto.output(0);
            if (!loses) {
                m_values.set(proto.output(0), input);
                return {};
            }
            node.type = "Identity";
            node.inputs = {input};
            isUnit = true;
        }
        const std::int64_t refusals = m_foldBudget.refusals();
        if (auto constants = foldConstants(node.opset < 7 ? oldBroadcastAligned(node) : node, m_folder, m_foldBudget)) {
            if (auto fits = checkOutputCount(node, constants->size()); !fits)
                return fits;
            defineFolded(proto, std::move(*constants));
            return {};
        }
        adoptBatch(node);
        if (m_options.keepOrigin)
            m_lastNode = originOf(node);
        alignOldBroadcast(node);
        node.name = uniqueName(proto);
        if (refusals == 0 && m_foldBudget.refusals() > 0)
            m_firstUnfolded = node.name;
        return addOperator(node, isUnit);
    }

    [[nodiscard]] OriginNode originOf(const OnnxNode &node) const
    {
        OriginNode origin{node.proto, {}, node.outputs};
        const auto names = readNames(*node.proto);
        for (std::size_t i = 0; i < names.size(); ++i) {
            OriginOperand operand{node.isTensor(i), node.has(i) ? node.inputs[i]->constant : nullptr, nullptr};
            const auto initializer = m_initializers.find(names[i]);
            const bool losesDigits = operand.constant && operand.constant->elementType == onnx::TensorProto::DOUBLE;
            if (initializer != m_initializers.end() && (!node.has(i) || losesDigits))
                operand.stored = initializer->second;
            origin.operands.push_back(std::move(operand));
        }
        return origin;
    }

    static OnnxNode oldBroadcastAligned(OnnxNode node)
    {
        alignOldBroadcast(node);
        return node;
    }

    // Weights are of the type they are cast to, not of the one they are stored in.
    static OnnxValue passedOn(const OnnxNode &node, OnnxValue value)
    {
        if (node.type != "Cast" || !value.constant)
            return value;
        Constant constant = *value.constant;
        constant.type = dataTypeOf(static_cast<int>(node.integer("to", 0)));
        value.type = constant.type;
        value.constant = std::make_shared<Constant>(std::move(constant));
        return value;
    }

    // Before opset 7, arithmetic laid its second operand along the dimensions from `axis` on.
    static void alignOldBroadcast(OnnxNode &node)
    {
        static const std::set<std::string> arithmetic{"Add", "Sub", "Mul", "Div", "Pow", "And", "Or", "Xor", "Equal"};
        if (node.opset >= 7 || !arithmetic.contains(node.type) || !node.attribute("axis") || !node.has(0) ||
            !node.constant(1) || !node.shape(0).known)
            return;
        Constant constant = *node.constant(1);
        const auto axis = axisWithin(node.integer("axis", 0), node.shape(0).dims.size());
        if (!axis || *axis + constant.dims.size() > node.shape(0).dims.size())
            return;
        constant.dims.resize(node.shape(0).dims.size() - *axis, 1);
        node.inputs[1]->shape = Shape{constant.dims};
        node.inputs[1]->constant = std::make_shared<Constant>(std::move(constant));
    }

    // A Reshape to a constant shape that starts with the file's batch, where another batch is asked for.
    void adoptBatch(OnnxNode &node)
    {
        const Constant *target = node.type == "Reshape" ? node.constant(1) : nullptr;
        if (!target || !target->ints || target->ints->empty() || !m_ownBatch || *m_ownBatch == m_options.batch ||
            target->ints->front() != *m_ownBatch || !node.shape(0).known || node.shape(0).batch() != m_options.batch)
            return;
        std::vector<std::int64_t> dims = *target->ints;
        dims.front() = m_options.batch;
        node.inputs[1]->constant = std::make_shared<Constant>(intConstant(target->dims, std::move(dims)));
        note(ImportNote::Severity::Info, nodeLabel(*node.proto), "The batch in its target shape is replaced");
    }

    std::string uniqueName(const onnx::NodeProto &proto)
    {
        std::string name = nodeLabel(proto);
        if (!m_builder.findOperator(name))
            return name;
        std::string other = name + " " + (proto.output_size() > 0 ? proto.output(0) : std::string());
        for (int i = 2; m_builder.findOperator(other); ++i)
            other = name + " " + std::to_string(i);
        note(ImportNote::Severity::Info, other, "The file has several operators named " + name);
        return other;
    }

    Result<void> addOperator(const OnnxNode &node, bool isUnit)
    {
        auto converted = convertNode(node);
        if (!converted)
            return tl::unexpected(std::move(converted.error()));
        Operator &op = converted->op;
        op.name = node.name;
        if (isUnit && node.type == "Identity") {
            op = Operator{node.name, "Identity", OperatorKind::Join, GenericAttributes{}, {{node.inputs[0]->tensor}},
                          {},        {}};
            converted->remark.clear();
        }
        if (isUnit)
            m_source.keptApart.insert(node.name);
        const bool shapesKnown =
            std::ranges::all_of(node.inputs, [](const auto &input) { return !input || input->shape.known; });
        if (shapesKnown && !converted->remark.empty())
            ++m_remarks.try_emplace(converted->remark, Remark{node.name}).first->second.count;
        if (shapesKnown && op.kind == OperatorKind::Unknown)
            m_unknown.insert(node.type);
        auto outputs = outputsOf(node, op);
        if (!outputs)
            return tl::unexpected(std::move(outputs.error()));
        const bool isAsInFile = std::holds_alternative<GenericAttributes>(op.attributes);
        auto added = m_builder.add(std::move(op), std::move(*outputs));
        if (!added)
            return tl::unexpected(std::move(added.error()));
        if (m_options.keepOrigin && isAsInFile)
            m_origin->nodes.emplace(node.name, std::move(m_lastNode));
        std::size_t next = 0;
        for (std::size_t i = 0; i < node.outputs.size(); ++i) {
            if (node.outputs[i].empty())
                continue;
            const Tensor &tensor = m_builder.tensor((*added)[next]);
            m_values.set(node.proto->output(static_cast<int>(i)),
                         OnnxValue{(*added)[next], tensor.shape, tensor.type, nullptr});
            ++next;
        }
        return {};
    }

    // Outputs the file leaves unnamed do not exist.
    Result<std::vector<Tensor>> outputsOf(const OnnxNode &node, const Operator &op)
    {
        auto shapes = outputShapes(node);
        if (!shapes)
            return tl::unexpected(std::move(shapes.error()));
        if (auto ok = checkByTable(op, *shapes); !ok)
            return tl::unexpected(std::move(ok.error()));
        std::vector<Tensor> outputs;
        for (std::size_t i = 0; i < node.outputs.size(); ++i) {
            const std::string &name = node.outputs[i];
            if (name.empty())
                continue;
            Shape shape = *shapes ? (**shapes)[i] : Shape{{}, false};
            if (!shape.known)
                shape = declaredShape(name);
            const auto renamed = m_renamed.find(name);
            outputs.push_back(
                {renamed == m_renamed.end() ? name : renamed->second, std::move(shape), outputType(node, i), {}});
        }
        if (outputs.empty())
            return refuseModel("it has no output");
        return outputs;
    }

    // The table of operator facts has the last word on the shapes of the kinds it knows.
    Result<void> checkByTable(const Operator &op, std::optional<std::vector<Shape>> &shapes) const
    {
        const bool hasRule = op.kind == OperatorKind::Conv || op.kind == OperatorKind::Pool ||
                             op.kind == OperatorKind::Join || op.kind == OperatorKind::Activation ||
                             (op.kind == OperatorKind::Gemm && !op.parameters.empty());
        if (!hasRule)
            return {};
        std::vector<Shape> operands;
        for (const auto &part : op.inputs) {
            for (const TensorId input : part)
                operands.push_back(m_builder.tensor(input).shape);
        }
        auto shape = inferShape(op, operands);
        if (!shape)
            return tl::unexpected(std::move(shape.error()));
        shapes = std::vector<Shape>{std::move(*shape)};
        return {};
    }

    // What the file says about a tensor whose shape no rule tells.
    Shape declaredShape(const std::string &name) const
    {
        const auto found = m_declared.find(name);
        if (found == m_declared.end() || !found->second->type().tensor_type().has_shape())
            return Shape{{}, false};
        Shape shape;
        for (const auto &dim : found->second->type().tensor_type().shape().dim()) {
            if (!dim.has_dim_value() || dim.dim_value() < 1)
                return Shape{{}, false};
            shape.dims.push_back(dim.dim_value());
        }
        if (!shape.dims.empty() && m_ownBatch && shape.dims[0] == m_ownBatch)
            shape.dims[0] = m_options.batch;
        return elementCount(shape.dims) ? shape : Shape{{}, false};
    }

    static DataType outputType(const OnnxNode &node, std::size_t output)
    {
        static const std::set<std::string> booleans{
            "Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual", "And", "Or", "Xor", "Not", "IsNaN", "IsInf"};
        if (booleans.contains(node.type) || (node.type == "Dropout" && output == 1))
            return DataType::Bool;
        if (node.proto->op_type() == "Cast") // also where it only passes on what it reads
            return dataTypeOf(static_cast<int>(node.integer("to", 0)));
        const bool givesPlaces = output == 1 && (node.type == "TopK" || node.type == "MaxPool");
        static const std::set<std::string> places{"ArgMax", "ArgMin", "NonZero", "Shape", "Size"};
        if (places.contains(node.type) || givesPlaces)
            return DataType::Int64;
        if (node.type == "QuantizeLinear")
            return node.has(2) ? node.inputs[2]->type : DataType::UInt8;
        if (node.type == "DequantizeLinear")
            return DataType::Float32;
        const std::size_t like = node.type == "Where" || node.type == "CastLike" ? 1 : 0;
        return node.has(like) ? node.inputs[like]->type : DataType::Float32;
    }

    Result<SourceGraph> finish()
    {
        std::vector<TensorId> outputs;
        for (const auto &output : m_file.output()) {
            m_source.report.outputs.push_back(output.name());
            const auto value = resolve(output.name());
            if (!value)
                return tl::unexpected(value.error());
            if (!*value)
                return refuseModel("nothing makes its output " + output.name());
            m_origin->outputs.push_back({&output, (*value)->constant});
            const TensorId tensor = (*value)->tensor;
            if ((*value)->constant || !m_builder.tensor(tensor).producer.isValid())
                note(ImportNote::Severity::Info, {},
                     "The output " + output.name() + " needs no computation; it is left out");
            else if (std::ranges::count(outputs, tensor) == 0)
                outputs.push_back(tensor);
        }
        if (m_foldBudget.refusals() > 0)
            note(ImportNote::Severity::Warning, m_firstUnfolded, m_foldBudget.refusalText());
        if (m_builder.isEmpty())
            return refuseModel("nothing is left to compute for its outputs (" + listed(m_source.report.outputs) +
                                   "): they are constants, or inputs",
                               "Open a model with at least one operator");
        auto graph = m_builder.build(std::move(outputs));
        if (!graph)
            return tl::unexpected(std::move(graph.error()));
        m_source.graph = std::move(*graph);
        noteCosts();
        m_source.report.unknownTypes.assign(m_unknown.begin(), m_unknown.end());
        if (m_options.keepOrigin) {
            m_origin->opset = m_opset;
            m_origin->hasOwnBatch = m_options.batch == 0;
            m_source.origin = std::move(m_origin);
        }
        return std::move(m_source);
    }

    // Once for all operators that are alike.
    void noteCosts()
    {
        for (const UncostedWork &work : costBasis(m_source.graph).uncosted)
            note(ImportNote::Severity::Warning, work.operatorName,
                 work.reason + "; " + std::to_string(work.count) +
                     (work.count == 1 ? " operator has no cost" : " operators have no cost"));
        for (const auto &[text, remark] : m_remarks) {
            const auto op = m_source.graph.find(remark.operatorName);
            if (op && isCosted(m_source.graph, *op))
                note(ImportNote::Severity::Warning, remark.operatorName,
                     text + (remark.count > 1 ? ", as are " + std::to_string(remark.count - 1) + " others" : ""));
        }
    }

    struct Remark {
        std::string operatorName; // the first it is about
        int count = 0;
    };

    onnx::GraphProto &m_file;
    const std::filesystem::path &m_folder;
    ReadConstants &m_constants;
    OnnxImportOptions m_options;
    AssumedSizes m_sizes;
    std::unordered_map<std::string, std::int64_t> m_namedSizes;
    OutputUse m_outputUse;
    GraphBuilder m_builder;
    SourceGraph m_source;
    std::shared_ptr<OnnxOrigin> m_origin = std::make_shared<OnnxOrigin>();
    OriginNode m_lastNode; // of the operator that is being added
    std::int64_t m_opset = 1;
    std::unordered_map<std::string_view, onnx::TensorProto *> m_initializers;
    std::unordered_map<std::string_view, const onnx::ValueInfoProto *> m_declared;
    NameMap<OnnxValue> m_values;                            // by names of the message
    std::unordered_set<std::string_view> m_outputs;         // of the file
    std::unordered_map<std::string, std::string> m_renamed; // tensor name to the name of the output it becomes
    std::set<std::string> m_unknown;
    std::map<std::string, Remark> m_remarks; // on operators kept as the file has them
    std::optional<std::int64_t> m_ownBatch;  // of the file, where another one is asked for
    FoldBudget m_foldBudget;
    std::string m_firstUnfolded; // for want of budget
    std::string m_assumed;       // sizes chosen for open ones, for error messages
};

} // namespace

Result<SourceGraph> readOnnxGraph(const std::shared_ptr<onnx::ModelProto> &model, const std::string &name,
                                  const std::filesystem::path &folder, const OnnxImportOptions &options)
{
    std::optional<Error> first;
    ReadConstants constants;
    for (const AssumedSizes &sizes : kAssumed) {
        GraphReader reader(model, name, folder, options, sizes, constants);
        auto source = reader.read();
        if (source)
            return source;
        if (!first)
            first = std::move(source.error());
        if (!reader.assumedSizes())
            break;
    }
    return tl::unexpected(std::move(*first));
}

} // namespace stagecraft
