#include "services/run_model.h"

#include "device/npy.h"
#include "services/open_model.h"
#include "support/closest_name.h"

#include <algorithm>
#include <filesystem>

namespace stagecraft {
namespace {

std::string inputNames(const Graph &graph)
{
    std::vector<std::string> names;
    for (const TensorId input : graph.inputs())
        names.push_back(graph.tensor(input).name + " (" + toString(graph.tensor(input).shape) + ")");
    return listed(names);
}

const Tensor *inputNamed(const Graph &graph, const std::string &name)
{
    const auto found = std::ranges::find_if(graph.inputs(), [&](TensorId id) { return graph.tensor(id).name == name; });
    return found == graph.inputs().end() ? nullptr : &graph.tensor(*found);
}

tl::unexpected<Error> unknownInput(const std::string &name, const Graph &graph)
{
    std::vector<std::string> names;
    for (const TensorId input : graph.inputs())
        names.push_back(graph.tensor(input).name);
    return fail(ErrorCode::WrongUse, "the model has no input " + name,
                didYouMean(name, names) + "Inputs: " + inputNames(graph));
}

tl::unexpected<Error> wrongShape(const std::string &path, const Shape &given, const Tensor &input)
{
    const auto rest = [](const Shape &shape) {
        return std::vector<std::int64_t>(shape.dims.begin() + (shape.dims.empty() ? 0 : 1), shape.dims.end());
    };
    const bool otherBatch = given.dims.size() == input.shape.dims.size() && rest(given) == rest(input.shape);
    return within(path, Error{ErrorCode::InvalidInput,
                              "the array is " + toString(given) + ", input " + input.name + " of the model is " +
                                  toString(input.shape),
                              otherBatch ? "Give an array of that batch size, or the model --batch " +
                                               std::to_string(given.dims.front())
                                         : "Give an array of the shape of the input",
                              {}});
}

} // namespace

InputFile inputFileFrom(const std::string &text, const Graph &graph)
{
    const std::size_t equals = text.find('=');
    std::error_code error;
    if (equals == std::string::npos ||
        (!inputNamed(graph, text.substr(0, equals)) && std::filesystem::exists(text, error)))
        return {{}, text};
    return {text.substr(0, equals), text.substr(equals + 1)};
}

Result<std::string> outputToWrite(const Model &model, const std::string &wanted)
{
    const Graph &graph = *model.graph;
    const std::vector<std::string> &ofFile = model.report.outputs;
    std::vector<std::string> computed;
    for (const TensorId output : graph.outputs())
        computed.push_back(graph.tensor(output).name);
    const std::string name = !wanted.empty()     ? wanted
                             : !ofFile.empty()   ? ofFile.front()
                             : !computed.empty() ? computed.front()
                                                 : std::string();
    if (std::ranges::find(computed, name) != computed.end())
        return name;
    const std::string remedy = "Outputs: " + listed(computed);
    if (std::ranges::find(ofFile, name) == ofFile.end())
        return fail(ErrorCode::WrongUse, "the model has no output " + name, didYouMean(name, computed) + remedy);
    return withinModel(
        model,
        Error{ErrorCode::InvalidInput,
              "the output " + name + " needs no computation of its own: it is a constant, an input or another output",
              "Ask for another one. " + remedy,
              {}});
}

Result<std::vector<HostTensor>> runModel(const Model &model, DeviceSession &session, const DeviceInfo &device,
                                         const Schedule &schedule, const std::vector<InputFile> &inputs,
                                         std::stop_token stop)
{
    const Graph &graph = *model.graph;
    if (!model.report.inTraining.empty())
        return withinModel(model, Error{ErrorCode::InvalidInput,
                                        "operator " + model.report.inTraining.front() +
                                            " is in training mode, which is scheduled but not executed",
                                        "Export the model for inference",
                                        {}});
    std::vector<HostTensor> tensors;
    for (const InputFile &input : inputs) {
        std::string name = input.name;
        if (name.empty()) {
            if (graph.inputs().size() != 1)
                return fail(ErrorCode::WrongUse, "the model has " + std::to_string(graph.inputs().size()) + " inputs",
                            "Name one of them: NAME=" + input.path + ". Inputs: " + inputNames(graph));
            name = graph.tensor(graph.inputs().front()).name;
        }
        const Tensor *wanted = inputNamed(graph, name);
        if (!wanted)
            return unknownInput(name, graph);
        if (std::ranges::find(tensors, name, &HostTensor::name) != tensors.end())
            return fail(ErrorCode::WrongUse, "input " + name + " is given twice", "Give every input once");
        auto tensor = readNpy(input.path);
        if (!tensor)
            return tl::unexpected(tensor.error());
        if (tensor->shape != wanted->shape)
            return wrongShape(input.path, tensor->shape, *wanted);
        tensor->name = std::move(name);
        tensors.push_back(std::move(*tensor));
    }
    for (const TensorId id : graph.inputs()) {
        if (std::ranges::find(tensors, graph.tensor(id).name, &HostTensor::name) == tensors.end())
            return fail(ErrorCode::WrongUse, "input " + graph.tensor(id).name + " is missing",
                        "Give every input: " + inputNames(graph));
    }
    auto outputs = runOn(session, schedule, std::move(tensors), std::move(stop));
    if (!outputs)
        return withinModel(model, within(device.id, std::move(outputs.error())).value());
    return outputs;
}

} // namespace stagecraft
