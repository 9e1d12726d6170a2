#include "model/onnx/read/output_use.h"

#include "model/onnx/read/node_order.h"

#include <algorithm>
#include <onnx/onnx_pb.h>
#include <set>
#include <unordered_map>

namespace stagecraft {
namespace {

// Types whose outputs after the first may be missing. Other types (Split, TopK, If) have as many as they list.
bool mayLeaveOutputsOut(const onnx::NodeProto &node)
{
    static const std::unordered_set<std::string> types{"BatchNormalization", "Dropout", "GRU", "LSTM",
                                                       "LayerNormalization", "MaxPool", "RNN", "Unique"};
    return (node.domain().empty() || node.domain() == "ai.onnx") && types.contains(node.op_type());
}

} // namespace

OutputUse::OutputUse(const onnx::GraphProto &graph)
{
    const auto mayMatter = [](const onnx::NodeProto &node) {
        return node.output_size() > 1 && mayLeaveOutputsOut(node);
    };
    if (std::ranges::none_of(graph.node(), mayMatter))
        return;
    for (const auto &node : graph.node()) {
        for (const std::string_view name : readNames(node))
            m_used.insert(name);
    }
    for (const auto &output : graph.output())
        m_used.insert(output.name());
    m_used.erase(std::string_view()); // an operand left out
}

std::vector<std::string_view> OutputUse::outputsOf(const onnx::NodeProto &node) const
{
    std::vector<std::string_view> names(node.output().begin(), node.output().end());
    while (names.size() > 1 && mayLeaveOutputsOut(node) && !m_used.contains(names.back()))
        names.pop_back();
    return names;
}

} // namespace stagecraft
