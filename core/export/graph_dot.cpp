#include "export/graph_dot.h"

#include "support/number_text.h"

namespace stagecraft {
namespace {

// Escapes a text for a quoted string of DOT. Control characters, including line breaks, become spaces.
std::string dotEscaped(const std::string &text)
{
    std::string result;
    for (const char letter : text) {
        if (letter == '"' || letter == '\\')
            result += '\\';
        const bool isControl = static_cast<unsigned char>(letter) < 0x20 || letter == 0x7f;
        result += isControl ? ' ' : letter;
    }
    return result;
}

std::string dotString(const std::string &text)
{
    return '"' + dotEscaped(text) + '"';
}

std::string nodeName(OperatorId id)
{
    return "op" + std::to_string(id.index());
}

// Its name, type and output shape.
std::string nodeLine(const Graph &graph, OperatorId id, const std::string &indent)
{
    const Operator &op = graph.op(id);
    std::string label = dotEscaped(op.name) + "\\n" + dotEscaped(op.type);
    if (!op.outputs.empty())
        label += ' ' + dotEscaped(toString(graph.tensor(op.outputs.front()).shape));
    return indent + nodeName(id) + " [label=\"" + label + "\"];\n";
}

std::string clusterText(const Graph &graph, const Schedule &schedule, std::size_t index)
{
    const Stage &stage = schedule.stages[index];
    std::string label = "stage " + std::to_string(index + 1);
    if (stage.strategy == Strategy::Merge)
        label += ", merged";
    if (schedule.hasStageLatencies())
        label += ", " + plainLatency(schedule.stageTimings[index].latencyUs);
    std::string text = "  subgraph cluster_stage_" + std::to_string(index + 1) + " {\n    label=" + dotString(label) +
                       ";\n" + (stage.strategy == Strategy::Merge ? "    peripheries=2;\n" : "");
    for (const auto &group : stage.groups) {
        for (const OperatorId id : group)
            text += nodeLine(graph, id, "    ");
    }
    return text + "  }\n";
}

} // namespace

std::string graphDot(const Graph &graph, const Schedule *schedule)
{
    std::string title = graph.name();
    if (schedule && schedule->latencyUs() && schedule->provenance)
        title += ", " + plainLatency(*schedule->latencyUs()) + " on " + schedule->device + ", " +
                 std::string(toString(*schedule->provenance));
    std::string text = "digraph " + dotString(graph.name()) + " {\n  label=" + dotString(title) +
                       ";\n  node [shape=box, fontname=\"sans-serif\"];\n";
    if (schedule) {
        for (std::size_t i = 0; i < schedule->stages.size(); ++i)
            text += clusterText(graph, *schedule, i);
    }
    for (std::size_t i = 0; i < graph.size(); ++i) {
        const OperatorId id = OperatorId::fromIndex(i);
        if (!schedule)
            text += nodeLine(graph, id, "  ");
        for (const OperatorId reader : graph.successors(id))
            text += "  " + nodeName(id) + " -> " + nodeName(reader) + ";\n";
    }
    return text + "}\n";
}

} // namespace stagecraft
