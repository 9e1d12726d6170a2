#include "services/export_project.h"

#include "services/open_model.h"

#include <algorithm>
#include <utility>

namespace stagecraft {
namespace {

Result<void> checkExecutable(const Model &model, const Schedule &schedule, DeviceSession &cpu, std::stop_token stop)
{
    const Graph &graph = *model.graph;
    if (!model.report.inTraining.empty())
        return within("operator " + model.report.inTraining.front(),
                      Error{ErrorCode::InvalidInput,
                            "it is in training mode, which is scheduled but not executed",
                            "Export the model for inference",
                            {}});
    for (const TensorId output : graph.outputs()) {
        if (!graph.tensor(output).producer.isValid())
            return fail(ErrorCode::InvalidInput,
                        "the output " + graph.tensor(output).name + " is an input: no operator writes it",
                        "Export the model without this output");
    }
    std::vector<HostTensor> inputs;
    for (const TensorId input : graph.inputs()) {
        const Tensor &tensor = graph.tensor(input);
        inputs.push_back({tensor.name, tensor.shape, {}});
        inputs.back().values.resize(static_cast<std::size_t>(std::max<std::int64_t>(tensor.shape.elements(), 0)));
    }
    const auto outputs = runOn(cpu, schedule, std::move(inputs), std::move(stop));
    if (!outputs)
        return tl::unexpected(outputs.error());
    return {};
}

} // namespace

Result<WrittenProject> exportCppProject(const Model &model, const Schedule &schedule, DeviceSession &cpu,
                                        const std::string &folder, std::stop_token stop)
{
    if (auto runs = checkExecutable(model, schedule, cpu, std::move(stop)); !runs)
        return withinModel(model, std::move(runs.error()));
    return writeCppProject(cppProject(*model.graph, schedule, model.name), folder);
}

} // namespace stagecraft
