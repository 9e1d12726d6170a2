#pragma once

// The result of a model source: the graph as in the source, before blocks are cut and, for files of other programs,
// before schedule units are formed (core/model/rewrite/form_units.h).

#include "graph/block.h"
#include "graph/graph.h"
#include "model/folded_nodes.h"
#include "model/ios_stage.h"
#include "model/model.h"
#include "support/result.h"

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace stagecraft {

struct OnnxSource;

// The note that the schedule which is part of a file is passed over, with the reason.
[[nodiscard]] std::string scheduleNote(const Error &error);

struct SourceGraph {
    Graph graph;
    bool unitsFormed = false; // operators are schedule units already
    Blocks blocks;            // as published by the source; empty if it has none
    std::set<std::string>
        keptApart;      // operators that the source marks as units of their own (model/rewrite/form_units.h)
    std::string sha256; // of the file, or of the built-in network's canonical text
    ImportReport report;
    std::vector<std::uint32_t> typeOf; // by operator: its place in report.types; empty if the source is no model file
    std::shared_ptr<const OnnxSource> onnx; // of an ONNX file, if requested
    FoldedNodes folded;                     // if requested
    std::string schedule;                   // the schedule file that is part of an ONNX file, as text, or empty
    std::vector<IosStage> iosStages;        // of the blocks of an IOS JSON file (flow/open/ios_schedule.h), or empty
    std::shared_ptr<void> release;          // of what it was read from, while the program goes on
};

} // namespace stagecraft
