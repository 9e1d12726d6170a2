#pragma once

// What the page of a report works with (resources/html_report): the graph and the results of a group as one JSON
// document, compact, for a <script type="application/json">. It holds no "<", so that no name ends the element.
//
// {"model", "device", "batch", "precision", "baseline", "chosen", "operators": [OPERATOR], "results": [RESULT]}
// OPERATOR {"name", "type", "block", "output", "flops", "bytes", "reads": [operator], "attributes": [[key, value]]}
// RESULT   {"name", "madeBy", "latency", "latencyUs", "provenance", "speedup", "note", "whyNot", "order",
//           "stageProvenance", "stages": [STAGE] or "streams": {"count", "launches": [LAUNCH]}, "timeline": TIMELINE or
//           "whyNoTimeline"}
// STAGE    {"block", "strategy", "groups": [[operator]], "latencyUs", "launchOrder": [operator]}
// LAUNCH   {"operators": [operator], "stream", "waits": [launch], "row"}
// TIMELINE {"provenance", "device", "durationNs", "rows": [name], "notes": [text], "counter": COUNTER,
//           "kernels": [[row, rows, startNs, endNs, stage or null, [operator], name]]}
// COUNTER  {"name", "unit", "kind", "maximum", "times": [ns], "values"}: its first, in at most about 1,200 steps
//
// Operators, stages, launches, streams, rows and blocks are numbers from 0. What is not known is left out. Names are as
// displayed (support/shown_text.h), FLOP and bytes those of one execution, "provenance" of a result says how its
// latency was obtained and "stageProvenance" those of its stages.

#include "export/reported_group.h"

#include <string>

namespace stagecraft {

// The group has a graph.
[[nodiscard]] std::string reportData(const ReportedGroup &group);

} // namespace stagecraft
