#include "flow/verify/onnxruntime_streams.h"

#include "model/onnx_import.h"
#include "support/closest_name.h"
#include "support/json_depth.h"
#include "support/number_text.h"
#include "support/records/object_reader.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace stagecraft {
namespace {

using Json = nlohmann::json;
using Names = std::vector<std::string>;

constexpr const char *kOptimised =
    "ONNX Runtime gives some nodes other names as it optimises: verify with the model that it writes as "
    "optimized_model_filepath";

struct StreamsOfNodes {
    std::size_t devices = 0;
    std::vector<Names> streams;
};

Result<Names> namesIn(const Json &list, const std::string &where)
{
    if (!list.is_array() || !std::ranges::all_of(list, [](const Json &name) { return name.is_string(); }))
        return refuseAt(where, "it is not a list of names");
    return list.get<Names>();
}

Result<StreamsOfNodes> readStreams(const Json &json)
{
    for (const char *key : {"devices", "streams"}) {
        if (!json.contains(key) || !json[key].is_array())
            return refuseAt("partition", fmt::format("\"{}\" is not a list", key));
    }
    StreamsOfNodes read;
    TRY_AS(const auto devices, namesIn(json["devices"], "devices"));
    read.devices = devices.size();
    for (const Json &stream : json["streams"]) {
        TRY_AS(auto names, namesIn(stream, fmt::format("stream {}", read.streams.size() + 1)));
        read.streams.push_back(std::move(names));
    }
    return read;
}

// The nodes of a model by the names that ONNX Runtime knows them by.
class NodesOfModel {
public:
    NodesOfModel(const std::vector<OnnxNodeName> &named, const ImportReport &report)
    {
        for (const OnnxNodeName &node : named) {
            m_names.push_back(node.name);
            if (node.isConstant)
                m_constants.insert(node.name);
        }
        m_known.insert(m_names.begin(), m_names.end());
        m_nameless = static_cast<std::size_t>(std::ranges::count(m_names, std::string()));
        for (const TypeReport &type : report.types)
            addType(type.type, type.nodes);
        for (const auto &[type, nodes] : report.writtenOut)
            addType(type, nodes);
    }

    [[nodiscard]] const Names &names() const { return m_names; } // empty where a node has none
    [[nodiscard]] std::size_t nameless() const { return m_nameless; }
    // ONNX Runtime makes a weight of it: it may be left out.
    [[nodiscard]] bool isConstant(const std::string &name) const { return m_constants.contains(name); }
    [[nodiscard]] bool isNamed(const std::string &name) const { return m_known.contains(name); }

    // Whether ONNX Runtime may call a node that has no name like that: by its type, and a number that counts those of
    // the type.
    [[nodiscard]] bool mayBeNameless(std::string_view name) const
    {
        const std::size_t digits = name.find_last_not_of("0123456789") + 1;
        const std::string_view number = name.substr(digits);
        if (number.empty() || number.size() > kMostDigits || (number.front() == '0' && number.size() > 1))
            return false;
        const auto type = m_types.find(std::string(name.substr(0, digits)));
        const auto nodes = type == m_types.end() ? std::size_t{0} : std::min(type->second, m_nameless);
        return std::stoul(std::string(number)) < nodes;
    }

private:
    static constexpr std::size_t kMostDigits = 9;

    void addType(std::string_view type, std::int64_t nodes)
    {
        const std::size_t domain = type.rfind("::");
        m_types[std::string(domain == std::string_view::npos ? type : type.substr(domain + 2))] +=
            static_cast<std::size_t>(nodes);
    }

