#include "graph/graph.h"

#include "operators/schema.h"
#include "support/memory_pages.h"

#include <algorithm>
#include <numeric>

namespace stagecraft {
namespace {

std::string quoted(const Operator &op)
{
    return "operator " + op.name;
}

bool hasWindow(const Operator &op)
{
    const OperatorKind kind = op.kind;
    return kind == OperatorKind::Conv || kind == OperatorKind::SepConv || kind == OperatorKind::Pool ||
           kind == OperatorKind::ConvTranspose || (op.body() && std::ranges::any_of(op.body()->operators(), hasWindow));
}

// Whether an input of fewer sizes than an image has reaches the first window on its way as an image at batch 1; empty
// if it reaches none.
std::optional<bool> becomesOneImage(const Graph &graph, TensorId input)
{
    constexpr std::size_t kImage = 4;
    if (graph.tensor(input).shape.dims.size() >= kImage)
        return false;
    std::vector<bool> isReached(graph.tensors().size());
    isReached[input.index()] = true;
    const auto reached = [&](TensorId read) { return isReached[read.index()]; };
    for (const Operator &op : graph.operators()) {
        for (const auto &part : op.inputs) {
            const auto read = std::ranges::find_if(part, reached);
            if (read == part.end())
                continue;
            const Shape &shape = graph.tensor(*read).shape;
            if (hasWindow(op) && shape.dims.size() == kImage)
                return shape.batch() == 1;
            for (const TensorId made : op.outputs)
                isReached[made.index()] = true;
        }
    }
    return std::nullopt;
}

} // namespace

bool Graph::isUsed(TensorId id) const
{
    if (std::ranges::find(m_outputs, id) != m_outputs.end())
        return true;
    const auto reads = [&](const Operator &reader) {
        return std::ranges::any_of(reader.inputs,
                                   [&](const auto &part) { return std::ranges::find(part, id) != part.end(); });
    };
    const OperatorId producer = tensor(id).producer;
    if (!producer.isValid())
        return std::ranges::any_of(m_operators, reads);
    return std::ranges::any_of(successors(producer), [&](OperatorId reader) { return reads(op(reader)); });
}

std::optional<OperatorId> Graph::find(std::string_view operatorName) const
{
    const auto found = m_byName.find(
        operatorName, [&](std::size_t i) -> const auto & { return m_operators[i].name; });
    return found ? std::optional(OperatorId::fromIndex(*found)) : std::nullopt;
}

std::int64_t Graph::batch() const
{
    if (m_inputs.empty())
        return 1;
    const Shape &shape = tensor(m_inputs.front()).shape;
    if (shape.batch() == 1)
        return 1;
    return becomesOneImage(*this, m_inputs.front()).value_or(shape.isImageWithoutBatch()) ? 1 : shape.batch();
}

Shape Graph::inputShape(OperatorId id) const
{
    const Operator &operation = op(id);
    if (operation.inputs.empty() || operation.inputs.front().empty())
        return Shape{{}, false};
    if (!kindSchema(operation.kind).expressionInput)
        return tensor(operation.inputs.front().front()).shape;
    if (operation.inputs.size() == 1 && operation.inputs.front().size() == 1)
        return expressionShape(operation.inputs, std::span(&tensor(operation.inputs.front().front()).shape, 1))
            .value_or(Shape{{}, false});
    std::vector<Shape> shapes;
    for (const auto &part : operation.inputs) {
        for (const TensorId input : part)
            shapes.push_back(tensor(input).shape);
    }
    return expressionShape(operation.inputs, shapes).value_or(Shape{{}, false});
}

Graph::Parts Graph::take() &&
{
    return {std::move(m_name),   std::move(m_operators), std::move(m_tensors),
            std::move(m_inputs), std::move(m_outputs),   std::move(m_byName)};
}

Graph Graph::fromParts(Parts parts)
{
    Graph graph;
    graph.m_name = std::move(parts.name);
    graph.m_operators = std::move(parts.operators);
    graph.m_tensors = std::move(parts.tensors);
    graph.m_inputs = std::move(parts.inputs);
    graph.m_outputs = std::move(parts.outputs);
    if (parts.byName) {
        graph.m_byName = std::move(*parts.byName);
    } else {
        const auto nameOf = [&](std::size_t i) -> const std::string & { return graph.m_operators[i].name; };
        graph.m_byName.reserve(graph.size());
        for (std::size_t i = 0; i < graph.size(); ++i)
            graph.m_byName.insert(nameOf(i), i, nameOf);
    }
    graph.link();
    return graph;
}

void Graph::link()
{
    const auto count = m_operators.size();
    m_predecessors = {std::vector<std::uint32_t>(count + 1), {}};
    m_successors = {std::vector<std::uint32_t>(count + 1), {}};
    m_predecessors.all.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
        std::vector<OperatorId> &all = m_predecessors.all;
        const auto begin = static_cast<std::ptrdiff_t>(all.size());
        for (const auto &part : m_operators[i].inputs) {
            for (const TensorId input : part) {
                if (const OperatorId producer = tensor(input).producer; producer.isValid())
                    all.push_back(producer);
            }
        }
        std::sort(all.begin() + begin, all.end());
        all.erase(std::unique(all.begin() + begin, all.end()), all.end());
        for (auto predecessor = all.begin() + begin; predecessor != all.end(); ++predecessor)
            ++m_successors.begins[predecessor->index() + 1];
        m_predecessors.begins[i + 1] = static_cast<std::uint32_t>(all.size());
    }
    std::partial_sum(m_successors.begins.begin(), m_successors.begins.end(), m_successors.begins.begin());
    m_successors.all.resize(m_predecessors.all.size());
    std::vector<std::uint32_t> next(m_successors.begins.begin(), m_successors.begins.end() - 1);
    for (std::size_t i = 0; i < count; ++i) {
        for (const OperatorId predecessor : predecessors(OperatorId::fromIndex(i)))
            m_successors.all[next[predecessor.index()]++] = OperatorId::fromIndex(i);
    }
}

