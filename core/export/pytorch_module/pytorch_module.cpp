#include "export/pytorch_module/pytorch_module.h"

#include "export/cpp_project/embedded_sources.h"
#include "export/cpp_project/filled_text.h"
#include "export/pytorch_module/operator_python.h"
#include "export/pytorch_module/python_text.h"
#include "schedule/merge.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <utility>

namespace stagecraft {
namespace {

// Where tensors are needed last: the stage; none for outputs.
std::map<std::size_t, std::vector<TensorId>> lastReads(const Graph &graph, const Schedule &schedule)
{
    std::vector<std::size_t> stageOf(graph.size());
    for (std::size_t i = 0; i < schedule.stages.size(); ++i) {
        for (const auto &group : schedule.stages[i].groups) {
            for (const OperatorId id : group)
                stageOf[id.index()] = i;
        }
    }
    std::vector<std::size_t> last(graph.tensors().size());
    for (std::size_t i = 0; i < graph.size(); ++i) {
        const Operator &op = graph.op(OperatorId::fromIndex(i));
        for (const TensorId output : op.outputs)
            last[output.index()] = std::max(last[output.index()], stageOf[i]);
        for (const auto &part : op.inputs) {
            for (const TensorId input : part)
                last[input.index()] = std::max(last[input.index()], stageOf[i]);
        }
    }
    std::map<std::size_t, std::vector<TensorId>> byStage;
    for (std::size_t i = 0; i < last.size(); ++i) {
        const TensorId id = TensorId::fromIndex(i);
        if (std::ranges::count(graph.outputs(), id) == 0)
            byStage[last[i]].push_back(id);
    }
    return byStage;
}

std::string indented(const PythonLines &lines, int levels)
{
    std::string text;
    for (const std::string &line : lines)
        text += fmt::format("{:{}}{}\n", "", 4 * levels, line);
    return text;
}

std::string stageTitle(const Stage &stage, std::size_t index, std::size_t stages)
{
    const std::string title = fmt::format("Stage {} of {}: ", index + 1, stages);
    if (stage.isMerged())
        return title + fmt::format("{} convolutions run merged.", stage.groups.size());
    if (stage.groups.size() > 1)
        return title + fmt::format("{} groups run concurrently.", stage.groups.size());
    const std::size_t operators = stage.operatorCount();
    return title + (operators == 1 ? "one operator." : fmt::format("{} operators, one after another.", operators));
}

// The module's stage methods.
class StageMethods {
public:
    StageMethods(PythonNetwork &network, const Schedule &schedule, std::vector<Operator> &merged)
        : m_network(network), m_schedule(schedule), m_merged(merged), m_lastReads(lastReads(network.graph(), schedule))
    {
    }

    Result<std::string> text()
    {
        std::string text;
        for (std::size_t i = 0; i < m_schedule.stages.size(); ++i) {
            auto body = bodyOf(m_schedule.stages[i]);
            if (!body)
                return body;
            text += fmt::format("\n    def stage_{}(self, t):\n        \"\"\"{}\"\"\"\n{}{}", i + 1,
                                stageTitle(m_schedule.stages[i], i, m_schedule.stages.size()), *body, released(i));
        }
        return text;
    }

private:
    Result<std::string> bodyOf(const Stage &stage)
    {
        if (stage.isMerged())
            return mergeBody(stage);
        if (stage.groups.size() == 1)
            return groupBody(stage.groups.front(), 2);
        std::string text;
        std::vector<std::string> names;
        for (const auto &group : stage.groups) {
            names.push_back(fmt::format("group_{}", names.size() + 1));
            TRY_AS(const auto body, groupBody(group, 3));
            text += fmt::format("\n        def {}():\n{}", names.back(), body);
        }
        return text + fmt::format("\n        self.run_groups({})\n", fmt::join(names, ", "));
    }

    Result<std::string> groupBody(const std::vector<OperatorId> &group, int levels)
    {
        std::string text;
        for (const OperatorId id : group) {
            const Operator &op = m_network.graph().op(id);
            auto lines = operatorPython(m_network, op);
            if (!lines)
                return within("operator " + op.name, std::move(lines.error()));
            text += indented(*lines, levels);
        }
        return text;
    }

