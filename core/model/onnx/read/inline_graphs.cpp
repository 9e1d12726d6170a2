#include "model/onnx/read/inline_graphs.h"

#include "model/onnx/refusal.h"
#include "operators/constant.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <onnx/onnx_pb.h>
#include <set>
#include <string>
#include <unordered_map>

namespace stagecraft {
namespace {

constexpr int kMostNodes = 1'000'000;          // that functions write out to
constexpr std::int64_t kMostUnrolled = 20'000; // nodes of one Loop

using NewNames = std::unordered_map<std::string, std::string>;

// Renames what the node reads and makes, also within its subgraphs. Names that are not in the table stay.
void rename(onnx::NodeProto &node, const NewNames &names);

void rename(std::string &name, const NewNames &names)
{
    if (const auto found = names.find(name); found != names.end())
        name = found->second;
}

void rename(onnx::GraphProto &graph, const NewNames &names)
{
    for (auto &node : *graph.mutable_node())
        rename(node, names);
    for (auto &output : *graph.mutable_output())
        rename(*output.mutable_name(), names);
}

void rename(onnx::NodeProto &node, const NewNames &names)
{
    for (auto &name : *node.mutable_input())
        rename(name, names);
    for (auto &name : *node.mutable_output())
        rename(name, names);
    for (auto &attribute : *node.mutable_attribute()) {
        if (attribute.has_g())
            rename(*attribute.mutable_g(), names);
        for (auto &graph : *attribute.mutable_graphs())
            rename(graph, names);
    }
}

const onnx::AttributeProto *attributeOf(const onnx::NodeProto &node, const std::string &name)
{
    const auto found = std::ranges::find_if(node.attribute(), [&](const auto &each) { return each.name() == name; });
    return found == node.attribute().end() ? nullptr : &*found;
}

std::string labelOf(const onnx::NodeProto &node)
{
    return !node.name().empty() || node.output_size() == 0 ? node.name() : node.output(0);
}

// Writes the nodes of a graph anew, with some of them replaced.
class Rewriter {
public:
    Rewriter(onnx::GraphProto &graph, std::int64_t opset) : m_graph(graph), m_opset(opset)
    {
        for (const auto &node : graph.node())
            m_taken.insert(node.output().begin(), node.output().end());
        for (const auto &input : graph.input())
            m_taken.insert(input.name());
        for (const auto &initializer : graph.initializer())
            m_taken.insert(initializer.name());
        m_old.Swap(graph.mutable_node());
    }

    [[nodiscard]] google::protobuf::RepeatedPtrField<onnx::NodeProto> &old() { return m_old; }
    void keep(onnx::NodeProto &node) { m_graph.add_node()->Swap(&node); }

    void copyBranch(const onnx::NodeProto &node, bool isTrue)
    {
        const auto *branch = attributeOf(node, isTrue ? "then_branch" : "else_branch");
        if (!branch)
            return;
        NewNames names;
        copyBody(branch->g(), labelOf(node), names);
        for (int i = 0; i < node.output_size() && i < branch->g().output_size(); ++i)
            addNode("Identity", {renamed(branch->g().output(i).name(), names)}, node.output(i));
    }

    void copyTurns(const onnx::NodeProto &loop, std::int64_t turns)
    {
        const onnx::GraphProto &body = attributeOf(loop, "body")->g();
        const int carried = std::max(0, loop.input_size() - 2);
        std::vector<std::string> values(loop.input().begin() + std::min(2, loop.input_size()), loop.input().end());
        std::vector<std::vector<std::string>> stacked(
            static_cast<std::size_t>(std::max(0, body.output_size() - 1 - carried)));
        const std::string isTrue = addInitializer(loop, onnx::TensorProto::BOOL, 1);
        for (std::int64_t turn = 0; turn < turns; ++turn) {
            NewNames names;
            if (body.input_size() > 0)
                names[body.input(0).name()] = addInitializer(loop, onnx::TensorProto::INT64, turn);
            if (body.input_size() > 1)
                names[body.input(1).name()] = isTrue;
            for (int i = 0; i < carried && i + 2 < body.input_size(); ++i)
                names[body.input(i + 2).name()] = values[static_cast<std::size_t>(i)];
            copyBody(body, labelOf(loop) + " turn " + std::to_string(turn), names);
            for (int i = 0; i < carried && i + 1 < body.output_size(); ++i)
                values[static_cast<std::size_t>(i)] = renamed(body.output(i + 1).name(), names);
            for (std::size_t i = 0; i < stacked.size(); ++i) {
                const std::string made = renamed(body.output(static_cast<int>(i) + 1 + carried).name(), names);
                stacked[i].push_back(unsqueezed(loop, made));
            }
        }
        for (int i = 0; i < loop.output_size(); ++i) {
            if (i < carried) {
                addNode("Identity", {values[static_cast<std::size_t>(i)]}, loop.output(i));
                continue;
            }
            onnx::NodeProto &join = addNode("Concat", stacked[static_cast<std::size_t>(i - carried)], loop.output(i));
            setInt(join, "axis", 0);
        }
    }

