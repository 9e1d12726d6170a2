#include "cli/info_answer.h"

#include "cli/cost_text.h"
#include "cli/text_table.h"
#include "operators/schema.h"
#include "support/shown_text.h"

#include <fmt/format.h>
#include <iostream>
#include <nlohmann/json.hpp>

namespace stagecraft {
namespace {

Json tensorsJson(const Graph &graph, std::span<const TensorId> tensors)
{
    Json list = Json::array();
    for (const TensorId id : tensors)
        list.push_back({{"name", graph.tensor(id).name},
                        {"shape", toString(graph.tensor(id).shape)},
                        {"dims", dimsJson(graph.tensor(id).shape)}});
    return list;
}

const char *outcomeName(const TypeReason &reason)
{
    return reason.outcome == TypeReason::Outcome::Opaque ? "opaque" : "refused";
}

Json typesJson(const ImportReport &report)
{
    Json list = Json::array();
    for (const TypeReport &type : report.types) {
        Json reasons = Json::array();
        for (const TypeReason &reason : type.because)
            reasons.push_back({{"outcome", outcomeName(reason)},
                               {"reason", reason.reason},
                               {"operators", reason.operators},
                               {"operator", reason.operatorName}});
        list.push_back({{"type", type.type},
                        {"nodes", type.nodes},
                        {"folded", type.folded},
                        {"left_out", type.leftOut},
                        {"fused", type.fused},
                        {"operators", type.operators},
                        {"opaque", type.opaque},
                        {"refused", type.refused},
                        {"because", reasons}});
    }
    return list;
}

Json passesJson(const Model &model)
{
    Json list = Json::array();
    for (const Pass &pass : passes()) {
        Json changes = Json::array();
        const PassReport *report = model.report.find(pass.name);
        for (const PassChange &change : report ? report->changes : std::vector<PassChange>())
            changes.push_back(
                {{"operator", change.name},
                 {"type", change.type},
                 {"unit", change.unit.isValid() ? Json(model.graph->op(change.unit).name) : Json()},
                 {"unit_type", change.unit.isValid() ? Json(model.graph->op(change.unit).type) : Json()}});
        list.push_back({{"name", pass.name}, {"what", pass.what}, {"ran", report != nullptr}, {"changes", changes}});
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

Json infoJson(const Model &model, const std::vector<BlockFacts> &blocks, const ModelTotals &totals, bool withPasses)
{
    Json list = Json::array();
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        const BlockFacts &block = blocks[i];
        Json entry{{"index", i},
                   {"block_number", i + 1},
                   {"operators", block.operators},
                   {"width", block.width},
                   {"transition_bound", block.bound}};
        if (block.space) {
            entry["states"] = block.space->states;
            entry["transitions"] = block.space->transitions;
            entry["schedules"] = block.space->schedules;
            if (!block.space->complete)
                entry["complete"] = false; // there are more
        }
        list.push_back(std::move(entry));
    }
    Json document{{"name", model.name},
                  {"sha256", model.sha256},
                  {"batch", model.graph->batch()},
                  {"operators", model.graph->size()},
                  {"types", totals.types},
                  {"flops", totals.flops},
                  {"flops_is_lower_bound", !model.costs.isComplete()},
                  {"parameters", totals.weights.parameters},
                  {"parameter_bytes", totals.weights.bytes},
                  {"inputs", tensorsJson(*model.graph, model.graph->inputs())},
                  {"outputs", tensorsJson(*model.graph, model.graph->outputs())},
                  {"blocks", list},
                  {"unknown_types", model.report.unknownTypes},
                  {"notes", notesJson(model.report)}};
    for (const auto &[type, nodes] : model.report.writtenOut)
        document["written_out"].push_back({{"type", type}, {"nodes", nodes}});
    if (!model.report.types.empty())
        document["import"] = typesJson(model.report);
    if (withPasses)
        document["passes"] = passesJson(model);
    addCostKeys(document, model.costs);
    return document;
}
void printInfo(const Model &model, const std::vector<BlockFacts> &blocks, const ModelTotals &totals, bool count)
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
        const BlockFacts &block = blocks[i];
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
            reasons.add(shownText(type.type), outcomeName(reason), reason.operators, shownText(reason.operatorName),
                        shownText(reason.reason));
            hasReasons = true;
        }
    }
    if (hasReasons)
        std::cout << "\nOpaque: what they compute is not known, so they have no cost. Refused: by run on cpu.\n\n"
                  << reasons;
}

} // namespace stagecraft
