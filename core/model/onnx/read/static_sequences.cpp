#include "model/onnx/read/static_sequences.h"

#include "model/onnx/read/graph_rewriter.h"
#include "model/onnx/read/node_order.h"
#include "model/opening_budget.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <set>
#include <string_view>
#include <unordered_map>

namespace stagecraft {
namespace {

using namespace rewriting;

using Tensors = std::vector<std::string>; // of a sequence, by name

// The place that a number names in a sequence; negative numbers count from its end. `last`: one more may be named.
std::optional<std::size_t> placeIn(const Tensors &tensors, std::int64_t place, bool last)
{
    const auto count = static_cast<std::int64_t>(tensors.size());
    const std::int64_t from = place < 0 ? place + count : place;
    return from >= 0 && from < count + (last ? 1 : 0) ? std::optional(static_cast<std::size_t>(from)) : std::nullopt;
}

// Which sequences of a graph are known, and which of its nodes can be replaced.
class Sequences {
public:
    Sequences(const onnx::GraphProto &graph, const std::vector<KnownSequence> &known, WorkBudget &work)
        : m_graph(graph), m_work(work)
    {
        for (const KnownSequence &each : known)
            m_known.emplace(each.node, &each);
        addNames(graph, m_taken);
        for (int i = 0; i < graph.node_size(); ++i)
            add(i);
    }

    // Nodes that read tensors of known sequences instead, and those that make sequences.
    [[nodiscard]] bool isReplaced(int node) const { return m_isReplaced.contains(node); }
    [[nodiscard]] const Tensors *find(const std::string &name) const
    {
        const auto found = m_tensors.find(name);
        return found == m_tensors.end() ? nullptr : &found->second;
    }
    [[nodiscard]] const KnownSequence *known(int node) const
    {
        const auto found = m_known.find(node);
        return found == m_known.end() ? nullptr : found->second;
    }
    [[nodiscard]] TakenNames &taken() { return m_taken; }

private:
    void add(int index)
    {
        const onnx::NodeProto &node = m_graph.node(index);
        const KnownSequence *known = this->known(index);
        const std::string &type = node.op_type();
        if (node.output_size() != 1 || (!concernsSequence(node) && type != "Identity"))
            return;
        if (auto made = madeBy(node, known)) {
            m_tensors[node.output(0)] = std::move(*made);
            return;
        }
        const Tensors *read = node.input_size() > 0 ? find(node.input(0)) : nullptr;
        if (!read)
            return;
        const bool isPlace = type == "SequenceAt" && known && known->place && placeIn(*read, *known->place, false);
        const bool joins = type == "ConcatFromSequence" && !read->empty() && affords(read->size());
        if (isPlace || type == "SequenceLength" || joins)
            m_isReplaced.insert(index);
    }

    // A list of so many tensors.
    [[nodiscard]] bool affords(std::size_t tensors)
    {
        return m_work.take(opening::times(static_cast<std::int64_t>(tensors), opening::kName));
    }

    // Empty if the node makes no sequence, or one that is not known.
    std::optional<Tensors> madeBy(const onnx::NodeProto &node, const KnownSequence *known)
    {
        const std::string &type = node.op_type();
        if (type == "SequenceEmpty")
            return Tensors();
        if (type == "SequenceConstruct")
            return Tensors(node.input().begin(), node.input().end());
        if (type == "SplitToSequence" && known && !known->sizes.empty() && affords(known->sizes.size())) {
            Tensors parts;
            for (std::size_t i = 0; i < known->sizes.size(); ++i)
                parts.push_back(m_taken.fresh(fmt::format("{}/part {}", labelOf(node), i)));
            return parts;
        }
        const Tensors *read = node.input_size() > 0 ? find(node.input(0)) : nullptr;
        if (!read || !affords(read->size()))
            return std::nullopt;
        if (type == "Identity")
            return *read;
        const bool inserts = type == "SequenceInsert" && node.input_size() > 1;
        if (!inserts && type != "SequenceErase")
            return std::nullopt;
        const bool isGiven = node.input_size() > (inserts ? 2 : 1);
        const auto last = static_cast<std::int64_t>(read->size()) - (inserts ? 0 : 1);
        const auto number = isGiven ? (known ? known->place : std::nullopt) : std::optional(last);
        const auto place = number ? placeIn(*read, *number, inserts) : std::nullopt;
        if (!place)
            return std::nullopt;
        Tensors tensors = *read;
        if (inserts)
            tensors.insert(tensors.begin() + static_cast<std::ptrdiff_t>(*place), node.input(1));
        else
            tensors.erase(tensors.begin() + static_cast<std::ptrdiff_t>(*place));
        return tensors;
    }

