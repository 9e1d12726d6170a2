#include "model/onnx/node_writer.h"

#include "graph/operator_table.h"
#include "graph/parameter_roles.h"
#include "graph/parameter_values.h"
#include "model/onnx/attribute_text.h"
#include "model/onnx/graph_reader.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <onnx/onnx_pb.h>
#include <unordered_set>

namespace stagecraft {
namespace {

using Names = std::vector<std::string>;

tl::unexpected<Error> refuse(std::string message)
{
    return fail(ErrorCode::InvalidInput, std::move(message), "Keep the original model file");
}

class NodeWriter {
public:
    NodeWriter(const Graph &graph, onnx::GraphProto &proto) : m_graph(graph), m_proto(proto)
    {
        for (const Tensor &tensor : graph.tensors())
            m_names.insert(tensor.name);
        for (const Operator &op : graph.operators())
            m_names.insert(op.name);
    }

    Result<WrittenGraph> write()
    {
        for (const Operator &op : m_graph.operators()) {
            m_op = &op;
            if (auto ok = writeOperator(); !ok)
                return within("operator " + op.name, std::move(ok.error()));
        }
        return std::move(m_written);
    }

private:
    Result<void> writeOperator()
    {
        switch (m_op->kind) {
        case OperatorKind::Conv: writeConv("Conv", input()); return {};
        case OperatorKind::SepConv: writeSepConv(); return {};
        case OperatorKind::Pool: writePool(); return {};
        case OperatorKind::Activation: return writeActivationUnit();
        case OperatorKind::Join: writeJoin(); return {};
        case OperatorKind::BatchNorm: writeBatchNorm(); return {};
        case OperatorKind::Gemm: return writeGemm();
        case OperatorKind::ConvTranspose:
            if (m_op->conv()) {
                writeConv("ConvTranspose", input());
                return {};
            }
            return writeAsIs();
        default: return writeAsIs();
        }
    }

    // A name nothing else has.
    std::string fresh(const std::string &wanted)
    {
        std::string name = wanted;
        for (int i = 2; !m_names.insert(name).second; ++i)
            name = wanted + "_" + std::to_string(i);
        return name;
    }

    onnx::NodeProto &node(const char *type, const std::string &name, const Names &inputs, const std::string &output)
    {
        onnx::NodeProto &added = *m_proto.add_node();
        added.set_op_type(type);
        added.set_name(name);
        for (const std::string &read : inputs)
            added.add_input(read);
        added.add_output(output);
        return added;
    }

    // A node besides the operator's own, named after it.
    std::string step(const char *type, const std::string &suffix, const Names &inputs)
    {
        const std::string name = fresh(m_op->name + "/" + suffix);
        node(type, name, inputs, name);
        return name;
    }

    onnx::NodeProto &lastNode() { return *m_proto.mutable_node(m_proto.node_size() - 1); }

    static void setInts(onnx::NodeProto &to, const char *key, std::initializer_list<std::int64_t> values)
    {
        onnx::AttributeProto &attribute = *to.add_attribute();
        attribute.set_name(key);
        attribute.set_type(onnx::AttributeProto::INTS);
        for (const std::int64_t value : values)
            attribute.add_ints(value);
    }
    static void setInt(onnx::NodeProto &to, const char *key, std::int64_t value)
    {
        onnx::AttributeProto &attribute = *to.add_attribute();
        attribute.set_name(key);
        attribute.set_type(onnx::AttributeProto::INT);
        attribute.set_i(value);
    }
    static void setFloat(onnx::NodeProto &to, const char *key, float value)
    {
        onnx::AttributeProto &attribute = *to.add_attribute();
        attribute.set_name(key);
        attribute.set_type(onnx::AttributeProto::FLOAT);
        attribute.set_f(value);
    }

    std::string weight(Parameter parameter)
    {
        parameter.name = fresh(parameter.name);
        m_written.weights.push_back(parameter);
        return parameter.name;
    }
    std::string weight(const std::string &suffix, Shape shape, std::vector<float> values,
                       DataType type = DataType::Float32)
    {
        return weight({{},
                       m_op->name + "." + suffix,
                       std::move(shape),
                       type,
                       std::make_shared<std::vector<float>>(std::move(values))});
    }
    // The names of those of the parameters that the operator has, in order.
    Names weights(std::initializer_list<std::string_view> roles)
    {
        Names names;
        for (const std::string_view role : roles) {
            if (const Parameter *parameter = m_op->parameter(role))
                names.push_back(weight(*parameter));
        }
        return names;
    }

    [[nodiscard]] const std::string &tensorName(TensorId id) const { return m_graph.tensor(id).name; }
    [[nodiscard]] const std::string &output() const { return tensorName(m_op->outputs.front()); }

