#include "device/onnxruntime/onnxruntime_device.h"

#include "device/executing/session_steps.h"
#include "device/npy.h"
#include "graph/operator_cost.h"
#include "operators/parameter_values.h"
#include "schedule/stage_groups.h"
#include "schedule/streams/stream_of_operators.h"
#include "schedule/verify.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <list>
#include <map>
#include <nlohmann/json.hpp>
#include <system_error>
#include <unordered_map>
#include <utility>

namespace stagecraft {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::size_t kLoadedAtMost = 8; // schedules at a time: each holds the weights
constexpr std::chrono::seconds kDescribed{10};

// The operators that run as one bigger operator, in the order of the schedule.
std::vector<std::vector<OperatorId>> mergedOperators(const Schedule &schedule)
{
    std::vector<std::vector<OperatorId>> merged;
    for (const Stage &stage : schedule.stages) {
        if (stage.isMerged())
            merged.push_back(operatorsOf(stage));
    }
    for (const StreamLaunch &launch : schedule.streams ? schedule.streams->launches : std::vector<StreamLaunch>()) {
        if (launch.isMerged())
            merged.push_back(launch.operators);
    }
    return merged;
}

class OnnxRuntimeSession : public DeviceSession, public Executor, public LocalHardware {
public:
    OnnxRuntimeSession(std::shared_ptr<const Graph> graph, std::optional<ModelFile> source,
                       const OnnxRuntimeOptions &options, OnnxRuntimeSetting setting)
        : m_graph(std::move(graph)), m_source(std::move(source)), m_options(options), m_setting(std::move(setting)),
          m_python(m_setting.python, m_setting.modules, "measure.serve()")
    {
    }

    ~OnnxRuntimeSession() override
    {
        m_python.stop();
        removeFolder();
    }
    OnnxRuntimeSession(const OnnxRuntimeSession &) = delete;
    OnnxRuntimeSession &operator=(const OnnxRuntimeSession &) = delete;

    Executor *executor() override { return this; }
    const LocalHardware *hardware() const override { return this; }
    std::string name() const override { return "cpu"; }
    bool isNoisy() const override { return true; }
    bool measuresStages() const override { return false; }

    Result<StageLatency> stageLatency(const StageQuestion &question, std::stop_token stop) override
    {
        TRY(verifyStage(*m_graph, question.stage));
        if (question.stage.operatorCount() != 1)
            return fail(ErrorCode::WrongUse, "ONNX Runtime runs whole schedules, and no stage by itself",
                        "Measure whole schedules on it, or stages on cpu");
        TRY(findOperatorLatencies(stop));
        const OperatorId id = question.stage.groups.front().front();
        if (m_operatorUs[id.index()] == 0)
            return fail(ErrorCode::WrongUse, "ONNX Runtime made operator " + m_graph->op(id).name +
                                                 " part of another, so that it has no latency of its own");
        return StageLatency{Timing::ofLatency(m_operatorUs[id.index()]), LatencyKind::Measured};
    }

    Result<ScheduleLatency> measureWhole(const Schedule &schedule, std::stop_token stop) override
    {
        TRY_AS(const auto loaded, load(schedule, stop));
        return measureAdaptively(
                   [&](int number) -> Result<double> {
                       TRY_AS(const auto answer, ask({{"do", "time"}, {"key", loaded->key}, {"runs", number}}, stop));
                       return answer.at("us").template get<double>();
                   },
                   m_setting.schedule, stop)
            .map([](Timing timing) { return ScheduleLatency{std::move(timing)}; });
    }

