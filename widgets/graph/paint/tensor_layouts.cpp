#include "widgets/graph/paint/tensor_layouts.h"

#include <algorithm>
#include <set>
#include <unordered_map>

namespace stagecraft {

ShownLayouts shownLayouts(const Graph &graph, const Schedule *schedule)
{
    ShownLayouts shown;
    if (!schedule || schedule->layouts.empty())
        return shown;
    std::unordered_map<std::string_view, TensorLayout> writes(schedule->layouts.tensors.begin(),
                                                              schedule->layouts.tensors.end());
    std::unordered_map<std::string_view, TensorLayout> reads(schedule->layouts.reads.begin(),
                                                             schedule->layouts.reads.end());
    const auto written = [&](TensorId id) {
        const auto stated = writes.find(graph.tensor(id).name);
        return stated == writes.end() ? TensorLayout::RowMajor : stated->second;
    };
    const auto isImage = [&](TensorId id) {
        return graph.tensor(id).shape.known && graph.tensor(id).shape.dims.size() == 4;
    };
    std::set<std::pair<TensorId, TensorLayout>> converted;
    const auto convert = [&](TensorId tensor, OperatorId reader, TensorLayout to) {
        const bool isFirst = converted.emplace(tensor, to).second;
        shown.readings.push_back({tensor, reader, written(tensor), to, isFirst});
    };
    shown.of.resize(graph.size());
    for (std::size_t i = 0; i < graph.size(); ++i) {
        const Operator &op = graph.operators()[i];
        if (op.outputs.empty() || !isImage(op.outputs.front()))
            continue;
        ShownLayout layout{.writes = written(op.outputs.front())};
        std::set<TensorLayout> inputs;
        for (const auto &part : op.inputs) {
            for (const TensorId tensor : part) {
                if (isImage(tensor))
                    inputs.insert(written(tensor));
            }
        }
        const auto stated = reads.find(op.name);
        layout.reads = stated != reads.end() ? stated->second : inputs.size() == 1 ? *inputs.begin() : layout.writes;
        for (const auto &part : op.inputs) {
            for (const TensorId tensor : part) {
                if (!isImage(tensor) || written(tensor) == layout.reads)
                    continue;
                ++layout.conversions;
                convert(tensor, OperatorId::fromIndex(i), layout.reads);
            }
        }
        shown.of[i] = layout;
    }
    for (const TensorId output : graph.outputs()) {
        if (isImage(output) && written(output) != TensorLayout::RowMajor)
            convert(output, {}, TensorLayout::RowMajor);
    }
    shown.conversions = converted.size();
    return shown;
}

QString layoutText(TensorLayout layout)
{
    const std::string_view name = nameOf(layout);
    return QString::fromUtf8(name);
}

} // namespace stagecraft
