// Profiles of TensorRT, which are several files: layers with their times (--exportProfile), what the layers are
// (--exportLayerInfo), the latency of each run (--exportTimes), and what the engine explorer took from the log of
// trtexec. Layers have no start, and are timed with the profiler on, one after the other: their sum is not the latency.

#include "device/recorded/profiles/profile_formats.h"
#include "device/recorded/profiles/profile_parts.h"
#include "device/recorded/profiles/trace_events.h"

#include "support/json_depth.h"
#include "support/records/json_fault.h"
#include "support/shown_text.h"
#include "timing/statistics/means.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>

namespace stagecraft::profiles {
namespace {

using Json = nlohmann::json;

enum class TensorRtFile { None, Times, Layers, Runs, RunMetadata, BuildMetadata };

bool has(std::string_view bytes, std::string_view key)
{
    return bytes.find(key) != std::string_view::npos;
}

TensorRtFile kindOf(std::string_view bytes)
{
    constexpr std::size_t kBeginning = 4096;
    const std::string_view beginning = bytes.substr(0, kBeginning);
    const std::size_t first = beginning.find_first_not_of(" \t\r\n");
    const char bracket = first == std::string_view::npos ? '\0' : beginning[first];
    if (bracket == '[' && (has(beginning, "\"timeMs\"") || has(beginning, "\"averageMs\"")))
        return TensorRtFile::Times;
    if (bracket == '[' && (has(beginning, "\"computeMs\"") || has(beginning, "\"startComputeMs\"")))
        return TensorRtFile::Runs;
    if (bracket == '{' && has(beginning, "\"Layers\""))
        return TensorRtFile::Layers;
    if (bracket == '{' && has(beginning, "\"performance_summary\""))
        return TensorRtFile::RunMetadata;
    if (bracket == '{' && has(beginning, "\"build_options\""))
        return TensorRtFile::BuildMetadata;
    return TensorRtFile::None;
}

constexpr double kUsPerMs = 1000;

std::optional<double> usAt(const Json &list, std::size_t place)
{
    if (!list.is_array() || list.size() <= place || !list[place].is_number())
        return std::nullopt;
    return list[place].get<double>() * kUsPerMs;
}

const Json &at(const Json &object, const char *key)
{
    static const Json kNothing;
    const auto found = object.is_object() ? object.find(key) : object.end();
    return object.is_object() && found != object.end() ? *found : kNothing;
}

std::string textAt(const Json &object, const char *key)
{
    const Json &value = at(object, key);
    return value.is_string() ? value.get<std::string>() : std::string();
}

Result<Json> parsed(const ProfileFile &file)
{
    if (nestsTooDeeply(file.bytes))
        return refused("it is nested too deeply");
    try {
        return Json::parse(file.bytes);
    } catch (const Json::parse_error &fault) {
        return within(lineOf(file.bytes, fault.byte), refused(jsonFault(fault)).value());
    } catch (const Json::exception &fault) {
        return refused(jsonFault(fault));
    }
}

// "Channel major FP16 format where channel % 8 == 0" in its parts, without the word "format"; newer versions name types
// alone.
void readFormat(const Json &outputs, ProfiledKernel &kernel)
{
    constexpr std::array kTypes{"FP32", "FP16", "BF16",  "FP8",  "FP4",   "Int64", "Int32",
                                "Int8", "Int4", "UInt8", "Bool", "Float", "Half",  "BFloat16"};
    const std::string text =
        outputs.is_array() && !outputs.empty() ? textAt(outputs.front(), "Format/Datatype") : std::string();
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find_first_of(" .", at), text.size());
        const std::string word = text.substr(at, end - at);
        at = end + 1;
        if (word.empty() || word == "format")
            continue;
        if (std::ranges::find(kTypes, word) != kTypes.end())
            kernel.precision = word;
        else
            kernel.layout += (kernel.layout.empty() ? "" : " ") + word;
    }
}

