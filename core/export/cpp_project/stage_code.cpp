#include "export/cpp_project/stage_code.h"

#include "export/cpp_project/cpp_text.h"
#include "export/cpp_project/operator_code.h"

#include <algorithm>
#include <map>
#include <utility>

namespace stagecraft {
namespace {

std::string stageFunction(std::size_t stage)
{
    return "stage" + std::to_string(stage + 1) + "(engine::NetworkBuilder &builder, Tensors &tensors)";
}

std::string blockPath(std::size_t block)
{
    const std::string number = std::to_string(block + 1);
    return "src/stages/block_" + std::string(3 - std::min<std::size_t>(number.size(), 3), '0') + number + ".cpp";
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
                identifiers.add(several ? op.name + '_' + std::to_string(i) : op.name, "operator");
    }
    return members;
}

std::string tensorsHeader(const NamedNetwork &network, const std::string &space)
{
    std::string text = "#pragma once\n\n// The tensors of the network, named after the operators that write them.\n\n"
                       "#include \"support/ids.h\"\n\nnamespace " +
                       space + "::stages {\n\nstruct Tensors {\n";
    for (std::size_t i = 0; i < network.tensors.size(); ++i)
        text +=
            "    engine::TensorId " + network.tensors[i] + "; // " + toString(network.graph.tensors()[i].shape) + '\n';
    return text + "};\n\n} // namespace " + space + "::stages\n";
}

std::string stagesHeader(std::size_t stages, const WeightPlan &weights, const std::string &space)
{
    std::string text = "#pragma once\n\n// The schedule: a function for each stage.\n\n#include \"network_builder.h\"\n"
                       "#include \"stages/tensors.h\"\n\n#include <cstdint>\n#include <string_view>\n\nnamespace " +
                       space + "::stages {\n\n// The file of weights that belongs to it.\n";
    text += "inline constexpr std::string_view kWeightsSha256 =\n    \"" + weights.sha256() + "\";\n";
    text += "inline constexpr std::uint64_t kWeightsBytes = " + std::to_string(weights.bytes()) + ";\n\n";
    text += "// Inputs, all stages in order, outputs.\nvoid describe(engine::NetworkBuilder &builder);\n\n";
    for (std::size_t stage = 0; stage < stages; ++stage)
        text += "void " + stageFunction(stage) + ";\n";
    return text + "\n} // namespace " + space + "::stages\n";
}

std::string describeSource(const NamedNetwork &network, std::size_t stages, const std::string &space)
{
    std::string text = "#include \"stages/stages.h\"\n\nnamespace " + space +
                       "::stages {\n\nvoid describe(engine::NetworkBuilder &builder)\n{\n    Tensors tensors;\n";
    for (const TensorId input : network.graph.inputs()) {
        const Tensor &tensor = network.graph.tensor(input);
        text += "    tensors." + network.tensors[input.index()] + " = builder.input(" + cppString(tensor.name) + ", " +
                cppList(tensor.shape.dims) + ");\n";
    }
    for (std::size_t stage = 0; stage < stages; ++stage)
        text += "    stage" + std::to_string(stage + 1) + "(builder, tensors);\n";
    for (const TensorId output : network.graph.outputs())
        text += "    builder.output(tensors." + network.tensors[output.index()] + ");\n";
    return text + "}\n\n} // namespace " + space + "::stages\n";
}

std::string stageComment(const Stage &stage, std::size_t index, std::size_t stages)
{
    std::string text = "// Stage " + std::to_string(index + 1) + " of " + std::to_string(stages) + ": ";
    const std::size_t groups = stage.groups.size();
    if (stage.strategy == Strategy::Merge)
        return text + std::to_string(groups) + " convolutions run merged, as one bigger convolution.\n";
    if (groups > 1)
        return text + std::to_string(groups) + " groups run concurrently.\n";
    const std::size_t operators = stage.operatorCount();
    return text + (operators == 1 ? "one operator.\n" : std::to_string(operators) + " operators, one after another.\n");
}

std::string stageSource(const NamedNetwork &network, const Stage &stage, std::size_t index, std::size_t stages)
{
    std::string text = stageComment(stage, index, stages) + "void " + stageFunction(index) + "\n{\n";
    text += stage.strategy == Strategy::Merge ? "    builder.stage(Strategy::Merge);\n"
                                              : "    builder.stage(Strategy::Concurrent);\n";
    for (const auto &group : stage.groups) {
        text += "\n    builder.group();\n";
        for (const OperatorId id : group)
            text += operatorCode(network, network.graph.op(id));
    }
    return text + "}\n\n";
}

} // namespace

std::vector<ProjectFile> stageFiles(const Graph &graph, const Schedule &schedule, const WeightPlan &weights,
                                    const std::string &space)
{
    const NamedNetwork network{graph, weights, tensorMembers(graph)};
    const std::size_t stages = schedule.stages.size();
    std::map<std::string, std::string> blocks;
    for (std::size_t index = 0; index < stages; ++index) {
        std::string &block = blocks[blockPath(schedule.stages[index].block)];
        if (block.empty())
            block = "#include \"stages/stages.h\"\n\n#include <cmath>\n\nnamespace " + space +
                    "::stages {\n\nusing namespace engine;\n\n";
        block += stageSource(network, schedule.stages[index], index, stages);
    }
    std::vector<ProjectFile> files;
    for (auto &[path, text] : blocks) {
        text.append("} // namespace ").append(space).append("::stages\n");
        files.push_back({path, std::move(text)});
    }
    files.push_back({"src/stages/stages.cpp", describeSource(network, stages, space)});
    files.push_back({"src/stages/stages.h", stagesHeader(stages, weights, space)});
    files.push_back({"src/stages/tensors.h", tensorsHeader(network, space)});
    return files;
}

} // namespace stagecraft
