#include "model/onnx/read/inline_graphs.h"

#include "model/onnx/read/graph_rewriter.h"
#include "model/opening_budget.h"

#include <algorithm>
#include <map>

namespace stagecraft {
namespace {

using namespace rewriting;

constexpr std::int64_t kMostUnrolled = 20'000; // nodes of one Loop or Scan

void copyBranch(GraphRewriter &rewriter, const onnx::NodeProto &node, bool isTrue)
{
    const auto *branch = attributeOf(node, isTrue ? "then_branch" : "else_branch");
    if (!branch)
        return;
    NewNames names;
    rewriter.copyInitializers(branch->g(), labelOf(node), names);
    rewriter.copyNodes(branch->g(), labelOf(node), names);
    for (int i = 0; i < node.output_size() && i < branch->g().output_size(); ++i)
        rewriter.addNode("Identity", {renamed(branch->g().output(i).name(), names)}, node.output(i));
}

std::string labelOfTurn(const onnx::NodeProto &node, std::int64_t turn)
{
    return labelOf(node) + " turn " + std::to_string(turn);
}

// What every turn of a body makes anew, joined along an axis.
class Stacks {
public:
    Stacks(GraphRewriter &rewriter, int count) : m_rewriter(rewriter), m_parts(static_cast<std::size_t>(count)) {}

