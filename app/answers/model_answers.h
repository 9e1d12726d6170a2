#pragma once

// The answers on a model: what is in it, what it computes, what is written of it.

#include "answers/answer_parts.h"
#include "export/formats.h"
#include "flow/export/export_tools.h"
#include "graph/cost_basis.h"
#include "operators/values/tensor.h"
#include "search/stages/count.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace stagecraft {

[[nodiscard]] constexpr std::string_view toString(TypeReason::Outcome outcome)
{
    return outcome == TypeReason::Outcome::Opaque ? "opaque" : "refused";
}

void eachMember(Of<TypeReason> auto &reason, auto &&visit)
{
    visit({"outcome", "opaque or refused"}, reason.outcome);
    visit({"reason", "the reason, for people"}, reason.reason);
    visit({"operators", "operators with this reason", Unit::Count}, reason.operators);
    visit({"operator", "the first of them"}, reason.operatorName);
}

void eachMember(Of<TypeReport> auto &type, auto &&visit)
{
    visit({"type", "the type in the file"}, type.type);
    visit({"nodes", "in the file", Unit::Count}, type.nodes);
    visit({"folded", "of those: evaluated while reading, because all their inputs are constants", Unit::Count},
          type.folded);
    visit({"left_out", "of those: they pass a tensor on, or nothing needs them", Unit::Count}, type.leftOut);
    visit({"fused", "of those: part of a unit that is named after another operator", Unit::Count}, type.fused);
    visit({"operators", "of those: schedule units, alone or with what was fused into them", Unit::Count},
          type.operators);
    visit({"opaque", "of the operators: nothing is known about what they compute", Unit::Count}, type.opaque);
    visit(
        {"refused", "of the operators: run refuses them on cpu, as far as the file tells without running", Unit::Count},
        type.refused);
    visit({"because", "why operators of the type are opaque or refused"}, type.because);
}

