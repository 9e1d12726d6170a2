#include "export/pytorch_module/pytorch_module.h"

#include "export/cpp_project/embedded_sources.h"
#include "export/cpp_project/filled_text.h"
#include "export/pytorch_module/operator_python.h"
#include "export/pytorch_module/python_text.h"
#include "export/pytorch_module/pytorch_numerics.h"
#include "schedule/launched_groups.h"
#include "schedule/merge.h"
#include "schedule/stage_groups.h"
#include "schedule/streams/stream_parts.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <ranges>
#include <string_view>
#include <utility>

namespace stagecraft {
namespace {

// What has a method of its own: a stage, or a launch, which is a stage of its own here.
struct Parts {
    explicit Parts(const Schedule &schedule)
        : streams(schedule.streams), stages(streams ? launchesAsStages(*streams) : schedule.stages)
    {
    }

    [[nodiscard]] const char *word() const { return streams ? "launch" : "stage"; }
    [[nodiscard]] std::string title(std::size_t part) const;
    // Where kernels run, as arguments of marked().
    [[nodiscard]] std::string place(std::size_t part, std::size_t group) const;

    const std::optional<Streams> &streams;
    std::vector<Stage> stages;
};

// By part: the tensors that are needed last there; none for outputs.
std::vector<std::vector<TensorId>> lastReads(const Graph &graph, const std::vector<Stage> &parts)
{
    std::vector<std::size_t> partOf(graph.size());
    for (std::size_t i = 0; i < parts.size(); ++i) {
        for (const OperatorId id : operatorsOf(parts[i]))
            partOf[id.index()] = i;
    }
    std::vector<std::size_t> last(graph.tensors().size());
    for (std::size_t i = 0; i < graph.size(); ++i) {
        const Operator &op = graph.op(OperatorId::fromIndex(i));
        for (const TensorId output : op.outputs)
            last[output.index()] = std::max(last[output.index()], partOf[i]);
        for (const auto &part : op.inputs) {
            for (const TensorId input : part)
                last[input.index()] = std::max(last[input.index()], partOf[i]);
        }
    }
    std::vector<std::vector<TensorId>> byPart(parts.size());
    for (std::size_t i = 0; i < last.size(); ++i) {
        const TensorId id = TensorId::fromIndex(i);
        if (std::ranges::count(graph.outputs(), id) == 0 && !parts.empty())
            byPart[last[i]].push_back(id);
    }
    return byPart;
}

std::string indented(const PythonLines &lines, int levels)
{
    std::string text;
    for (const std::string &line : lines)
        text += fmt::format("{:{}}{}\n", "", 4 * levels, line);
    return text;
}

std::string Parts::title(std::size_t part) const
{
    const Stage &stage = stages[part];
    const std::string title = fmt::format("{} {} of {}", streams ? "Launch" : "Stage", part + 1, stages.size());
    const std::string merged = fmt::format(": {} operators run merged.", stage.groups.size());
    if (streams)
        return fmt::format("{}, on stream {}{}", title, streams->launches[part].stream + 1,
                           stage.isMerged() ? merged : ".");
    if (stage.isMerged())
        return title + merged;
    if (stage.groups.size() > 1)
        return title + fmt::format(": {} groups run concurrently.", stage.groups.size());
    const std::size_t operators = stage.operatorCount();
    return title + (operators == 1 ? ": one operator." : fmt::format(": {} operators, one after another.", operators));
}

std::string Parts::place(std::size_t part, std::size_t group) const
{
    return streams ? fmt::format("launch={}, stream={}", part + 1, streams->launches[part].stream + 1)
                   : fmt::format("stage={}, group={}", part + 1, group + 1);
}

// The module's methods of stages or launches.
class PartMethods {
public:
    PartMethods(PythonNetwork &network, const Parts &parts, std::vector<Operator> &merged)
        : m_network(network), m_parts(parts), m_merged(merged), m_lastReads(lastReads(network.graph(), parts.stages))
    {
    }

