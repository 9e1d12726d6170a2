#include "model/onnx/read/part_merges.h"

#include "model/onnx/file/element_types.h"
#include "model/onnx/read/parted_merge.h"
#include "support/json_depth.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <onnx/onnx_pb.h>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace stagecraft {
namespace {

using Json = nlohmann::json;
using Member = StatedMerge::Member;

constexpr std::int64_t kLargestSize = std::int64_t{1} << 32U;

std::optional<Member> memberFrom(const Json &json)
{
    const auto isSize = [](const Json &number) { return number.is_number_unsigned() && number <= kLargestSize; };
    if (!json.is_object() || !json.contains("name") || !json["name"].is_string() || !json.contains("channels") ||
        !isSize(json["channels"]) || !json.contains("bias") || !json["bias"].is_boolean())
        return std::nullopt;
    Member member{json["name"], json["channels"], {}, json["bias"]};
    if (!json.contains("kernel")) // a product
        return member;
    const Json &kernel = json["kernel"];
    if (!kernel.is_array() || kernel.size() != 2 || !std::ranges::all_of(kernel, isSize))
        return std::nullopt;
    member.kernel = {kernel[0], kernel[1]};
    return member;
}

Result<std::vector<StatedMerge>> mergesFrom(const std::string &text)
{
    const Json json = nestsTooDeeply(text) ? Json() : Json::parse(text, nullptr, false);
    if (!json.is_array())
        return refuseMerge("its list of merged operators is not a list");
    std::vector<StatedMerge> merges;
    for (const Json &entry : json) {
        const bool isWhole = entry.is_object() && entry.contains("nodes") && entry["nodes"].is_array() &&
                             entry["nodes"].size() >= 2 && entry.contains("operators") &&
                             entry["operators"].is_array() && !entry["operators"].empty();
        if (!isWhole)
            return refuseMerge("an entry of its list of merged operators is incomplete");
        StatedMerge &merge = merges.emplace_back();
        for (const Json &node : entry["nodes"])
            merge.nodes.push_back(node.is_string() ? node.get<std::string>() : std::string());
        for (const Json &one : entry["operators"]) {
            auto member = memberFrom(one);
            if (!member)
                return refuseMerge("a merged operator is incompletely described");
            merge.members.push_back(std::move(*member));
        }
    }
    return merges;
}

Result<std::vector<std::unique_ptr<PartedMerge>>>
checked(const onnx::GraphProto &graph, const std::vector<StatedMerge> &merges, const std::filesystem::path &folder)
{
    std::unordered_map<std::string, const onnx::NodeProto *> byName;
    for (const auto &node : graph.node())
        byName.emplace(node.name(), &node);
    Initializers initializers;
    for (const auto &initializer : graph.initializer())
        initializers.emplace(initializer.name(), &initializer);
    std::unordered_set<std::string> seen;
    std::vector<std::unique_ptr<PartedMerge>> parted;
    for (const StatedMerge &merge : merges) {
        std::vector<const onnx::NodeProto *> nodes;
        for (const std::string &name : merge.nodes) {
            const auto found = byName.find(name);
            if (found == byName.end() || !seen.insert(name).second)
                return refuseMerge("node " + name + " of a merged operator is not in the file, or in two of them");
            nodes.push_back(found->second);
        }
        const auto make = merge.members.front().kernel            ? partedConvolution
                          : nodes.front()->op_type() == "Reshape" ? partedProductsApart
                                                                  : partedProduct;
        PartedMerge &one = *parted.emplace_back(make(std::move(nodes), merge));
        if (auto fits = one.check(initializers, folder); !fits)
            return within("operator " + merge.nodes.front(), std::move(fits.error()));
    }
    return parted;
}

} // namespace

tl::unexpected<Error> refuseMerge(std::string reason)
{
    return fail(ErrorCode::InvalidInput, std::move(reason));
}

FreeNames::FreeNames(const onnx::GraphProto &graph)
{
    for (const auto &node : graph.node())
        m_taken.insert(node.output().begin(), node.output().end());
    for (const auto &initializer : graph.initializer())
        m_taken.insert(initializer.name());
    for (const auto &input : graph.input())
        m_taken.insert(input.name());
}

std::string FreeNames::fresh(const std::string &wanted)
{
    std::string name = wanted;
    for (int i = 2; !m_taken.insert(name).second; ++i)
        name = fmt::format("{}_{}", wanted, i);
    return name;
}

void addInitializer(onnx::GraphProto &graph, const std::string &name, const std::vector<std::int64_t> &dims,
                    int elementType, const std::vector<float> &values)
{
    onnx::TensorProto &tensor = *graph.add_initializer();
    tensor.set_name(name);
    tensor.mutable_dims()->Assign(dims.begin(), dims.end());
    tensor.set_data_type(elementType);
    tensor.set_raw_data(bytesAs(elementType, values));
}

Result<void> partMerges(onnx::ModelProto &model, const std::string &text, const std::filesystem::path &folder)
{
    TRY_AS(const auto merges, mergesFrom(text));
    onnx::GraphProto &graph = *model.mutable_graph();
    TRY_AS(auto parted, checked(graph, merges, folder));
    std::unordered_map<std::string, const PartedMerge *> first; // by its node
    std::unordered_set<std::string> others;
    std::unordered_set<std::string> replaced;
    for (std::size_t i = 0; i < merges.size(); ++i) {
        first.emplace(merges[i].nodes.front(), parted[i].get());
        others.insert(merges[i].nodes.begin() + 1, merges[i].nodes.end());
        for (std::string &weight : parted[i]->weights())
            replaced.insert(std::move(weight));
    }
    FreeNames names(graph);
    NodeList nodes;
    for (auto &node : *graph.mutable_node()) {
        if (const auto found = first.find(node.name()); found != first.end())
            found->second->write(nodes, graph, names);
        else if (!others.contains(node.name()))
            *nodes.Add() = node;
    }
    *graph.mutable_node() = std::move(nodes);
    for (const auto &node : graph.node()) {
        for (const std::string &input : node.input())
            replaced.erase(input);
    }
    auto &initializers = *graph.mutable_initializer();
    const auto kept = std::stable_partition(initializers.pointer_begin(), initializers.pointer_end(),
                                            [&](const auto *tensor) { return !replaced.contains(tensor->name()); });
    initializers.DeleteSubrange(static_cast<int>(kept - initializers.pointer_begin()),
                                static_cast<int>(initializers.pointer_end() - kept));
    return {};
}

} // namespace stagecraft