namespace answers {

struct NamedShape {
    std::string name;
    Shape shape;
};

void eachMember(Of<NamedShape> auto &tensor, auto &&visit)
{
    const bool isKnown = tensor.shape.known;
    visit({"name", "name of the tensor"}, tensor.name);
    visit({"shape", "1x3x224x224, or unknown"}, toString(tensor.shape));
    visit({"dims", "the shape as a list; null where it is not known", Unit::Count},
          isKnown ? std::optional(tensor.shape.dims) : std::nullopt);
}

struct BlockFacts {
    std::size_t index = 0;
    std::size_t operators = 0;
    int width = 0;
    double bound = 0; // of transitions
    std::optional<SpaceCount> space{};
};

void eachMember(Of<BlockFacts> auto &block, auto &&visit)
{
    const SpaceCount space = block.space.value_or(SpaceCount{});
    const bool isCounted = block.space.has_value();
    visit({"index", "of the block", Unit::Index}, block.index);
    visit({"block_number", "of the block, as on the screen", Unit::Number}, block.index + 1);
    visit({"operators", "operators of the block", Unit::Count}, block.operators);
    visit({"width", "the most operators that do not depend on each other", Unit::Count}, block.width);
    visit({"transition_bound", "no more transitions than this; large ones in scientific notation", Unit::Count},
          block.bound);
    visit({"states", "with --count: sets of operators the search can have left to do", Unit::Count}, space.states,
          isCounted);
    visit({"transitions", "with --count: states, and a stage that could be their last", Unit::Count}, space.transitions,
          isCounted);
    visit({"schedules", "with --count: schedules of the block; large ones in scientific notation", Unit::Count},
          space.schedules, isCounted);
    visit({"complete", "with --count: false where --max-seconds ended it and there are more"}, space.complete,
          isCounted && !space.complete);
}

struct WrittenOut {
    std::string type;
    std::int64_t nodes = 0;
};

void eachMember(Of<WrittenOut> auto &written, auto &&visit)
{
    visit({"type", "calls of local functions by their names, If, Loop, Scan, and operators on sequences"},
          written.type);
    visit({"nodes", "those within others, too", Unit::Count}, written.nodes);
}

struct TakenAway {
    std::string name;
    std::string type;
    std::optional<std::string> unit{};
    std::optional<std::string> unitType{};
};

void eachMember(Of<TakenAway> auto &change, auto &&visit)
{
    visit({"operator", "name of the operator"}, change.name);
    visit({"type", "its type before"}, change.type);
    visit({"unit", "the unit that it is part of; null where nothing needs it"}, change.unit);
    visit({"unit_type", "the type of that unit"}, change.unitType);
}

struct PassFacts {
    std::string name;
    std::string what;
    bool ran = false;
    std::vector<TakenAway> changes{};
};

void eachMember(Of<PassFacts> auto &pass, auto &&visit)
{
    visit({"name", "what --without takes"}, pass.name);
    visit({"what", "what it does, for people"}, pass.what);
    visit({"ran", "whether it was part of forming these units"}, pass.ran);
    visit({"changes", "an operator that it took away"}, pass.changes);
}

struct Info {
    static constexpr Title kTitle{"info", "stagecraft-cli info MODEL [--count] --json", "what a model is made of"};
    std::string name;
    std::string sha256;
    std::int64_t batch = 0;
    std::map<std::string, std::int64_t> types{};
    double flops = 0;
    WeightTotals weights;
    std::vector<NamedShape> inputs{};
    std::vector<NamedShape> outputs{};
    std::vector<BlockFacts> blocks{};
    ImportReport report;
    std::vector<WrittenOut> writtenOut{};
    std::optional<std::vector<PassFacts>> passes{};
    CostBasis costs;
};

void eachMember(Of<Info> auto &info, auto &&visit)
{
    visit({"name", "name of the model"}, info.name);
    visit({"sha256", "of the file; of a built-in network empty"}, info.sha256);
    visit(fields::kBatch, info.batch);
    visit({"operators", "schedule units: operators after fusion", Unit::Count}, info.costs.operators);
    visit({"types", "operators of each type", Unit::Count}, info.types);
    visit({"flops",
           "of one pass; a multiplication and an addition are two, an activation is as many as the simpler nodes "
           "that it stands for",
           Unit::Flop},
          info.flops);
    visit({"flops_is_lower_bound", "whether flops leaves operators out"}, !info.costs.isComplete());
    visit({"parameters",
           "weights that remain after folding, real numbers and 8-bit integers of quantised operators; a table "
           "that is gathered from a smaller one counts as it is read",
           Unit::Count},
          info.weights.parameters);
    visit({"parameter_bytes", "of the parameters as they are stored: of quantised files, of the integers", Unit::Bytes},
          info.weights.bytes);
    visit({"inputs", "a tensor the model reads"}, info.inputs);
    visit({"outputs", "a tensor the model makes"}, info.outputs);
    visit({"blocks", "a part that is scheduled by itself"}, info.blocks);
    visit({"unknown_types", "types of operators the program has no rule for"}, info.report.unknownTypes);
    visit(fields::kNotes, info.report.notes);
    visit(
        Field{"written_out", "of a model file: nodes of one type that were read as the operators that they stand for"},
        info.writtenOut, !info.writtenOut.empty());
    visit({"import", "of a model file: what became of the operators of one type"}, info.report.types,
          !info.report.types.empty());
    visit({"passes", "with --passes: one pass, in the order in which they run"}, info.passes, info.passes.has_value());
    eachMember(info.costs, visit);
}

struct Convert {
    static constexpr Title kTitle{"convert", "stagecraft-cli convert MODEL -o FILE --json", "a model as ONNX"};
    std::string model;
    std::string file;
    std::size_t operators = 0;
    std::vector<std::string> remarks{};
};

void eachMember(Of<Convert> auto &answer, auto &&visit)
{
    visit(fields::kModel, answer.model);
    visit({"output", "the file that was written; the same as file"}, answer.file);
    visit({"file", "the file that was written"}, answer.file);
    visit({"operators", "operators of the model", Unit::Count}, answer.operators);
    visit({"remarks",
           "what the file no longer says as its source did: nodes that are written as the operators that they "
           "stand for"},
          answer.remarks);
}

struct Run {
    static constexpr Title kTitle{"run", "stagecraft-cli run MODEL --input FILE -o FILE --json",
                                  "the output of a model"};
    std::string model;
    std::string device;
    std::string tensor;
    std::vector<std::int64_t> dims{};
    std::string file;
    std::vector<ImportNote> notes{};
};

void eachMember(Of<Run> auto &answer, auto &&visit)
{
    visit(fields::kModel, answer.model);
    visit(fields::kDevice, answer.device);
    visit({"output", "the tensor that was written; the same as tensor"}, answer.tensor);
    visit({"tensor", "the tensor that was written"}, answer.tensor);
    visit({"shape", "its shape; the same as dims", Unit::Count}, answer.dims);
    visit({"dims", "its shape as a list", Unit::Count}, answer.dims);
    visit({"file", "the file that was written"}, answer.file);
    visit(fields::kNotes, answer.notes);
}

struct Export {
    static constexpr Title kTitle{"export", "stagecraft-cli export MODEL SCHEDULE... --format FORMAT -o OUT --json",
                                  "what was written for another program"};
    std::string model;
    std::string_view format;
    ExportView view{};
    std::vector<std::string> schedules{};
    std::string output;
    ExportWritten written;
};

void eachMember(Of<Export> auto &answer, auto &&visit)
{
    auto &written = answer.written;
    visit({"model", "name of the model; of a session, its file"}, answer.model);
    visit({"export_format", "what --format was, or what the name of the file says"}, answer.format);
    visit({"view", "schedule, graph, timeline, comparison, tradeoff, specialisation or report"}, answer.view);
    visit({"schedules", "the schedules, as they were named"}, answer.schedules);
    visit({"output", "the file or folder"}, answer.output);
    visit({"files", "how many files were written", Unit::Count}, written.files);
    visit({"bytes", "their size", Unit::Bytes}, written.bytes);
    visit({"names", "of a session in a folder: the files or folders in it, one for each result or group"},
          written.names);
    visit({"left_out", "of a session: results without a schedule, and why"}, written.leftOut);
}

} // namespace answers
} // namespace stagecraft
