#pragma once

// A schedule as a Python module that runs it with PyTorch: a method for each stage, the weights beside it. On a GPU the
// groups of a stage run on streams, and the whole can be captured in a CUDA graph; on a CPU they run in order.
//
// The code is written for the shapes of the graph. Where PyTorch computes something else than the model in some form of
// an operator (uneven padding, rounding up), the code says so step by step. It names stage or launch, group or stream
// and operator of every kernel, and sets TF32 and channels-last as the schedule was chosen for (pytorch_numerics.h).

#include "export/cpp_project/cpp_project.h"
#include "graph/graph.h"
#include "schedule/timed_schedule.h"

#include <filesystem>
#include <string>
#include <vector>

namespace stagecraft {

struct PytorchModule {
    std::string name; // of the module
    std::vector<ProjectFile> files;
    std::vector<Operator> merged; // own the merged constants
    WeightPlan weights;
};

// The same graph and schedule give the same bytes. InvalidInput, naming the operator: there is no code for it, or it
// computes with other numbers than floating point. `graph` outlives the module.
[[nodiscard]] Result<PytorchModule> pytorchModule(const Graph &graph, const TimedSchedule &schedule,
                                                  const std::string &modelName);

// As writeCppProject().
[[nodiscard]] Result<WrittenFolder> writePytorchModule(const PytorchModule &module,
                                                       const std::filesystem::path &folder);

} // namespace stagecraft
