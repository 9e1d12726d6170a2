#include "network_builder.h"

namespace stagecraft {

TensorId NetworkBuilder::input(std::string name, std::vector<std::int64_t> shape)
{
    const TensorId tensor = m_graph->addTensor({std::move(name), {std::move(shape)}, DataType::Float32, {}});
    m_graph->addInput(tensor);
    return tensor;
}

void NetworkBuilder::stage(Strategy strategy)
{
    m_stages.push_back({strategy, {}});
}

void NetworkBuilder::group()
{
    m_stages.back().groups.emplace_back();
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
    m_stages.back().groups.back().push_back(m_graph->addOperator(std::move(op), description.flops));
}

} // namespace stagecraft
