#include "graph/graph_union.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <utility>

namespace stagecraft {
namespace {

void add(const NamedGraph &added, Graph::Parts &whole)
{
    const Graph &graph = *added.graph;
    const std::size_t firstTensor = whole.tensors.size();
    const std::size_t firstOperator = whole.operators.size();
    const auto tensorIn = [&](TensorId id) { return TensorId::fromIndex(firstTensor + id.index()); };
    const auto nameIn = [&](const std::string &name) { return fmt::format("{}/{}", added.name, name); };
    for (Tensor tensor : graph.tensors()) {
        tensor.name = nameIn(tensor.name);
        if (tensor.producer.isValid())
            tensor.producer = OperatorId::fromIndex(firstOperator + tensor.producer.index());
        whole.tensors.push_back(std::move(tensor));
    }
    for (Operator op : graph.operators()) {
        op.name = nameIn(op.name);
        for (auto &part : op.inputs)
            std::ranges::transform(part, part.begin(), tensorIn);
        std::ranges::transform(op.outputs, op.outputs.begin(), tensorIn);
        whole.operators.push_back(std::move(op));
    }
    std::ranges::transform(graph.inputs(), std::back_inserter(whole.inputs), tensorIn);
    std::ranges::transform(graph.outputs(), std::back_inserter(whole.outputs), tensorIn);
}

} // namespace

std::vector<std::string> distinctNames(std::vector<std::string> names)
{
    std::set<std::string> taken;
    for (std::string &name : names) {
        const std::string own = name;
        for (int i = 2; !taken.insert(name).second; ++i)
            name = fmt::format("{}#{}", own, i);
    }
    return names;
}

GraphUnion unionOf(std::span<const NamedGraph> graphs)
{
    Graph::Parts whole;
    std::vector<UnionPart> parts;
    for (const NamedGraph &each : graphs) {
        parts.push_back({each.name, whole.operators.size(), each.graph->size()});
        whole.name += (whole.name.empty() ? "" : "+") + each.name;
        add(each, whole);
    }
    return {Graph::fromParts(std::move(whole)), std::move(parts)};
}

Blocks blocksIn(const UnionPart &part, const Blocks &own)
{
    Blocks blocks = own;
    for (Block &block : blocks)
        std::ranges::transform(block.operators, block.operators.begin(), [&](OperatorId id) { return part.idOf(id); });
    return blocks;
}

} // namespace stagecraft
