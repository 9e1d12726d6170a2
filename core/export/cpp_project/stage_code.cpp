#include "export/cpp_project/stage_code.h"

#include "export/cpp_project/cpp_text.h"
#include "export/cpp_project/operator_code.h"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <map>

namespace stagecraft {
namespace {

constexpr std::size_t kLaunchesOfAFile = 40;

// What has a function of its own: a stage, or a launch.
struct Part {
    std::string function; // its name
    std::string file;
    std::string source;
};

std::string signature(const std::string &function)
{
    return function + "(engine::NetworkBuilder &builder, Tensors &tensors)";
}

// Names of the tensors: of their operator, or of the input.
std::vector<std::string> tensorMembers(const Graph &graph)
{
    std::vector<std::string> members(graph.tensors().size());
    Identifiers identifiers;
    for (const TensorId input : graph.inputs())
        members[input.index()] = identifiers.add(graph.tensor(input).name, "input");
    for (const Operator &op : graph.operators()) {
        const bool several = op.outputs.size() > 1;
        for (std::size_t i = 0; i < op.outputs.size(); ++i)
            members[op.outputs[i].index()] =
                identifiers.add(several ? fmt::format("{}_{}", op.name, i) : op.name, "operator");
    }
    return members;
}

std::string tensorsHeader(const NamedNetwork &network, const std::string &space)
{
    std::string text = "#pragma once\n\n// The tensors of the network, named after the operators that write them.\n\n"
                       "#include \"support/ids.h\"\n\nnamespace " +
                       space + "::stages {\n\nstruct Tensors {\n";
    for (std::size_t i = 0; i < network.tensors.size(); ++i)
        text += fmt::format("    engine::TensorId {}; // {}\n", network.tensors[i],
                            toString(network.graph.tensors()[i].shape));
    return text + fmt::format("}};\n\n}} // namespace {}::stages\n", space);
}

std::string stagesHeader(const std::vector<Part> &parts, const Schedule &schedule, const WeightPlan &weights,
                         const std::string &space)
{
    std::string text =
        fmt::format("#pragma once\n\n// The schedule: a function for each {}.", schedule.streams ? "launch" : "stage");
    text += "\n\n#include \"network_builder.h\"\n"
            "#include \"stages/tensors.h\"\n\n#include <cstdint>\n#include <string_view>\n\nnamespace " +
            space + "::stages {\n\n// The file of weights that belongs to it.\n";
    text += fmt::format("inline constexpr std::string_view kWeightsSha256 =\n    \"{}\";\n", weights.sha256());
    text += fmt::format("inline constexpr std::uint64_t kWeightsBytes = {};\n\n", weights.bytes());
    text += fmt::format("// Inputs, all {} in order, outputs.\nvoid describe(engine::NetworkBuilder &builder);\n\n",
                        schedule.streams ? "launches" : "stages");
    for (const Part &part : parts)
        text += fmt::format("void {};\n", signature(part.function));
    return text + fmt::format("\n}} // namespace {}::stages\n", space);
}

std::string describeSource(const NamedNetwork &network, const std::vector<Part> &parts, const std::string &space)
{
    std::string text = "#include \"stages/stages.h\"\n\nnamespace " + space +
                       "::stages {\n\nvoid describe(engine::NetworkBuilder &builder)\n{\n    Tensors tensors;\n";
    for (const TensorId input : network.graph.inputs()) {
        const Tensor &tensor = network.graph.tensor(input);
        text += fmt::format("    tensors.{} = builder.input({}, {});\n", network.tensors[input.index()],
                            cppString(tensor.name), cppList(tensor.shape.dims));
    }
    for (const Part &part : parts)
        text += fmt::format("    {}(builder, tensors);\n", part.function);
    for (const TensorId output : network.graph.outputs())
        text += fmt::format("    builder.output(tensors.{});\n", network.tensors[output.index()]);
    return text + fmt::format("}}\n\n}} // namespace {}::stages\n", space);
}

std::string stageComment(const Stage &stage, std::size_t index, std::size_t stages)
{
    const std::string text = fmt::format("// Stage {} of {}: ", index + 1, stages);
    const std::size_t groups = stage.groups.size();
    if (stage.isMerged())
        return text + fmt::format("{} operators run merged, as one.\n", groups);
    if (stage.isFused())
        return text + fmt::format("{} operators, cut into slices, run on all cores at once.\n", stage.operatorCount());
    if (groups > 1)
        return text + fmt::format("{} groups run concurrently.\n", groups);
    const std::size_t operators = stage.operatorCount();
    return text + (operators == 1 ? "one operator.\n" : fmt::format("{} operators, one after another.\n", operators));
}

std::string stageSource(const NamedNetwork &network, const Stage &stage)
{
    std::vector<std::ptrdiff_t> order; // indices of operators, group after group
    std::vector<OperatorId> operators;
    for (const auto &group : stage.groups)
        operators.insert(operators.end(), group.begin(), group.end());
    for (const OperatorId id : stage.launchOrder)
        order.push_back(std::ranges::find(operators, id) - operators.begin());
    std::string text = fmt::format("    builder.stage(Strategy::{}{});\n",
                                   stage.isMerged()  ? "Merge"
                                   : stage.isFused() ? "Fused"
                                                     : "Concurrent",
                                   order.empty() ? "" : fmt::format(", {{{}}}", fmt::join(order, ", ")));
    for (const auto &group : stage.groups) {
        text += "\n    builder.group();\n";
        for (const OperatorId id : group)
            text += operatorCode(network, network.graph.op(id));
    }
    return text;
}

std::string launchComment(const StreamLaunch &launch, std::size_t index, std::size_t launches)
{
    std::string text = fmt::format("// Launch {} of {}, on stream {}", index + 1, launches, launch.stream + 1);
    for (std::size_t i = 0; i < launch.waits.size(); ++i)
        text += fmt::format("{}{}", i == 0 ? ", after launch " : " and ", launch.waits[i] + 1);
    if (launch.isMerged())
        text += fmt::format(": {} operators run merged, as one", launch.operators.size());
    return text + ".\n";
}

std::string launchSource(const NamedNetwork &network, const StreamLaunch &launch)
{
    std::string text = fmt::format("    builder.launch({}, {{{}}});\n", launch.stream, fmt::join(launch.waits, ", "));
    for (const OperatorId id : launch.operators)
        text += operatorCode(network, network.graph.op(id));
    return text;
}

std::vector<Part> partsOf(const NamedNetwork &network, const Schedule &schedule)
{
    std::vector<Part> parts;
    const auto add = [&](std::string function, std::string file, const std::string &comment, const std::string &body) {
        std::string source = fmt::format("{}void {}\n{{\n{}}}\n\n", comment, signature(function), body);
        parts.push_back({std::move(function), std::move(file), std::move(source)});
    };
    for (std::size_t i = 0; i < schedule.stages.size(); ++i) {
        const Stage &stage = schedule.stages[i];
        add(fmt::format("stage{}", i + 1), fmt::format("block_{:03}", stage.block + 1),
            stageComment(stage, i, schedule.stages.size()), stageSource(network, stage));
    }
    for (std::size_t i = 0; schedule.streams && i < schedule.streams->launches.size(); ++i) {
        const StreamLaunch &launch = schedule.streams->launches[i];
        add(fmt::format("launch{}", i + 1), fmt::format("launches_{:03}", i / kLaunchesOfAFile + 1),
            launchComment(launch, i, schedule.streams->launches.size()), launchSource(network, launch));
    }
    return parts;
}

} // namespace

std::vector<ProjectFile> stageFiles(const Graph &graph, const Schedule &schedule, const WeightPlan &weights,
                                    const std::string &space)
{
    const NamedNetwork network{graph, weights, tensorMembers(graph)};
    const std::vector<Part> parts = partsOf(network, schedule);
    std::map<std::string, std::string> sources;
    for (const Part &part : parts) {
        std::string &source = sources[fmt::format("src/stages/{}.cpp", part.file)];
        if (source.empty())
            source = fmt::format("#include \"stages/stages.h\"\n\n#include <cmath>\n\n"
                                 "namespace {}::stages {{\n\nusing namespace engine;\n\n",
                                 space);
        source += part.source;
    }
    std::vector<ProjectFile> files;
    for (const auto &[path, text] : sources)
        files.push_back({path, text + fmt::format("}} // namespace {}::stages\n", space)});
    files.push_back({"src/stages/stages.cpp", describeSource(network, parts, space)});
    files.push_back({"src/stages/stages.h", stagesHeader(parts, schedule, weights, space)});
    files.push_back({"src/stages/tensors.h", tensorsHeader(network, space)});
    return files;
}

} // namespace stagecraft
