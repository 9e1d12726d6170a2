// Traces of the PyTorch profiler. What belongs together is told by numbers: a kernel has the external id of the
// operator that launched it, and the correlation of the call that did. Source: libkineto/src/output_json.cpp, before
// 2022 ("Kernel", "external id", whole microseconds) and since ("kernel", "External id", three decimals).

#include "device/recorded/profiles/profile_formats.h"
#include "device/recorded/profiles/profile_parts.h"
#include "device/recorded/profiles/trace_events.h"

#include "support/json_depth.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <unordered_map>
#include <unordered_set>

namespace stagecraft::profiles {
namespace {

bool isOneOf(std::string_view text, std::initializer_list<std::string_view> all)
{
    return std::ranges::find(all, text) != all.end();
}

std::optional<std::int64_t> externalId(const TraceEvent &event)
{
    const auto id = event.args.integer("External id");
    return id ? id : event.args.integer("external id");
}

std::array<std::int64_t, 3> sizesOf(const TraceEvent &event, std::string_view key)
{
    std::array<std::int64_t, 3> sizes{0, 0, 0};
    if (const EventValue *value = event.args.find(key)) {
        const auto list = value->integers();
        std::copy_n(list.begin(), std::min(list.size(), sizes.size()), sizes.begin());
    }
    return sizes;
}

// Of an image, by its strides. Empty: they fit both, or neither.
std::string layoutOf(const ProfiledShape &sizes, const std::vector<std::vector<std::int64_t>> &strides)
{
    constexpr std::size_t kRank = 4;
    if (sizes.size() != kRank || strides.empty() || strides.front().size() != kRank || sizes[1] == 1 ||
        sizes[2] * sizes[3] == 1)
        return {};
    const std::vector<std::int64_t> &steps = strides.front();
    if (steps[3] == 1 && steps[2] == sizes[3] && steps[1] == sizes[2] * sizes[3])
        return "NCHW";
    return steps[1] == 1 && steps[3] == sizes[1] && steps[2] == sizes[1] * sizes[3] ? "NHWC" : "";
}

// A call of the host to the runtime of the device.
struct RuntimeCall {
    std::int64_t startNs = 0;
    bool launchesKernel = false;
};

// A wait of a stream, by the calls that recorded the event and waited for it.
struct EventWait {
    std::uint32_t stream = 0;
    std::uint32_t waitsFor = 0;
    std::int64_t recorded = 0;
    std::int64_t waited = 0;
};

class PyTorchTrace {
public:
    Result<void> read(const TraceEvent &event)
    {
        const std::string &category = event.category();
        if (event.phase() != "X")
            return {};
        if (isOneOf(category, {"kernel", "Kernel"}))
            return addKernel(event, ProfiledKind::Kernel);
        if (isOneOf(category, {"gpu_memcpy", "Memcpy"}))
            return addKernel(event, ProfiledKind::Copy);
        if (isOneOf(category, {"gpu_memset", "Memset"}))
            return addKernel(event, ProfiledKind::Fill);
        if (isOneOf(category, {"cuda_runtime", "Runtime", "cuda_driver", "runtime", "driver"}))
            return addCall(event);
        if (category == "cuda_sync")
            return addWait(event);
        if (isOneOf(category, {"cpu_op", "Operator", "user_annotation"}))
            return addOperator(event);
        return {};
    }

    Result<Profile> finish(const std::map<std::string, EventValue> &outside)
    {
        finishIterations();
        if (m_profile.kernels.empty())
            takeOperatorsOfTheHost();
        m_profile.program = "PyTorch profiler";
        m_profile.missing["program_version"] = "traces of the PyTorch profiler do not name it";
        nameDevice(outside);
        for (const EventWait &wait : m_waits) {
            const auto recorded = m_calls.find(wait.recorded);
            const auto waited = m_calls.find(wait.waited);
            if (recorded != m_calls.end() && waited != m_calls.end())
                m_profile.waits.push_back(
                    {wait.stream, wait.waitsFor, recorded->second.startNs, waited->second.startNs});
        }
        for (const auto &[correlation, call] : m_calls)
            m_profile.launchesWithoutKernel += call.launchesKernel && !m_correlations.contains(correlation) ? 1 : 0;
        if (!m_isOnHost)
            placeKernels();
        return std::move(m_profile);
    }

private:
    struct OperatorOnHost {
        HostOperator op;
        std::string thread;
        std::uint32_t place = kNoPlace; // in the profile, once a kernel is its own
    };