class TensorRtProfile {
public:
    Result<void> read(const ProfileFile &file, const std::stop_token &stop)
    {
        const TensorRtFile kind = kindOf(file.bytes);
        if (kind == TensorRtFile::None)
            return refused("it is no file of a TensorRT profile");
        if (std::ranges::find(m_seen, kind) != m_seen.end())
            return refused("another of the files says the same: they are of two profiles",
                           "Give one profile at a time");
        m_seen.push_back(kind);
        if (kind == TensorRtFile::Times)
            return readTimes(file, stop);
        if (kind == TensorRtFile::Runs)
            return readRuns(file, stop);
        TRY_AS(const Json json, parsed(file));
        if (kind == TensorRtFile::Layers)
            return readLayers(json);
        if (kind == TensorRtFile::RunMetadata)
            readRunMetadata(json);
        return {};
    }

    Result<Profile> finish()
    {
        const bool hasTimes = std::ranges::find(m_seen, TensorRtFile::Times) != m_seen.end();
        if (!hasTimes)
            return refused("these files have no times of layers",
                           "Give the file that trtexec --exportProfile writes, too");
        if (!m_layers.empty())
            describeLayers();
        else
            m_profile.missing["layers"] = "without the file of trtexec --exportLayerInfo, layers have only their names";
        m_profile.program = "TensorRT";
        m_profile.missing["program_version"] = "profiles of TensorRT do not name it";
        m_profile.missing["streams"] = "profiles of TensorRT have times of layers, but not when and where they ran";
        if (m_profile.device.empty())
            m_profile.missing["device"] =
                "the file of times does not name it; the engine explorer's .profile.metadata.json does";
        if (!m_runsUs.empty()) {
            if (!m_profile.stated)
                m_profile.stated =
                    LatencyInFile{.source = "time of each run on the GPU", .medianUs = medianOf(m_runsUs)};
            m_profile.stated->runsUs = std::move(m_runsUs);
        }
        if (m_profile.stated)
            m_profile.notes.emplace_back("each layer was timed with the profiler on, the whole without it");
        return std::move(m_profile);
    }

private:
    Result<void> readTimes(const ProfileFile &file, const std::stop_token &stop)
    {
        constexpr std::int64_t kNsPerMs = 1'000'000;
        const auto addLayer = [&](const TraceEvent &event) -> Result<void> {
            if (const auto count = event.members.integer("count"))
                m_runs = *count;
            const EventValue *name = event.members.find("name");
            if (!name)
                return {};
            const auto average = event.members.nanoseconds("averageMs", kNsPerMs);
            const auto total = event.members.nanoseconds("timeMs", kNsPerMs);
            if (m_runs <= 0 || (!average && !total) || average.value_or(0) < 0 || total.value_or(0) < 0)
                return refused(fmt::format("the layer \"{}\" has no time", shownText(name->text)));
            ProfiledKernel layer{.name = name->text, .kind = ProfiledKind::Layer};
            layer.durationNs = average ? *average : *total / m_runs;
            m_profile.kernels.push_back(std::move(layer));
            return {};
        };
        TRY(readTraceEvents(file.bytes, {}, stop, addLayer));
        return {};
    }

    Result<void> readRuns(const ProfileFile &file, const std::stop_token &stop)
    {
        const auto addRun = [&](const TraceEvent &event) -> Result<void> {
            const EventValue *time = event.members.find("computeMs");
            const auto ms = time ? time->real() : std::nullopt;
            if (!ms || *ms < 0)
                return refused("\"computeMs\" of a run is missing or no time");
            m_runsUs.push_back(*ms * kUsPerMs);
            return {};
        };
        TRY(readTraceEvents(file.bytes, {}, stop, addRun));
        return {};
    }

    Result<void> readLayers(const Json &json)
    {
        const Json &layers = at(json, "Layers");
        if (!layers.is_array())
            return refused("\"Layers\" is not a list");
        for (const Json &layer : layers) {
            const std::string name = layer.is_string() ? layer.get<std::string>() : textAt(layer, "Name");
            if (name.empty())
                return refused(fmt::format("layer {} has no name", m_layers.size() + 1));
            m_places.try_emplace(name, m_layers.size());
            m_layers.push_back(layer);
        }
        return {};
    }