GraphBuilder::GraphBuilder(std::string name)
{
    m_graph.m_name = std::move(name);
}

std::optional<TensorId> GraphBuilder::findTensor(std::string_view name) const
{
    const auto found = m_tensorsByName.find(
        name, [&](std::size_t i) -> const auto & { return m_graph.m_tensors[i].name; });
    return found ? std::optional(TensorId::fromIndex(*found)) : std::nullopt;
}

void GraphBuilder::reserve(std::size_t operators, std::size_t inputs)
{
    reserveAndTake(m_graph.m_operators, operators);
    reserveAndTake(m_graph.m_tensors, operators + inputs);
    m_graph.m_byName.reserve(operators);
    if (!m_trustsTensorNames)
        m_tensorsByName.reserve(operators + inputs);
}

bool GraphBuilder::reserveName(std::string_view name)
{
    const std::vector<Operator> &operators = m_graph.m_operators;
    const auto nameOf = [&](std::size_t i) -> const std::string & {
        return i < operators.size() ? operators[i].name : m_reservedName;
    };
    const bool isFree = m_graph.m_byName.insert(name, operators.size(), nameOf);
    if (isFree)
        m_reservedName = name;
    return isFree;
}

bool GraphBuilder::addTensor(Tensor tensor)
{
    std::vector<Tensor> &tensors = m_graph.m_tensors;
    const bool isNew = m_trustsTensorNames ||
                       m_tensorsByName.insert(
                           tensor.name, tensors.size(), [&](std::size_t i) -> const auto & { return tensors[i].name; });
    if (isNew)
        tensors.push_back(std::move(tensor));
    return isNew;
}

Result<TensorId> GraphBuilder::addInput(const std::string &name, Shape shape, DataType type,
                                        std::optional<TensorLayout> layout)
{
    const TensorId id = TensorId::fromIndex(m_graph.m_tensors.size());
    if (!addTensor({name, std::move(shape), type, {}, layout}))
        return fail(ErrorCode::InvalidInput, "two tensors are named " + name);
    m_graph.m_inputs.push_back(id);
    return id;
}

Result<TensorId> GraphBuilder::add(Operator op)
{
    std::vector<Shape> shapes;
    DataType type = DataType::Float32;
    for (const auto &part : op.inputs) {
        for (const TensorId input : part) {
            shapes.push_back(tensor(input).shape);
            type = tensor(input).type;
        }
    }
    auto shape = inferShape(op, shapes);
    if (!shape)
        return within(quoted(op), std::move(shape.error()));
    std::string name = op.name;
    return addWithOutput(std::move(op), Tensor{std::move(name), std::move(*shape), type, {}});
}

Result<void> GraphBuilder::takeName(const Operator &op)
{
    if (op.name.empty())
        return fail(ErrorCode::InvalidInput, "an operator has no name");
    const bool isReserved = !m_reservedName.empty() && op.name == m_reservedName;
    if (!isReserved && !reserveName(op.name))
        return fail(ErrorCode::InvalidInput, "two operators are named " + op.name);
    m_reservedName.clear();
    return {};
}

Result<void> GraphBuilder::addOutput(Operator &op, Tensor output)
{
    const TensorId id = TensorId::fromIndex(m_graph.m_tensors.size());
    output.producer = OperatorId::fromIndex(m_graph.m_operators.size());
    std::string name = m_trustsTensorNames ? std::string() : output.name;
    if (!addTensor(std::move(output)))
        return within(quoted(op), Error{ErrorCode::InvalidInput, "two tensors are named " + name, {}, {}});
    op.outputs.push_back(id);
    return {};
}

Result<std::vector<TensorId>> GraphBuilder::add(Operator op, std::vector<Tensor> outputs)
{
    if (outputs.empty())
        return fail(ErrorCode::InvalidInput, op.name + " has no output");
    TRY(takeName(op));
    op.outputs.clear();
    for (Tensor &output : outputs) {
        TRY(addOutput(op, std::move(output)));
    }
    m_graph.m_operators.push_back(std::move(op));
    return m_graph.m_operators.back().outputs;
}

Result<TensorId> GraphBuilder::addWithOutput(Operator op, Tensor output)
{
    TRY(takeName(op));
    op.outputs.clear();
    TRY(addOutput(op, std::move(output)));
    const TensorId id = op.outputs.front();
    m_graph.m_operators.push_back(std::move(op));
    return id;
}

Result<Graph> GraphBuilder::build(std::vector<TensorId> outputs)
{
    if (m_graph.m_operators.empty())
        return fail(ErrorCode::InvalidInput, "the graph has no operators", "Open a model with at least one operator");
    if (outputs.empty()) {
        std::vector<bool> isRead(m_graph.m_tensors.size());
        for (const Operator &op : m_graph.m_operators) {
            for (const auto &part : op.inputs) {
                for (const TensorId input : part)
                    isRead[input.index()] = true;
            }
        }
        for (std::size_t i = 0; i < isRead.size(); ++i) {
            if (!isRead[i] && m_graph.m_tensors[i].producer.isValid())
                outputs.push_back(TensorId::fromIndex(i));
        }
    }
    m_graph.m_outputs = std::move(outputs);
    m_graph.link();
    return std::move(m_graph);
}

} // namespace stagecraft
