#pragma once

// A graph for tests that count what is measured: activations on one input, all of different kinds.

#include "graph/graph.h"
#include "schedule/schedule.h"

#include <QtGlobal>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace stagecraft::test {

inline std::shared_ptr<const Graph> activations(int count)
{
    GraphBuilder builder("m");
    const TensorId x = builder.addInput("x", Shape{{1, 8, 4, 4}}).value();
    for (int i = 0; i < count; ++i) {
        Operator op;
        op.name = "op" + std::to_string(i);
        op.kind = OperatorKind::Activation;
        op.attributes = Activation{ActivationKind::LeakyRelu, 0.01F * static_cast<float>(i + 1)};
        op.inputs = {{x}};
        if (!builder.add(std::move(op)))
            qFatal("the test graph does not build");
    }
    return std::make_shared<Graph>(builder.build().value());
}

inline Stage activation(std::uint32_t id)
{
    return stageAlone(OperatorId{id});
}

} // namespace stagecraft::test
