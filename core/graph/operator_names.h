#pragma once

// Maps operator ids to names and back, for a graph or for a list of names.

#include "graph/graph.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft {

class OperatorNames {
public:
    explicit OperatorNames(const Graph &graph) : m_graph(&graph) {} // must outlive this
    // If a name occurs twice, the first is found.
    explicit OperatorNames(std::vector<std::string> names) : m_names(std::move(names))
    {
        m_index.reserve(m_names.size());
        for (std::size_t i = 0; i < m_names.size(); ++i)
            m_index.findOrInsert(m_names[i], i, [this](std::size_t at) -> const std::string & { return m_names[at]; });
    }

    [[nodiscard]] std::size_t size() const { return m_graph ? m_graph->size() : m_names.size(); }
    [[nodiscard]] const std::string &operator[](OperatorId id) const
    {
        return m_graph ? m_graph->op(id).name : m_names[id.index()];
    }
    [[nodiscard]] std::optional<OperatorId> find(std::string_view name) const
    {
        if (m_graph)
            return m_graph->find(name);
        const auto at = m_index.find(name, [this](std::size_t i) -> const std::string & { return m_names[i]; });
        return at ? std::optional(OperatorId::fromIndex(*at)) : std::nullopt;
    }

private:
    const Graph *m_graph = nullptr;
    std::vector<std::string> m_names;
    NameIndex m_index;
};

} // namespace stagecraft
