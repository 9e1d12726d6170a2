#include "flow/profile/node_names.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>

namespace stagecraft {
namespace {

void makeUnique(std::vector<OperatorId> &operators)
{
    std::ranges::sort(operators);
    const auto repeated = std::ranges::unique(operators);
    operators.erase(repeated.begin(), repeated.end());
}

std::string_view trimmed(std::string_view text)
{
    const std::size_t first = text.find_first_not_of(' ');
    return first == std::string_view::npos ? std::string_view()
                                           : text.substr(first, text.find_last_not_of(' ') + 1 - first);
}

// Parts between separators that stand outside of all brackets. A bracket that is not closed stands for itself.
std::vector<std::string_view> partsOf(std::string_view text, std::string_view separator)
{
    std::vector<std::string_view> parts;
    int depth = 0;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        depth += text[i] == '(' || text[i] == '[' || text[i] == '{' ? 1 : 0;
        depth -= text[i] == ')' || text[i] == ']' || text[i] == '}' ? 1 : 0;
        if (depth <= 0 && text.substr(i).starts_with(separator)) {
            parts.push_back(trimmed(text.substr(begin, i - begin)));
            begin = i + separator.size();
            i = begin - 1;
        }
    }
    parts.push_back(trimmed(text.substr(begin)));
    return parts;
}

// Operators that lie on a way from `first` to `last`, both included.
std::vector<OperatorId> operatorsBetween(const Graph &graph, OperatorId first, OperatorId last)
{
    std::vector<bool> isBehind(graph.size(), false);
    isBehind[first.index()] = true;
    for (std::size_t i = first.index() + 1; i < graph.size() && i <= last.index(); ++i)
        isBehind[i] = std::ranges::any_of(graph.predecessors(OperatorId::fromIndex(i)),
                                          [&](OperatorId id) { return isBehind[id.index()]; });
    std::vector<bool> isBefore(graph.size(), false);
    isBefore[last.index()] = true;
    std::vector<OperatorId> between;
    for (std::size_t i = last.index() + 1; i-- > first.index();) {
        const OperatorId id = OperatorId::fromIndex(i);
        isBefore[i] = isBefore[i] || std::ranges::any_of(graph.successors(id),
                                                         [&](OperatorId next) { return isBefore[next.index()]; });
        if (isBefore[i] && isBehind[i])
            between.push_back(id);
    }
    return between;
}

// Without a number at the end of it: "ReorderInput_token_12".
std::string_view withoutNumber(std::string_view name, std::string_view mark)
{
    const std::size_t place = name.rfind(mark);
    if (place == std::string_view::npos || place == 0)
        return name;
    const std::string_view number = name.substr(place + mark.size());
    const bool isNumber =
        !number.empty() && std::ranges::all_of(number, [](unsigned char c) { return std::isdigit(c); });
    return isNumber ? name.substr(0, place) : name;
}

} // namespace

std::string_view toString(MappedBy by)
{
    switch (by) {
    case MappedBy::Name: return "name";
    case MappedBy::OutputTensor: return "output tensor";
    case MappedBy::FusedNames: return "fused names";
    case MappedBy::NodesBetween: return "nodes between two";
    case MappedBy::CopyFor: return "copy for it";
    case MappedBy::Renamed: return "renamed node";
    case MappedBy::Launcher: return "what launched it";
    case MappedBy::GraphNode: return "graph node id";
    case MappedBy::TypeShapeOrder: return "type, shape and order";
    case MappedBy::TypeOrder: return "type and order";
    }
    return {};
}

std::string_view copiedFor(std::string_view name)
{
    constexpr std::string_view kCopy = "Reformatting CopyNode for ";
    constexpr std::array<std::string_view, 8> kBeside{
        "reshape_after_", "reshape_before_", "squeeze_after_", "unsqueeze_node_after_",
        "shuffle_after_", "shuffle_before_", "copied_",        "InsertedPrecisionFreeCast_"};
    if (name.starts_with(kCopy)) {
        const std::string_view tensor = name.substr(kCopy.size());
        const std::size_t to = tensor.find(" to ");
        return to == std::string_view::npos ? tensor.substr(std::min(tensor.rfind(' ') + 1, tensor.size()))
                                            : tensor.substr(to + 4);
    }
    for (const std::string_view mark : kBeside) {
        if (name.starts_with(mark))
            return name.substr(mark.size());
    }
    if (constexpr std::string_view kFused = "_new_reshape"; name.ends_with(kFused)) // of ONNX Runtime, for several
        return name.substr(0, name.size() - kFused.size());
    return {};
}

NodeNames::NodeNames(const Model &model) : m_graph(*model.graph)
{
    for (const PassReport &pass : model.report.passes) {
        for (const PassChange &change : pass.changes) {
            if (change.unit.isValid())
                m_taken.try_emplace(change.name, change.unit);
        }
    }
    for (std::size_t i = 0; i < m_graph.size(); ++i) {
        const OperatorId id = OperatorId::fromIndex(i);
        for (const TensorId tensor : m_graph.op(id).outputs)
            m_tensors.try_emplace(m_graph.tensor(tensor).name, id);
    }
}

std::optional<OperatorId> NodeNames::node(std::string_view name) const
{
    if (const auto id = m_graph.find(name))
        return id;
    const auto found = m_taken.find(name);
    return found == m_taken.end() ? std::nullopt : std::optional(found->second);
}

