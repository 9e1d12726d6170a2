#include "export/graph_dot.h"

#include "results/schedule_words.h"
#include "support/number_text.h"

#include <fmt/format.h>

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
    return fmt::format("\"{}\"", dotEscaped(text));
}

// Its name, type and output shape.
std::string nodeLine(const Graph &graph, OperatorId id, const std::string &indent)
{
    const Operator &op = graph.op(id);
    std::string label = fmt::format("{}\\n{}", dotEscaped(op.name), dotEscaped(op.type));
    if (!op.outputs.empty())
        label += ' ' + dotEscaped(toString(graph.tensor(op.outputs.front()).shape));
    return fmt::format("{}op{} [label=\"{}\"];\n", indent, id.index(), label);
}

std::string clusterText(const Graph &graph, const TimedSchedule &schedule, std::size_t index)
{
    const Stage &stage = schedule.stages[index];
    const bool isMerged = stage.isMerged();
    std::string label = fmt::format("stage {}{}", index + 1, isMerged ? ", merged" : stage.isFused() ? ", fused" : "");
    if (schedule.hasStageLatencies())
        label += ", " + plainLatency(schedule.measured.stages[index].latencyUs);
    std::string text = fmt::format("  subgraph cluster_stage_{} {{\n    label={};\n{}", index + 1, dotString(label),
                                   isMerged ? "    peripheries=2;\n" : "");
    for (const auto &group : stage.groups) {
        for (const OperatorId id : group)
            text += nodeLine(graph, id, "    ");
    }
    return text + "  }\n";
}

} // namespace

std::string graphDot(const Graph &graph, const TimedSchedule *schedule)
{
    std::string title = graph.name();
    if (schedule && schedule->latencyUs() && schedule->measured.provenance)
        title += fmt::format(", {} on {}, {}", plainLatency(*schedule->latencyUs()), schedule->context.device,
                             provenanceOf(*schedule));
    std::string text = fmt::format("digraph {} {{\n  label={};\n  node [shape=box, fontname=\"sans-serif\"];\n",
                                   dotString(graph.name()), dotString(title));
    if (schedule) {
        for (std::size_t i = 0; i < schedule->stages.size(); ++i)
            text += clusterText(graph, *schedule, i);
    }
    for (std::size_t i = 0; i < graph.size(); ++i) {
        const OperatorId id = OperatorId::fromIndex(i);
        if (!schedule)
            text += nodeLine(graph, id, "  ");
        for (const OperatorId reader : graph.successors(id))
            text += fmt::format("  op{} -> op{};\n", id.index(), reader.index());
    }
    return text + "}\n";
}

} // namespace stagecraft
