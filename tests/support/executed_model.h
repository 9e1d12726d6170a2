#pragma once

// ONNX files that tests make by hand, read and executed on cpu. Link device_networks.cpp, cpu, model and search.

#include "device/cpu/cpu_device.h"
#include "device/executing/session_steps.h"
#include "model/onnx_import.h"
#include "operators/schema.h"
#include "search/stages/search.h"
#include "support/device_networks.h"
#include "support/onnx_nodes.h"

#include <QStringList>

#include <memory>
#include <utility>
#include <vector>

namespace stagecraft::test {

// Of opset 13, with an input x.
inline onnx::ModelProto newModel(const std::vector<std::int64_t> &dims)
{
    onnx::ModelProto model;
    model.set_ir_version(8);
    model.add_opset_import()->set_version(13);
    model.mutable_graph()->set_name("made");
    describe(*model.mutable_graph()->add_input(), "x", onnx::TensorProto::FLOAT, dims);
    return model;
}

inline SourceGraph readModel(const onnx::ModelProto &model)
{
    auto source = importOnnxBytes(model.SerializeAsString(), "made", {});
    if (!source)
        qFatal("%s", source.error().message.c_str());
    return std::move(*source);
}

// "Conv-Relu", in the graph's order.
inline QStringList typesOf(const Graph &graph)
{
    QStringList types;
    for (const Operator &op : graph.operators())
        types << QString::fromStdString(displayType(op));
    return types;
}

inline std::vector<HostTensor> outputsOf(SourceGraph source, const std::vector<float> &x)
{
    const auto graph = std::make_shared<const Graph>(std::move(source.graph));
    auto session = makeCpuDevice()->open(graph);
    if (!session)
        qFatal("%s", session.error().message.c_str());
    const Shape shape = graph->tensor(graph->inputs().front()).shape;
    auto outputs = runOn(**session, sequentialSchedule(*graph, oneBlock(*graph)), {{"x", shape, x}}, {});
    if (!outputs)
        qFatal("%s", outputs.error().message.c_str());
    return std::move(*outputs);
}

} // namespace stagecraft::test
