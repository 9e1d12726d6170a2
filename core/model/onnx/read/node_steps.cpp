#include "model/onnx/read/node_steps.h"

#include "operators/parameter_values.h"

#include <fmt/format.h>
#include <memory>
#include <onnx/onnx_pb.h>

namespace stagecraft {

NodeSteps::NodeSteps(const Graph &graph, onnx::GraphProto &proto, WrittenForm form)
    : m_graph(graph), m_proto(proto), m_form(std::move(form))
{
    for (const Tensor &tensor : graph.tensors())
        m_names.insert(tensor.name);
    for (const Operator &op : graph.operators())
        m_names.insert(op.name);
}

const SourceNode *NodeSteps::source() const
{
    const bool isAsInFile = m_op->kind != OperatorKind::Join && m_op->kind != OperatorKind::BatchNorm &&
                            std::holds_alternative<GenericAttributes>(m_op->attributes);
    if (!m_form.source || !isAsInFile)
        return nullptr;
    const auto found = m_form.source->nodes.find(m_op->name);
    return found == m_form.source->nodes.end() ? nullptr : &found->second;
}

std::string NodeSteps::fresh(const std::string &wanted)
{
    std::string name = wanted;
    for (int i = 2; !m_names.insert(name).second; ++i)
        name = fmt::format("{}_{}", wanted, i);
    return name;
}

onnx::NodeProto &NodeSteps::node(const std::string &type, const std::string &name, const Names &inputs,
                                 const Names &outputs)
{
    onnx::NodeProto &added = *m_proto.add_node();
    added.set_op_type(type);
    added.set_name(name);
    for (const std::string &read : inputs)
        added.add_input(read);
    for (const std::string &made : outputs)
        added.add_output(made);
    return added;
}

void NodeSteps::node(onnx::NodeProto added)
{
    *m_proto.add_node() = std::move(added);
}

std::string NodeSteps::step(const char *type, const std::string &suffix, const Names &inputs)
{
    std::string name = fresh(fmt::format("{}/{}", m_op->name, suffix));
    node(type, name, inputs, {name});
    return name;
}

onnx::NodeProto &NodeSteps::lastNode()
{
    return *m_proto.mutable_node(m_proto.node_size() - 1);
}

std::string NodeSteps::add(WrittenWeight weight, const void *values)
{
    const std::tuple key{values, weight.parameter.shape.dims, weight.elementType};
    if (const auto same = m_written.find(key); values && same != m_written.end())
        return same->second;
    if (std::string made = dequantised(values, weight.parameter.shape, weight.elementType); !made.empty()) {
        m_written.emplace(key, made);
        return made;
    }
    std::string name = fresh(weight.parameter.name);
    if (!values && !weight.stored && name != weight.parameter.name)
        weight.parameter.values = typedValues(weight.parameter); // generated from its original name
    weight.parameter.name = name;
    m_weights.push_back(std::move(weight));
    if (values)
        m_written.emplace(key, name);
    return name;
}

std::string NodeSteps::operand(const SourceOperand &operand, std::string_view name)
{
    if (operand.stored)
        return weight(*operand.stored);
    if (!operand.constant)
        return {};
    return weight(std::string(name), *operand.constant, elementTypeOf(*operand.constant));
}

int NodeSteps::elementTypeOf(const Constant &constant) const
{
    return constant.elementType == 0 ? stagecraft::elementTypeOf(constant.type, m_form.types)
                                     : m_form.types.of(constant.elementType);
}

std::string NodeSteps::dequantised(const void *values, const Shape &shape, int elementType)
{
    if (!m_form.source || !values)
        return {};
    const auto found = m_form.source->quantised.find(values);
    if (found == m_form.source->quantised.end())
        return {};
    const auto &[made, source] = found->second;
    if (shape.dims != made->dims || elementType != stagecraft::elementTypeOf(made->type, m_form.types))
        return {};
    onnx::NodeProto copy = *source.proto;
    for (std::size_t i = 0; i < source.operands.size(); ++i)
        copy.set_input(static_cast<int>(i), operand(source.operands[i], source.proto->input(static_cast<int>(i))));
    copy.set_name(fresh(copy.name().empty() ? copy.output(0) + "/dequantised" : copy.name()));
    copy.set_output(0, fresh(copy.output(0)));
    std::string output = copy.output(0);
    node(std::move(copy));
    return output;
}

// The real operands of a unit, and of the nodes that are written for it, are of one type: that of what it computes. Its
// weights may have been computed from weights of others.
int NodeSteps::elementTypeFor(DataType type) const
{
    const bool isUnit = !std::holds_alternative<GenericAttributes>(m_op->attributes) ||
                        m_op->kind == OperatorKind::BatchNorm || m_op->kind == OperatorKind::Join;
    const bool adapts = m_form.types.areSeveral && isUnit && isFloatingPoint(type) && !m_op->outputs.empty();
    return stagecraft::elementTypeOf(adapts ? m_graph.tensor(m_op->outputs.front()).type : type, m_form.types);
}

std::string NodeSteps::weight(Parameter parameter)
{
    const void *values = parameter.values.identity();
    const int elementType = elementTypeFor(parameter.type);
    return add({std::move(parameter), elementType, nullptr}, values);
}

std::string NodeSteps::weight(const std::string &name, const Constant &constant, int elementType)
{
    return add({{{}, name, Shape{constant.dims}, constant.type, constant.values}, elementType, nullptr},
               constant.values.identity());
}

std::string NodeSteps::weight(const onnx::TensorProto &stored)
{
    return add({{{}, stored.name(), {}, DataType::Other, nullptr}, stored.data_type(), &stored}, &stored);
}

std::string NodeSteps::weight(const std::string &suffix, Shape shape, SharedValues values, DataType type)
{
    return weight({{}, fmt::format("{}.{}", m_op->name, suffix), std::move(shape), type, std::move(values)});
}

NodeSteps::Names NodeSteps::weights(std::initializer_list<std::string_view> roles)
{
    Names names;
    for (const std::string_view role : roles) {
        if (const Parameter *parameter = m_op->parameter(role))
            names.push_back(weight(*parameter));
    }
    return names;
}

std::string NodeSteps::part(const std::vector<TensorId> &summands)
{
    if (summands.size() == 1)
        return name(summands.front());
    Names names;
    for (const TensorId summand : summands)
        names.push_back(name(summand));
    const DataType type = m_graph.tensor(summands.front()).type;
    if (names.size() == 2 || type == DataType::Float32 || type == DataType::Float16)
        return step(names.size() == 2 ? "Add" : "Sum", "sum", names);
    std::string total = names.front(); // Sum does not take integers
    for (std::size_t i = 1; i < names.size(); ++i)
        total = step("Add", "sum", {total, names[i]});
    return total;
}

std::string NodeSteps::input()
{
    Names parts;
    for (const auto &summands : m_op->inputs)
        parts.push_back(part(summands));
    if (parts.size() == 1)
        return parts.front();
    std::string joined = step("Concat", "concat", parts);
    setInt(lastNode(), "axis", 1);
    return joined;
}

void setInts(onnx::NodeProto &to, const char *key, const std::vector<std::int64_t> &values)
{
    onnx::AttributeProto &attribute = *to.add_attribute();
    attribute.set_name(key);
    attribute.set_type(onnx::AttributeProto::INTS);
    for (const std::int64_t value : values)
        attribute.add_ints(value);
}

void setInt(onnx::NodeProto &to, const char *key, std::int64_t value)
{
    onnx::AttributeProto &attribute = *to.add_attribute();
    attribute.set_name(key);
    attribute.set_type(onnx::AttributeProto::INT);
    attribute.set_i(value);
}

void setBroadcast(onnx::NodeProto &to, const WrittenForm &form)
{
    if (form.opset < 7)
        setInt(to, "broadcast", 1);
}

void setFloat(onnx::NodeProto &to, const char *key, float value)
{
    onnx::AttributeProto &attribute = *to.add_attribute();
    attribute.set_name(key);
    attribute.set_type(onnx::AttributeProto::FLOAT);
    attribute.set_f(value);
}

} // namespace stagecraft
