#include "model/onnx/read/old_forms.h"

#include <set>

namespace stagecraft {

void alignOldBroadcast(OnnxNode &node)
{
    static const std::set<std::string> arithmetic{"Add", "Sub", "Mul", "Div", "Pow", "And", "Or", "Xor", "Equal"};
    if (node.opset >= 7 || !arithmetic.contains(node.type) || !node.gives("axis") || !node.has(0) ||
        !node.constant(1) || !node.shape(0).known)
        return;
    Constant constant = *node.constant(1);
    const auto axis = axisWithin(node.integer("axis"), node.shape(0).dims.size());
    if (!axis || *axis + constant.dims.size() > node.shape(0).dims.size())
        return;
    constant.dims.resize(node.shape(0).dims.size() - *axis, 1);
    node.inputs[1]->shape = Shape{constant.dims};
    node.inputs[1]->constant = std::make_shared<Constant>(std::move(constant));
}

OperandFacts passedOn(const OnnxNode &node, OperandFacts value)
{
    if (node.type != "Cast" || !value.constant)
        return value;
    Constant constant = *value.constant;
    constant.elementType = static_cast<int>(node.integer("to"));
    constant.type = dataTypeOf(constant.elementType);
    value.type = constant.type;
    value.constant = std::make_shared<Constant>(std::move(constant));
    return value;
}

} // namespace stagecraft