    Result<Timeline> timeline(const Schedule &schedule, std::stop_token stop) override
    {
        TRY_AS(const auto loaded, load(schedule, stop));
        TRY_AS(const auto trace, traceOf(*loaded, stop));
        Timeline timeline;
        timeline.provenance = Provenance::Measured;
        timeline.device = toId(m_options);
        timeline.durationNs = nsOf(trace.at("us"));
        std::map<std::int64_t, std::uint32_t> rows; // by thread
        const auto stages = schedule.streams ? std::vector<std::size_t>() : stageOfOperators(*m_graph, schedule.stages);
        std::size_t unknown = 0;
        for (const json &span : trace.at("spans")) {
            const auto operators = operatorsFor(*loaded, span.at("node"));
            unknown += operators.empty() ? 1 : 0;
            const auto thread = span.at("thread").get<std::int64_t>();
            const auto [row, isNew] = rows.emplace(thread, static_cast<std::uint32_t>(rows.size()) *
                                                               static_cast<std::uint32_t>(loaded->threads));
            KernelSpan kernel;
            kernel.name = span.at("name").get<std::string>();
            kernel.operators = operators;
            kernel.stage = stages.empty() || operators.empty()
                               ? kOfNoStage
                               : static_cast<std::uint32_t>(stages[operators.front().index()]);
            kernel.group =
                operators.empty() ? 0 : static_cast<std::uint32_t>(loaded->streamOf[operators.front().index()]);
            kernel.stream = row->second;
            kernel.startNs = nsOf(span.at("start_us"));
            kernel.endNs = kernel.startNs + nsOf(span.at("us"));
            kernel.grid = {loaded->threads, 1, 1}; // threads rather than blocks: timeline_rows.h
            for (const OperatorId id : operators) {
                kernel.flops += flops(*m_graph, id);
                kernel.bytes += memoryBytes(*m_graph, id);
            }
            timeline.kernels.push_back(std::move(kernel));
        }
        timeline.streams = std::max<std::size_t>(rows.size(), 1) * static_cast<std::size_t>(loaded->threads);
        timeline.notes.emplace_back("ONNX Runtime has no barriers: what the schedule has in different stages may "
                                    "overlap, and operators that it made part of others have no time of their own");
        if (unknown > 0)
            timeline.notes.push_back(fmt::format("{} of its nodes belong to no operator of the model: conversions that "
                                                 "its optimiser added, and constants",
                                                 unknown));
        return timeline;
    }

    Result<std::vector<HostTensor>> run(const Schedule &schedule, std::vector<HostTensor> inputs,
                                        std::stop_token stop) override
    {
        TRY_AS(const auto loaded, load(schedule, stop));
        auto files = json::array();
        for (const TensorId input : m_graph->inputs()) {
            const Tensor &tensor = m_graph->tensor(input);
            TRY_AS(const auto given, inputFor(tensor, inputs));
            const fs::path file = m_folder / fmt::format("input{}.npy", files.size());
            TRY(writeNpy(file.string(), asType(*given, tensor.type)));
            files.push_back(file.string());
        }
        TRY_AS(const auto answer,
               ask({{"do", "run"}, {"key", loaded->key}, {"inputs", files}, {"folder", m_folder.string()}}, stop));
        std::vector<HostTensor> outputs;
        for (const json &file : answer.at("outputs")) {
            TRY_AS(auto tensor, readTypedNpy(file.get<std::string>()));
            tensor.name = m_graph->tensor(m_graph->outputs()[outputs.size()]).name;
            outputs.push_back(std::move(tensor));
        }
        return outputs;
    }

private:
    // A schedule that Python has ready to run.
    struct Loaded {
        std::string key;
        std::size_t model = 0; // of m_models
        std::vector<std::size_t> streamOf;
        int threads = 1; // that a node has if all streams run one
    };

    struct Model {
        std::vector<std::vector<OperatorId>> merged;
        fs::path file;
        std::vector<OnnxRuntimeNode> nodes;
        std::unordered_map<std::string, std::size_t> places; // of the nodes, by name
    };

    static std::int64_t nsOf(const json &us) { return static_cast<std::int64_t>(us.get<double>() * 1e3); }

    [[nodiscard]] int threads() const { return m_options.threads > 0 ? m_options.threads : m_setting.processors; }

    // One that was killed leaves its folder.
    Result<json> ask(const json &request, const std::stop_token &stop)
    {
        auto answer = m_python.ask(request, stop);
        if (!answer && !m_python.isRunning())
            removeFolder();
        return answer;
    }

