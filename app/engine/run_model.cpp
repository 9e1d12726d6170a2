#include "engine/run_model.h"

#include "device/npy.h"

#include <algorithm>

namespace stagecraft {
namespace {

std::string inputNames(const Graph &graph)
{
    std::string names;
    for (const TensorId input : graph.inputs())
        names +=
            (names.empty() ? "" : ", ") + graph.tensor(input).name + " (" + toString(graph.tensor(input).shape) + ")";
    return names;
}

} // namespace

InputFile inputFileFrom(const std::string &text)
{
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos)
        return {{}, text};
    return {text.substr(0, equals), text.substr(equals + 1)};
}

Result<std::vector<HostTensor>> runModel(const Model &model, DeviceSession &session, const Schedule &schedule,
                                         const std::vector<InputFile> &inputs, std::stop_token stop)
{
    const Graph &graph = *model.graph;
    std::vector<HostTensor> tensors;
    for (const InputFile &input : inputs) {
        std::string name = input.name;
        if (name.empty()) {
            if (graph.inputs().size() != 1)
                return fail(ErrorCode::WrongUse, "the model has " + std::to_string(graph.inputs().size()) + " inputs",
                            "Say which one: NAME=" + input.path + ". Inputs: " + inputNames(graph));
            name = graph.tensor(graph.inputs().front()).name;
        }
        const bool known =
            std::ranges::any_of(graph.inputs(), [&](TensorId id) { return graph.tensor(id).name == name; });
        if (!known)
            return fail(ErrorCode::WrongUse, "the model has no input " + name, "Inputs: " + inputNames(graph));
        if (std::ranges::find(tensors, name, &HostTensor::name) != tensors.end())
            return fail(ErrorCode::WrongUse, "input " + name + " is given twice");
        auto tensor = readNpy(input.path);
        if (!tensor)
            return tl::unexpected(tensor.error());
        tensor->name = std::move(name);
        tensors.push_back(std::move(*tensor));
    }
    for (const TensorId id : graph.inputs()) {
        if (std::ranges::find(tensors, graph.tensor(id).name, &HostTensor::name) == tensors.end())
            return fail(ErrorCode::WrongUse, "input " + graph.tensor(id).name + " is missing",
                        "Give every input: " + inputNames(graph));
    }
    return session.run(schedule, std::move(tensors), std::move(stop));
}

} // namespace stagecraft
