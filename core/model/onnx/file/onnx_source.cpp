#include "model/onnx/file/onnx_source.h"

#include <onnx/onnx_pb.h>

namespace stagecraft {

DeclaredTypes declaredTypes(const OnnxSource &source)
{
    DeclaredTypes types;
    const onnx::GraphProto &graph = source.file->graph();
    for (const auto *infos : {&graph.input(), &graph.output(), &graph.value_info()}) {
        for (const auto &info : *infos) {
            if (info.has_type())
                types.emplace(info.name(), &info.type());
        }
    }
    return types;
}

} // namespace stagecraft
