#include "export/cpp_project/stage_code.h"

#include "export/cpp_project/cpp_text.h"
#include "export/cpp_project/operator_code.h"

#include <fmt/format.h>
#include <map>

namespace stagecraft {
namespace {

std::string stageFunction(std::size_t stage)
{
    return fmt::format("stage{}(engine::NetworkBuilder &builder, Tensors &tensors)", stage + 1);
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

std::string stagesHeader(std::size_t stages, const WeightPlan &weights, const std::string &space)
{
    std::string text = "#pragma once\n\n// The schedule: a function for each stage.\n\n#include \"network_builder.h\"\n"
                       "#include \"stages/tensors.h\"\n\n#include <cstdint>\n#include <string_view>\n\nnamespace " +
                       space + "::stages {\n\n// The file of weights that belongs to it.\n";
    text += fmt::format("inline constexpr std::string_view kWeightsSha256 =\n    \"{}\";\n", weights.sha256());
    text += fmt::format("inline constexpr std::uint64_t kWeightsBytes = {};\n\n", weights.bytes());
    text += "// Inputs, all stages in order, outputs.\nvoid describe(engine::NetworkBuilder &builder);\n\n";
    for (std::size_t stage = 0; stage < stages; ++stage)
        text += fmt::format("void {};\n", stageFunction(stage));
    return text + fmt::format("\n}} // namespace {}::stages\n", space);
}

std::string describeSource(const NamedNetwork &network, std::size_t stages, const std::string &space)
{
    std::string text = "#include \"stages/stages.h\"\n\nnamespace " + space +
                       "::stages {\n\nvoid describe(engine::NetworkBuilder &builder)\n{\n    Tensors tensors;\n";
    for (const TensorId input : network.graph.inputs()) {
        const Tensor &tensor = network.graph.tensor(input);
        text += fmt::format("    tensors.{} = builder.input({}, {});\n", network.tensors[input.index()],
                            cppString(tensor.name), cppList(tensor.shape.dims));
    }
    for (std::size_t stage = 0; stage < stages; ++stage)
        text += fmt::format("    stage{}(builder, tensors);\n", stage + 1);
    for (const TensorId output : network.graph.outputs())
        text += fmt::format("    builder.output(tensors.{});\n", network.tensors[output.index()]);
    return text + fmt::format("}}\n\n}} // namespace {}::stages\n", space);
}

std::string stageComment(const Stage &stage, std::size_t index, std::size_t stages)
{
    const std::string text = fmt::format("// Stage {} of {}: ", index + 1, stages);
    const std::size_t groups = stage.groups.size();
    if (stage.isMerged())
        return text + fmt::format("{} convolutions run merged, as one bigger convolution.\n", groups);
    if (groups > 1)
        return text + fmt::format("{} groups run concurrently.\n", groups);
    const std::size_t operators = stage.operatorCount();
    return text + (operators == 1 ? "one operator.\n" : fmt::format("{} operators, one after another.\n", operators));
}

std::string stageSource(const NamedNetwork &network, const Stage &stage, std::size_t index, std::size_t stages)
{
    std::string text =
        fmt::format("{}void {}\n{{\n    builder.stage(Strategy::{});\n", stageComment(stage, index, stages),
                    stageFunction(index), stage.isMerged() ? "Merge" : "Concurrent");
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
        std::string &block = blocks[fmt::format("src/stages/block_{:03}.cpp", schedule.stages[index].block + 1)];
        if (block.empty())
            block = fmt::format("#include \"stages/stages.h\"\n\n#include <cmath>\n\n"
                                "namespace {}::stages {{\n\nusing namespace engine;\n\n",
                                space);
        block += stageSource(network, schedule.stages[index], index, stages);
    }
    std::vector<ProjectFile> files;
    for (const auto &[path, text] : blocks)
        files.push_back({path, text + fmt::format("}} // namespace {}::stages\n", space)});
    files.push_back({"src/stages/stages.cpp", describeSource(network, stages, space)});
    files.push_back({"src/stages/stages.h", stagesHeader(stages, weights, space)});
    files.push_back({"src/stages/tensors.h", tensorsHeader(network, space)});
    return files;
}

} // namespace stagecraft