    std::string mergeBody(const Stage &stage)
    {
        std::vector<OperatorId> operators;
        for (const auto &group : stage.groups)
            operators.push_back(group.front());
        // `merged` was reserved: the constants keep their place.
        const Operator &merged = m_merged.emplace_back(mergedWithConstants(m_network.graph(), operators));
        return indented(mergedPython(m_network, merged, operators), 2);
    }

    // Constants that are not needed any more keep their memory, tensors do not.
    std::string released(std::size_t stage)
    {
        const std::string names = m_network.tensors(m_lastReads[stage]);
        return names.empty() ? "" : fmt::format("        del {}\n", names);
    }

    PythonNetwork &m_network;
    const Schedule &m_schedule;
    std::vector<Operator> &m_merged;
    std::map<std::size_t, std::vector<TensorId>> m_lastReads;
};

std::string namedShapes(const Graph &graph, std::span<const TensorId> tensors)
{
    std::string text;
    for (const TensorId id : tensors)
        text += fmt::format("    ({}, {}),\n", pythonString(graph.tensor(id).name),
                            pythonTuple(graph.tensor(id).shape.dims));
    return text;
}

std::string weightsText(const PythonNetwork &network, const WeightPlan &weights)
{
    std::string text;
    for (const PythonNetwork::Stored &one : network.stored())
        text += fmt::format("    (\"{}\", {}, {}),\n", one.name, weights.index(*one.parameter),
                            pythonTuple(one.parameter->shape.dims));
    return text;
}

// "(t.a, t.b, ) = inputs".
std::string takenInputs(const PythonNetwork &network)
{
    const std::string names = network.tensors(network.graph().inputs());
    return fmt::format("        ({}{}) = inputs", names, names.empty() ? "" : ", ");
}

TemplateWords wordsOf(const PythonNetwork &network, const Schedule &schedule, const PytorchModule &module,
                      const std::string &modelName)
{
    const Graph &graph = network.graph();
    TemplateWords words = scheduleTemplateWords(graph, schedule, modelName);
    words.insert(words.end(), {{"@NAME@", module.name},
                               {"@INPUTS@", namedShapes(graph, graph.inputs())},
                               {"@OUTPUTS@", namedShapes(graph, graph.outputs())},
                               {"@WEIGHTS@", weightsText(network, module.weights)},
                               {"@WEIGHTS_SIZE@", fmt::to_string(module.weights.numbers())},
                               {"@TAKE_INPUTS@", takenInputs(network)},
                               {"@RETURNS@", network.tensors(graph.outputs())}});
    return words;
}

} // namespace

Result<PytorchModule> pytorchModule(const Graph &graph, const Schedule &schedule, const std::string &modelName)
{
    PythonNetwork network(graph);
    std::vector<Operator> merged;
    merged.reserve(schedule.stages.size());
    TRY_AS(const auto methods, StageMethods(network, schedule, merged).text());
    std::vector<const Parameter *> constants;
    for (const auto &stored : network.stored())
        constants.push_back(stored.parameter);
    PytorchModule module{identifierFrom(modelName, "network"), {}, std::move(merged), WeightPlan(constants)};
    TemplateWords words = wordsOf(network, schedule, module, modelName);
    words.emplace_back("@STAGE_METHODS@\n", methods);
    for (const EmbeddedSource &source : embeddedSources()) {
        if (source.path == "pytorch:module.py")
            module.files.push_back({module.name + ".py", filledText(source.text, words)});
        else if (source.path == "pytorch:README.md")
            module.files.push_back({"README.md", filledText(source.text, words)});
        else if (source.path == "LICENSE")
            module.files.push_back({"LICENSE", std::string(source.text)});
    }
    std::ranges::sort(module.files, {}, &ProjectFile::path);
    return module;
}

Result<WrittenFolder> writePytorchModule(const PytorchModule &module, const std::filesystem::path &folder)
{
    return writeProject(
        module.files, "weights.npy", [&](const auto &take) { return module.weights.writeNpy(take); }, folder);
}

} // namespace stagecraft
