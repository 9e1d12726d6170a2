#include "operators/values/attribute_value.h"

#include <algorithm>
#include <cstdio>

namespace stagecraft {
namespace {

std::string itemText(std::int64_t value)
{
    return std::to_string(value);
}

std::string itemText(float value)
{
    char buffer[32];
    std::snprintf(buffer, sizeof buffer, "%.9g", static_cast<double>(value));
    const std::string text = buffer;
    return text.find_first_of(".en") == std::string::npos ? text + ".0" : text; // n: inf and nan
}

const std::string &itemText(const std::string &value)
{
    return value;
}

const std::string &itemText(const NotKept &value)
{
    return value.what;
}

std::string sourceText(const Subgraph &graph, const SubgraphSource &source)
{
    switch (source.kind) {
    case SubgraphSource::Kind::Nothing: return "nothing";
    case SubgraphSource::Kind::Operand: return "operand " + std::to_string(source.place);
    case SubgraphSource::Kind::Node: break;
    }
    const std::string name = graph.nodes[source.place].type + " " + std::to_string(source.place);
    return source.output == 0 ? name : name + "." + std::to_string(source.output);
}

std::string nodeText(const Subgraph &graph, const SubgraphNode &node)
{
    std::string line;
    const auto add = [&](const std::string &part) { line += (line.empty() ? "" : ", ") + part; };
    for (const SubgraphSource &input : node.inputs)
        add(sourceText(graph, input));
    for (const auto &[name, value] : node.attributes)
        add(name + " " + toString(value));
    return node.type + "(" + line + ")";
}

std::string itemText(const SharedSubgraph &value)
{
    std::string line;
    for (const SubgraphNode &node : value.graph->nodes)
        line += nodeText(*value.graph, node) + "; ";
    for (std::size_t i = 0; i < value.graph->results.size(); ++i)
        line += (i == 0 ? "" : ", ") + sourceText(*value.graph, value.graph->results[i]);
    return "{" + line + "}";
}

template <typename Item>
std::string itemText(const std::vector<Item> &items)
{
    std::string line = "[";
    for (const Item &item : items)
        line += (line.size() > 1 ? ", " : "") + itemText(item);
    return line + "]";
}

template <typename Item, typename Other>
std::vector<Item> listOf(const AttributeValue &value)
{
    if (const auto *list = std::get_if<std::vector<Item>>(&value))
        return *list;
    if (const auto *others = std::get_if<std::vector<Other>>(&value)) {
        std::vector<Item> items;
        for (const Other other : *others)
            items.push_back(static_cast<Item>(other));
        return items;
    }
    if (const auto *one = std::get_if<Item>(&value))
        return {*one};
    return {};
}

} // namespace

bool operator==(const SharedSubgraph &a, const SharedSubgraph &b)
{
    return a.graph == b.graph || *a.graph == *b.graph;
}

std::string toString(const AttributeValue &value)
{
    return std::visit([](const auto &held) -> std::string { return itemText(held); }, value);
}

std::int64_t asInteger(const AttributeValue &value, std::int64_t fallback)
{
    if (const auto *whole = std::get_if<std::int64_t>(&value))
        return *whole;
    const auto *real = std::get_if<float>(&value);
    return real ? static_cast<std::int64_t>(*real) : fallback;
}

float asReal(const AttributeValue &value, float fallback)
{
    if (const auto *real = std::get_if<float>(&value))
        return *real;
    const auto *whole = std::get_if<std::int64_t>(&value);
    return whole ? static_cast<float>(*whole) : fallback;
}

std::vector<std::int64_t> asIntegers(const AttributeValue &value)
{
    return listOf<std::int64_t, float>(value);
}

std::vector<float> asReals(const AttributeValue &value)
{
    return listOf<float, std::int64_t>(value);
}

const AttributeValue *find(const std::vector<NamedAttribute> &attributes, std::string_view name)
{
    const auto found = std::ranges::find(attributes, name, &NamedAttribute::first);
    return found == attributes.end() ? nullptr : &found->second;
}

} // namespace stagecraft