    Result<std::string> text()
    {
        std::string text;
        for (std::size_t i = 0; i < m_parts.stages.size(); ++i) {
            auto body = bodyOf(i);
            if (!body)
                return body;
            text += fmt::format("\n    def {}_{}(self, t):\n        \"\"\"{}\"\"\"\n{}{}", m_parts.word(), i + 1,
                                m_parts.title(i), *body, m_parts.streams ? "" : released(i));
        }
        return text;
    }

    // Of streams: their launches, as a table.
    [[nodiscard]] std::string launches() const
    {
        std::string text;
        for (std::size_t i = 0; i < m_parts.stages.size(); ++i) {
            const StreamLaunch &launch = m_parts.streams->launches[i];
            text += fmt::format(
                "        ({}, {}, \"{}\"),\n", launch.stream,
                pythonTuple(std::vector<std::int64_t>(launch.waits.begin(), launch.waits.end())),
                fmt::join(m_lastReads[i] | std::views::transform([&](TensorId id) { return m_network.name(id); }),
                          " "));
        }
        return text;
    }

private:
    Result<std::string> bodyOf(std::size_t part)
    {
        const Stage &stage = m_parts.stages[part];
        if (stage.isMerged())
            return mergeBody(part);
        if (stage.groups.size() == 1)
            return groupBody(launchedGroups(stage).front(), m_parts.place(part, 0), 2);
        if (!stage.launchOrder.empty())
            return turnsBody(part);
        std::string text;
        std::vector<std::string> names;
        for (const auto &group : stage.groups) {
            TRY_AS(const auto body, groupBody(group, m_parts.place(part, names.size()), 3));
            names.push_back(fmt::format("group_{}", names.size() + 1));
            text += fmt::format("\n        def {}():\n{}", names.back(), body);
        }
        return text + fmt::format("\n        self.run_groups({})\n", fmt::join(names, ", "));
    }

    // Launches of a group that follow each other are one turn.
    Result<std::string> turnsBody(std::size_t part)
    {
        std::string text;
        std::vector<std::string> turns;
        const std::vector<GroupLaunch> launches = launchesOf(m_parts.stages[part]);
        for (auto first = launches.begin(); first != launches.end();) {
            const auto last = std::find_if(first, launches.end(),
                                           [&](const GroupLaunch &launch) { return launch.group != first->group; });
            std::vector<OperatorId> operators;
            std::transform(first, last, std::back_inserter(operators),
                           [](const GroupLaunch &launch) { return launch.op; });
            const std::string name = fmt::format("turn_{}", turns.size() + 1);
            turns.push_back(fmt::format("({}, {})", first->group, name));
            TRY_AS(const auto body, groupBody(operators, m_parts.place(part, first->group), 3));
            text += fmt::format("\n        def {}():\n{}", name, body);
            first = last;
        }
        return text + fmt::format("\n        self.run_in_turns({})\n", fmt::join(turns, ", "));
    }

    Result<std::string> groupBody(const std::vector<OperatorId> &group, const std::string &place, int levels)
    {
        std::string text;
        for (const OperatorId id : group) {
            const Operator &op = m_network.graph().op(id);
            auto lines = operatorPython(m_network, op);
            if (!lines)
                return within("operator " + op.name, std::move(lines.error()));
            text += marked(op.name, place, *lines, levels);
        }
        return text;
    }

    std::string mergeBody(std::size_t part)
    {
        std::vector<OperatorId> operators;
        std::vector<std::string_view> names;
        for (const auto &group : m_parts.stages[part].groups) {
            operators.push_back(group.front());
            names.emplace_back(m_network.graph().op(group.front()).name);
        }
        // `merged` was reserved: the constants keep their place.
        const Operator &merged = m_merged.emplace_back(mergedWithConstants(m_network.graph(), operators));
        return marked(fmt::to_string(fmt::join(names, " + ")), m_parts.place(part, 0),
                      mergedPython(m_network, merged, operators), 2);
    }

    static std::string marked(std::string_view operators, const std::string &place, const PythonLines &lines,
                              int levels)
    {
        return indented({fmt::format("with self.marked({}, {}):", pythonString(operators), place)}, levels) +
               indented(lines, levels + 1);
    }

    // Constants that are not needed any more keep their memory, tensors do not.
    std::string released(std::size_t part)
    {
        const std::string names = m_network.tensors(m_lastReads[part]);
        return names.empty() ? "" : fmt::format("        del {}\n", names);
    }

