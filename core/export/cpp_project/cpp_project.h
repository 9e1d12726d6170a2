#pragma once

// A schedule as a C++ project that runs it without this program: a library, its C interface, and a program around it.
//
// The project holds the code of the stages, written for the schedule; the weights; and the sources of the cpu or gpu
// device that execute them. Layouts and memory are planned when the project loads the network, on the machine where it
// runs, as the device plans them here: an export does not depend on the machine that writes it.

#include "export/cpp_project/export_folder.h"
#include "export/cpp_project/stage_code.h"
#include "export/cpp_project/weight_plan.h"
#include "graph/graph.h"
#include "schedule/schedule.h"

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft {

enum class CppTarget { Cpu, Cuda };

struct CppProject {
    std::string name; // of the namespace, the library and its files
    std::vector<ProjectFile> files;
    WeightPlan weights;
};

// The same graph and schedule give the same bytes. The target executes the schedule: nothing is checked here.
// `graph` outlives the project.
[[nodiscard]] CppProject cppProject(const Graph &graph, const Schedule &schedule, const std::string &modelName,
                                    CppTarget target);

// By the rule of export_folder.h. InvalidInput, naming the folder: what is there is not replaced, the folder cannot be
// written, or the disk is full.
[[nodiscard]] Result<WrittenFolder> writeCppProject(const CppProject &project, const std::filesystem::path &folder);

// The same for any files and weights; `weights` calls its argument with the parts of the file `weightsName`.
using WriteWeights = std::function<Result<void>(const std::function<Result<void>(std::string_view)> &take)>;
[[nodiscard]] Result<WrittenFolder> writeProject(const std::vector<ProjectFile> &files, const std::string &weightsName,
                                                 const WriteWeights &weights, const std::filesystem::path &folder);

} // namespace stagecraft
