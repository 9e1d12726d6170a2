#pragma once

// How an ONNX file states its schedule:
//
//   model  stagecraft.schedule   a schedule file as text (results/files/schedule_json.h)
//          stagecraft.merges     [{"nodes": [the Concat of inputs of their own, the convolution or product, the sum
//                                 with its bias, activations..., the Split],
//                                  "operators": [{"name", "channels", "kernel": [height, width], "bias"}]}]
//                                 (channels: or columns; kernel: of convolutions; of products with inputs of their
//                                 own a Reshape of each, the Concat, the MatMul, the sum with the bias, activations...,
//                                 the Split and a Reshape of each)
//   node   stagecraft.operator   the schedule unit that the node is part of; a merged one is named a+b
//          stagecraft.stage, stagecraft.group, stagecraft.block   from 1
//          stagecraft.strategy   concurrent or merge
//          stagecraft.launch, stagecraft.stream   of streams, instead, from 1
//          stagecraft.waits      the launches of other streams that it waits for, if any: 3 5
//
// Readers use what the model states; what nodes state is for people and other tools. Nodes have metadata since ONNX
// 1.16 (IR version 10). It is an addition that older readers pass over, so it is written whatever the file's IR version
// is, and through an ONNX library that does not know it yet.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace onnx {
class ModelProto;
class NodeProto;
} // namespace onnx

namespace stagecraft {

inline constexpr std::string_view kScheduleKey = "stagecraft.schedule";
inline constexpr std::string_view kMergesKey = "stagecraft.merges";

using OnnxMetadata = std::vector<std::pair<std::string, std::string>>;

void addMetadata(onnx::ModelProto &model, std::string_view key, std::string value);
void addMetadata(onnx::NodeProto &node, const OnnxMetadata &entries);

// Removes an entry and returns its value; empty if there is none.
[[nodiscard]] std::string takeMetadata(onnx::ModelProto &model, std::string_view key);
// Removes what an earlier export states about nodes.
void dropStageMetadata(onnx::ModelProto &model);

} // namespace stagecraft
