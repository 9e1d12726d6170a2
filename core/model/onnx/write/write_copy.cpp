#include "model/onnx/read/node_order.h"
#include "model/onnx/refusal.h"
#include "model/onnx/unit_mark.h"
#include "model/onnx/write/write_rules.h"

#include <onnx/onnx_pb.h>
#include <unordered_map>

namespace stagecraft::write_rules {
namespace {

using Renamed = std::unordered_map<std::string, std::string>;

// Renames what the node's subgraphs read from outside. Names in ONNX subgraphs do not hide outer ones.
void rename(onnx::NodeProto &node, const Renamed &renamed);

void rename(onnx::GraphProto &graph, const Renamed &renamed)
{
    for (auto &node : *graph.mutable_node()) {
        for (std::string &input : *node.mutable_input()) {
            if (const auto found = renamed.find(input); found != renamed.end())
                input = found->second;
        }
        rename(node, renamed);
    }
    for (auto &output : *graph.mutable_output()) {
        if (const auto found = renamed.find(output.name()); found != renamed.end())
            output.set_name(found->second);
    }
}

void rename(onnx::NodeProto &node, const Renamed &renamed)
{
    for (auto &attribute : *node.mutable_attribute()) {
        if (attribute.has_g())
            rename(*attribute.mutable_g(), renamed);
    }
}

// Scales and similar operands are float32 in files of every type.
int elementTypeOf(const Constant &constant, const NodeSteps &nodes, const std::string &type, std::size_t place)
{
    const bool isPlain = place > 0 && (type == "Resize" || type == "Upsample" || type == "NonMaxSuppression");
    if (constant.isFloat() && isPlain)
        return onnx::TensorProto::FLOAT;
    return nodes.elementTypeOf(constant);
}

} // namespace

void reserveInnerNames(const onnx::NodeProto &node, NodeSteps &nodes)
{
    for (const auto &attribute : node.attribute()) {
        for (const auto &input : attribute.g().input())
            nodes.reserve(input.name());
        for (const auto &initializer : attribute.g().initializer())
            nodes.reserve(initializer.name());
        for (const auto &inner : attribute.g().node()) {
            for (const std::string &output : inner.output())
                nodes.reserve(output);
            reserveInnerNames(inner, nodes);
        }
    }
}

Result<void> writeCopy(NodeSteps &nodes, const SourceNode &source)
{
    const Operator &op = nodes.op();
    onnx::NodeProto copy = *source.proto;
    copy.set_name(op.name);
    if (copy.domain() == "ai.onnx")
        copy.clear_domain(); // "ai.onnx" is imported as ""
    copy.clear_input();
    copy.clear_output();
    if (op.kind == OperatorKind::Elementwise)
        copy.set_doc_string(kUnitMark);
    replaceTypes(copy, nodes.form().types);

    const auto names = readNames(*source.proto);
    Renamed renamed;
    std::size_t nextTensor = 0;
    for (std::size_t i = 0; i < source.operands.size(); ++i) {
        const SourceOperand &operand = source.operands[i];
        std::string name;
        if (operand.isTensor && nextTensor < op.inputs.size())
            name = nodes.name(op.inputs[nextTensor++].front());
        else if (operand.stored)
            name = nodes.weight(*operand.stored);
        else if (operand.constant)
            name = nodes.weight(std::string(names[i]), *operand.constant,
                                elementTypeOf(*operand.constant, nodes, source.proto->op_type(), i));
        else if (!names[i].empty())
            return refuseToWrite("it reads " + std::string(names[i]) + ", which the program does not keep");
        if (i < static_cast<std::size_t>(source.proto->input_size()))
            copy.add_input(std::move(name));
        else if (name != names[i])
            renamed.emplace(std::string(names[i]), std::move(name));
    }
    rename(copy, renamed);

    std::size_t nextOutput = 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(source.proto->output_size()); ++i) {
        const std::string &name = source.proto->output(static_cast<int>(i));
        const bool isKept = i < source.outputs.size() && !source.outputs[i].empty();
        copy.add_output(isKept ? nodes.name(op.outputs[nextOutput++]) : name.empty() ? name : nodes.fresh(name));
    }
    nodes.node(std::move(copy));
    return {};
}

} // namespace stagecraft::write_rules