    const onnx::GraphProto &m_graph;
    std::unordered_map<int, const KnownSequence *> m_known; // by node
    std::unordered_map<std::string, Tensors> m_tensors;     // by the name of the sequence
    std::set<int> m_isReplaced;
    TakenNames m_taken;
    WorkBudget &m_work;
};

// Sequences that are read by a node that stays, or are outputs of the graph, and those that they are made of.
std::set<std::string> neededSequences(const onnx::GraphProto &graph, const Sequences &sequences)
{
    std::set<std::string> needed;
    for (const auto &output : graph.output())
        needed.insert(output.name());
    for (std::size_t before = 0; before != needed.size();) { // one turn more where nodes are not in order
        before = needed.size();
        for (int i = graph.node_size(); i-- > 0;) {
            const onnx::NodeProto &node = graph.node(i);
            const bool makesKnown = node.output_size() == 1 && sequences.find(node.output(0)) != nullptr;
            if (sequences.isReplaced(i) || (makesKnown && !needed.contains(node.output(0))))
                continue;
            for (const std::string_view name : readNames(node))
                needed.emplace(name);
        }
    }
    return needed;
}

void writeParts(GraphRewriter &rewriter, const onnx::NodeProto &node, const Tensors &parts,
                const std::vector<std::int64_t> &sizes, std::int64_t opset)
{
    const std::int64_t axis = integerOf(node, "axis", 0);
    const bool dropsAxis = node.input_size() < 2 && integerOf(node, "keepdims", 1) == 0;
    Tensors made;
    for (const std::string &part : parts)
        made.push_back(dropsAxis ? rewriter.fresh(part + "/kept") : part);
    constexpr std::int64_t kSizesAreOperand = 13;
    Tensors reads{node.input(0)};
    if (opset >= kSizesAreOperand)
        reads.push_back(rewriter.addIntegers(labelOf(node) + "/sizes", sizes));
    onnx::NodeProto &split = rewriter.addNode("Split", reads, made.front());
    split.set_name(labelOf(node));
    for (std::size_t i = 1; i < made.size(); ++i)
        split.add_output(made[i]);
    GraphRewriter::setInteger(split, "axis", axis);
    if (opset < kSizesAreOperand) {
        onnx::AttributeProto &attribute = *split.add_attribute();
        attribute.set_name("split");
        attribute.set_type(onnx::AttributeProto::INTS);
        attribute.mutable_ints()->Add(sizes.begin(), sizes.end());
    }
    for (std::size_t i = 0; dropsAxis && i < made.size(); ++i)
        rewriter.addSqueeze(made[i], axis, parts[i]);
}

void writeReplaced(GraphRewriter &rewriter, const onnx::NodeProto &node, const Tensors &tensors,
                   const KnownSequence *known)
{
    const std::string &output = node.output(0);
    if (node.op_type() == "SequenceAt") {
        rewriter.addNode("Identity", {tensors[*placeIn(tensors, *known->place, false)]}, output);
    } else if (node.op_type() == "SequenceLength") {
        const auto count = static_cast<std::int64_t>(tensors.size());
        rewriter.addNode("Identity", {rewriter.addNumber(labelOf(node), onnx::TensorProto::INT64, count)}, output);
    } else {
        const std::int64_t axis = integerOf(node, "axis", 0);
        Tensors parts = tensors;
        if (integerOf(node, "new_axis", 0) != 0)
            std::ranges::transform(parts, parts.begin(),
                                   [&](const std::string &part) { return rewriter.addUnsqueeze(part, axis); });
        onnx::NodeProto &join = rewriter.addNode("Concat", parts, output);
        join.set_name(labelOf(node));
        GraphRewriter::setInteger(join, "axis", axis);
    }
}

} // namespace

bool concernsSequence(const onnx::NodeProto &node)
{
    static constexpr std::array<std::string_view, 8> kTypes{"SequenceEmpty",   "SequenceConstruct", "SequenceInsert",
                                                            "SequenceErase",   "SequenceAt",        "SequenceLength",
                                                            "SplitToSequence", "ConcatFromSequence"};
    return (node.domain().empty() || node.domain() == "ai.onnx") && std::ranges::count(kTypes, node.op_type()) > 0;
}

bool replaceSequences(onnx::GraphProto &graph, const std::vector<KnownSequence> &known, std::int64_t opset,
                      WorkBudget &work, std::map<std::string, std::int64_t> &replaced)
{
    Sequences sequences(graph, known, work);
    const std::set<std::string> needed = neededSequences(graph, sequences);
    const auto isDropped = [&](const onnx::NodeProto &node) {
        return node.output_size() == 1 && sequences.find(node.output(0)) && !needed.contains(node.output(0));
    };
    bool changes = false;
    for (int i = 0; i < graph.node_size(); ++i)
        changes = changes || sequences.isReplaced(i) || isDropped(graph.node(i));
    if (!changes)
        return false;
    GraphRewriter rewriter(graph, opset, sequences.taken());
    for (int i = 0; i < rewriter.old().size(); ++i) {
        auto &node = rewriter.old()[i];
        const bool isSplit = node.op_type() == "SplitToSequence" && node.output_size() > 0 && sequences.known(i) &&
                             sequences.find(node.output(0));
        if (isSplit)
            writeParts(rewriter, node, *sequences.find(node.output(0)), sequences.known(i)->sizes, opset);
        if (concernsSequence(node) && (sequences.isReplaced(i) || isDropped(node)))
            ++replaced[node.op_type()];
        if (sequences.isReplaced(i))
            writeReplaced(rewriter, node, *sequences.find(node.input(0)), sequences.known(i));
        else if (!isDropped(node))
            rewriter.keep(node);
    }
    return true;
}

} // namespace stagecraft
