#include "rewrite/graph_edit.h"

#include <algorithm>

namespace stagecraft {

GraphEdit::GraphEdit(Graph graph, std::set<std::string> keptApart) : m_keptApart(std::move(keptApart))
{
    Graph::Parts parts = std::move(graph).take();
    m_name = std::move(parts.name);
    m_operators = std::move(parts.operators);
    m_tensors = std::move(parts.tensors);
    m_inputs = std::move(parts.inputs);
    m_outputs = std::move(parts.outputs);
    m_alive.assign(m_operators.size(), true);
    m_readers.resize(m_tensors.size());
    m_isOutput.resize(m_tensors.size());
    for (const TensorId output : m_outputs)
        m_isOutput[output.index()] = true;
    for (std::size_t i = 0; i < m_operators.size(); ++i) {
        for (const auto &part : m_operators[i].inputs) {
            for (const TensorId input : part) {
                auto &list = m_readers[input.index()];
                if (list.empty() || list.back().index() != i)
                    list.push_back(OperatorId::fromIndex(i));
            }
        }
    }
}

OperatorId GraphEdit::onlyReader(OperatorId id) const
{
    const Operator &operation = op(id);
    if (operation.outputs.size() != 1 || isOutput(operation.outputs.front()))
        return {};
    const auto &list = readers(operation.outputs.front());
    return list.size() == 1 ? list.front() : OperatorId{};
}

TensorId GraphEdit::onlyInput(OperatorId id) const
{
    const InputExpression &inputs = op(id).inputs;
    return inputs.size() == 1 && inputs.front().size() == 1 ? inputs.front().front() : TensorId{};
}

void GraphEdit::forgetReads(OperatorId id)
{
    for (const auto &part : op(id).inputs) {
        for (const TensorId input : part)
            std::erase(m_readers[input.index()], id);
    }
}

void GraphEdit::setInputs(OperatorId id, InputExpression inputs)
{
    forgetReads(id);
    op(id).inputs = std::move(inputs);
    for (const auto &part : op(id).inputs) {
        for (const TensorId input : part) {
            auto &list = m_readers[input.index()];
            const auto place = std::ranges::lower_bound(list, id);
            if (place == list.end() || *place != id)
                list.insert(place, id);
        }
    }
}

void GraphEdit::absorbReader(OperatorId id, OperatorId later)
{
    forgetReads(later);
    op(id).outputs = op(later).outputs;
    for (const TensorId output : op(id).outputs)
        m_tensors[output.index()].producer = id;
    m_alive[later.index()] = false;
}

void GraphEdit::remove(OperatorId id)
{
    forgetReads(id);
    m_alive[id.index()] = false;
}

void GraphEdit::removeDead()
{
    for (std::size_t i = m_operators.size(); i-- > 0;) {
        const OperatorId id = OperatorId::fromIndex(i);
        const auto isNeeded = [&](TensorId output) { return !readers(output).empty() || isOutput(output); };
        if (isAlive(id) && std::ranges::none_of(op(id).outputs, isNeeded))
            remove(id);
    }
}

Result<Graph> GraphEdit::build() &&
{
    GraphBuilder builder(m_name);
    builder.reserve(m_operators.size());
    std::vector<TensorId> moved(m_tensors.size());
    for (const TensorId id : m_inputs) {
        auto added = builder.addInput(tensor(id).name, tensor(id).shape, tensor(id).type);
        if (!added)
            return tl::unexpected(std::move(added.error()));
        moved[id.index()] = *added;
    }
    for (std::size_t i = 0; i < m_operators.size(); ++i) {
        if (!m_alive[i])
            continue;
        Operator operation = std::move(m_operators[i]);
        for (auto &part : operation.inputs) {
            for (TensorId &input : part)
                input = moved[input.index()];
        }
        std::vector<Tensor> outputs;
        for (const TensorId output : operation.outputs)
            outputs.push_back(std::move(m_tensors[output.index()]));
        const std::vector<TensorId> before = operation.outputs;
        auto added = builder.add(std::move(operation), std::move(outputs));
        if (!added)
            return tl::unexpected(std::move(added.error()));
        for (std::size_t k = 0; k < before.size(); ++k)
            moved[before[k].index()] = (*added)[k];
    }
    std::vector<TensorId> outputs;
    for (const TensorId id : m_outputs)
        outputs.push_back(moved[id.index()]);
    return builder.build(std::move(outputs));
}

} // namespace stagecraft
