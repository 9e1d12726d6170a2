#include "model/onnx/read/known_nodes.h"

#include "model/opening_budget.h"

#include <limits>
#include <onnx/onnx_pb.h>

namespace stagecraft {
namespace {

std::optional<std::int64_t> numberAt(const OnnxNode &node, std::size_t place)
{
    const Constant *constant = node.constant(place);
    return constant && constant->size() == 1 ? std::optional(constant->asInts().front()) : std::nullopt;
}

// Of an operand along an axis; empty if it is not known, or only bounded.
std::optional<std::int64_t> sizeOf(const OnnxNode &node, std::size_t place, std::int64_t axis)
{
    if (!node.has(place) || !node.shape(place).known || node.shape(place).atMost)
        return std::nullopt;
    const auto within = axisWithin(axis, node.shape(place).dims.size());
    return within ? std::optional(node.shape(place).dims[*within]) : std::nullopt;
}

std::optional<std::int64_t> turnsOfLoop(const OnnxNode &node)
{
    const auto condition = node.has(1) ? numberAt(node, 1) : std::optional<std::int64_t>(1);
    if (condition && *condition == 0)
        return 0;
    const auto endless = std::numeric_limits<std::int64_t>::max(); // but for its condition
    return !condition ? std::nullopt : node.has(0) ? numberAt(node, 0) : std::optional(endless);
}

std::optional<std::int64_t> turnsOfScan(const OnnxNode &node)
{
    constexpr std::int64_t kWithoutBatch = 9; // before, a Scan has a batch axis
    const auto scanned = node.opset >= kWithoutBatch ? scannedAxis(*node.proto) : std::nullopt;
    return scanned ? sizeOf(node, static_cast<std::size_t>(scanned->first), scanned->second) : std::nullopt;
}

std::vector<std::int64_t> sizesOfParts(const OnnxNode &node, WorkBudget &work)
{
    constexpr std::int64_t kMostParts = 4096;
    const Constant *given = node.constant(1);
    if (given && given->dims.size() == 1)
        return given->asInts();
    const auto size = sizeOf(node, 0, node.integer("axis"));
    const std::int64_t each = given && given->size() == 1 ? given->asInts().front() : node.has(1) ? 0 : 1;
    if (!size || each < 1 || *size / each > kMostParts || !work.take(opening::times(*size / each + 1, opening::kName)))
        return {};
    std::vector<std::int64_t> sizes(static_cast<std::size_t>(*size / each), each);
    if (*size % each != 0)
        sizes.push_back(*size % each);
    return sizes;
}

} // namespace

void KnownNodes::note(const OnnxNode &node, int index, const IsTrueOutside &isTrueOutside)
{
    if (node.type == "If" || node.type == "Loop" || node.type == "Scan")
        noteChoice(node, index, isTrueOutside);
    else if (concernsSequence(*node.proto))
        noteSequence(node, index);
}

bool KnownNodes::writeOut(onnx::GraphProto &graph, std::int64_t opset,
                          std::map<std::string, std::int64_t> &written) const
{
    std::vector<KnownChoice> choices;
    for (const KnownChoice &choice : m_choices) {
        const onnx::NodeProto &node = graph.node(choice.node);
        if (!m_work->take(amountFor(node, choice)))
            continue;
        ++written[node.op_type()];
        choices.push_back(choice);
    }
    if (choices.empty())
        return replaceSequences(graph, m_sequences, opset, *m_work, written);
    inlineChoices(graph, choices, opset);
    return true;
}

void KnownNodes::noteChoice(const OnnxNode &node, int index, const IsTrueOutside &isTrueOutside)
{
    if (node.type == "If") {
        if (const auto condition = numberAt(node, 0))
            m_choices.push_back({index, 0, *condition != 0});
        return;
    }
    const auto most = node.type == "Loop" ? turnsOfLoop(node) : turnsOfScan(node);
    if (const auto turns = most ? knownTurns(*node.proto, *most, isTrueOutside) : std::nullopt)
        m_choices.push_back({index, *turns, false});
}

void KnownNodes::noteSequence(const OnnxNode &node, int index)
{
    KnownSequence known{index, {}, {}};
    if (node.type == "SequenceInsert")
        known.place = numberAt(node, 2);
    else if (node.type == "SequenceErase" || node.type == "SequenceAt")
        known.place = numberAt(node, 1);
    else if (node.type == "SplitToSequence")
        known.sizes = sizesOfParts(node, *m_work);
    m_sequences.push_back(std::move(known));
}

} // namespace stagecraft
