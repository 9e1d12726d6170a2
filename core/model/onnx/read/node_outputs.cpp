#include "model/onnx/read/node_outputs.h"

#include "model/onnx/file/graph_file.h"
#include "operators/schema.h"

#include <algorithm>
#include <onnx/onnx_pb.h>
#include <span>
#include <utility>

namespace stagecraft {

void keepPlaces(const OnnxNode &node, Operator &op)
{
    auto *generic = std::get_if<GenericAttributes>(&op.attributes);
    if (!generic || std::ranges::none_of(node.outputs, &std::string_view::empty))
        return;
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
        if (!node.outputs[i].empty())
            generic->outputPlaces.push_back(static_cast<std::int64_t>(i));
    }
}

Result<std::optional<std::vector<Shape>>> outputShapesOf(const OnnxNode &node, const Operator &op,
                                                         const GraphBuilder &graph)
{
    TRY_AS(auto shapes, inferShapes(node));
    // The operator table decides the shapes of the kinds it knows.
    const bool hasRule = op.kind == OperatorKind::Conv || op.kind == OperatorKind::Pool ||
                         op.kind == OperatorKind::Join || op.kind == OperatorKind::Activation ||
                         (op.kind == OperatorKind::Gemm && !op.parameters.empty());
    const bool isKept = op.kind == OperatorKind::Activation && shapes && shapes->size() == 1; // the input's shape
    if (!hasRule || isKept)
        return shapes;
    const bool isOne = op.inputs.size() == 1 && op.inputs.front().size() == 1;
    std::vector<Shape> operands;
    for (const auto &part : op.inputs) {
        for (const TensorId input : part) {
            if (!isOne)
                operands.push_back(graph.tensor(input).shape);
        }
    }
    TRY_AS(auto shape, inferShape(op, isOne ? std::span(&graph.tensor(op.inputs.front().front()).shape, 1)
                                            : std::span<const Shape>(operands)));
    shapes.emplace(1).front() = std::move(shape);
    return shapes;
}

DataType outputTypeOf(const OnnxNode &node, std::size_t output)
{
    // Its type is that of a constant which the program cannot read: 8-bit floating point, 4-bit integers.
    constexpr int kZeroPoint = 2;
    if (node.type == "QuantizeLinear" && node.proto->input_size() > kZeroPoint && !node.has(kZeroPoint) &&
        !node.proto->input(kZeroPoint).empty())
        return DataType::Other;
    return resultType(node, output);
}

Shape declaredShape(const GraphFile &file, NameId name, std::optional<std::int64_t> ownBatch, std::int64_t batch)
{
    const auto *info = file.declared(name);
    if (!info || !info->type().tensor_type().has_shape())
        return Shape{{}, false};
    Shape shape;
    for (const auto &dim : info->type().tensor_type().shape().dim()) {
        if (!dim.has_dim_value() || dim.dim_value() < 1)
            return Shape{{}, false};
        shape.dims.push_back(dim.dim_value());
    }
    if (!shape.dims.empty() && ownBatch && shape.dims[0] == ownBatch)
        shape.dims[0] = batch;
    return elementCount(shape.dims) ? shape : Shape{{}, false};
}

} // namespace stagecraft
