#include "model/onnx/write/node_writer.h"

#include "model/onnx/file/stage_metadata.h"
#include "model/onnx/refusal.h"
#include "model/onnx/unit_mark.h"
#include "model/onnx/write/write_rules.h"
#include "operators/parameter_roles.h"
#include "operators/parameter_values.h"

#include <array>
#include <nlohmann/json.hpp>
#include <onnx/onnx_pb.h>
#include <optional>

namespace stagecraft {
namespace {

using namespace write_rules;
using Names = NodeSteps::Names;

// A join is marked as a unit, so that reading the file does not merge it into its consumer.
void writeJoin(NodeSteps &nodes)
{
    const Operator &op = nodes.op();
    Names names;
    const char *type = nullptr;
    if (op.inputs.size() == 1) {
        for (const TensorId summand : op.inputs.front())
            names.push_back(nodes.name(summand));
        type = names.size() == 1 ? "Identity" : names.size() == 2 ? "Add" : "Sum";
    } else {
        for (const auto &summands : op.inputs)
            names.push_back(nodes.part(summands));
        type = "Concat";
    }
    onnx::NodeProto &added = nodes.node(type, op.name, names, {nodes.output()});
    added.set_doc_string(kUnitMark);
    if (op.inputs.size() > 1)
        setInt(added, "axis", 1);
}

void setWindow(onnx::NodeProto &to, const Window &window)
{
    setInts(to, "kernel_shape", {window.kernel[0], window.kernel[1]});
    setInts(to, "strides", {window.stride[0], window.stride[1]});
    setInts(to, "pads", {window.padding[0], window.padding[1], window.padding[2], window.padding[3]});
    if (window.dilation != std::array<std::int64_t, 2>{1, 1})
        setInts(to, "dilations", {window.dilation[0], window.dilation[1]});
}

// What the output shape has beyond window and input.
void setOutputPadding(const NodeSteps &nodes, onnx::NodeProto &added, const Window &window)
{
    const Operator &op = nodes.op();
    const Shape &in = nodes.shape(op.inputs.front().front());
    const Shape &out = nodes.shape(op.outputs.front());
    std::array<std::int64_t, 2> more{0, 0};
    for (std::size_t i = 0; i < 2; ++i) {
        const std::int64_t made = (in.dims[i + 2] - 1) * window.stride[i] +
                                  window.dilation[i] * (window.kernel[i] - 1) + 1 - window.padding[i] -
                                  window.padding[i + 2];
        more[i] = out.dims[i + 2] - made;
    }
    if (more != std::array<std::int64_t, 2>{0, 0})
        setInts(added, "output_padding", {more[0], more[1]});
}

void writeConv(NodeSteps &nodes, const char *type, const ConvAttributes &conv, const std::string &from)
{
    const Operator &op = nodes.op();
    Names inputs{activated(nodes, conv.before, from, "before")};
    for (const std::string &name : nodes.weights({role::kWeight, role::kBias}))
        inputs.push_back(name);
    const bool activates = conv.after.kind != ActivationKind::None;
    const std::string made = activates ? nodes.fresh(op.name + "/linear") : nodes.output();
    onnx::NodeProto &added = nodes.node(type, op.name, inputs, {made});
    setWindow(added, conv.window);
    setInt(added, "group", conv.groups);
    if (op.convTranspose())
        setOutputPadding(nodes, added, conv.window);
    // Reading the file would form a Relu-SepConv of it, with the Relu of the convolution before.
    if (conv.groups > 1 && !activates && conv.before.kind == ActivationKind::None)
        added.set_doc_string(kUnitMark);
    if (activates)
        writeActivation(nodes, conv.after, made, nodes.fresh(op.name + "/after"), nodes.output());
}

void writeSepConv(NodeSteps &nodes)
{
    const Operator &op = nodes.op();
    const SepConvAttributes &sep = *op.sepConv();
    Names depthwise{activated(nodes, sep.before, nodes.input(), "relu")};
    const Parameter *kernel = op.parameter(role::kDepthwiseWeight);
    for (const std::string &name : nodes.weights({role::kDepthwiseWeight, role::kDepthwiseBias}))
        depthwise.push_back(name);
    const std::string middle = nodes.step("Conv", "depthwise", depthwise);
    setWindow(nodes.lastNode(), sep.window);
    setInt(nodes.lastNode(), "group", kernel->shape.dims[0]);
    Names pointwise{activated(nodes, sep.between, middle, "between")};
    for (const std::string &name : nodes.weights({role::kPointwiseWeight, role::kPointwiseBias}))
        pointwise.push_back(name);
    const bool activates = sep.after.kind != ActivationKind::None;
    const std::string made = activates ? nodes.fresh(op.name + "/linear") : nodes.output();
    setWindow(nodes.node("Conv", op.name, pointwise, {made}), Window{});
    if (activates)
        writeActivation(nodes, sep.after, made, nodes.fresh(op.name + "/after"), nodes.output());
}

void writePool(NodeSteps &nodes)
{
    const Operator &op = nodes.op();
    const PoolAttributes &pool = *op.pool();
    const bool average = pool.mode == PoolAttributes::Mode::Average;
    const std::string from = nodes.input();
    if (pool.global) {
        nodes.node(average ? "GlobalAveragePool" : "GlobalMaxPool", op.name, {from}, {nodes.output()});
        return;
    }
    onnx::NodeProto &added = nodes.node(average ? "AveragePool" : "MaxPool", op.name, {from}, {nodes.output()});
    setWindow(added, pool.window);
    if (pool.ceilMode)
        setInt(added, "ceil_mode", 1);
    if (average && (nodes.form().opset >= 7 || pool.countIncludePad))
        setInt(added, "count_include_pad", pool.countIncludePad ? 1 : 0);
}

void writeBatchNorm(NodeSteps &nodes)
{
    const Operator &op = nodes.op();
    const Parameter &scale = *op.parameter(role::kScale);
    const auto channels = static_cast<std::size_t>(scale.shape.elements());
    Names inputs{nodes.input()};
    for (const std::string &name : nodes.weights({role::kScale, role::kBias}))
        inputs.push_back(name);
    inputs.push_back(nodes.weight("mean", scale.shape, shared(std::vector<float>(channels, 0.0F))));
    inputs.push_back(nodes.weight("variance", scale.shape, shared(std::vector<float>(channels, 1.0F))));
    onnx::NodeProto &added = nodes.node("BatchNormalization", op.name, inputs, {nodes.output()});
    setFloat(added, "epsilon", 0.0F); // it is already part of the scale
    if (nodes.form().opset < 7)
        setInt(added, "is_test", 1);
    if (nodes.form().opset < 6)
        setInts(added, "consumed_inputs", {0, 0, 0, 1, 1});
    added.set_doc_string(kUnitMark);
}

std::string secondOperand(NodeSteps &nodes, const GemmAttributes &gemm)
{
    const Operator &op = nodes.op();
    const std::string &name = nodes.name(op.inputs[1].front());
    if (!gemm.transposeB)
        return name;
    const auto rank = static_cast<std::int64_t>(nodes.shape(op.inputs[1].front()).dims.size());
    std::string turned = nodes.step("Transpose", "transpose", {name});
    std::vector<std::int64_t> order;
    for (std::int64_t axis = 0; axis < rank; ++axis)
        order.push_back(axis < rank - 2 ? axis : axis == rank - 2 ? rank - 1 : rank - 2);
    setInts(nodes.lastNode(), "perm", order);
    return turned;
}

Parameter transposed(const Parameter &matrix)
{
    const auto from = parameterValues(matrix);
    const auto rows = static_cast<std::size_t>(matrix.shape.dims[0]);
    const auto columns = static_cast<std::size_t>(matrix.shape.dims[1]);
    std::vector<float> values(from->size());
    for (std::size_t row = 0; row < rows; ++row) {
        for (std::size_t column = 0; column < columns; ++column)
            values[column * rows + row] = (*from)[row * columns + column];
    }
    Parameter result = matrix;
    result.shape.dims = {matrix.shape.dims[1], matrix.shape.dims[0]};
    result.values = shared(std::move(values));
    return result;
}

Result<void> writeGemm(NodeSteps &nodes)
{
    const Operator &op = nodes.op();
    const GemmAttributes &gemm = *op.gemm();
    const Parameter *matrix = op.parameter(role::kWeight);
    const Parameter *bias = op.parameter(role::kBias);
    const Shape &in = nodes.shape(op.inputs.front().front());
    if (!matrix && op.inputs.size() != 2)
        return refuseToWrite("it has neither a weight nor a second operand");
    const bool activates = gemm.after.kind != ActivationKind::None;
    const std::string made = activates ? nodes.fresh(op.name + "/linear") : nodes.output();
    Names inputs{nodes.name(op.inputs.front().front())};
    if (matrix && in.dims.size() == 2 && (bias || nodes.form().opset >= 11)) {
        for (const std::string &name : nodes.weights({role::kWeight, role::kBias}))
            inputs.push_back(name);
        onnx::NodeProto &added = nodes.node("Gemm", op.name, inputs, {made});
        setInt(added, "transB", gemm.transposeB ? 1 : 0);
        setBroadcast(added, nodes.form());
    } else {
        inputs.push_back(matrix ? nodes.weight(gemm.transposeB ? transposed(*matrix) : *matrix)
                                : secondOperand(nodes, gemm));
        const std::string product = bias ? nodes.fresh(op.name + "/product") : made;
        nodes.node("MatMul", op.name, inputs, {product});
        if (bias)
            setBroadcast(nodes.node("Add", nodes.fresh(op.name + "/bias"), {product, nodes.weight(*bias)}, {made}),
                         nodes.form());
    }
    if (activates)
        writeActivation(nodes, gemm.after, made, nodes.fresh(op.name + "/after"), nodes.output());
    return {};
}

Result<void> writeOperator(NodeSteps &nodes)
{
    const Operator &op = nodes.op();
    if (const SourceNode *source = nodes.source())
        return writeCopy(nodes, *source);
    switch (op.kind) {
    case OperatorKind::Conv: writeConv(nodes, "Conv", *nodes.op().conv(), nodes.input()); return {};
    case OperatorKind::SepConv: writeSepConv(nodes); return {};
    case OperatorKind::Pool: writePool(nodes); return {};
    case OperatorKind::Activation: writeActivationUnit(nodes); return {};
    case OperatorKind::Join: writeJoin(nodes); return {};
    case OperatorKind::BatchNorm: writeBatchNorm(nodes); return {};
    case OperatorKind::Gemm: return writeGemm(nodes);
    case OperatorKind::ConvTranspose:
        if (const ConvAttributes *conv = op.convTranspose()) {
            writeConv(nodes, "ConvTranspose", *conv, nodes.input());
            return {};
        }
        return writeAsIs(nodes);
    default: return writeAsIs(nodes);
    }
}

void writeSplit(NodeSteps &nodes, const std::string &whole, const Names &outputs,
                const std::vector<std::int64_t> &extents, std::int64_t axis)
{
    Names inputs{whole};
    if (nodes.form().opset >= 13) // an attribute before
        inputs.push_back(nodes.weight("split", Shape{{static_cast<std::int64_t>(extents.size())}}, shared(extents),
                                      DataType::Int64));
    onnx::NodeProto &split = nodes.node("Split", nodes.fresh(nodes.op().name + "/split"), inputs, outputs);
    setInt(split, "axis", axis);
    if (nodes.form().opset < 13)
        setInts(split, "split", extents);
}

// The weight of products with inputs of their own as matrices of [inFeatures, columns], one after another.
std::vector<float> matricesOf(const GemmAttributes &gemm, const Parameter &weight, std::int64_t products)
{
    const auto values = parameterValues(weight);
    const std::int64_t columns = gemm.outFeatures / products;
    std::vector<float> matrices;
    matrices.reserve(values->size());
    for (std::int64_t product = 0; product < products; ++product) {
        for (std::int64_t row = 0; row < gemm.inFeatures; ++row) {
            for (std::int64_t column = product * columns; column < (product + 1) * columns; ++column)
                matrices.push_back((*values)[static_cast<std::size_t>(
                    gemm.transposeB ? column * gemm.inFeatures + row : row * gemm.outFeatures + column)]);
        }
    }
    return matrices;
}

// A stack of the inputs times a stack of matrices, the activation, and the stack taken apart.
Result<void> writeProductsApart(NodeSteps &nodes, const OnnxUnit &unit, const Graph &graph)
{
    const Operator &merged = nodes.op();
    const GemmAttributes &gemm = *merged.gemm();
    if (nodes.form().opset < 7)
        return refuseToWrite("a merge of products with inputs of their own needs at least opset 7");
    const auto products = static_cast<std::int64_t>(unit.operators.size());
    const auto reshaped = [&](const std::string &from, std::vector<std::int64_t> dims, const std::string &to) {
        const Shape rank{{static_cast<std::int64_t>(dims.size())}};
        nodes.node("Reshape", nodes.fresh(merged.name + "/reshape"),
                   {from, nodes.weight("shape", rank, shared(std::move(dims)), DataType::Int64)}, {to});
    };
    Names stacked;
    for (const auto &part : merged.inputs) {
        std::vector<std::int64_t> dims = nodes.shape(part.front()).dims;
        dims.insert(dims.begin(), 1);
        reshaped(nodes.name(part.front()), std::move(dims), stacked.emplace_back(nodes.fresh(merged.name + "/input")));
    }
    const std::string stack = nodes.step("Concat", "stack", stacked);
    setInt(nodes.lastNode(), "axis", 0);
    const std::size_t rank = nodes.shape(merged.inputs.front().front()).dims.size();
    const auto stackOf = [&](std::int64_t rows) {
        std::vector<std::int64_t> dims(rank + 1, 1);
        dims.front() = products;
        dims[rank - 1] = rows;
        dims[rank] = gemm.outFeatures / products;
        return Shape{dims};
    };
    const Parameter &matrix = *merged.parameter(role::kWeight);
    std::string made = nodes.fresh(merged.name + "/product");
    nodes.node("MatMul", merged.name,
               {stack, nodes.weight("weight", stackOf(gemm.inFeatures), shared(matricesOf(gemm, matrix, products)),
                                    matrix.type)},
               {made});
    if (const Parameter *bias = merged.parameter(role::kBias))
        made = nodes.step("Add", "bias",
                          {made, nodes.weight("bias", stackOf(1), shared(*parameterValues(*bias)), bias->type)});
    if (gemm.after.kind != ActivationKind::None) {
        const std::string active = nodes.fresh(merged.name + "/active");
        writeActivation(nodes, gemm.after, made, nodes.fresh(merged.name + "/after"), active);
        made = active;
    }
    Names outputs;
    for (std::size_t i = 0; i < unit.operators.size(); ++i)
        outputs.push_back(nodes.fresh(merged.name + "/output"));
    writeSplit(nodes, made, outputs, std::vector<std::int64_t>(unit.operators.size(), 1), 0);
    for (std::size_t i = 0; i < unit.operators.size(); ++i) {
        const TensorId output = graph.op(unit.operators[i]).outputs.front();
        reshaped(outputs[i], nodes.shape(output).dims, nodes.name(output));
    }
    return {};
}

// The convolution or product, its activation and a split.
Result<void> writeMerged(NodeSteps &nodes, const OnnxUnit &unit, const Graph &graph)
{
    const Operator &merged = nodes.op();
    if (merged.gemm() && merged.inputs.size() > 1)
        return writeProductsApart(nodes, unit, graph);
    const std::string whole = nodes.output();
    if (merged.gemm()) {
        TRY(writeGemm(nodes));
    } else {
        writeConv(nodes, "Conv", *merged.conv(), nodes.input());
    }
    Names outputs;
    for (const OperatorId id : unit.operators)
        outputs.push_back(nodes.name(graph.op(id).outputs.front()));
    writeSplit(nodes, whole, outputs, unit.extents, static_cast<std::int64_t>(unit.axis));
    return {};
}

nlohmann::ordered_json mergeJson(const Graph &graph, const OnnxUnit &unit, const onnx::GraphProto &proto, int firstNode)
{
    nlohmann::ordered_json merge{{"nodes", nlohmann::ordered_json::array()},
                                 {"operators", nlohmann::ordered_json::array()}};
    for (int i = firstNode; i < proto.node_size(); ++i)
        merge["nodes"].push_back(proto.node(i).name());
    for (std::size_t i = 0; i < unit.operators.size(); ++i) {
        const Operator &op = graph.op(unit.operators[i]);
        nlohmann::ordered_json member{{"name", op.name}, {"channels", unit.extents[i]}};
        if (op.conv())
            member["kernel"] = op.conv()->window.kernel;
        member["bias"] = op.parameter(role::kBias) != nullptr;
        merge["operators"].push_back(std::move(member));
    }
    return merge;
}

std::vector<OnnxUnit> unitsOf(const Graph &graph)
{
    std::vector<OnnxUnit> units;
    for (std::size_t i = 0; i < graph.size(); ++i)
        units.push_back({{OperatorId::fromIndex(i)}, std::nullopt, {}});
    return units;
}

// Outputs of the file that need no computation.
void writeConstantOutputs(NodeSteps &nodes, const OnnxSource &source)
{
    for (const SourceOutput &output : source.outputs) {
        if (!output.constant)
            continue;
        const std::string &name = output.info->name();
        const Constant &constant = *output.constant;
        const std::string written = nodes.weight(name, constant, nodes.elementTypeOf(constant));
        if (written != name)
            nodes.node("Identity", nodes.fresh(name), {written}, {name});
    }
}

} // namespace

Result<WrittenNodes> writeNodes(const Graph &graph, const WrittenForm &form, onnx::GraphProto &proto,
                                const OnnxExportOptions &options)
{
    NodeSteps nodes(graph, proto, form);
    if (form.source) {
        for (const auto &node : form.source->file->graph().node())
            reserveInnerNames(node, nodes);
        writeConstantOutputs(nodes, *form.source);
    }
    std::vector<ExportedNode> written;
    const auto note = [&](std::optional<std::size_t> unit) {
        for (auto i = static_cast<int>(written.size()); i < proto.node_size(); ++i)
            written.push_back({proto.node(i).name(), unit});
    };
    note({});
    nlohmann::ordered_json merges = nlohmann::ordered_json::array();
    const std::vector<OnnxUnit> ofGraph = options.stages ? std::vector<OnnxUnit>() : unitsOf(graph);
    const std::vector<OnnxUnit> &units = options.stages ? options.stages->units : ofGraph;
    for (std::size_t i = 0; i < units.size(); ++i) {
        const OnnxUnit &unit = units[i];
        const int firstNode = proto.node_size();
        if (unit.merged) {
            Operator merged = *unit.merged;
            merged.name = nodes.fresh(merged.name);
            nodes.begin(merged, nodes.fresh(merged.name + "/output"));
            TRY(writeMerged(nodes, unit, graph));
            merges.push_back(mergeJson(graph, unit, proto, firstNode));
        } else {
            const Operator &op = graph.op(unit.operators.front());
            nodes.begin(op, nodes.name(op.outputs.front()));
            if (auto ok = writeOperator(nodes); !ok)
                return within("operator " + op.name, std::move(ok.error()));
        }
        const bool isInUnit = !options.inUnits.empty() && options.inUnits[unit.operators.front().index()];
        for (int node = firstNode; node < proto.node_size(); ++node) {
            addMetadata(*proto.mutable_node(node), unit.metadata);
            if (isInUnit && proto.node(node).doc_string() == kUnitMark)
                proto.mutable_node(node)->clear_doc_string();
        }
        note(i);
    }
    return WrittenNodes{nodes.takeWeights(), std::move(written),
                        merges.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace)};
}

} // namespace stagecraft