    Result<void> addKernel(const TraceEvent &event, ProfiledKind kind)
    {
        ProfiledKernel kernel{.name = event.name(), .kind = kind};
        TRY_AS(kernel.startNs, startOf(event));
        TRY_AS(kernel.durationNs, durationOf(event));
        const EventValue *stream = event.args.find("stream");
        kernel.stream = m_streams.of(event.args.integer("device").value_or(0),
                                     "stream " + (stream ? stream->text : event.members.text("tid")));
        kernel.correlation = event.args.integer("correlation");
        kernel.graphNode = event.args.integer("graph node id");
        if (kernel.graphNode == 0) // of a kernel that is in no graph
            kernel.graphNode.reset();
        kernel.grid = sizesOf(event, "grid");
        kernel.block = sizesOf(event, "block");
        kernel.registersPerThread = event.args.integer("registers per thread").value_or(0);
        kernel.sharedBytes = event.args.integer("shared memory").value_or(0);
        if (kernel.correlation)
            m_correlations.insert(*kernel.correlation);
        m_externalIds.push_back(externalId(event));
        m_profile.kernels.push_back(std::move(kernel));
        return {};
    }

    Result<void> addCall(const TraceEvent &event)
    {
        const auto correlation = event.args.integer("correlation");
        if (!correlation)
            return {};
        TRY_AS(const std::int64_t start, startOf(event));
        const bool launches = event.name().find("LaunchKernel") != std::string::npos;
        m_calls.try_emplace(*correlation, RuntimeCall{start, launches});
        return {};
    }

    Result<void> addWait(const TraceEvent &event)
    {
        const auto stream = event.args.integer("stream");
        const auto other = event.args.integer("wait_on_stream");
        const auto recorded = event.args.integer("wait_on_cuda_event_record_corr_id");
        const auto waited = event.args.integer("correlation");
        if (event.name() != "Stream Wait Event" || !stream || !other || !recorded || !waited)
            return {};
        const std::int64_t device = event.args.integer("device").value_or(0);
        m_waits.push_back({m_streams.of(device, fmt::format("stream {}", *stream)),
                           m_streams.of(device, fmt::format("stream {}", *other)), *recorded, *waited});
        return {};
    }

    Result<void> addOperator(const TraceEvent &event)
    {
        HostOperator op{.name = event.name()};
        TRY_AS(op.startNs, startOf(event));
        TRY_AS(op.durationNs, durationOf(event));
        if (op.name.starts_with("ProfilerStep#")) {
            m_profile.iterations.push_back({op.name, op.startNs, op.startNs + op.durationNs});
            return {};
        }
        if (event.category() == "user_annotation")
            return {};
        if (const EventValue *dims = event.args.find("Input Dims"))
            op.inputShapes = dims->listsOfIntegers();
        const bool readsTensor = !op.inputShapes.empty() && !op.inputShapes.front().empty();
        if (const EventValue *types = event.args.find("Input type"); types && readsTensor)
            op.precision = firstText(*types);
        if (const EventValue *strides = event.args.find("Input Strides"); strides && readsTensor)
            op.layout = layoutOf(op.inputShapes.front(), strides->listsOfIntegers());
        const auto place = m_operators.size();
        m_operators.push_back({std::move(op), event.members.text("tid")});
        if (const auto id = externalId(event))
            m_operatorById.try_emplace(*id, place);
        return {};
    }

    void finishIterations()
    {
        auto &iterations = m_profile.iterations;
        std::ranges::stable_sort(iterations, {}, &ProfiledIteration::startNs);
        const auto repeated = std::ranges::unique(iterations, {}, &ProfiledIteration::name); // of other threads
        iterations.erase(repeated.begin(), repeated.end());
    }

