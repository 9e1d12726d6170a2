// Profiles of ONNX Runtime: a list of events, a node per "<node>_kernel_time", and a "model_run" for each run. Times
// are those of the host, also for nodes on a GPU, whose kernels run on after the call. Source: onnxruntime/core/common/
// profiler.cc, core/framework/sequential_executor.cc.

#include "device/recorded/profiles/profile_formats.h"
#include "device/recorded/profiles/profile_parts.h"
#include "device/recorded/profiles/trace_events.h"

#include "timing/statistics/means.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace stagecraft::profiles {
namespace {

constexpr std::string_view kOfNode = "_kernel_time";

class OnnxRuntimeProfile {
public:
    Result<void> read(const TraceEvent &event)
    {
        const std::string &name = event.name();
        if (event.category() == "Session" && name == "model_run") {
            TRY_AS(const std::int64_t start, startOf(event));
            TRY_AS(const std::int64_t duration, durationOf(event));
            m_profile.iterations.push_back({"model_run", start, start + duration});
        }
        if (event.category() == "Kernel") // of a device, where ONNX Runtime was built to trace it
            return add(event, name, ProfiledKind::Kernel);
        if (event.category() != "Node" || !name.ends_with(kOfNode))
            return {};
        return add(event, name.substr(0, name.size() - kOfNode.size()), ProfiledKind::Node);
    }

    Result<Profile> finish()
    {
        preferKernels();
        placeInRuns();
        m_profile.program = "ONNX Runtime";
        m_profile.missing["program_version"] = "profiles of ONNX Runtime do not name it";
        m_profile.missing["device"] = "profiles of ONNX Runtime do not name it";
        if (!m_providers.empty())
            m_profile.notes.push_back(fmt::format("execution providers: {}", fmt::join(m_providers, ", ")));
        if (m_profile.isHostTimeOfDevice)
            m_profile.notes.emplace_back(
                "nodes on a GPU have the time of their calls on the host: their kernels run on afterwards");
        return std::move(m_profile);
    }

private:
    Result<void> add(const TraceEvent &event, const std::string &name, ProfiledKind kind)
    {
        ProfiledKernel node{.name = name, .kind = kind};
        TRY_AS(node.startNs, startOf(event));
        TRY_AS(node.durationNs, durationOf(event));
        const bool isNode = kind == ProfiledKind::Node;
        const std::string &stream = event.args.text("stream");
        node.stream = m_streams.of(0, isNode ? "thread " + event.members.text("tid")
                                             : "stream " + (stream.empty() ? event.members.text("tid") : stream));
        node.type = event.args.text("op_name");
        if (const std::string &parent = event.args.text("parent_name"); !isNode && parent.ends_with(kOfNode)) {
            node.hostOperator = static_cast<std::uint32_t>(m_profile.hostOperators.size());
            m_profile.hostOperators.push_back({.name = parent.substr(0, parent.size() - kOfNode.size())});
        }
        if (const EventValue *shapes = event.args.find("input_type_shape"))
            node.inputShapes = shapes->listsOfIntegers();
        if (const EventValue *shapes = event.args.find("output_type_shape")) {
            node.outputShapes = shapes->listsOfIntegers();
            node.precision = firstText(*shapes); // [{"float16": [1, 64, 8, 8]}]
        }
        if (const std::string &provider = event.args.text("provider"); !provider.empty()) {
            m_providers.insert(provider);
            m_isOnGpu = m_isOnGpu || provider != "CPUExecutionProvider";
        }
        m_profile.kernels.push_back(std::move(node));
        return {};
    }

    // Kernels of a device are the time that was taken there; nodes are then only their launches.
    void preferKernels()
    {
        auto &kernels = m_profile.kernels;
        const auto isKernel = [](const ProfiledKernel &kernel) { return kernel.kind == ProfiledKind::Kernel; };
        if (std::ranges::none_of(kernels, isKernel)) {
            m_profile.isHostTimeOfDevice = m_isOnGpu;
            return;
        }
        const auto nodes = std::erase_if(kernels, [&](const auto &kernel) { return !isKernel(kernel); });
        if (nodes > 0)
            m_profile.notes.push_back(fmt::format("{} nodes are left out: their kernels are in the profile", nodes));
    }

    void placeInRuns()
    {
        auto &runs = m_profile.iterations;
        std::ranges::stable_sort(runs, {}, &ProfiledIteration::startNs);
        for (ProfiledKernel &node : m_profile.kernels)
            node.iteration = iterationAt(m_profile, *node.startNs);
        if (runs.empty())
            return;
        LatencyInFile stated{.source = "model_run"};
        for (const ProfiledIteration &run : runs)
            stated.runsUs.push_back(static_cast<double>(run.endNs - run.startNs) / 1000);
        stated.medianUs = medianOf(stated.runsUs);
        m_profile.stated = std::move(stated);
    }

    Profile m_profile{.format = "onnxruntime"};
    StreamNumbers m_streams{m_profile};
    std::set<std::string> m_providers;
    bool m_isOnGpu = false;
};

} // namespace

bool isOnnxRuntime(std::string_view bytes)
{
    constexpr std::size_t kBeginning = 4096;
    const std::string_view beginning = bytes.substr(0, kBeginning);
    const std::size_t first = beginning.find_first_not_of(" \t\r\n");
    return first != std::string_view::npos && beginning[first] == '[' &&
           beginning.find("\"cat\"") != std::string_view::npos &&
           beginning.find("\"Session\"") != std::string_view::npos;
}

Result<Profile> readOnnxRuntime(std::span<const ProfileFile> files, const std::stop_token &stop)
{
    OnnxRuntimeProfile profile;
    TRY(readTraceEvents(files.front().bytes, {}, stop, [&](const TraceEvent &event) { return profile.read(event); }));
    return profile.finish();
}

} // namespace stagecraft::profiles
