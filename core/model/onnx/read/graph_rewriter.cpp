#include "model/onnx/read/graph_rewriter.h"

#include <algorithm>
#include <fmt/format.h>

namespace stagecraft::rewriting {
namespace {

// What names mean within a graph: what the table says, but for those that it or a graph around it defines itself.
class Scope {
public:
    explicit Scope(const NewNames &names) : m_names(names) {}
    Scope(const Scope &outer, const onnx::GraphProto &graph) : m_names(outer.m_names), m_outer(&outer)
    {
        for (const auto &input : graph.input())
            m_own.insert(input.name());
        for (const auto &initializer : graph.initializer())
            m_own.insert(initializer.name());
        for (const auto &node : graph.node())
            m_own.insert(node.output().begin(), node.output().end());
    }

    void rename(std::string &name) const
    {
        for (const Scope *scope = this; scope; scope = scope->m_outer) {
            if (scope->m_own.contains(name))
                return;
        }
        if (const auto found = m_names.find(name); found != m_names.end())
            name = found->second;
    }

    void rename(onnx::NodeProto &node) const
    {
        for (auto &name : *node.mutable_input())
            rename(name);
        for (auto &name : *node.mutable_output())
            rename(name);
        for (auto &attribute : *node.mutable_attribute()) {
            if (attribute.has_g())
                rename(*attribute.mutable_g());
            for (auto &graph : *attribute.mutable_graphs())
                rename(graph);
        }
    }

private:
    void rename(onnx::GraphProto &graph) const
    {
        const Scope inner(*this, graph);
        for (auto &node : *graph.mutable_node())
            inner.rename(node);
        for (auto &output : *graph.mutable_output())
            inner.rename(*output.mutable_name());
    }