    // Binds kernels to what launched them.
    void placeKernels()
    {
        for (std::size_t i = 0; i < m_profile.kernels.size(); ++i) {
            ProfiledKernel &kernel = m_profile.kernels[i];
            const auto id = m_externalIds[i];
            const auto op = id ? m_operatorById.find(*id) : m_operatorById.end();
            const auto call = kernel.correlation ? m_calls.find(*kernel.correlation) : m_calls.end();
            if (op != m_operatorById.end()) {
                OperatorOnHost &host = m_operators[op->second];
                kernel.launchedNs = host.op.startNs;
                if (host.place == kNoPlace) {
                    host.place = static_cast<std::uint32_t>(m_profile.hostOperators.size());
                    m_profile.hostOperators.push_back(host.op);
                }
                kernel.hostOperator = host.place;
                kernel.precision = host.op.precision;
                kernel.layout = host.op.layout;
            }
            if (call != m_calls.end())
                kernel.launchedNs = call->second.startNs;
            kernel.iteration = iterationAt(m_profile, kernel.launchedNs.value_or(*kernel.startNs));
        }
    }

    // Without a device it is the operators themselves that ran: those that no other one called.
    void takeOperatorsOfTheHost()
    {
        m_isOnHost = true;
        std::ranges::stable_sort(m_operators, {}, [](const OperatorOnHost &host) { return host.op.startNs; });
        std::unordered_map<std::string, std::int64_t> endOf; // by thread
        for (const OperatorOnHost &host : m_operators) {
            const auto [end, isFirst] = endOf.try_emplace(host.thread, host.op.startNs);
            if (!isFirst && host.op.startNs < end->second)
                continue;
            end->second = host.op.startNs + host.op.durationNs;
            ProfiledKernel node{.name = host.op.name, .kind = ProfiledKind::Node};
            node.startNs = host.op.startNs;
            node.durationNs = host.op.durationNs;
            node.stream = m_streams.of(0, "thread " + host.thread);
            node.inputShapes = host.op.inputShapes;
            node.precision = host.op.precision;
            node.layout = host.op.layout;
            node.iteration = iterationAt(m_profile, host.op.startNs);
            m_profile.kernels.push_back(std::move(node));
        }
    }

    void nameDevice(const std::map<std::string, EventValue> &outside)
    {
        if (m_isOnHost) {
            m_profile.missing["device"] = "the trace has no kernels of a device, and does not name the processor";
            return;
        }
        const std::int64_t used = m_profile.streams.empty() ? 0 : m_profile.streams.front().device;
        const auto properties = outside.find("deviceProperties");
        if (properties != outside.end() && !nestsTooDeeply(properties->second.text)) {
            const auto devices = nlohmann::json::parse(properties->second.text, nullptr, false);
            for (const auto &device : devices) {
                if (device.is_object() && device.contains("id") && device["id"] == used && device.contains("name") &&
                    device["name"].is_string())
                    m_profile.device = device["name"].get<std::string>();
            }
        }
        if (m_profile.device.empty())
            m_profile.missing["device"] = "the trace has no properties of the device that its kernels ran on";
    }

    Profile m_profile{.format = "pytorch"};
    StreamNumbers m_streams{m_profile};
    std::vector<std::optional<std::int64_t>> m_externalIds; // by kernel
    std::vector<OperatorOnHost> m_operators;
    std::unordered_map<std::int64_t, std::size_t> m_operatorById;
    std::unordered_map<std::int64_t, RuntimeCall> m_calls; // by correlation
    std::unordered_set<std::int64_t> m_correlations;       // of kernels
    std::vector<EventWait> m_waits;
    bool m_isOnHost = false;
};

} // namespace

bool isPyTorch(std::string_view bytes)
{
    return bytes.find("\"traceEvents\"") != std::string_view::npos;
}

Result<Profile> readPyTorch(std::span<const ProfileFile> files, const std::stop_token &stop)
{
    PyTorchTrace trace;
    TRY_AS(const auto outside, readTraceEvents(files.front().bytes, "traceEvents", stop,
                                               [&](const TraceEvent &event) { return trace.read(event); }));
    return trace.finish(outside);
}

} // namespace stagecraft::profiles
