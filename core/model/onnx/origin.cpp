#include "model/onnx/origin.h"

#include <onnx/onnx_pb.h>

namespace stagecraft {

void forgetWeights(onnx::ModelProto &file)
{
    for (auto &initializer : *file.mutable_graph()->mutable_initializer()) {
        const bool isRead = dataTypeOf(initializer.data_type()) != DataType::Other;
        if (isRead && initializer.data_type() != onnx::TensorProto::DOUBLE) { // see OriginOperand::stored
            initializer.clear_raw_data();
            initializer.clear_float_data();
            initializer.clear_int32_data();
            initializer.clear_int64_data();
        }
    }
}

DeclaredTypes declaredTypes(const OnnxOrigin &origin)
{
    DeclaredTypes types;
    const onnx::GraphProto &graph = origin.file->graph();
    for (const auto *infos : {&graph.input(), &graph.output(), &graph.value_info()}) {
        for (const auto &info : *infos) {
            if (info.has_type())
                types.emplace(info.name(), &info.type());
        }
    }
    return types;
}

} // namespace stagecraft
