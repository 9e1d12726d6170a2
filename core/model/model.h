#pragma once

// A model as the rest of the program sees it: a graph of schedule units, cut into blocks, with a report of how it was
// read.

#include "graph/block.h"
#include "graph/cost_basis.h"
#include "graph/graph.h"
#include "graph/graph_union.h"
#include "graph/model_reference.h"
#include "model/rewrite/pass.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft {

struct OnnxSource;

// What the import did, for people: operators without a rule, assumed shapes or batch sizes, operators left out.
struct ImportNote {
    enum class Severity { Info, Warning };

    Severity severity = Severity::Info;
    std::string operatorName; // may be empty
    std::string text;
};

// An input with sizes that the file leaves open, and what was taken for them.
struct OpenInput {
    std::string name;
    std::vector<std::int64_t> sizes;
    std::vector<bool> isOpen;
    bool isChosen = false;               // by a person; otherwise the program proposes them
    std::vector<std::string> names = {}; // that the file gives its sizes; empty where it gives none
};

// Why operators of one type are opaque or refused.
struct TypeReason {
    enum class Outcome { Opaque, Refused };

    Outcome outcome = Outcome::Opaque;
    std::string reason;       // "cpu has no kernel for it"
    std::string operatorName; // the first of them
    std::int64_t operators = 0;
};

// Operators of one type of the file, and what became of them.
struct TypeReport {
    std::string type;
    std::int64_t nodes = 0;     // in the file, in all of its graphs that are used
    std::int64_t folded = 0;    // evaluated while reading
    std::int64_t leftOut = 0;   // pass a tensor on, or are not needed
    std::int64_t fused = 0;     // part of a unit with another name
    std::int64_t operators = 0; // of the graph, by themselves or as what others went into
    std::int64_t opaque = 0;    // of those: nothing is known about what they compute
    std::int64_t refused = 0;   // of those: `run` refuses them on cpu
    std::vector<TypeReason> because = {};
};

// An output of a file that needs no computation.
struct ConstantOutput {
    std::string name;
    std::shared_ptr<const Constant> value;
};

// Arrays for inputs, by name; "" is for the only one. Values that decide sizes become constants of the graph, and sizes
// that the file leaves open are those of its array.
struct GivenInput {
    std::vector<std::int64_t> dims;
    std::shared_ptr<const Constant> values; // null: too many to decide sizes
};
using GivenInputs = std::map<std::string, GivenInput>;

struct ImportReport {
    std::vector<ImportNote> notes;
    std::vector<std::string> unknownTypes; // operator types without a rule, sorted, without repeats
    std::vector<std::string> dataFiles;    // files read besides the model's own
    std::vector<std::string> inTraining;   // operators that the file has in training mode: scheduled, but not executed
    std::vector<std::string> outputs;      // in the order of the file, including those that need no computation
    std::vector<ConstantOutput> constantOutputs; // those of them that are constants
    std::vector<std::string> fixedInputs;        // given inputs that became constants
    std::vector<OpenInput> openInputs;           // with sizes besides the batch that the file leaves open
    std::vector<PassReport> passes;              // that ran, in their order
    std::vector<TypeReport> types;               // of a model file's operators, as they first appear
    // Nodes of the file that were read as the operators that they stand for, by type: calls of local functions, Loops,
    // ... Those within such are counted, too.
    std::map<std::string, std::int64_t> writtenOut;

    // Null if the pass did not run.
    [[nodiscard]] const PassReport *find(std::string_view pass) const;
};

// `blocks` of a model whose file has a schedule in it are those of the schedule.
struct Model {
    std::shared_ptr<const Graph> graph;
    Blocks blocks;
    std::string name;   // built-in name, with the parameters of a generator that are not usual, or file stem
    std::string source; // built-in name or path as given
    std::string sha256; // of the file, or of the built-in network's canonical text
    ImportReport report;
    std::shared_ptr<const OnnxSource> onnx; // what `convert` copies from; see OpenRequest::keepSource
    CostBasis costs;
    Reading reading = {};              // how the file was read
    std::vector<UnionPart> parts = {}; // of several models as one (model/union/model_union.h); empty: it is one

    [[nodiscard]] ModelReference reference() const { return {name, sha256, reading}; }
};

} // namespace stagecraft