    Names m_names;
    std::unordered_set<std::string> m_known;
    std::unordered_set<std::string> m_constants;
    std::unordered_map<std::string, std::size_t> m_types; // nodes of each, without its domain
    std::size_t m_nameless = 0;
};

// Every node once, and nothing else. What ONNX Runtime does otherwise was tried with version 1.32.
Result<std::vector<PlanFault>> faultsOf(const StreamsOfNodes &read, const NodesOfModel &nodes,
                                        const std::stop_token &stop)
{
    constexpr int kMostSuggestions = 16; // each looks at all nodes
    int suggestions = 0;
    std::vector<PlanFault> faults;
    if (read.devices != read.streams.size())
        faults.push_back({"number of devices",
                          fmt::format("it names {} for {}: ONNX Runtime passes over the file",
                                      counted(static_cast<std::int64_t>(read.devices), "device"),
                                      counted(static_cast<std::int64_t>(read.streams.size()), "stream")),
                          "Name one device for each stream: 0 is the CPU, 1 the GPU"});
    std::unordered_map<std::string, std::size_t> streamOf;
    for (std::size_t stream = 0; stream < read.streams.size(); ++stream) {
        if (read.streams[stream].empty())
            faults.push_back({"empty stream", fmt::format("stream {} has no nodes: ONNX Runtime crashes", stream + 1),
                              "Leave it out, and its device"});
        for (const std::string &name : read.streams[stream]) {
            if (stop.stop_requested())
                return fail(ErrorCode::Cancelled, "cancelled");
            const auto [found, isNew] = streamOf.try_emplace(name, stream);
            if (!isNew && found->second == stream && nodes.isNamed(name) && nodes.mayBeNameless(name))
                continue; // as ONNX Runtime itself writes a name that it gives, too
            if (!isNew)
                faults.push_back(
                    {"node twice",
                     found->second == stream
                         ? fmt::format("{} is twice in stream {}", name, stream + 1)
                         : fmt::format("{} is in stream {} and in stream {}: ONNX Runtime takes one of them", name,
                                       found->second + 1, stream + 1),
                     "Leave it in one place",
                     {name}});
            else if (!nodes.isNamed(name) && !nodes.mayBeNameless(name))
                faults.push_back(
                    {"unknown node",
                     fmt::format("{} is in stream {}, and the model has no node of this name: ONNX Runtime "
                                 "passes over it",
                                 name, stream + 1),
                     (suggestions++ < kMostSuggestions ? didYouMean(name, nodes.names()) : std::string()) + kOptimised,
                     {name}});
        }
    }
    for (const std::string &name : nodes.names()) {
        if (!name.empty() && !nodes.isConstant(name) && !streamOf.contains(name))
            faults.push_back({"node left out",
                              fmt::format("{} is in no stream: ONNX Runtime refuses the file", name),
                              fmt::format("Put {} into a stream. {}", name, kOptimised),
                              {name}});
    }
    return faults;
}

} // namespace

bool isOnnxRuntimeStreams(std::string_view text)
{
    if (nestsTooDeeply(text) || text.find("\"DeviceBasedPartitioner\"") == std::string_view::npos)
        return false;
    const Json json = Json::parse(text, nullptr, false);
    return json.is_object() && json.contains("type") && json["type"] == "DeviceBasedPartitioner";
}

Result<VerifiedPlan> verifyOnnxRuntimeStreams(std::string_view text, const Model &model, const std::stop_token &stop)
{
    auto names = onnxNodeNames(model.source);
    if (!names)
        return within(model.name,
                      refused("the streams of ONNX Runtime name the nodes of an ONNX file, and this is none",
                              "Give --model the .onnx file that ONNX Runtime runs")
                          .value());
    const Json json = Json::parse(text, nullptr, false);
    if (json.is_discarded())
        return refused("is no file of streams: it is not JSON, or it is cut short", "Write it again");
    TRY_AS(const auto read, readStreams(json));
    VerifiedPlan verified;
    verified.streams = read.streams.size();
    std::size_t named = 0;
    for (const Names &stream : read.streams)
        named += stream.size();
    verified.launches = named;
    const NodesOfModel nodes(*names, model.report);
    TRY_AS(verified.faults, faultsOf(read, nodes, stop));
    verified.notShown = {"waits: ONNX Runtime makes a stream wait where a node reads what another stream made",
                         "the order of the nodes of a stream, which ONNX Runtime chooses itself",
                         "memory, which ONNX Runtime plans itself"};
    if (nodes.nameless() > 0)
        verified.notShown.push_back(fmt::format("{} of the model that have no name: ONNX Runtime gives them one",
                                                counted(static_cast<std::int64_t>(nodes.nameless()), "node")));
    return verified;
}

} // namespace stagecraft