    void removeFolder()
    {
        std::error_code error;
        if (!m_folder.empty())
            fs::remove_all(m_folder, error);
        m_folder.clear();
    }

    // What an earlier one had is gone with it.
    Result<void> begin(const std::stop_token &stop)
    {
        if (m_python.isRunning())
            return {};
        removeFolder();
        m_models.clear();
        m_loaded.clear();
        TRY(m_python.start());
        TRY_AS(const auto begun, ask({{"do", "begin"}}, stop));
        m_folder = begun.at("folder").get<std::string>();
        return {};
    }

    Result<const Loaded *> load(const Schedule &schedule, const std::stop_token &stop)
    {
        TRY(verifyRunnable(*m_graph, schedule));
        for (const Operator &op : m_graph->operators()) {
            if (const auto fault = faultOf(op))
                return within("operator " + op.name, *fault);
        }
        TRY(begin(stop));
        TRY_AS(const std::size_t model, modelFor(schedule));
        const auto streamOf = streamOfOperators(schedule);
        const auto streams = m_options.isParallel ? json() : streamsOf(m_models[model], streamOf);
        const std::string key =
            fmt::format("{} {}", model, streams.dump(-1, ' ', true, json::error_handler_t::replace));
        const auto known = std::ranges::find(m_loaded, key, &Loaded::key);
        if (known != m_loaded.end()) {
            m_loaded.splice(m_loaded.begin(), m_loaded, known);
            return &m_loaded.front();
        }
        if (m_loaded.size() == kLoadedAtMost) {
            TRY(ask({{"do", "drop"}, {"key", m_loaded.back().key}}, stop));
            m_loaded.pop_back();
        }
        TRY(ask({{"do", "load"},
                 {"key", key},
                 {"model", m_models[model].file.string()},
                 {"level", m_options.isAll ? "all" : "extended"},
                 {"threads", threads()},
                 {"parallel", m_options.isParallel},
                 {"streams", streams}},
                stop));
        const int lanes = streams.is_null() ? 1 : static_cast<int>(streams.size());
        m_loaded.push_front({key, model, streamOf, std::max(1, threads() / lanes)});
        return &m_loaded.front();
    }

    // Null: all nodes are on one stream.
    static json streamsOf(const Model &model, const std::vector<std::size_t> &streamOf)
    {
        std::vector<std::vector<std::string>> streams(1);
        for (const OnnxRuntimeNode &node : model.nodes) {
            const std::size_t stream = node.operators.empty() ? 0 : streamOf[node.operators.front().index()];
            streams.resize(std::max(streams.size(), stream + 1));
            streams[stream].push_back(node.name);
        }
        return streams.size() > 1 ? json(streams) : json();
    }

    // Schedules that merge the same operators run the same file.
    Result<std::size_t> modelFor(const Schedule &schedule)
    {
        auto merged = mergedOperators(schedule);
        const auto known = std::ranges::find(m_models, merged, &Model::merged);
        if (known != m_models.end())
            return static_cast<std::size_t>(known - m_models.begin());
        Model model{std::move(merged), m_folder / fmt::format("model{}.onnx", m_models.size()), {}, {}};
        TRY_AS(model.nodes, m_setting.writeModel(*m_graph, m_source, schedule, model.file));
        for (std::size_t i = 0; i < model.nodes.size(); ++i)
            model.places.emplace(model.nodes[i].name, i);
        m_models.push_back(std::move(model));
        return m_models.size() - 1;
    }

    Result<json> traceOf(const Loaded &loaded, const std::stop_token &stop)
    {
        auto names = json::array();
        for (const OnnxRuntimeNode &node : m_models[loaded.model].nodes)
            names.push_back(node.name);
        return ask({{"do", "trace"}, {"key", loaded.key}, {"nodes", names}}, stop);
    }

    [[nodiscard]] std::vector<OperatorId> operatorsFor(const Loaded &loaded, const json &node) const
    {
        const Model &model = m_models[loaded.model];
        const auto place = node.is_string() ? model.places.find(node.get<std::string>()) : model.places.end();
        return place == model.places.end() ? std::vector<OperatorId>() : model.nodes[place->second].operators;
    }