    [[nodiscard]] int count() const { return static_cast<int>(m_parts.size()); }
    void add(int stack, const std::string &made, std::int64_t axis)
    {
        m_parts[static_cast<std::size_t>(stack)].push_back(m_rewriter.addUnsqueeze(made, axis));
    }
    void write(int stack, std::int64_t axis, bool isReversed, const std::string &output)
    {
        auto &parts = m_parts[static_cast<std::size_t>(stack)];
        if (isReversed)
            std::ranges::reverse(parts);
        GraphRewriter::setInteger(m_rewriter.addNode("Concat", parts, output), "axis", axis);
    }

private:
    GraphRewriter &m_rewriter;
    std::vector<std::vector<std::string>> m_parts;
};

void copyLoop(GraphRewriter &rewriter, const onnx::NodeProto &loop, std::int64_t turns)
{
    const onnx::GraphProto &body = attributeOf(loop, "body")->g();
    const int carried = std::max(0, loop.input_size() - 2);
    std::vector<std::string> values(loop.input().begin() + std::min(2, loop.input_size()), loop.input().end());
    Stacks stacks(rewriter, std::max(0, body.output_size() - 1 - carried));
    const std::string isTrue = rewriter.addNumber(labelOf(loop), onnx::TensorProto::BOOL, 1);
    NewNames constants;
    rewriter.copyInitializers(body, labelOf(loop), constants);
    for (std::int64_t turn = 0; turn < turns; ++turn) {
        NewNames names = constants;
        if (body.input_size() > 0)
            names[body.input(0).name()] = rewriter.addNumber(labelOf(loop), onnx::TensorProto::INT64, turn);
        if (body.input_size() > 1)
            names[body.input(1).name()] = isTrue;
        for (int i = 0; i < carried && i + 2 < body.input_size(); ++i)
            names[body.input(i + 2).name()] = values[static_cast<std::size_t>(i)];
        rewriter.copyNodes(body, labelOfTurn(loop, turn), names);
        for (int i = 0; i < carried && i + 1 < body.output_size(); ++i)
            values[static_cast<std::size_t>(i)] = renamed(body.output(i + 1).name(), names);
        for (int i = 0; i < stacks.count(); ++i)
            stacks.add(i, renamed(body.output(i + 1 + carried).name(), names), 0);
    }
    for (int i = 0; i < loop.output_size(); ++i) {
        if (i < carried)
            rewriter.addNode("Identity", {values[static_cast<std::size_t>(i)]}, loop.output(i));
        else if (i - carried < stacks.count())
            stacks.write(i - carried, 0, false, loop.output(i));
    }
}

// The number of a list of an attribute; 0 where the list ends before.
std::int64_t numberAt(const std::vector<std::int64_t> &list, int place)
{
    return static_cast<std::size_t>(place) < list.size() ? list[static_cast<std::size_t>(place)] : 0;
}

// 0 if the node does not say it, or has not as many inputs.
int scannedInputs(const onnx::NodeProto &scan)
{
    const std::int64_t given = integerOf(scan, "num_scan_inputs", 0);
    return given > 0 && given <= scan.input_size() ? static_cast<int>(given) : 0;
}

void copyScan(GraphRewriter &rewriter, const onnx::NodeProto &scan, std::int64_t turns)
{
    const onnx::GraphProto &body = attributeOf(scan, "body")->g();
    const int scanned = scannedInputs(scan);
    const int states = scan.input_size() - scanned;
    const auto axes = integersOf(scan, "scan_input_axes");
    const auto backwards = integersOf(scan, "scan_input_directions");
    const auto outputAxes = integersOf(scan, "scan_output_axes");
    const auto outputBackwards = integersOf(scan, "scan_output_directions");
    std::vector<std::string> values(scan.input().begin(), scan.input().begin() + states);
    Stacks stacks(rewriter, body.output_size() - states);
    NewNames constants;
    rewriter.copyInitializers(body, labelOf(scan), constants);
    for (std::int64_t turn = 0; turn < turns; ++turn) {
        NewNames names = constants;
        for (int i = 0; i < states; ++i)
            names[body.input(i).name()] = values[static_cast<std::size_t>(i)];
        for (int i = 0; i < scanned; ++i) {
            const std::int64_t place = numberAt(backwards, i) != 0 ? turns - 1 - turn : turn;
            const std::string at = rewriter.addNumber(labelOf(scan), onnx::TensorProto::INT64, place);
            std::string slice = rewriter.fresh(labelOfTurn(scan, turn) + "/" + body.input(states + i).name());
            GraphRewriter::setInteger(rewriter.addNode("Gather", {scan.input(states + i), at}, slice), "axis",
                                      numberAt(axes, i));
            names[body.input(states + i).name()] = std::move(slice);
        }
        rewriter.copyNodes(body, labelOfTurn(scan, turn), names);
        for (int i = 0; i < states; ++i)
            values[static_cast<std::size_t>(i)] = renamed(body.output(i).name(), names);
        for (int i = 0; i < stacks.count(); ++i)
            stacks.add(i, renamed(body.output(states + i).name(), names), numberAt(outputAxes, i));
    }
    for (int i = 0; i < scan.output_size(); ++i) {
        const int stack = i - states;
        if (stack < 0)
            rewriter.addNode("Identity", {values[static_cast<std::size_t>(i)]}, scan.output(i));
        else if (stack < stacks.count())
            stacks.write(stack, numberAt(outputAxes, stack), numberAt(outputBackwards, stack) != 0, scan.output(i));
    }
}

// What the body of a Loop makes of its condition; empty where it computes it.
std::optional<bool> conditionOf(const onnx::GraphProto &graph, const IsTrueOutside &isTrueOutside)
{
    const std::string &condition = graph.output(0).name();
    const auto isPassedOn = [&](const std::string &name) {
        return graph.input_size() > 1 && graph.input(1).name() == name;
    };
    const auto outside = [&](const std::string &name) {
        return isTrueOutside(name) ? std::optional(true) : std::nullopt;
    };
    if (isPassedOn(condition))
        return true;
    const auto valueOf = [](const onnx::TensorProto &tensor) -> std::optional<bool> {
        if (tensor.data_type() != onnx::TensorProto::BOOL)
            return std::nullopt;
        if (tensor.has_raw_data())
            return tensor.raw_data().size() == 1 ? std::optional(tensor.raw_data() != std::string(1, '\0'))
                                                 : std::nullopt;
        return tensor.int32_data_size() == 1 ? std::optional(tensor.int32_data(0) != 0) : std::nullopt;
    };
    for (const auto &initializer : graph.initializer()) {
        if (initializer.name() == condition)
            return valueOf(initializer);
    }
    for (const auto &node : graph.node()) {
        if (node.output_size() != 1 || node.output(0) != condition)
            continue;
        if (node.op_type() == "Identity" && node.input_size() == 1)
            return isPassedOn(node.input(0)) ? std::optional(true) : outside(node.input(0));
        const auto *value = attributeOf(node, "value");
        return node.op_type() == "Constant" && value ? valueOf(value->t()) : std::nullopt;
    }
    return outside(condition);
}

// Of a Loop that takes at most so many, as far as they are known: it ends before where its body makes the condition
// false.
std::optional<std::int64_t> turnsTaken(const onnx::NodeProto &loop, std::int64_t most,
                                       const IsTrueOutside &isTrueOutside)
{
    const onnx::GraphProto &graph = attributeOf(loop, "body")->g();
    const int carried = std::max(0, loop.input_size() - 2);
    if (most == 0 && loop.output_size() > carried)
        return std::nullopt; // the shape of an empty stack is not known
    if (most <= 1)
        return most;
    const auto goesOn = conditionOf(graph, isTrueOutside);
    return !goesOn ? std::nullopt : *goesOn ? std::optional(most) : 1;
}

bool fitsScan(const onnx::NodeProto &scan, std::int64_t turns)
{
    const onnx::GraphProto &body = attributeOf(scan, "body")->g();
    const int scanned = scannedInputs(scan);
    return turns > 0 && scanned > 0 && body.input_size() == scan.input_size() &&
           body.output_size() >= scan.input_size() - scanned;
}

} // namespace

std::optional<std::pair<int, std::int64_t>> scannedAxis(const onnx::NodeProto &scan)
{
    const int scanned = scannedInputs(scan);
    if (scanned == 0)
        return std::nullopt;
    return std::pair(scan.input_size() - scanned, numberAt(integersOf(scan, "scan_input_axes"), 0));
}

std::optional<std::int64_t> knownTurns(const onnx::NodeProto &node, std::int64_t most,
                                       const IsTrueOutside &isTrueOutside)
{
    const auto *body = attributeOf(node, "body");
    if (!body || most < 0 || body->g().output_size() == 0)
        return std::nullopt;
    const auto turns = node.op_type() != "Scan" ? turnsTaken(node, most, isTrueOutside)
                       : fitsScan(node, most)   ? std::optional(most)
                                                : std::nullopt;
    const bool isFew = turns && *turns <= kMostUnrolled / std::max<std::int64_t>(1, nodesIn(body->g().node()));
    return isFew ? turns : std::nullopt;
}

WorkAmount amountFor(const onnx::NodeProto &node, const KnownChoice &choice)
{
    const bool isIf = node.op_type() == "If";
    const auto *attribute = attributeOf(node, !isIf ? "body" : choice.isTrue ? "then_branch" : "else_branch");
    if (!attribute)
        return {};
    const onnx::GraphProto &graph = attribute->g();
    // Inputs and outputs of a turn are slices, stacks and constants.
    const std::int64_t nodes = nodesIn(graph.node()) + graph.output_size() + (isIf ? 0 : graph.input_size());
    std::int64_t bytes = opening::times(graph.initializer_size(), opening::kName).bytes;
    for (const auto &each : graph.node())
        bytes += static_cast<std::int64_t>(each.ByteSizeLong());
    WorkAmount turn = opening::times(nodes, opening::kWrittenNode);
    turn.bytes += bytes;
    return opening::times(isIf ? 1 : choice.turns, turn);
}

void inlineChoices(onnx::GraphProto &graph, const std::vector<KnownChoice> &choices, std::int64_t opset)
{
    std::map<int, KnownChoice> byNode;
    for (const KnownChoice &choice : choices)
        byNode.emplace(choice.node, choice);
    TakenNames taken;
    addNames(graph, taken);
    GraphRewriter rewriter(graph, opset, taken);
    for (int i = 0; i < rewriter.old().size(); ++i) {
        auto &node = rewriter.old()[i];
        const auto found = byNode.find(i);
        if (found == byNode.end())
            rewriter.keep(node);
        else if (node.op_type() == "If")
            copyBranch(rewriter, node, found->second.isTrue);
        else if (node.op_type() == "Scan")
            copyScan(rewriter, node, found->second.turns);
        else
            copyLoop(rewriter, node, found->second.turns);
    }
}

} // namespace stagecraft
