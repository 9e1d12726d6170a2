#include "network_builder.h"

#include <algorithm>

namespace stagecraft {

TensorId NetworkBuilder::input(std::string name, std::vector<std::int64_t> shape)
{
    const TensorId tensor = m_graph->addTensor({std::move(name), {std::move(shape)}, DataType::Float32, {}});
    m_graph->addInput(tensor);
    return tensor;
}

void NetworkBuilder::stage(Strategy strategy, const std::vector<std::size_t> &launchOrder)
{
    Stage &stage = m_schedule.stages.emplace_back();
    stage.strategy = strategy;
    for (const std::size_t index : launchOrder)
        stage.launchOrder.push_back(OperatorId::fromIndex(m_graph->size() + index));
}

void NetworkBuilder::group()
{
    m_schedule.stages.back().groups.emplace_back();
}

void NetworkBuilder::launch(std::uint32_t stream, std::vector<std::uint32_t> waits)
{
    if (!m_schedule.streams)
        m_schedule.streams.emplace();
    m_schedule.streams->count = std::max(m_schedule.streams->count, stream + 1);
    m_schedule.streams->launches.push_back({{}, stream, std::move(waits)});
}

void NetworkBuilder::add(Description description)
{
    Operator op{description.name,
                description.type,
                description.kind,
                std::move(description.attributes),
                std::move(description.inputs),
                {},
                {}};
    for (const Constant &constant : description.constants) {
        Shape shape{constant.shape};
        const auto count = static_cast<std::size_t>(shape.elements());
        SharedValues values = constant.integers ? shared(m_weights.values<std::int64_t>(constant.offset, count))
                                                : shared(m_weights.values<float>(constant.offset, count));
        op.parameters.push_back({constant.role, {}, std::move(shape), DataType::Float32, std::move(values)});
    }
    for (Output &output : description.outputs) {
        const std::string name = output.name.empty() ? description.name : output.name;
        output.tensor = m_graph->addTensor({name, std::move(output.shape), DataType::Float32, {}});
        op.outputs.push_back(output.tensor);
    }
    std::vector<OperatorId> &operators =
        m_schedule.streams ? m_schedule.streams->launches.back().operators : m_schedule.stages.back().groups.back();
    operators.push_back(m_graph->addOperator(std::move(op), description.flops));
}

} // namespace stagecraft
