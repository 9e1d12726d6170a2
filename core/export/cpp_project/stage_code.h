#pragma once

// The stages of a schedule as C++: the files below src/stages of an exported project.

#include "export/cpp_project/weight_plan.h"
#include "graph/graph.h"
#include "schedule/schedule.h"

#include <string>
#include <vector>

namespace stagecraft {

struct ProjectFile {
    std::string path; // in the project's folder
    std::string text;
};

// `space` is the namespace of the project. Files in the order of their names.
[[nodiscard]] std::vector<ProjectFile> stageFiles(const Graph &graph, const Schedule &schedule,
                                                  const WeightPlan &weights, const std::string &space);

} // namespace stagecraft
