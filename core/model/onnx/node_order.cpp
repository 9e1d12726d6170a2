#include "model/onnx/node_order.h"

#include "support/name_map.h"

#include <algorithm>
#include <onnx/onnx_pb.h>
#include <queue>
#include <set>
#include <unordered_set>

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

} // namespace

std::string nodeLabel(const onnx::NodeProto &node)
{
    if (!node.name().empty())
        return node.name();
    const auto named = std::ranges::find_if(node.output(), [](const std::string &output) { return !output.empty(); });
    return named == node.output().end() ? "without a name" : *named;
}

std::vector<std::string_view> readNames(const onnx::NodeProto &node)
{
    std::vector<std::string_view> names(node.input().begin(), node.input().end());
    std::set<std::string_view> outer;
    for (const auto &attribute : node.attribute()) {
        if (attribute.has_g())
            addOuterNames(attribute.g(), outer);
        for (const auto &graph : attribute.graphs())
            addOuterNames(graph, outer);
    }
    names.insert(names.end(), outer.begin(), outer.end());
    return names;
}

Result<std::vector<int>> nodeOrder(const onnx::GraphProto &graph)
{
    std::unordered_set<std::string_view> given;
    for (const auto &input : graph.input())
        given.insert(input.name());
    for (const auto &initializer : graph.initializer())
        given.insert(initializer.name());
    NameMap<int> makers;
    makers.reserve(static_cast<std::size_t>(graph.node_size()));
    for (int i = 0; i < graph.node_size(); ++i) {
        for (const std::string &output : graph.node(i).output()) {
            if (output.empty())
                continue;
            if (given.contains(output) || !makers.add(output, i))
                return refuseNode(graph.node(i), "it makes the tensor " + output + ", which exists already");
        }
    }
    std::vector<std::vector<int>> readers(static_cast<std::size_t>(graph.node_size()));
    std::vector<int> waiting(readers.size(), 0);
    for (int i = 0; i < graph.node_size(); ++i) {
        for (const std::string_view name : readNames(graph.node(i))) {
            if (name.empty() || given.contains(name))
                continue;
            const int *maker = makers.find(name);
            if (!maker)
                return refuseNode(graph.node(i), "it reads the tensor " + std::string(name) + ", which nothing makes");
            readers[static_cast<std::size_t>(*maker)].push_back(i);
            ++waiting[static_cast<std::size_t>(i)];
        }
    }
    std::priority_queue<int, std::vector<int>, std::greater<>> ready;
    for (int i = 0; i < graph.node_size(); ++i) {
        if (waiting[static_cast<std::size_t>(i)] == 0)
            ready.push(i);
    }
    std::vector<int> order;
    order.reserve(readers.size());
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
            return refuseNode(graph.node(i), "it is part of, or behind, a cycle: it needs its own result");
    }
    return order;
}

} // namespace stagecraft