    std::string part(const std::vector<TensorId> &summands)
    {
        if (summands.size() == 1)
            return tensorName(summands.front());
        Names names;
        for (const TensorId summand : summands)
            names.push_back(tensorName(summand));
        return step(names.size() == 2 ? "Add" : "Sum", "sum", names);
    }

    // The input expression as one tensor.
    std::string input()
    {
        Names parts;
        for (const auto &summands : m_op->inputs)
            parts.push_back(part(summands));
        if (parts.size() == 1)
            return parts.front();
        const std::string name = step("Concat", "concat", parts);
        setInt(lastNode(), "axis", 1);
        return name;
    }

    // A join is a unit of its own: reading the file back must not take it into its reader.
    void writeJoin()
    {
        Names names;
        const char *type = "Identity";
        if (m_op->inputs.size() == 1) {
            for (const TensorId summand : m_op->inputs.front())
                names.push_back(tensorName(summand));
            type = names.size() == 1 ? "Identity" : names.size() == 2 ? "Add" : "Sum";
        } else {
            for (const auto &summands : m_op->inputs)
                names.push_back(part(summands));
            type = "Concat";
        }
        onnx::NodeProto &added = node(type, m_op->name, names, output());
        added.set_doc_string(kUnitMark);
        if (m_op->inputs.size() > 1)
            setInt(added, "axis", 1);
    }

    static void setWindow(onnx::NodeProto &to, const Window &window)
    {
        setInts(to, "kernel_shape", {window.kernel[0], window.kernel[1]});
        setInts(to, "strides", {window.stride[0], window.stride[1]});
        setInts(to, "pads", {window.padding[0], window.padding[1], window.padding[2], window.padding[3]});
        if (window.dilation != std::array<std::int64_t, 2>{1, 1})
            setInts(to, "dilations", {window.dilation[0], window.dilation[1]});
    }

    void writeConv(const char *type, const std::string &from)
    {
        const ConvAttributes &conv = *m_op->conv();
        Names inputs{activated(conv.before, from, "before")};
        for (const std::string &name : weights({role::kWeight, role::kBias}))
            inputs.push_back(name);
        const bool activates = conv.after.kind != ActivationKind::None;
        const std::string made = activates ? fresh(m_op->name + "/linear") : output();
        onnx::NodeProto &added = node(type, m_op->name, inputs, made);
        setWindow(added, conv.window);
        setInt(added, "group", conv.groups);
        if (m_op->kind == OperatorKind::ConvTranspose)
            setOutputPadding(added, conv.window);
        if (activates)
            writeActivation(conv.after, made, fresh(m_op->name + "/after"), output());
    }