    // A call of a function; attributes of its nodes may refer to those of the call.
    void copyFunction(const onnx::NodeProto &call, const onnx::FunctionProto &function)
    {
        NewNames names;
        for (int i = 0; i < function.input_size(); ++i)
            names[function.input(i)] = i < call.input_size() ? call.input(i) : std::string();
        std::set<std::string> direct; // outputs that a node of the function makes
        for (const auto &node : function.node())
            direct.insert(node.output().begin(), node.output().end());
        for (int i = 0; i < function.output_size() && i < call.output_size(); ++i) {
            if (direct.contains(function.output(i)) && !call.output(i).empty())
                names.emplace(function.output(i), call.output(i));
        }
        for (const auto &node : function.node()) {
            for (const auto &output : node.output())
                name(output, labelOf(call), names);
        }
        for (const auto &node : function.node()) {
            onnx::NodeProto copy = node;
            resolveAttributes(copy, call);
            rename(copy, names);
            copy.set_name(labelOf(call) + "/" + labelOf(node));
            keep(copy);
        }
        for (int i = 0; i < function.output_size() && i < call.output_size(); ++i) {
            if (!direct.contains(function.output(i)) && !call.output(i).empty())
                addNode("Identity", {renamed(function.output(i), names)}, call.output(i));
        }
    }

private:
    static void resolveAttributes(onnx::NodeProto &node, const onnx::NodeProto &call)
    {
        google::protobuf::RepeatedPtrField<onnx::AttributeProto> kept;
        for (auto &attribute : *node.mutable_attribute()) {
            const auto *given =
                attribute.ref_attr_name().empty() ? &attribute : attributeOf(call, attribute.ref_attr_name());
            if (!given)
                continue; // the operator's own default
            onnx::AttributeProto copy = *given;
            copy.set_name(attribute.name());
            if (copy.has_g()) {
                for (auto &inner : *copy.mutable_g()->mutable_node())
                    resolveAttributes(inner, call);
            }
            *kept.Add() = std::move(copy);
        }
        node.mutable_attribute()->Swap(&kept);
    }

    static std::string renamed(const std::string &text, const NewNames &names)
    {
        const auto found = names.find(text);
        return found == names.end() ? text : found->second;
    }

    std::string fresh(const std::string &wanted)
    {
        std::string name = wanted;
        for (int i = 2; !m_taken.insert(name).second; ++i)
            name = wanted + " " + std::to_string(i);
        return name;
    }

    void name(const std::string &text, const std::string &where, NewNames &names)
    {
        if (!text.empty() && !names.contains(text))
            names[text] = fresh(where + "/" + text);
    }

    void copyBody(const onnx::GraphProto &body, const std::string &where, NewNames &names)
    {
        for (const auto &initializer : body.initializer()) {
            name(initializer.name(), where, names);
            auto &copy = *m_graph.add_initializer();
            copy = initializer;
            copy.set_name(names[initializer.name()]);
        }
        for (const auto &node : body.node()) {
            for (const auto &output : node.output())
                name(output, where, names);
        }
        for (const auto &node : body.node()) {
            auto &copy = *m_graph.add_node();
            copy = node;
            rename(copy, names);
            copy.set_name(where + "/" + labelOf(node));
        }
    }

    onnx::NodeProto &addNode(const std::string &type, const std::vector<std::string> &inputs, const std::string &output)
    {
        onnx::NodeProto &node = *m_graph.add_node();
        node.set_op_type(type);
        for (const std::string &input : inputs)
            node.add_input(input);
        node.add_output(output);
        return node;
    }

    static void setInt(onnx::NodeProto &node, const char *name, std::int64_t value)
    {
        onnx::AttributeProto &attribute = *node.add_attribute();
        attribute.set_name(name);
        attribute.set_type(onnx::AttributeProto::INT);
        attribute.set_i(value);
    }

