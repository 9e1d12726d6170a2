#pragma once

// One merged operator of a file with stages, to be taken apart. Private to part_merges.

#include "support/result.h"

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <onnx/onnx_pb.h>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace stagecraft {

// What the file states of it.
struct StatedMerge {
    struct Member {
        std::string name;
        std::int64_t channels = 0;
        std::optional<std::array<std::int64_t, 2>> kernel; // of a convolution
        bool hasBias = false;
    };
    std::vector<std::string> nodes; // as in model/onnx/file/stage_metadata.h
    std::vector<Member> members;
};

[[nodiscard]] tl::unexpected<Error> refuseMerge(std::string reason);

class FreeNames {
public:
    explicit FreeNames(const onnx::GraphProto &graph);

    std::string fresh(const std::string &wanted);

private:
    std::unordered_set<std::string> m_taken;
};

using Initializers = std::unordered_map<std::string, const onnx::TensorProto *>;
using NodeList = google::protobuf::RepeatedPtrField<onnx::NodeProto>;

void addInitializer(onnx::GraphProto &graph, const std::string &name, const std::vector<std::int64_t> &dims,
                    int elementType, const std::vector<float> &values);

class PartedMerge {
public:
    virtual ~PartedMerge() = default;
    PartedMerge(const PartedMerge &) = delete;
    PartedMerge &operator=(const PartedMerge &) = delete;

    // Reads and cuts the weights.
    [[nodiscard]] virtual Result<void> check(const Initializers &initializers, const std::filesystem::path &folder) = 0;
    // The nodes of the members, with their constants.
    virtual void write(NodeList &nodes, onnx::GraphProto &graph, FreeNames &names) const = 0;
    // The names of the merged tensors, which the members' replace.
    [[nodiscard]] virtual std::vector<std::string> weights() const = 0;

protected:
    PartedMerge() = default;
};

// `nodes`: as the merge lists them; both outlive the result.
[[nodiscard]] std::unique_ptr<PartedMerge> partedConvolution(std::vector<const onnx::NodeProto *> nodes,
                                                             const StatedMerge &merge);
[[nodiscard]] std::unique_ptr<PartedMerge> partedProduct(std::vector<const onnx::NodeProto *> nodes,
                                                         const StatedMerge &merge);
// Of inputs of their own.
[[nodiscard]] std::unique_ptr<PartedMerge> partedProductsApart(std::vector<const onnx::NodeProto *> nodes,
                                                               const StatedMerge &merge);

} // namespace stagecraft
