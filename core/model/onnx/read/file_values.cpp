#include "model/onnx/read/file_values.h"

#include "model/onnx/file/graph_file.h"
#include "model/onnx/read/fold_budget.h"

#include <cstdint>
#include <utility>

namespace stagecraft {

FileValues::FileValues(GraphFile &file, const GraphBuilder &graph, FoldBudget &folding)
    : m_file(file), m_graph(graph), m_folding(folding), m_values(file.names().size())
{
}

void FileValues::define(NameId name, TensorId tensor)
{
    if (name.isValid())
        m_values[name.index()] = {tensor, nullptr};
}

void FileValues::define(NameId name, std::shared_ptr<const Constant> constant)
{
    if (name.isValid())
        m_values[name.index()] = {{}, std::move(constant)};
}

void FileValues::define(NameId name, const OperandFacts &same)
{
    if (name.isValid())
        m_values[name.index()] = {same.tensor, same.constant};
    if (same.bound)
        setBound(name, same.bound);
}

void FileValues::setBound(NameId name, std::shared_ptr<const Constant> bound)
{
    if (name.isValid())
        m_bounds[name] = std::move(bound);
}

Result<std::optional<OperandFacts>> FileValues::resolve(NameId name)
{
    if (!name.isValid())
        return std::nullopt;
    Value &value = m_values[name.index()];
    if (!value.constant && !value.tensor.isValid()) {
        TRY_AS(auto read, m_file.readInitializer(name));
        if (!read)
            return std::nullopt;
        m_folding.addOwn(static_cast<std::int64_t>(read->size()));
        value.constant = std::move(read);
    }
    if (value.constant)
        return OperandFacts{{}, Shape{value.constant->dims}, value.constant->type, value.constant};
    const Tensor &tensor = m_graph.tensor(value.tensor);
    const auto bound = m_bounds.empty() ? m_bounds.end() : m_bounds.find(name);
    return OperandFacts{value.tensor, tensor.shape, tensor.type, nullptr,
                        bound == m_bounds.end() ? nullptr : bound->second};
}

TensorId FileValues::plainTensor(NameId name) const
{
    if (!name.isValid() || (!m_bounds.empty() && m_bounds.contains(name)))
        return {};
    return m_values[name.index()].tensor;
}

bool FileValues::isTrue(const std::string &name)
{
    const NameId id = m_file.names().find(name);
    const auto value = id.isValid() ? resolve(id) : Result<std::optional<OperandFacts>>();
    const Constant *constant = value && *value ? (*value)->constant.get() : nullptr;
    return constant && constant->size() == 1 && constant->asInts().front() != 0;
}

} // namespace stagecraft