    std::string addInitializer(const onnx::NodeProto &of, int type, std::int64_t value)
    {
        onnx::TensorProto &tensor = *m_graph.add_initializer();
        tensor.set_name(fresh(labelOf(of) + "/" + std::to_string(value)));
        tensor.set_data_type(type);
        if (type == onnx::TensorProto::BOOL)
            tensor.add_int32_data(static_cast<std::int32_t>(value));
        else
            tensor.add_int64_data(value);
        return tensor.name();
    }

    // With one more dimension in front.
    std::string unsqueezed(const onnx::NodeProto &loop, const std::string &value)
    {
        std::string output = fresh(value + "/stacked");
        constexpr std::int64_t kAxesAreOperands = 13;
        std::vector<std::string> inputs{value};
        if (m_opset >= kAxesAreOperands) {
            onnx::TensorProto &axes = *m_graph.add_initializer();
            axes.set_name(fresh(labelOf(loop) + "/axes"));
            axes.set_data_type(onnx::TensorProto::INT64);
            axes.add_dims(1);
            axes.add_int64_data(0);
            inputs.push_back(axes.name());
        }
        onnx::NodeProto &node = addNode("Unsqueeze", inputs, output);
        if (m_opset < kAxesAreOperands) {
            onnx::AttributeProto &axes = *node.add_attribute();
            axes.set_name("axes");
            axes.set_type(onnx::AttributeProto::INTS);
            axes.add_ints(0);
        }
        return output;
    }

