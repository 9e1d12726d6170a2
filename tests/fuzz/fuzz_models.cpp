// Models: ONNX files as they are opened, run and converted, and the JSON graphs of the IOS project.

#include "flow/open_model.h"
#include "fuzz/target.h"
#include "graph/expanded_graph.h"
#include "model/ios_json.h"
#include "model/onnx_export.h"
#include "schedule/timed_schedule.h"

#include <filesystem>

namespace stagecraft::fuzz {
namespace {

// What opening may take is charged before it is taken: no file goes past it.
Result<OpenedModel> opened(OpenRequest request)
{
    const auto budget = openingBudget();
    request.budget = budget;
    auto model = openModel(request);
    require(budget->left().steps >= 0 && budget->left().bytes >= 0, "opening keeps to its budget");
    require(!model || model->model.graph != nullptr, "an opened model has a graph");
    return model;
}

} // namespace

void readOnnx(std::string_view bytes)
{
    (void)opened({.spec = fileWith("fuzzed.onnx", bytes)});
}

void foldOnnx(std::string_view bytes)
{
    (void)opened({.spec = fileWith("fuzzed.onnx", bytes), .given = GivenInputs(), .keepFolded = true});
}

void convertOnnx(std::string_view bytes)
{
    const std::string file = fileWith("fuzzed.onnx", bytes);
    const auto model = opened({.spec = file, .keepSource = true});
    if (!model || model->model.graph->size() == 0)
        return;
    const ExpandedGraph expanded = expandUnits(*model->model.graph);
    const std::string written = (std::filesystem::path(ownFolder()) / "written.onnx").string();
    if (!exportOnnx(*expanded.graph, written, {.onnx = model->model.onnx, .inUnits = expanded.isInUnit()}))
        return; // refused, with a reason
    const auto again = opened({.spec = written});
    // Sizes that a file leaves open are guessed; that they do not fit shows only in the file that states them.
    if (openInputsOf(file).empty())
        requireDone(again, "what convert writes can be opened");
}

void readIos(std::string_view bytes)
{
    const auto source = parseIosJson(std::string(bytes), "fuzzed");
    if (source && source->graph.size() > 0)
        requireDone(verifyBlocks(source->graph, source->blocks), "blocks of the file fit its graph");
    (void)iosStagesFrom(std::string(bytes));
}

} // namespace stagecraft::fuzz
