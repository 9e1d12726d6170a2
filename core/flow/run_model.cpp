#include "flow/run_model.h"

#include "device/executing/session_steps.h"
#include "device/npy.h"
#include "flow/open_model.h"
#include "operators/kernels/kernel.h"
#include "search/streams/allocated.h"
#include "support/closest_name.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace stagecraft {
namespace {

std::string inputNames(const Graph &graph)
{
    std::vector<std::string> names;
    for (const TensorId input : graph.inputs())
        names.push_back(fmt::format("{} ({})", graph.tensor(input).name, toString(graph.tensor(input).shape)));
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

tl::unexpected<Error> wrongShape(const Shape &given, const Tensor &input)
{
    const auto rest = [](const Shape &shape) {
        return std::vector<std::int64_t>(shape.dims.begin() + (shape.dims.empty() ? 0 : 1), shape.dims.end());
    };
    const bool otherBatch = given.dims.size() == input.shape.dims.size() && rest(given) == rest(input.shape);
    return refused(
        fmt::format("the array is {}, input {} of the model is {}", toString(given), input.name, toString(input.shape)),
        otherBatch ? fmt::format("Give an array of that batch size, or the model --batch {}", given.dims.front())
                   : "Give an array of the shape of the input");
}

// The launches of operators that run, which have these numbers in their own graph; events are those that they need.
Streams neededStreams(const Streams &streams, const std::vector<bool> &runs, const std::vector<OperatorId> &numbers,
                      const Graph &graph)
{
    std::vector<StreamLaunch> launches;
    for (StreamLaunch launch : streams.launches) {
        std::erase_if(launch.operators, [&](OperatorId id) { return !runs[id.index()]; });
        for (OperatorId &id : launch.operators)
            id = numbers[id.index()];
        if (!launch.operators.empty())
            launches.push_back(std::move(launch));
    }
    return allocated(graph, std::move(launches));
}

} // namespace

InputFile inputFileFrom(const std::string &text, const Graph &graph)
{
    std::size_t equals = text.find('=');
    for (std::size_t later = equals; later != std::string::npos; later = text.find('=', later + 1)) {
        if (inputNamed(graph, text.substr(0, later))) // the name may have one, too
            equals = later;
    }
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
        refused(
            fmt::format("the output {} needs no computation of its own: it is a constant, an input or another output",
                        name),
            "Ask for another one. " + remedy)
            .value());
}

GivenInputs givenInputs(const std::vector<std::string> &texts)
{
    constexpr std::int64_t kMost = 65536; // elements; what decides sizes is small
    GivenInputs given;
    for (const std::string &text : texts) {
        std::optional<Shape> shape; // of the file that the text names
        const auto isSmall = [&](const Shape &found) {
            shape = found;
            return found.elements() <= kMost ? Result<void>() : refused("it is too large to decide sizes");
        };
        std::string name;
        auto tensor = Result<HostTensor>(tl::unexpected(Error{}));
        for (std::size_t at = text.find('='); at != std::string::npos && !shape; at = text.find('=', at + 1)) {
            name = text.substr(0, at);
            tensor = readTypedNpy(text.substr(at + 1), isSmall);
        }
        if (!shape) { // for the only input
            name.clear();
            tensor = readTypedNpy(text, isSmall);
        }
        if (!shape)
            continue;
        GivenInput &input = given[name];
        input.dims = shape->dims;
        if (!tensor)
            continue;
        if (tensor->type == DataType::Float16)
            *tensor = asType(std::move(*tensor), DataType::Float32);
        const bool isFloat = tensor->type == DataType::Float32;
        const TensorView view{tensor->type, tensor->shape.dims,
                              isFloat ? reinterpret_cast<std::byte *>(tensor->values.data()) : tensor->bytes.data()};
        input.values = std::make_shared<const Constant>(constantOf(view, tensor->type));
    }
    return given;
}

Result<std::vector<HostTensor>> arraysFor(const Model &model, const std::vector<InputFile> &inputs)
{
    const Graph &graph = *model.graph;
    std::vector<HostTensor> tensors;
    for (const InputFile &input : inputs) {
        std::string name = input.name;
        if (name.empty()) {
            if (graph.inputs().size() != 1)
                return fail(ErrorCode::WrongUse, fmt::format("the model has {} inputs", graph.inputs().size()),
                            fmt::format("Name one of them: NAME={}. Inputs: {}", input.path, inputNames(graph)));
            name = graph.tensor(graph.inputs().front()).name;
        }
        if (std::ranges::count(model.report.fixedInputs, name) > 0)
            continue; // a constant of the graph
        const Tensor *wanted = inputNamed(graph, name);
        if (!wanted)
            return unknownInput(name, graph);
        if (std::ranges::find(tensors, name, &HostTensor::name) != tensors.end())
            return fail(ErrorCode::WrongUse, "input " + name + " is given twice", "Give every input once");
        const auto fits = [&](const Shape &shape) {
            return shape == wanted->shape ? Result<void>() : wrongShape(shape, *wanted);
        };
        TRY_AS(auto tensor, readTypedNpy(input.path, fits));
        tensor.name = std::move(name);
        tensors.push_back(asType(std::move(tensor), wanted->type));
    }
    return tensors;
}

