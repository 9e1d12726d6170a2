#include "model/onnx/read/passed_outputs.h"

#include "model/onnx/read/output_use.h"
#include "model/onnx/unit_mark.h"

#include <algorithm>
#include <onnx/onnx_pb.h>
#include <string_view>
#include <vector>

namespace stagecraft {

std::unordered_map<NameId, NameId> namesOfPassedOutputs(const onnx::GraphProto &graph, const FileNames &names,
                                                        const OutputUse &use, const std::unordered_set<NameId> &outputs)
{
    std::unordered_map<NameId, NameId> renamed;
    const auto passes = [](const auto &node) {
        const std::string_view type = node.op_type();
        return type == "Identity" || type == "Dropout";
    };
    if (std::ranges::none_of(graph.node(), passes))
        return renamed;
    std::vector<bool> isMade(names.size());
    for (int i = 0; i < graph.node_size(); ++i) {
        for (const NameId made : names.makes(i)) {
            if (made.isValid())
                isMade[made.index()] = true;
        }
    }
    for (int i = graph.node_size(); i-- > 0;) {
        const auto &node = graph.node(i);
        if (!passes(node) || node.input_size() < 1 || node.output_size() < 1 || use.outputsOf(node).size() > 1 ||
            node.doc_string() == kUnitMark)
            continue;
        const NameId input = names.reads(i).front();
        const NameId made = names.makes(i).front();
        const auto shown = renamed.find(made);
        const NameId target = shown == renamed.end() ? made : shown->second;
        if (outputs.contains(target) && input.isValid() && isMade[input.index()] && !outputs.contains(input))
            renamed.emplace(input, target);
    }
    return renamed;
}

} // namespace stagecraft