    // From a profile of one stream.
    Result<void> findOperatorLatencies(const std::stop_token &stop)
    {
        if (!m_operatorUs.empty())
            return {};
        Schedule alone;
        for (std::size_t i = 0; i < m_graph->size(); ++i)
            alone.stages.push_back(stageAlone(OperatorId::fromIndex(i)));
        TRY_AS(const auto loaded, load(alone, stop));
        TRY_AS(const auto trace, traceOf(*loaded, stop));
        m_operatorUs.assign(m_graph->size(), 0);
        for (const json &node : trace.at("nodes")) {
            for (const OperatorId id : operatorsFor(*loaded, node.at("node")))
                m_operatorUs[id.index()] += node.at("us").get<double>();
        }
        return {};
    }

    std::shared_ptr<const Graph> m_graph;
    std::optional<ModelFile> m_source;
    OnnxRuntimeOptions m_options;
    OnnxRuntimeSetting m_setting;
    PythonProgram m_python;
    fs::path m_folder; // of the Python that runs: it ends with it
    std::vector<Model> m_models;
    std::list<Loaded> m_loaded;       // the last used first
    std::vector<double> m_operatorUs; // alone; empty: not known yet
};

class OnnxRuntimeDevice : public Device {
public:
    OnnxRuntimeDevice(const OnnxRuntimeOptions &options, OnnxRuntimeSetting setting)
        : m_options(options), m_setting(std::move(setting))
    {
        m_info.id = toId(options);
        m_info.title = "ONNX Runtime";
        m_info.provenance = Provenance::Measured;
        PythonProgram python(m_setting.python, m_setting.modules, "measure.describe()");
        const auto known = python.start().and_then([&] { return python.ask(json::object(), {}, kDescribed); });
        if (known && !known->contains("missing")) {
            describe(*known);
            return;
        }
        m_info.available = false;
        m_info.unavailableReason =
            fmt::format("{}; set STAGECRAFT_PYTHON to a Python that has numpy and onnxruntime",
                        known ? fmt::format("{} has no {}", m_setting.python, known->value("missing", "onnxruntime"))
                              : known.error().message);
    }

    DeviceInfo info() const override { return m_info; }

    Result<std::unique_ptr<DeviceSession>> open(std::shared_ptr<const Graph> graph) const override
    {
        if (!m_info.available)
            return fail(ErrorCode::DeviceFailed, m_info.id + " is not available: " + m_info.unavailableReason);
        return std::make_unique<OnnxRuntimeSession>(std::move(graph), m_file, m_options, m_setting);
    }

private:
    void describe(const json &known)
    {
        const int threads = m_options.threads > 0 ? m_options.threads : m_setting.processors;
        const std::string version = known.value("onnxruntime", "");
        m_info.title = fmt::format("ONNX Runtime {}, {} {}{}", version, threads, threads == 1 ? "thread" : "threads",
                                   m_options.isParallel ? ", its own streams" : "");
        m_info.facts = {{"processor", m_setting.processor},
                        {"threads", std::to_string(threads)},
                        {"ONNX Runtime", version},
                        {"Python", fmt::format("{} ({})", known.value("python", ""), m_setting.python)},
                        {"graph optimisation level", m_options.isAll ? "all" : "extended"},
                        {"precision", "fp32"},
                        {"measures", "whole schedules, and no single stages"}};
        if (m_options.isParallel)
            m_info.facts.emplace_back("streams", "those that ONNX Runtime chooses, whatever the schedule says");
    }

    OnnxRuntimeOptions m_options;
    OnnxRuntimeSetting m_setting;
    DeviceInfo m_info;
};

} // namespace

std::unique_ptr<Device> makeOnnxRuntimeDevice(const OnnxRuntimeOptions &options, OnnxRuntimeSetting setting)
{
    return std::make_unique<OnnxRuntimeDevice>(options, std::move(setting));
}

} // namespace stagecraft
