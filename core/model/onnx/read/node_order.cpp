#include "model/onnx/read/node_order.h"

#include "model/onnx/file/file_names.h"

#include <algorithm>
#include <numeric>
#include <onnx/onnx_pb.h>
#include <queue>
#include <set>

namespace stagecraft {
namespace {

tl::unexpected<Error> refuseNode(const onnx::NodeProto &node, std::string message)
{
    return within("operator " + nodeLabel(node) + " (" + node.op_type() + ")",
                  Error{ErrorCode::InvalidInput, std::move(message), "Export the model again", {}});
}

void addOuterNames(const onnx::GraphProto &graph, std::set<std::string_view> &names)
{
    std::set<std::string_view> own;
    for (const auto &input : graph.input())
        own.insert(input.name());
    for (const auto &initializer : graph.initializer())
        own.insert(initializer.name());
    std::set<std::string_view> read;
    for (const auto &node : graph.node()) {
        for (const std::string_view name : readNames(node))
            read.insert(name);
        own.insert(node.output().begin(), node.output().end());
    }
    for (const auto &output : graph.output())
        read.insert(output.name());
    std::ranges::set_difference(read, own, std::inserter(names, names.end()));
}

void setMaker(std::vector<int> &makers, NameId name, int maker)
{
    if (name.isValid())
        makers[name.index()] = maker;
}

// `makers`: the node that produces each name; negative if it comes from the file.
Result<std::vector<int>> sortedNodes(const onnx::GraphProto &graph, const FileNames &names,
                                     const std::vector<int> &makers)
{
    const auto count = static_cast<std::size_t>(graph.node_size());
    std::vector<std::vector<int>> readers(count);
    std::vector<int> waiting(count, 0);
    for (int i = 0; i < graph.node_size(); ++i) {
        for (const NameId read : names.reads(i)) {
            const int maker = read.isValid() ? makers[read.index()] : -1;
            if (maker < 0)
                continue;
            readers[static_cast<std::size_t>(maker)].push_back(i);
            ++waiting[static_cast<std::size_t>(i)];
        }
    }
    std::priority_queue<int, std::vector<int>, std::greater<>> ready;
    for (int i = 0; i < graph.node_size(); ++i) {
        if (waiting[static_cast<std::size_t>(i)] == 0)
            ready.push(i);
    }
    std::vector<int> order;
    order.reserve(count);
    while (!ready.empty()) {
        const int next = ready.top();
        ready.pop();
        order.push_back(next);
        for (const int reader : readers[static_cast<std::size_t>(next)]) {
            if (--waiting[static_cast<std::size_t>(reader)] == 0)
                ready.push(reader);
        }
    }
    for (int i = 0; i < graph.node_size(); ++i) {
        if (waiting[static_cast<std::size_t>(i)] > 0)
            return refuseNode(graph.node(i), "it is part of a cycle or after one: it needs its own result");
    }
    return order;
}

} // namespace

std::string nodeLabel(const onnx::NodeProto &node)
{
    if (!node.name().empty())
        return node.name();
    const auto named = std::ranges::find_if(node.output(), [](const std::string &output) { return !output.empty(); });
    return named == node.output().end() ? "without a name" : *named;
}

std::vector<std::string_view> outerNames(const onnx::NodeProto &node)
{
    std::set<std::string_view> outer;
    for (const auto &attribute : node.attribute()) {
        if (attribute.has_g())
            addOuterNames(attribute.g(), outer);
        for (const auto &graph : attribute.graphs())
            addOuterNames(graph, outer);
    }
    return {outer.begin(), outer.end()};
}

std::vector<std::string_view> readNames(const onnx::NodeProto &node)
{
    std::vector<std::string_view> names(node.input().begin(), node.input().end());
    const auto outer = outerNames(node);
    names.insert(names.end(), outer.begin(), outer.end());
    return names;
}

Result<std::vector<int>> nodeOrder(const onnx::GraphProto &graph, const FileNames &names)
{
    constexpr int kNothing = -1;
    constexpr int kFile = -2;
    std::vector<int> makers(names.size(), kNothing);
    for (const auto &input : graph.input())
        setMaker(makers, names.find(input.name()), kFile);
    for (const auto &initializer : graph.initializer())
        setMaker(makers, names.find(initializer.name()), kFile);
    const int count = graph.node_size();
    for (int i = 0; i < count; ++i) {
        for (const NameId made : names.makes(i)) {
            if (made.isValid() && makers[made.index()] != kNothing)
                return refuseNode(graph.node(i),
                                  "it makes the tensor " + std::string(names.text(made)) + ", which exists already");
            setMaker(makers, made, i);
        }
    }
    bool isOrdered = true;
    for (int i = 0; i < count; ++i) {
        for (const NameId read : names.reads(i)) {
            const int maker = read.isValid() ? makers[read.index()] : kFile;
            if (maker == kNothing)
                return refuseNode(graph.node(i),
                                  "it reads the tensor " + std::string(names.text(read)) + ", which nothing makes");
            isOrdered = isOrdered && maker < i;
        }
    }
    if (!isOrdered)
        return sortedNodes(graph, names, makers);
    std::vector<int> order(static_cast<std::size_t>(count));
    std::iota(order.begin(), order.end(), 0);
    return order;
}

} // namespace stagecraft
