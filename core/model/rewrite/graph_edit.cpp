#include "model/rewrite/graph_edit.h"

#include <algorithm>

namespace stagecraft {
namespace {

// Compacts operators and tensors, in order: first the inputs of the graph, then what its operators produce.
void dropDead(Graph::Parts &parts, const std::vector<bool> &isAlive)
{
    std::vector<TensorId> moved(parts.tensors.size());
    std::vector<Tensor> tensors;
    tensors.reserve(parts.tensors.size());
    const auto move = [&](TensorId id) {
        moved[id.index()] = TensorId::fromIndex(tensors.size());
        tensors.push_back(std::move(parts.tensors[id.index()]));
    };
    const auto renumber = [&](std::vector<TensorId> &ids) {
        for (TensorId &id : ids)
            id = moved[id.index()];
    };
    for (const TensorId input : parts.inputs)
        move(input);
    std::size_t count = 0;
    for (std::size_t i = 0; i < parts.operators.size(); ++i) {
        if (!isAlive[i])
            continue;
        Operator &kept = parts.operators[count];
        if (count != i)
            kept = std::move(parts.operators[i]);
        for (const TensorId output : kept.outputs) {
            move(output);
            tensors.back().producer = OperatorId::fromIndex(count);
        }
        renumber(kept.outputs);
        std::ranges::for_each(kept.inputs, renumber);
        ++count;
    }
    parts.operators.resize(count);
    parts.tensors = std::move(tensors);
    renumber(parts.inputs);
    renumber(parts.outputs);
    parts.byName.reset();
}

} // namespace

GraphEdit::GraphEdit(Graph graph, std::set<std::string> keptApart)
    : m_keptApart(std::move(keptApart)), m_parts(std::move(graph).take())
{
    m_alive.assign(m_parts.operators.size(), true);
    m_readers.resize(m_parts.tensors.size());
    m_isOutput.resize(m_parts.tensors.size());
    for (const TensorId output : m_parts.outputs)
        m_isOutput[output.index()] = true;
    for (std::size_t i = 0; i < m_parts.operators.size(); ++i) {
        for (const auto &part : m_parts.operators[i].inputs) {
            for (const TensorId input : part) {
                auto &list = m_readers[input.index()];
                if (list.empty() || list.back().index() != i)
                    list.push_back(OperatorId::fromIndex(i));
            }
        }
    }
}

bool GraphEdit::hasAny(const std::set<OperatorKind> &kinds)
{
    if (!m_knowsKinds) {
        m_kinds.clear();
        for (std::size_t i = 0; i < size(); ++i) {
            if (m_alive[i])
                m_kinds.insert(m_parts.operators[i].kind);
        }
        m_knowsKinds = true;
    }
    return std::ranges::any_of(kinds, [&](OperatorKind kind) { return m_kinds.contains(kind); });
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

// A place in a long list is only marked: thousands of readers may leave one tensor, each by itself.
void GraphEdit::forgetReads(OperatorId id)
{
    constexpr std::size_t kLong = 64;
    for (const auto &part : op(id).inputs) {
        for (const TensorId input : part) {
            auto &list = m_readers[input.index()];
            const auto place = std::ranges::lower_bound(list, id);
            if (place == list.end() || *place != id)
                continue;
            if (list.size() < kLong && (m_gone.empty() || !m_gone.contains(input))) {
                list.erase(place);
                continue;
            }
            auto &gone = m_gone[input];
            gone.resize(list.size());
            gone[static_cast<std::size_t>(place - list.begin())] = 1;
        }
    }
}

void GraphEdit::rememberReads(OperatorId id)
{
    for (const auto &part : op(id).inputs) {
        for (const TensorId input : part) {
            auto &list = m_readers[input.index()];
            auto place = std::ranges::lower_bound(list, id);
            const bool isThere = place != list.end() && *place == id;
            const auto marked = m_gone.empty() ? m_gone.end() : m_gone.find(input);
            if (marked == m_gone.end()) {
                if (!isThere)
                    list.insert(place, id);
                continue;
            }
            // Its own place, or that of a neighbour that is gone.
            auto &gone = marked->second;
            auto index = static_cast<std::size_t>(place - list.begin());
            if (index > 0 && !isThere && (index == gone.size() || !gone[index]) && gone[index - 1])
                --index;
            if (index == gone.size() || (!isThere && !gone[index])) {
                list.insert(place, id);
                gone.insert(gone.begin() + static_cast<std::ptrdiff_t>(index), 0);
            }
            list[index] = id;
            gone[index] = 0;
        }
    }
}

void GraphEdit::settle(TensorId id) const
{
    const auto found = m_gone.find(id);
    if (found == m_gone.end())
        return;
    auto &list = m_readers[id.index()];
    std::size_t count = 0;
    for (std::size_t i = 0; i < list.size(); ++i) {
        if (!found->second[i])
            list[count++] = list[i];
    }
    list.resize(count);
    m_gone.erase(found);
}

void GraphEdit::setInputs(OperatorId id, InputExpression inputs)
{
    forgetReads(id);
    op(id).inputs = std::move(inputs);
    rememberReads(id);
}

void GraphEdit::replace(OperatorId id, OperatorId main, Operator with, InputExpression inputs)
{
    if (main != id) {
        m_removals.push_back({id, main, op(id).name, op(id).type});
        m_replaced.emplace_back(main, id);
        forgetReads(main);
        m_alive[main.index()] = false;
    }
    forgetReads(id);
    with.outputs = op(id).outputs;
    with.inputs.clear();
    op(id) = std::move(with);
    setInputs(id, std::move(inputs));
}

void GraphEdit::absorbReader(OperatorId id, OperatorId later)
{
    forgetReads(later);
    op(id).outputs = op(later).outputs;
    for (const TensorId output : op(id).outputs)
        m_parts.tensors[output.index()].producer = id;
    drop(later, id);
}

void GraphEdit::remove(OperatorId id, OperatorId into)
{
    forgetReads(id);
    drop(id, into);
}

void GraphEdit::drop(OperatorId id, OperatorId into)
{
    m_alive[id.index()] = false;
    m_knowsKinds = false;
    m_removals.push_back({id, into, op(id).name, op(id).type});
}

std::vector<OperatorId> GraphEdit::placesInResult() const
{
    std::vector<OperatorId> places(size());
    std::size_t count = 0;
    for (std::size_t i = 0; i < size(); ++i) {
        if (m_alive[i])
            places[i] = OperatorId::fromIndex(count++);
    }
    for (const auto &[gone, place] : m_replaced)
        places[gone.index()] = places[place.index()];
    // What took an operator may have been taken later.
    for (std::size_t i = m_removals.size(); i-- > 0;) {
        const Removal &removal = m_removals[i];
        if (removal.into.isValid() && !m_alive[removal.removed.index()])
            places[removal.removed.index()] = places[removal.into.index()];
    }
    return places;
}

void GraphEdit::replaceReads(std::span<const std::pair<TensorId, TensorId>> reads)
{
    const std::unordered_map<TensorId, TensorId> instead(reads.begin(), reads.end());
    std::set<OperatorId> changed;
    for (const auto &[from, to] : reads)
        changed.insert(readers(from).begin(), readers(from).end());
    for (const OperatorId reader : changed) {
        InputExpression inputs = op(reader).inputs;
        for (auto &part : inputs) {
            for (TensorId &input : part) {
                if (const auto found = instead.find(input); found != instead.end())
                    input = found->second;
            }
        }
        setInputs(reader, std::move(inputs));
    }
}

std::vector<OperatorId> GraphEdit::alive() const
{
    std::vector<OperatorId> ids;
    for (std::size_t i = 0; i < size(); ++i) {
        if (m_alive[i])
            ids.push_back(OperatorId::fromIndex(i));
    }
    return ids;
}

Graph::Parts GraphEdit::parts() const
{
    Graph::Parts parts = m_parts;
    dropDead(parts, m_alive);
    return parts;
}

Result<Graph> GraphEdit::build() &&
{
    if (std::ranges::find(m_alive, true) == m_alive.end())
        return fail(ErrorCode::InvalidInput, "the graph has no operators", "Open a model with at least one operator");
    if (std::ranges::find(m_alive, false) != m_alive.end())
        dropDead(m_parts, m_alive);
    return Graph::fromParts(std::move(m_parts));
}

} // namespace stagecraft