    PythonNetwork &m_network;
    const Parts &m_parts;
    std::vector<Operator> &m_merged;
    std::vector<std::vector<TensorId>> m_lastReads; // by part
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

// "(t.a, t.b, ) = map(self.laid_out, inputs)".
std::string takenInputs(const PythonNetwork &network)
{
    const std::string names = network.tensors(network.graph().inputs());
    return fmt::format("            ({}{}) = map(self.laid_out, inputs)", names, names.empty() ? "" : ", ");
}

std::string_view embeddedText(std::string_view path)
{
    return std::ranges::find(embeddedSources(), path, &EmbeddedSource::path)->text;
}

TemplateWords wordsOf(const PythonNetwork &network, const TimedSchedule &schedule, const PytorchModule &module,
                      const std::string &modelName)
{
    const Graph &graph = network.graph();
    const PytorchNumerics numerics = pytorchNumerics(graph, schedule);
    TemplateWords words = scheduleTemplateWords(graph, schedule, modelName);
    words.insert(words.end(),
                 {{"@NAME@", module.name},
                  {"@PLACE@", schedule.streams ? "launch, stream" : "stage, group"},
                  {"@TF32@", numerics.tf32.empty() ? "None" : pythonString(numerics.tf32)},
                  {"@CHANNELS_LAST@", numerics.channelsLast ? "True" : "False"},
                  {"@NUMERICS@", toText(numerics)},
                  {"@CAPTURED@", schedule.streams ? "its streams and events" : "a stream for each group of a stage"},
                  {"@INPUTS@", namedShapes(graph, graph.inputs())},
                  {"@OUTPUTS@", namedShapes(graph, graph.outputs())},
                  {"@WEIGHTS@", weightsText(network, module.weights)},
                  {"@WEIGHTS_SIZE@", fmt::to_string(module.weights.numbers())},
                  {"@TAKE_INPUTS@", takenInputs(network)},
                  {"@RETURNS@", network.tensors(graph.outputs())}});
    return words;
}

} // namespace

Result<PytorchModule> pytorchModule(const Graph &graph, const TimedSchedule &schedule, const std::string &modelName)
{
    PythonNetwork network(graph);
    const Parts parts(schedule);
    std::vector<Operator> merged;
    merged.reserve(parts.stages.size());
    PartMethods methods(network, parts, merged);
    TRY_AS(const auto text, methods.text());
    std::vector<const Parameter *> constants;
    for (const auto &stored : network.stored())
        constants.push_back(stored.parameter);
    PytorchModule module{identifierFrom(modelName, "network"), {}, std::move(merged), WeightPlan(constants)};
    TemplateWords words = wordsOf(network, schedule, module, modelName);
    const TemplateWords running{{"@STAGES@", fmt::to_string(schedule.stages.size())},
                                {"@LAUNCHES@\n", schedule.streams ? methods.launches() : ""}};
    std::string run = filledText(embeddedText(schedule.streams ? "pytorch:streams.py" : "pytorch:stages.py"), running);
    if (!std::ranges::all_of(schedule.stages, &std::vector<OperatorId>::empty, &Stage::launchOrder))
        run += embeddedText("pytorch:turns.py");
    words.emplace_back("@RUN@", std::move(run));
    words.emplace_back("@PART_METHODS@\n", text);
    words.emplace_back("@FUNCTIONS@\n", embeddedText("pytorch:functions.py"));
    module.files.push_back({module.name + ".py", filledText(embeddedText("pytorch:module.py"), words)});
    module.files.push_back({"README.md", filledText(embeddedText("pytorch:README.md"), words)});
    module.files.push_back({"LICENSE", std::string(embeddedText("LICENSE"))});
    std::ranges::sort(module.files, {}, &ProjectFile::path);
    return module;
}

Result<WrittenFolder> writePytorchModule(const PytorchModule &module, const std::filesystem::path &folder)
{
    return writeProject(
        module.files, "weights.npy", [&](const auto &take) { return module.weights.writeNpy(take); }, folder);
}

} // namespace stagecraft
