#include "graph/union_parts.h"

#include <algorithm>
#include <string_view>

namespace stagecraft {
namespace {

bool isIn(const std::string &name, std::string_view part)
{
    return name.size() > part.size() && name.starts_with(part) && name[part.size()] == '/';
}

bool isCutOff(const Graph &graph, const UnionPart &part)
{
    for (std::size_t i = part.firstOperator; i < part.firstOperator + part.operators; ++i) {
        for (const OperatorId before : graph.predecessors(OperatorId::fromIndex(i))) {
            if (!part.contains(before))
                return false;
        }
    }
    return true;
}

} // namespace

// A name may have a "+" of its own: a part has the shortest name that its first operator has.
std::vector<UnionPart> partsOfUnion(const Graph &graph)
{
    std::vector<UnionPart> parts;
    std::string_view rest = graph.name();
    const auto operators = graph.operators();
    std::size_t next = 0;
    for (std::size_t plus = rest.find('+'); !rest.empty();) {
        const std::string_view name = rest.substr(0, plus);
        if (next < operators.size() && isIn(operators[next].name, name)) {
            const auto end = std::find_if_not(operators.begin() + static_cast<std::ptrdiff_t>(next), operators.end(),
                                              [&](const Operator &op) { return isIn(op.name, name); });
            const auto count = static_cast<std::size_t>(end - operators.begin()) - next;
            parts.push_back({std::string(name), next, count});
            next += count;
            rest = plus == std::string_view::npos ? std::string_view() : rest.substr(plus + 1);
            plus = rest.find('+');
        } else if (plus == std::string_view::npos) {
            return {};
        } else {
            plus = rest.find('+', plus + 1);
        }
    }
    const bool areAll = next == operators.size() && parts.size() > 1 &&
                        std::ranges::all_of(parts, [&](const UnionPart &part) { return isCutOff(graph, part); });
    return areAll ? parts : std::vector<UnionPart>();
}

std::optional<std::size_t> partOf(std::span<const UnionPart> parts, OperatorId id)
{
    const auto found = std::ranges::find_if(parts, [id](const UnionPart &part) { return part.contains(id); });
    return found == parts.end() ? std::nullopt : std::optional(static_cast<std::size_t>(found - parts.begin()));
}

} // namespace stagecraft