std::optional<OperatorId> NodeNames::producerOf(std::string_view tensor) const
{
    const auto found = m_tensors.find(tensor);
    return found == m_tensors.end() ? std::nullopt : std::optional(found->second);
}

NodeNames::Found NodeNames::find(std::string_view given, int deepest) const
{
    const std::string_view name = trimmed(given);
    if (const auto id = node(name))
        return NamedOperators{{*id}, MappedBy::Name};
    if (const auto id = producerOf(name))
        return NamedOperators{{*id}, MappedBy::OutputTensor};
    if (name.empty() || deepest == 0)
        return std::nullopt;
    for (const auto rule :
         {&NodeNames::copyFor, &NodeNames::between, &NodeNames::joined, &NodeNames::merged, &NodeNames::renamed}) {
        if (auto found = (this->*rule)(name, deepest - 1))
            return found;
    }
    return std::nullopt;
}

// TensorRT compiles what it calls a foreign node as one: its name has the first and the last of its nodes.
NodeNames::Found NodeNames::between(std::string_view name, int deepest) const
{
    constexpr std::string_view kForeign = "ForeignNode[";
    constexpr std::string_view kTo = "...";
    const std::size_t place = name.find(kForeign);
    const std::size_t end = name.rfind(']');
    if (place == std::string_view::npos || end == std::string_view::npos || end < place + kForeign.size())
        return std::nullopt;
    const std::string_view nodes = name.substr(place + kForeign.size(), end - place - kForeign.size());
    const std::size_t to = nodes.find(kTo);
    const auto first = find(nodes.substr(0, to), deepest);
    const auto last = to == std::string_view::npos ? first : find(nodes.substr(to + kTo.size()), deepest);
    if (!first && !last)
        return std::nullopt;
    if (!first || !last) // the other end is no operator of the model, a weight for example
        return NamedOperators{(first ? first : last)->operators, MappedBy::NodesBetween};
    auto operators = operatorsBetween(m_graph, first->operators.front(), last->operators.back());
    std::ranges::copy(first->operators, std::back_inserter(operators));
    std::ranges::copy(last->operators, std::back_inserter(operators));
    makeUnique(operators);
    return NamedOperators{std::move(operators), MappedBy::NodesBetween};
}

NodeNames::Found NodeNames::copyFor(std::string_view name, int deepest) const
{
    const std::string_view inner = copiedFor(name);
    auto found = inner.empty() ? std::nullopt : find(inner, deepest);
    if (found)
        found->by = MappedBy::CopyFor;
    return found;
}

// TensorRT writes "a + b" for nodes that became one layer, "a || b" for those side by side, PWN(a, b) for elementwise
// ones; traces of this program "a + b" for a merged convolution. Weights stand among them, too.
NodeNames::Found NodeNames::joined(std::string_view name, int deepest) const
{
    constexpr std::string_view kPointwise = "PWN(";
    std::vector<std::string_view> parts;
    if (name.starts_with(kPointwise) && name.ends_with(')')) {
        parts = partsOf(name.substr(kPointwise.size(), name.size() - kPointwise.size() - 1), ",");
    } else {
        for (const std::string_view separator : {" + ", " || "}) {
            if (parts.size() < 2)
                parts = partsOf(name, separator);
        }
        if (parts.size() < 2)
            return std::nullopt;
    }
    NamedOperators all{{}, MappedBy::FusedNames};
    for (const std::string_view part : parts) {
        if (const auto found = find(part, deepest))
            std::ranges::copy(found->operators, std::back_inserter(all.operators));
    }
    makeUnique(all.operators);
    return all.operators.empty() ? std::nullopt : Found(std::move(all));
}

// Exported models name a merged convolution after its operators: "a+b" (schedule/merge.h).
NodeNames::Found NodeNames::merged(std::string_view name, int /*deepest*/) const
{
    NamedOperators all{{}, MappedBy::FusedNames};
    for (const std::string_view part : partsOf(name, "+")) {
        const auto id = node(part);
        if (!id)
            return std::nullopt;
        all.operators.push_back(*id);
    }
    makeUnique(all.operators);
    return all;
}

// ONNX Runtime's optimiser adds to names, and so does the export of built-in networks ("conv1/after").
NodeNames::Found NodeNames::renamed(std::string_view name, int deepest) const
{
    constexpr std::array<std::string_view, 2> kBefore{"fused ", "fused_"};
    constexpr std::array<std::string_view, 6> kBehind{"_nchwc", "_nhwc",        "_quant",
                                                      "_fused", "_output_cast", "_input_cast"};
    std::vector<std::string_view> inner{withoutNumber(name, "_token_"), withoutNumber(name, "_clone_")};
    for (const std::string_view mark : kBefore) {
        if (name.starts_with(mark))
            inner.push_back(name.substr(mark.size()));
    }
    for (const std::string_view mark : kBehind) {
        if (name.ends_with(mark))
            inner.push_back(name.substr(0, name.size() - mark.size()));
    }
    if (const std::size_t slash = name.rfind('/'); slash != std::string_view::npos && slash > 0)
        inner.push_back(name.substr(0, slash));
    for (const std::string_view one : inner) {
        auto found = one == name ? std::nullopt : find(one, deepest);
        if (!found)
            continue;
        if (found->by == MappedBy::Name || found->by == MappedBy::OutputTensor)
            found->by = MappedBy::Renamed;
        return found;
    }
    return std::nullopt;
}

} // namespace stagecraft
