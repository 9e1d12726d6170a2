#pragma once

// Short functions to build graphs in tests. A failure to build is a bug of the test and ends it.

#include "graph/graph.h"
#include "operators/parameter_roles.h"

#include <QtGlobal>

#include <string>
#include <utility>

namespace stagecraft::test {

template <typename T>
T take(Result<T> result)
{
    if (!result)
        qFatal("a test could not build its input: %s", result.error().message.c_str());
    return std::move(*result);
}

inline Operator conv(std::string name, InputExpression inputs, std::int64_t outChannels, std::int64_t kernel = 1,
                     std::int64_t stride = 1)
{
    Operator op;
    op.name = std::move(name);
    op.type = "Conv";
    op.kind = OperatorKind::Conv;
    ConvAttributes attributes;
    attributes.outChannels = outChannels;
    attributes.window.kernel = {kernel, kernel};
    attributes.window.stride = {stride, stride};
    attributes.window.padding = {kernel / 2, kernel / 2, kernel / 2, kernel / 2};
    attributes.after.kind = ActivationKind::Relu;
    op.attributes = attributes;
    op.inputs = std::move(inputs);
    return op;
}

// Of a tensor and a weight, whose columns may be stacked with others'.
inline Operator product(std::string name, TensorId input, std::int64_t size)
{
    Operator op;
    op.name = std::move(name);
    op.type = "MatMul";
    op.kind = OperatorKind::Gemm;
    op.attributes = GemmAttributes{size, size, false, {}};
    op.inputs = {{input}};
    op.parameters = {{std::string(role::kWeight), op.name + ".w", Shape{{size, size}}, DataType::Float32, nullptr}};
    return op;
}

inline Operator join(std::string name, InputExpression inputs)
{
    Operator op;
    op.name = std::move(name);
    op.type = "Join";
    op.kind = OperatorKind::Join;
    op.inputs = std::move(inputs);
    return op;
}

} // namespace stagecraft::test