    // "GPU Compute Time": least, most, mean, median, 99 %.
    void readRunMetadata(const Json &json)
    {
        m_profile.device = textAt(at(json, "device_information"), "Selected Device");
        const Json &times = at(at(json, "performance_summary"), "GPU Compute Time");
        if (const auto median = usAt(times, 3))
            m_profile.stated = LatencyInFile{.source = "GPU Compute Time",
                                             .medianUs = *median,
                                             .minUs = usAt(times, 0),
                                             .maxUs = usAt(times, 1),
                                             .meanUs = usAt(times, 2)};
    }

    static void addTensors(const Json &list, std::vector<std::string> *names, std::vector<ProfiledShape> &shapes)
    {
        if (!list.is_array())
            return;
        for (const Json &tensor : list) {
            if (names)
                names->push_back(textAt(tensor, "Name"));
            ProfiledShape shape;
            const Json &sizes = at(tensor, "Dimensions");
            for (const Json &size : sizes.is_array() ? sizes : Json::array()) {
                if (size.is_number_integer())
                    shape.push_back(size.get<std::int64_t>());
            }
            shapes.push_back(std::move(shape));
        }
    }

    // Of a convolution, whose inputs lack it.
    static ProfiledShape weightOf(const Json &layer, const ProfiledKernel &kernel)
    {
        const Json &window = at(layer, "Kernel");
        const Json &channels = at(layer, "OutMaps");
        const Json &groups = at(layer, "Groups");
        const auto isCount = [](const Json &value) { return value.is_number_integer() && value > 0; };
        if (textAt(layer, "ParameterType") != "Convolution" || !isCount(channels) || !isCount(groups) ||
            !window.is_array() || !std::ranges::all_of(window, isCount) || kernel.inputShapes.empty() ||
            kernel.inputShapes.front().size() < 2)
            return {};
        ProfiledShape weight{channels.get<std::int64_t>(), kernel.inputShapes.front()[1] / groups.get<std::int64_t>()};
        for (const Json &size : window)
            weight.push_back(size.get<std::int64_t>());
        return weight;
    }

    void describeLayers()
    {
        std::int64_t unknown = 0;
        for (ProfiledKernel &kernel : m_profile.kernels) {
            const auto place = m_places.find(kernel.name);
            if (place == m_places.end()) {
                ++unknown;
                continue;
            }
            const Json &layer = m_layers[place->second];
            kernel.type = textAt(layer, "LayerType");
            addTensors(at(layer, "Outputs"), &kernel.outputs, kernel.outputShapes);
            readFormat(at(layer, "Outputs"), kernel);
            addTensors(at(layer, "Inputs"), nullptr, kernel.inputShapes);
            if (const ProfiledShape weight = weightOf(layer, kernel); !weight.empty())
                kernel.inputShapes.insert(kernel.inputShapes.begin() + 1, weight);
            if (const std::string pooling = textAt(layer, "PoolingType"); !pooling.empty())
                kernel.type += ' ' + pooling;
            if (const std::string tactic = textAt(layer, "TacticName"); !tactic.empty())
                kernel.facts.emplace_back("tactic", tactic);
        }
        if (unknown > 0)
            m_profile.notes.push_back(
                fmt::format("{} of {} layers are not in the file of layers", unknown, m_profile.kernels.size()));
    }

    Profile m_profile{.format = "tensorrt"};
    std::vector<TensorRtFile> m_seen;
    std::int64_t m_runs = 1; // that the times are of
    std::vector<Json> m_layers;
    std::unordered_map<std::string, std::size_t> m_places;
    std::vector<double> m_runsUs;
};

} // namespace

bool isTensorRt(std::string_view bytes)
{
    return kindOf(bytes) != TensorRtFile::None;
}

Result<Profile> readTensorRt(std::span<const ProfileFile> files, const std::stop_token &stop)
{
    TensorRtProfile profile;
    for (const ProfileFile &file : files) {
        if (auto read = profile.read(file, stop); !read)
            return read.error().code == ErrorCode::Cancelled ? tl::unexpected(std::move(read.error()))
                                                             : within(file.path, std::move(read.error()));
    }
    auto finished = profile.finish();
    if (!finished)
        return within(files.front().path, std::move(finished.error()));
    return finished;
}

} // namespace stagecraft::profiles