    const NewNames &m_names;
    const Scope *m_outer = nullptr;
    std::unordered_set<std::string> m_own;
};

} // namespace

std::string TakenNames::fresh(const std::string &wanted)
{
    if (insert(wanted))
        return wanted;
    for (int &number = m_next.try_emplace(wanted, 2).first->second;; ++number) {
        std::string name = fmt::format("{} {}", wanted, number);
        if (insert(name))
            return name;
    }
}

void rename(onnx::NodeProto &node, const NewNames &names)
{
    Scope(names).rename(node);
}

std::string renamed(const std::string &text, const NewNames &names)
{
    const auto found = names.find(text);
    return found == names.end() ? text : found->second;
}

const onnx::AttributeProto *attributeOf(const onnx::NodeProto &node, const std::string &name)
{
    const auto found = std::ranges::find_if(node.attribute(), [&](const auto &each) { return each.name() == name; });
    return found == node.attribute().end() ? nullptr : &*found;
}

std::int64_t integerOf(const onnx::NodeProto &node, const std::string &name, std::int64_t fallback)
{
    const auto *attribute = attributeOf(node, name);
    return attribute ? attribute->i() : fallback;
}

std::vector<std::int64_t> integersOf(const onnx::NodeProto &node, const std::string &name)
{
    const auto *attribute = attributeOf(node, name);
    return attribute ? std::vector<std::int64_t>(attribute->ints().begin(), attribute->ints().end())
                     : std::vector<std::int64_t>();
}

std::string labelOf(const onnx::NodeProto &node)
{
    return !node.name().empty() || node.output_size() == 0 ? node.name() : node.output(0);
}

void addNames(const onnx::GraphProto &graph, TakenNames &names)
{
    for (const auto &input : graph.input())
        names.insert(input.name());
    for (const auto &initializer : graph.initializer())
        names.insert(initializer.name());
    for (const auto &node : graph.node()) {
        for (const auto &output : node.output())
            names.insert(output);
        for (const auto &attribute : node.attribute()) {
            if (attribute.has_g())
                addNames(attribute.g(), names);
        }
    }
}

std::int64_t nodesIn(const google::protobuf::RepeatedPtrField<onnx::NodeProto> &nodes)
{
    std::int64_t count = nodes.size();
    for (const auto &node : nodes) {
        for (const auto &attribute : node.attribute())
            count += attribute.has_g() ? nodesIn(attribute.g().node()) : 0;
    }
    return count;
}

GraphRewriter::GraphRewriter(onnx::GraphProto &graph, std::int64_t opset, TakenNames &taken)
    : m_graph(graph), m_opset(opset), m_taken(taken)
{
    m_old.Swap(graph.mutable_node());
}

void GraphRewriter::keep(onnx::NodeProto &node)
{
    m_graph.add_node()->Swap(&node);
}

onnx::NodeProto &GraphRewriter::addNode(const std::string &type, const std::vector<std::string> &inputs,
                                        const std::string &output)
{
    onnx::NodeProto &node = *m_graph.add_node();
    node.set_op_type(type);
    for (const std::string &input : inputs)
        node.add_input(input);
    node.add_output(output);
    return node;
}

void GraphRewriter::setInteger(onnx::NodeProto &node, const std::string &name, std::int64_t value)
{
    onnx::AttributeProto &attribute = *node.add_attribute();
    attribute.set_name(name);
    attribute.set_type(onnx::AttributeProto::INT);
    attribute.set_i(value);
}

std::string GraphRewriter::addNumber(const std::string &label, int type, std::int64_t value)
{
    onnx::TensorProto &tensor = *m_graph.add_initializer();
    tensor.set_name(fresh(fmt::format("{}/{}", label, value)));
    tensor.set_data_type(type);
    if (type == onnx::TensorProto::BOOL)
        tensor.add_int32_data(static_cast<std::int32_t>(value));
    else
        tensor.add_int64_data(value);
    return tensor.name();
}

std::string GraphRewriter::addIntegers(const std::string &label, const std::vector<std::int64_t> &values)
{
    onnx::TensorProto &tensor = *m_graph.add_initializer();
    tensor.set_name(fresh(label));
    tensor.set_data_type(onnx::TensorProto::INT64);
    tensor.add_dims(static_cast<std::int64_t>(values.size()));
    tensor.mutable_int64_data()->Add(values.begin(), values.end());
    return tensor.name();
}

onnx::NodeProto &GraphRewriter::addAxisNode(const std::string &type, const std::string &value, std::int64_t axis,
                                            const std::string &output)
{
    constexpr std::int64_t kAxesAreOperands = 13;
    if (m_opset >= kAxesAreOperands)
        return addNode(type, {value, addIntegers(value + "/axes", {axis})}, output);
    onnx::NodeProto &node = addNode(type, {value}, output);
    onnx::AttributeProto &axes = *node.add_attribute();
    axes.set_name("axes");
    axes.set_type(onnx::AttributeProto::INTS);
    axes.add_ints(axis);
    return node;
}

std::string GraphRewriter::addUnsqueeze(const std::string &value, std::int64_t axis)
{
    std::string output = fresh(value + "/stacked");
    addAxisNode("Unsqueeze", value, axis, output);
    return output;
}

void GraphRewriter::addSqueeze(const std::string &value, std::int64_t axis, const std::string &output)
{
    addAxisNode("Squeeze", value, axis, output);
}

void GraphRewriter::name(const std::string &text, const std::string &where, NewNames &names)
{
    if (!text.empty() && !names.contains(text))
        names[text] = fresh(fmt::format("{}/{}", where, text));
}

void GraphRewriter::copyInitializers(const onnx::GraphProto &body, const std::string &where, NewNames &names)
{
    for (const auto &initializer : body.initializer()) {
        name(initializer.name(), where, names);
        auto &copy = *m_graph.add_initializer();
        copy = initializer;
        copy.set_name(names[initializer.name()]);
    }
}

void GraphRewriter::copyNodes(const onnx::GraphProto &body, const std::string &where, NewNames &names)
{
    for (const auto &node : body.node()) {
        for (const auto &output : node.output())
            name(output, where, names);
    }
    for (const auto &node : body.node()) {
        auto &copy = *m_graph.add_node();
        copy = node;
        rename(copy, names);
        copy.set_name(fmt::format("{}/{}", where, labelOf(node)));
    }
}

} // namespace stagecraft::rewriting