HostTensor hostTensor(const ConstantOutput &output)
{
    const TensorValue held = tensorOf(*output.value);
    HostTensor tensor{output.name, Shape{output.value->dims}, {}, held.view.type, {}};
    if (held.view.type == DataType::Float32) {
        const auto values = held.view.as<float>();
        tensor.values.assign(values.begin(), values.end());
        return asType(std::move(tensor), output.value->type);
    }
    tensor.bytes.assign(held.view.data, held.view.data + held.view.size() * sizeBytes(held.view.type));
    return tensor;
}

Result<NeededPart> neededFor(const Model &model, const Schedule &schedule, const std::string &output)
{
    const Graph &graph = *model.graph;
    std::vector<bool> isNeeded(graph.tensors().size());
    for (const TensorId id : graph.outputs())
        isNeeded[id.index()] = graph.tensor(id).name == output;
    std::vector<bool> runs(graph.size());
    for (std::size_t i = graph.size(); i-- > 0;) {
        const Operator &op = graph.op(OperatorId::fromIndex(i));
        runs[i] = std::ranges::any_of(op.outputs, [&](TensorId id) { return isNeeded[id.index()]; });
        for (const auto &part : op.inputs) {
            for (const TensorId id : part)
                isNeeded[id.index()] = isNeeded[id.index()] || runs[i];
        }
    }
    GraphBuilder builder(graph.name());
    std::vector<TensorId> tensors(graph.tensors().size());
    for (const TensorId id : graph.inputs()) {
        const Tensor &input = graph.tensor(id);
        if (!isNeeded[id.index()])
            continue;
        TRY_AS(auto added, builder.addInput(input.name, input.shape, input.type));
        tensors[id.index()] = added;
    }
    std::vector<OperatorId> operators(graph.size());
    std::size_t count = 0;
    std::vector<TensorId> outputs;
    for (std::size_t i = 0; i < graph.size(); ++i) {
        if (!runs[i])
            continue;
        Operator op = graph.op(OperatorId::fromIndex(i));
        std::vector<Tensor> made;
        for (const TensorId id : op.outputs)
            made.push_back(graph.tensor(id));
        for (auto &part : op.inputs) {
            for (TensorId &id : part)
                id = tensors[id.index()];
        }
        TRY_AS(auto added, builder.add(std::move(op), std::move(made)));
        operators[i] = OperatorId::fromIndex(count++);
        for (std::size_t k = 0; k < added.size(); ++k) {
            const TensorId old = graph.op(OperatorId::fromIndex(i)).outputs[k];
            tensors[old.index()] = added[k];
            if (graph.tensor(old).name == output)
                outputs.push_back(added[k]);
        }
    }
    TRY_AS(auto built, builder.build(std::move(outputs)));
    NeededPart part{model, schedule};
    part.model.graph = std::make_shared<const Graph>(std::move(built));
    if (schedule.streams)
        part.schedule.streams = neededStreams(*schedule.streams, runs, operators, *part.model.graph);
    part.schedule.stages.clear();
    for (Stage stage : schedule.stages) {
        for (auto &group : stage.groups) {
            std::erase_if(group, [&](OperatorId id) { return !runs[id.index()]; });
            for (OperatorId &id : group)
                id = operators[id.index()];
        }
        std::erase_if(stage.groups, [](const auto &group) { return group.empty(); });
        std::erase_if(stage.launchOrder, [&](OperatorId id) { return !runs[id.index()]; });
        for (OperatorId &id : stage.launchOrder)
            id = operators[id.index()];
        std::size_t members = 0;
        for (const auto &group : stage.groups)
            members += group.size();
        if (stage.isMerged() && members == 1)
            stage.strategy = Strategy::Concurrent;
        if (members > 0)
            part.schedule.stages.push_back(std::move(stage));
    }
    return part;
}

Result<std::vector<HostTensor>> runModel(const Model &model, const NeededPart &part, DeviceSession &session,
                                         const DeviceInfo &device, const std::vector<InputFile> &inputs,
                                         std::stop_token stop)
{
    const Graph &graph = *model.graph;
    const auto trains = std::ranges::find_if(
        model.report.inTraining, [&](const std::string &name) { return part.model.graph->find(name).has_value(); });
    if (trains != model.report.inTraining.end())
        return withinModel(
            model, refused(fmt::format("operator {} is in training mode, which is scheduled but not executed", *trains),
                           "Export the model for inference")
                       .value());
    auto tensors = arraysFor(model, inputs);
    if (!tensors)
        return tensors;
    for (const TensorId id : part.model.graph->inputs()) {
        const std::string &name = part.model.graph->tensor(id).name;
        if (std::ranges::find(*tensors, name, &HostTensor::name) == tensors->end())
            return fail(ErrorCode::WrongUse, "input " + name + " is missing", "Give every input: " + inputNames(graph));
    }
    auto outputs = runOn(session, part.schedule, std::move(*tensors), std::move(stop));
    if (!outputs)
        return withinModel(model, within(device.id, std::move(outputs.error())).value());
    return outputs;
}

} // namespace stagecraft
