#include "cli/info_answer.h"

#include "cli/cost_text.h"
#include "cli/text_table.h"
#include "operators/schema.h"
#include "support/shown_text.h"

#include <fmt/format.h>
#include <iostream>

namespace stagecraft {
namespace {

std::vector<answers::NamedShape> namedShapes(const Graph &graph, std::span<const TensorId> tensors)
{
    std::vector<answers::NamedShape> list;
    for (const TensorId id : tensors)
        list.push_back({graph.tensor(id).name, graph.tensor(id).shape});
    return list;
}

std::vector<answers::PassFacts> passFacts(const Model &model)
{
    std::vector<answers::PassFacts> list;
    for (const Pass &pass : passes()) {
        const PassReport *report = model.report.find(pass.name);
        auto &facts = list.emplace_back(
            answers::PassFacts{std::string(pass.name), std::string(pass.what), report != nullptr, {}});
        for (const PassChange &change : report ? report->changes : std::vector<PassChange>()) {
            const Operator *unit = change.unit.isValid() ? &model.graph->op(change.unit) : nullptr;
            facts.changes.push_back({change.name, change.type, unit ? std::optional(unit->name) : std::nullopt,
                                     unit ? std::optional(unit->type) : std::nullopt});
        }
    }
    return list;
}

// "1,234 MFLOP", "0.44 MFLOP", "160 FLOP".
std::string arithmeticText(double flops)
{
    constexpr double kMega = 1e6;
    constexpr double kLeast = 0.01;
    constexpr double kWhole = 10;
    const double mega = flops / kMega;
    if (mega < kLeast)
        return plainMagnitude(flops) + " FLOP";
    return (mega < kWhole ? fmt::format("{:.2g}", mega) : plainMagnitude(mega)) + " MFLOP";
}

// "conv1 into conv0, relu1 into conv0 and 12 more".
std::string examplesOf(const Model &model, const PassReport &report)
{
    constexpr std::size_t kShown = 2;
    std::vector<std::string> shown;
    for (const PassChange &change : report.changes) {
        if (shown.size() == kShown)
            break;
        shown.push_back(shownText(change.name) +
                        (change.unit.isValid() ? " into " + shownText(model.graph->op(change.unit).name) : ""));
    }
    const auto rest = static_cast<std::int64_t>(report.changes.size() - shown.size());
    return fmt::format("{}{}", fmt::join(shown, ", "), rest > 0 ? " and " + grouped(rest) + " more" : "");
}

} // namespace

ModelTotals totalsOf(const Graph &graph)
{
    ModelTotals totals;
    for (std::size_t i = 0; i < graph.size(); ++i) {
        const Operator &op = graph.operators()[i];
        ++totals.types[displayType(op)];
        totals.flops += flops(graph, OperatorId::fromIndex(i));
    }
    totals.weights = weightTotals(graph);
    return totals;
}

answers::Info infoAnswer(const Model &model, std::vector<answers::BlockFacts> blocks, const ModelTotals &totals,
                         bool withPasses)
{
    answers::Info answer{.name = model.name,
                         .sha256 = model.sha256,
                         .batch = model.graph->batch(),
                         .types = totals.types,
                         .flops = totals.flops,
                         .weights = totals.weights,
                         .inputs = namedShapes(*model.graph, model.graph->inputs()),
                         .outputs = namedShapes(*model.graph, model.graph->outputs()),
                         .blocks = std::move(blocks),
                         .report = model.report,
                         .costs = model.costs};
    for (const auto &[type, nodes] : model.report.writtenOut)
        answer.writtenOut.push_back({type, nodes});
    if (withPasses)
        answer.passes = passFacts(model);
    return answer;
}

void printInfo(const Model &model, const std::vector<answers::BlockFacts> &blocks, const ModelTotals &totals,
               bool count)
{
    const Graph &graph = *model.graph;
    std::cout << costLines(model.costs) << model.name << ": "
              << counted(static_cast<std::int64_t>(graph.size()), "operator") << " in "
              << counted(static_cast<std::int64_t>(blocks.size()), "block") << ", "
              << grouped(totals.weights.parameters) << " parameters, " << (model.costs.isComplete() ? "" : "at least ")
              << arithmeticText(totals.flops) << " at batch " << graph.batch() << ", " << model.costs.precision << '\n';
    if (model.costs.uncosted.size() > 1) {
        for (const UncostedWork &work : model.costs.uncosted)
            std::cout << "  no cost: " << counted(work.count, "operator") << " from " << work.operatorName
                      << " on, because " << work.reason << '\n';
    }
    for (const TensorId input : graph.inputs())
        std::cout << "  input  " << shownText(graph.tensor(input).name) << " " << toString(graph.tensor(input).shape)
                  << '\n';
    for (const TensorId output : graph.outputs())
        std::cout << "  output " << shownText(graph.tensor(output).name) << " " << toString(graph.tensor(output).shape)
                  << '\n';
    for (const auto &[type, number] : totals.types)
        std::cout << "  " << number << " " << shownText(type) << '\n';
    for (const std::string &type : model.report.unknownTypes)
        std::cout << "  no rule for operators of type " << shownText(type)
                  << ": they are kept and scheduled, and simulated as moving their bytes\n";
    std::vector<std::string> header{"block", "operators", "width", "bound"};
    if (count)
        header.insert(header.end(), {"states", "transitions", "schedules"});
    TextTable table(header);
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        const answers::BlockFacts &block = blocks[i];
        std::vector<std::string> row{std::to_string(i + 1), std::to_string(block.operators),
                                     std::to_string(block.width), plainMagnitude(block.bound)};
        if (block.space) {
            const std::string more = block.space->complete ? "" : "more than ";
            row.insert(row.end(), {more + grouped(block.space->states), more + grouped(block.space->transitions),
                                   more + plainMagnitude(block.space->schedules)});
        }
        table.add(std::move(row));
    }
    std::cout << '\n' << table;
}
void printPasses(const Model &model)
{
    TextTable table({"pass", "operators", "for example"});
    for (const Pass &pass : passes()) {
        const PassReport *report = model.report.find(pass.name);
        table.add(pass.name, report ? std::to_string(report->changes.size()) : "off",
                  report ? examplesOf(model, *report) : "");
    }
    std::cout << "\nThe operators that each pass took away, and where to:\n\n" << table;
    if (model.report.types.empty())
        return;
    TextTable types({"type in the file", "nodes", "folded", "left out", "fused", "operators", "opaque", "refused"});
    for (const TypeReport &type : model.report.types)
        types.add(shownText(type.type), type.nodes, type.folded, type.leftOut, type.fused, type.operators, type.opaque,
                  type.refused);
    std::cout << "\nWhat became of the operators of the file:\n\n" << types;
    if (!model.report.writtenOut.empty()) {
        TextTable writtenOut({"read as the operators that they stand for", "nodes"});
        for (const auto &[type, nodes] : model.report.writtenOut)
            writtenOut.add(shownText(type), nodes);
        std::cout << '\n' << writtenOut;
    }
    TextTable reasons({"type", "outcome", "operators", "for example", "because"});
    bool hasReasons = false;
    for (const TypeReport &type : model.report.types) {
        for (const TypeReason &reason : type.because) {
            reasons.add(shownText(type.type), toString(reason.outcome), reason.operators,
                        shownText(reason.operatorName), shownText(reason.reason));
            hasReasons = true;
        }
    }
    if (hasReasons)
        std::cout << "\nOpaque: what they compute is not known, so they have no cost. Refused: by run on cpu.\n\n"
                  << reasons;
}

} // namespace stagecraft