    onnx::GraphProto &m_graph;
    std::int64_t m_opset;
    google::protobuf::RepeatedPtrField<onnx::NodeProto> m_old;
    std::set<std::string> m_taken;
};

std::int64_t nodesIn(const onnx::GraphProto &graph)
{
    std::int64_t count = graph.node_size();
    for (const auto &node : graph.node()) {
        for (const auto &attribute : node.attribute())
            count += attribute.has_g() ? nodesIn(attribute.g()) : 0;
    }
    return count;
}

// The dense form: values at their places, zeros elsewhere.
Result<void> writeOut(const onnx::SparseTensorProto &sparse, onnx::TensorProto &dense)
{
    const onnx::TensorProto &values = sparse.values();
    const onnx::TensorProto &indices = sparse.indices();
    const std::vector<std::int64_t> dims(sparse.dims().begin(), sparse.dims().end());
    const auto count = elementCount(dims);
    constexpr std::int64_t kMost = std::int64_t{1} << 28;
    if (!count || *count > kMost)
        return refuseModel("the sparse tensor " + values.name() + " is absurdly large");
    std::vector<std::int64_t> places(indices.int64_data().begin(), indices.int64_data().end());
    if (indices.has_raw_data()) {
        places.resize(indices.raw_data().size() / sizeof(std::int64_t));
        std::memcpy(places.data(), indices.raw_data().data(), places.size() * sizeof(std::int64_t));
    }
    const bool byAxis = indices.dims_size() == 2;
    const std::size_t each = byAxis ? dims.size() : 1;
    std::vector<std::int64_t> linear;
    for (std::size_t i = 0; each > 0 && i + each <= places.size(); i += each) {
        std::int64_t place = 0;
        bool fits = true;
        for (std::size_t k = 0; k < each; ++k) {
            const std::int64_t most = byAxis ? dims[k] : *count;
            fits = fits && places[i + k] >= 0 && places[i + k] < most;
            place = place * most + places[i + k];
        }
        if (!fits)
            return refuseModel("the indices of the sparse tensor " + values.name() + " do not fit its shape");
        linear.push_back(place);
    }
    const std::size_t stored = values.has_raw_data() ? values.raw_data().size() : 0;
    const bool areFloats = values.data_type() == onnx::TensorProto::FLOAT && !values.has_raw_data();
    const bool areWhole = values.data_type() == onnx::TensorProto::INT64 && !values.has_raw_data();
    const std::size_t number = areFloats  ? static_cast<std::size_t>(values.float_data_size())
                               : areWhole ? static_cast<std::size_t>(values.int64_data_size())
                                          : linear.size();
    const std::size_t bytes = areFloats        ? sizeof(float)
                              : areWhole       ? sizeof(std::int64_t)
                              : linear.empty() ? 0
                                               : stored / linear.size();
    if (number != linear.size() || (bytes == 0 && !linear.empty()))
        return refuseModel("the sparse tensor " + values.name() + " has another number of values than of indices");
    dense.set_name(values.name());
    dense.set_data_type(values.data_type());
    for (const std::int64_t dim : dims)
        dense.add_dims(dim);
    std::string data(static_cast<std::size_t>(*count) * std::max<std::size_t>(bytes, 1), '\0');
    const char *from = areFloats  ? reinterpret_cast<const char *>(values.float_data().data())
                       : areWhole ? reinterpret_cast<const char *>(values.int64_data().data())
                                  : values.raw_data().data();
    for (std::size_t i = 0; i < linear.size(); ++i)
        std::memcpy(data.data() + static_cast<std::size_t>(linear[i]) * bytes, from + i * bytes, bytes);
    dense.set_raw_data(std::move(data));
    return {};
}

} // namespace

Result<void> inlineFunctions(onnx::ModelProto &model)
{
    if (model.functions_size() == 0)
        return {};
    std::map<std::pair<std::string, std::string>, const onnx::FunctionProto *> functions;
    for (const auto &function : model.functions())
        functions.emplace(std::pair(function.domain(), function.name()), &function);
    const auto functionOf = [&](const onnx::NodeProto &node) {
        const auto found = functions.find({node.domain(), node.op_type()});
        return found == functions.end() ? nullptr : found->second;
    };
    constexpr int kDeepest = 64;
    onnx::GraphProto &graph = *model.mutable_graph();
    for (int depth = 0; std::ranges::any_of(graph.node(), functionOf); ++depth) {
        const auto call = std::ranges::find_if(graph.node(), functionOf);
        if (depth == kDeepest || graph.node_size() > kMostNodes)
            return refuseModel("the function " + call->op_type() +
                               " calls itself, or writes out to too many operators");
        Rewriter rewriter(graph, 0);
        for (auto &node : rewriter.old()) {
            if (const auto *function = functionOf(node))
                rewriter.copyFunction(node, *function);
            else
                rewriter.keep(node);
        }
    }
    return {};
}

Result<void> writeSparseTensorsOut(onnx::GraphProto &graph)
{
    for (const auto &sparse : graph.sparse_initializer()) {
        if (auto done = writeOut(sparse, *graph.add_initializer()); !done)
            return done;
    }
    graph.clear_sparse_initializer();
    for (auto &node : *graph.mutable_node()) {
        for (auto &attribute : *node.mutable_attribute()) {
            if (node.op_type() != "Constant" || attribute.name() != "sparse_value")
                continue;
            onnx::TensorProto dense;
            if (auto done = writeOut(attribute.sparse_tensor(), dense); !done)
                return done;
            attribute.Clear();
            attribute.set_name("value");
            attribute.set_type(onnx::AttributeProto::TENSOR);
            *attribute.mutable_t() = std::move(dense);
        }
    }
    return {};
}

bool canUnroll(const onnx::NodeProto &loop, std::int64_t turns)
{
    const auto *body = attributeOf(loop, "body");
    if (!body || turns < 0 || body->g().output_size() == 0 ||
        turns > kMostUnrolled / std::max<std::int64_t>(1, nodesIn(body->g())))
        return false;
    const onnx::GraphProto &graph = body->g();
    const int carried = std::max(0, loop.input_size() - 2);
    if (turns == 0 && loop.output_size() > carried)
        return false; // the shape of an empty stack is not known
    const std::string &condition = graph.output(0).name();
    if (graph.input_size() > 1 && graph.input(1).name() == condition)
        return true;
    const auto isTrue = [](const onnx::TensorProto &tensor) {
        return tensor.data_type() == onnx::TensorProto::BOOL &&
               (tensor.has_raw_data() ? tensor.raw_data() == std::string(1, '\1')
                                      : tensor.int32_data_size() == 1 && tensor.int32_data(0) != 0);
    };
    for (const auto &initializer : graph.initializer()) {
        if (initializer.name() == condition)
            return isTrue(initializer);
    }
    for (const auto &node : graph.node()) {
        if (node.output_size() != 1 || node.output(0) != condition)
            continue;
        if (node.op_type() == "Identity" && graph.input_size() > 1)
            return node.input(0) == graph.input(1).name();
        const auto *value = attributeOf(node, "value");
        return node.op_type() == "Constant" && value && isTrue(value->t());
    }
    return false;
}

void inlineChoices(onnx::GraphProto &graph, const std::vector<KnownChoice> &choices, std::int64_t opset)
{
    std::map<int, KnownChoice> byNode;
    for (const KnownChoice &choice : choices)
        byNode.emplace(choice.node, choice);
    Rewriter rewriter(graph, opset);
    for (int i = 0; i < rewriter.old().size(); ++i) {
        auto &node = rewriter.old()[i];
        const auto found = byNode.find(i);
        if (found == byNode.end())
            rewriter.keep(node);
        else if (node.op_type() == "If")
            rewriter.copyBranch(node, found->second.isTrue);
        else
            rewriter.copyTurns(node, found->second.turns);
    }
}

} // namespace stagecraft