    // What the shape of the output has beyond what window and input make.
    void setOutputPadding(onnx::NodeProto &added, const Window &window) const
    {
        const Shape &in = m_graph.tensor(m_op->inputs.front().front()).shape;
        const Shape &out = m_graph.tensor(m_op->outputs.front()).shape;
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

    void writeSepConv()
    {
        const SepConvAttributes &sep = *m_op->sepConv();
        Names depthwise{activated(sep.before, input(), "relu")};
        const Parameter *kernel = m_op->parameter(role::kDepthwiseWeight);
        for (const std::string &name : weights({role::kDepthwiseWeight, role::kDepthwiseBias}))
            depthwise.push_back(name);
        const std::string middle = step("Conv", "depthwise", depthwise);
        setWindow(lastNode(), sep.window);
        setInt(lastNode(), "group", kernel->shape.dims[0]);
        Names pointwise{activated(sep.between, middle, "between")};
        for (const std::string &name : weights({role::kPointwiseWeight, role::kPointwiseBias}))
            pointwise.push_back(name);
        const bool activates = sep.after.kind != ActivationKind::None;
        const std::string made = activates ? fresh(m_op->name + "/linear") : output();
        setWindow(node("Conv", m_op->name, pointwise, made), Window{});
        if (activates)
            writeActivation(sep.after, made, fresh(m_op->name + "/after"), output());
    }

    void writePool()
    {
        const PoolAttributes &pool = *m_op->pool();
        const bool average = pool.mode == PoolAttributes::Mode::Average;
        const std::string from = input();
        if (pool.global) {
            node(average ? "GlobalAveragePool" : "GlobalMaxPool", m_op->name, {from}, output());
            return;
        }
        onnx::NodeProto &added = node(average ? "AveragePool" : "MaxPool", m_op->name, {from}, output());
        setWindow(added, pool.window);
        if (pool.ceilMode)
            setInt(added, "ceil_mode", 1);
        if (average)
            setInt(added, "count_include_pad", pool.countIncludePad ? 1 : 0);
    }

    void writeBatchNorm()
    {
        const Parameter &scale = *m_op->parameter(role::kScale);
        const auto channels = static_cast<std::size_t>(scale.shape.elements());
        Names inputs{input()};
        for (const std::string &name : weights({role::kScale, role::kBias}))
            inputs.push_back(name);
        inputs.push_back(weight("mean", scale.shape, std::vector<float>(channels, 0.0F)));
        inputs.push_back(weight("variance", scale.shape, std::vector<float>(channels, 1.0F)));
        onnx::NodeProto &added = node("BatchNormalization", m_op->name, inputs, output());
        setFloat(added, "epsilon", 0.0F); // it is part of the scale already
        added.set_doc_string(kUnitMark);
    }

    Result<void> writeActivationUnit()
    {
        const auto &activation = std::get<Activation>(m_op->attributes);
        const std::string from = input();
        if (activation.kind == ActivationKind::Other)
            node(m_op->type.c_str(), m_op->name, {from}, output());
        else
            writeActivation(activation, from, m_op->name, output());
        lastNode().set_doc_string(kUnitMark);
        return {};
    }

    std::string activated(const Activation &activation, const std::string &from, const std::string &suffix)
    {
        if (activation.kind == ActivationKind::None)
            return from;
        const std::string name = fresh(m_op->name + "/" + suffix);
        writeActivation(activation, from, name, name);
        return name;
    }

    void writeActivation(const Activation &activation, const std::string &from, const std::string &name,
                         const std::string &to)
    {
        switch (activation.kind) {
        case ActivationKind::Relu6: {
            const std::string low = weight("min", Shape{}, {0.0F});
            const std::string high = weight("max", Shape{}, {6.0F});
            node("Clip", name, {from, low, high}, to);
            return;
        }
        case ActivationKind::LeakyRelu:
        case ActivationKind::Elu:
            setFloat(node(toString(activation.kind).data(), name, {from}, to), "alpha", activation.alpha);
            return;
        case ActivationKind::HardSigmoid: {
            onnx::NodeProto &added = node("HardSigmoid", name, {from}, to);
            setFloat(added, "alpha", activation.alpha);
            setFloat(added, "beta", activation.beta);
            return;
        }
        case ActivationKind::Silu: node("Mul", name, {from, step("Sigmoid", "sigmoid", {from})}, to); return;
        case ActivationKind::Gelu: writeGelu(from, name, to); return;
        case ActivationKind::PRelu: node("PRelu", name, {from, slope()}, to); return;
        default: node(toString(activation.kind).data(), name, {from}, to); return;
        }
    }

    // x / 2 * (1 + erf(x / sqrt(2))): opset 17 has no Gelu.
    void writeGelu(const std::string &from, const std::string &name, const std::string &to)
    {
        const std::string root = weight("sqrt_half", Shape{}, {std::sqrt(0.5F)});
        const std::string unit = weight("one", Shape{}, {1.0F});
        const std::string half = weight("half", Shape{}, {0.5F});
        const std::string erf = step("Erf", "erf", {step("Mul", "scaled", {from, root})});
        const std::string gate = step("Mul", "gate", {step("Add", "shifted", {erf, unit}), half});
        node("Mul", name, {from, gate}, to);
    }

    // One slope per channel, shaped so that it stretches over an image.
    std::string slope()
    {
        Parameter parameter = *m_op->parameter(role::kSlope);
        parameter.values = parameterValues(parameter);
        const std::size_t rank = m_graph.tensor(m_op->outputs.front()).shape.dims.size();
        for (std::size_t i = 2; i < rank; ++i)
            parameter.shape.dims.push_back(1);
        return weight(std::move(parameter));
    }

    Result<void> writeGemm()
    {
        const GemmAttributes &gemm = *m_op->gemm();
        const Parameter *matrix = m_op->parameter(role::kWeight);
        const Parameter *bias = m_op->parameter(role::kBias);
        const Shape &in = m_graph.tensor(m_op->inputs.front().front()).shape;
        if (!matrix && m_op->inputs.size() != 2)
            return refuse("it has neither a weight nor a second operand");
        const bool activates = gemm.after.kind != ActivationKind::None;
        const std::string made = activates ? fresh(m_op->name + "/linear") : output();
        Names inputs{tensorName(m_op->inputs.front().front())};
        if (matrix && in.dims.size() == 2) {
            for (const std::string &name : weights({role::kWeight, role::kBias}))
                inputs.push_back(name);
            setInt(node("Gemm", m_op->name, inputs, made), "transB", gemm.transposeB ? 1 : 0);
        } else {
            inputs.push_back(matrix ? weight(gemm.transposeB ? transposed(*matrix) : *matrix) : secondOperand(gemm));
            const std::string product = bias ? fresh(m_op->name + "/product") : made;
            node("MatMul", m_op->name, inputs, product);
            if (bias)
                node("Add", fresh(m_op->name + "/bias"), {product, weight(*bias)}, made);
        }
        if (activates)
            writeActivation(gemm.after, made, fresh(m_op->name + "/after"), output());
        return {};
    }

    std::string secondOperand(const GemmAttributes &gemm)
    {
        const std::string &name = tensorName(m_op->inputs[1].front());
        if (!gemm.transposeB)
            return name;
        const auto rank = static_cast<std::int64_t>(m_graph.tensor(m_op->inputs[1].front()).shape.dims.size());
        const std::string turned = step("Transpose", "transpose", {name});
        onnx::AttributeProto &order = *lastNode().add_attribute();
        order.set_name("perm");
        order.set_type(onnx::AttributeProto::INTS);
        for (std::int64_t axis = 0; axis < rank; ++axis)
            order.add_ints(axis < rank - 2 ? axis : axis == rank - 2 ? rank - 1 : rank - 2);
        return turned;
    }

    static Parameter transposed(const Parameter &matrix)
    {
        const auto from = parameterValues(matrix);
        const auto rows = static_cast<std::size_t>(matrix.shape.dims[0]);
        const auto columns = static_cast<std::size_t>(matrix.shape.dims[1]);
        auto values = std::make_shared<std::vector<float>>(from->size());
        for (std::size_t row = 0; row < rows; ++row) {
            for (std::size_t column = 0; column < columns; ++column)
                (*values)[column * rows + row] = (*from)[row * columns + column];
        }
        Parameter result = matrix;
        result.shape.dims = {matrix.shape.dims[1], matrix.shape.dims[0]};
        result.values = std::move(values);
        return result;
    }

    // Operators kept in the form of opset 13 to 17: tensors and constants back in their places.
    Result<void> writeAsIs()
    {
        static const std::unordered_set<std::string> wellKnown{
            "Conv",   "ConvTranspose", "MaxPool",           "AveragePool",
            "LpPool", "GlobalMaxPool", "GlobalAveragePool", "MatMul",
            "Gemm",   "Concat",        "GatherElements",    "CumSum",
            "TopK",   "ScatterND",     "ScatterElements"};
        const auto *attributes = std::get_if<GenericAttributes>(&m_op->attributes);
        if (!attributes || (m_op->kind == OperatorKind::Unknown && !wellKnown.contains(m_op->type)))
            return refuse("the program does not know operators of type " + displayType(*m_op) +
                          " well enough to write them");
        onnx::NodeProto &added = *m_proto.add_node();
        added.set_op_type(m_op->type);
        added.set_name(m_op->name);
        for (const auto &[key, text] : attributes->values) {
            onnx::AttributeProto attribute;
            attribute.set_name(key);
            if (!parseAttribute(text, attribute))
                return refuse("its attribute " + key + " is not kept");
            if (m_op->type != "Split" || key != "num_outputs") // opset 18; the sizes are written below
                *added.add_attribute() = std::move(attribute);
        }
        for (const std::string &name : operands())
            added.add_input(name);
        for (const TensorId id : m_op->outputs)
            added.add_output(tensorName(id));
        if (m_op->kind == OperatorKind::Elementwise)
            added.set_doc_string(kUnitMark);
        return {};
    }

    Names operands()
    {
        Names names;
        std::size_t next = 0;
        const auto nextTensor = [&] {
            return next < m_op->inputs.size() ? tensorName(m_op->inputs[next++].front()) : std::string();
        };
        std::size_t left = m_op->parameters.size();
        for (std::size_t place = 0; left > 0 || next < m_op->inputs.size(); ++place) {
            if (const Parameter *parameter = m_op->parameter(role::operand(place))) {
                names.push_back(weight(*parameter));
                --left;
            } else {
                names.push_back(nextTensor());
            }
        }
        if (m_op->type == "Split" && names.size() == 1) {
            const auto axis = splitAxis();
            std::vector<float> sizes;
            for (const TensorId id : m_op->outputs)
                sizes.push_back(static_cast<float>(m_graph.tensor(id).shape.dims[axis]));
            const auto count = static_cast<std::int64_t>(sizes.size());
            names.push_back(weight("split", Shape{{count}}, std::move(sizes), DataType::Int64));
        }
        return names;
    }

    [[nodiscard]] std::size_t splitAxis() const
    {
        const auto rank = static_cast<std::int64_t>(m_graph.tensor(m_op->outputs.front()).shape.dims.size());
        for (const auto &[key, text] : std::get<GenericAttributes>(m_op->attributes).values) {
            if (key == "axis")
                return static_cast<std::size_t>((std::stoll(text) + rank) % rank);
        }
        return 0;
    }

    const Graph &m_graph;
    onnx::GraphProto &m_proto;
    const Operator *m_op = nullptr;
    WrittenGraph m_written;
    std::unordered_set<std::string> m_names;
};

} // namespace

Result<WrittenGraph> writeNodes(const Graph &graph, onnx::GraphProto &proto)
{
    return NodeWriter(graph, proto).write();
}

} // namespace stagecraft
