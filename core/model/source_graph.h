#pragma once

// What a model source hands over: the graph as the source has it, before blocks are cut (and, for files of other
// programs, before schedule units are formed, core/rewrite/form_units.h).

#include "graph/block.h"
#include "graph/graph.h"
#include "model/model.h"

#include <memory>
#include <set>
#include <string>

namespace stagecraft {

struct OnnxOrigin;

struct SourceGraph {
    Graph graph;
    bool unitsFormed = false;        // operators are schedule units already
    Blocks blocks;                   // as the source publishes them; empty where it does not
    std::set<std::string> keptApart; // operators the source declares to be units of their own (rewrite/form_units.h)
    std::string sha256;              // of the file, or of the built-in network's canonical text
    ImportReport report;
    std::shared_ptr<const OnnxOrigin> origin; // of an ONNX file, where the reader was asked to keep it
};

} // namespace stagecraft
