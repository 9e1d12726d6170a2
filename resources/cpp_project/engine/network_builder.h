#pragma once

// Takes down the schedule of a network, as the functions in stages/ tell it: stages, group by group, or launches on
// streams.

#include "graph/graph.h"
#include "schedule/schedule.h"
#include "weights_file.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace stagecraft {

class NetworkBuilder {
public:
    explicit NetworkBuilder(const WeightsFile &weights) : m_weights(weights) {}

    // A constant: what it is for, its shape, and the byte of the weights file where its values begin.
    struct Constant {
        std::string role; // "weight", "bias", ...: operators/parameter_roles.h
        std::vector<std::int64_t> shape;
        std::uint64_t offset = 0;
        bool integers = false; // int64 values, float32 otherwise
    };

    // A tensor that an operator writes. The operators that read it come later.
    struct Output {
        TensorId &tensor;
        Shape shape;
        std::string name; // empty: inside the network
    };

    struct Description {
        std::string name;
        std::string type;
        OperatorKind kind = OperatorKind::Unknown;
        InputExpression inputs; // {{a, b}, {c}}: the concatenation, along channels, of a + b and c
        Attributes attributes;
        std::vector<Output> outputs;
        std::vector<Constant> constants;
        double flops = 0; // the group with most work of a stage starts first
    };

    TensorId input(std::string name, std::vector<std::int64_t> shape);
    // What follows runs after everything before. `launchOrder`: indices of the operators that follow, group after
    // group.
    void stage(Strategy strategy, const std::vector<std::size_t> &launchOrder = {});
    void group(); // what follows runs beside the other groups of the stage
    // Instead of stages: what follows runs on this stream, after what it has and the launches that it waits for;
    // several operators are merged.
    void launch(std::uint32_t stream, std::vector<std::uint32_t> waits);
    void add(Description description);
    void output(TensorId tensor) { m_graph->addOutput(tensor); }
    void releaseConstants() { m_graph->releaseConstants(); } // for when they are packed

    [[nodiscard]] std::shared_ptr<const Graph> graph() const { return m_graph; }
    [[nodiscard]] const Schedule &schedule() const { return m_schedule; }

private:
    const WeightsFile &m_weights;
    std::shared_ptr<Graph> m_graph = std::make_shared<Graph>();
    Schedule m_schedule;
};

} // namespace stagecraft
