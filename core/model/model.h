#pragma once

// A model as the rest of the program sees it: a graph of schedule units, cut into blocks, with a report of how it was
// read.

#include "graph/block.h"
#include "graph/cost_basis.h"
#include "graph/graph.h"
#include "schedule/schedule.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace stagecraft {

struct OnnxOrigin;

// What the import did, for people: operators without a rule, assumed shapes or batch sizes, operators left out.
struct ImportNote {
    enum class Severity { Info, Warning };

    Severity severity = Severity::Info;
    std::string operatorName; // may be empty
    std::string text;
};

// An output of a file that needs no computation.
struct ConstantOutput {
    std::string name;
    std::shared_ptr<const Constant> value;
};

// Values of inputs, by name. Those that decide sizes become constants of the graph, the others are only looked at for
// their shapes.
using GivenInputs = std::map<std::string, std::shared_ptr<const Constant>>;

struct ImportReport {
    std::vector<ImportNote> notes;
    std::vector<std::string> unknownTypes; // operator types without a rule, sorted, without repeats
    std::vector<std::string> dataFiles;    // files read besides the model's own
    std::vector<std::string> inTraining;   // operators that the file has in training mode: scheduled, but not executed
    std::vector<std::string> outputs;      // in the order of the file, including those that need no computation
    std::vector<ConstantOutput> constantOutputs; // those of them that are constants
    std::vector<std::string> fixedInputs;        // given inputs that became constants
};

// `blocks` of a model that comes with a schedule are those of the schedule.
struct Model {
    std::shared_ptr<const Graph> graph;
    Blocks blocks;
    std::string name;   // built-in name or file stem
    std::string source; // built-in name or path as given
    std::string sha256; // of the file, or of the built-in network's canonical text
    ImportReport report;
    std::shared_ptr<const OnnxOrigin> origin; // what `convert` copies from; see ModelReadOptions::keepOrigin
    CostBasis costs;
    std::optional<Schedule> schedule; // that is part of the file (export --format onnx)
};

} // namespace stagecraft
