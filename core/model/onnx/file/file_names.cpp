#include "model/onnx/file/file_names.h"

#include "model/onnx/read/node_order.h"
#include "support/memory_pages.h"

#include <onnx/onnx_pb.h>

namespace stagecraft {

FileNames::FileNames(const onnx::GraphProto &graph)
{
    const auto nodes = static_cast<std::size_t>(graph.node_size());
    const std::size_t most = nodes + static_cast<std::size_t>(graph.input_size() + graph.initializer_size());
    reserveAndTake(m_texts, most);
    m_index.reserve(most);
    for (Lists *lists : {&m_reads, &m_makes}) {
        reserveAndTake(lists->ends, nodes);
        reserveAndTake(lists->all, nodes);
    }
    for (const auto &input : graph.input())
        add(input.name());
    for (const auto &initializer : graph.initializer())
        add(initializer.name());
    constexpr int kAhead = 8;
    for (int i = 0; i < graph.node_size(); ++i) {
        if (i + kAhead < graph.node_size() && graph.node(i + kAhead).output_size() > 0)
            m_index.prefetch(graph.node(i + kAhead).output(0));
        const auto &node = graph.node(i);
        for (const std::string &name : node.input())
            m_reads.all.push_back(add(name));
        for (const std::string_view name : outerNames(node))
            m_reads.all.push_back(add(name));
        m_reads.ends.push_back(static_cast<std::uint32_t>(m_reads.all.size()));
        for (const std::string &name : node.output())
            m_makes.all.push_back(add(name));
        m_makes.ends.push_back(static_cast<std::uint32_t>(m_makes.all.size()));
    }
    for (const auto &output : graph.output())
        add(output.name());
}

NameId FileNames::add(std::string_view name)
{
    if (name.empty())
        return {};
    const auto position = m_index.findOrInsert(name, m_texts.size(), [&](std::size_t i) { return m_texts[i]; });
    if (position == m_texts.size())
        m_texts.push_back(name);
    return NameId::fromIndex(position);
}

NameId FileNames::find(std::string_view name) const
{
    const auto found = m_index.find(name, [&](std::size_t i) { return m_texts[i]; });
    return found ? NameId::fromIndex(*found) : NameId{};
}

std::span<const NameId> FileNames::Lists::of(int node) const
{
    const auto i = static_cast<std::size_t>(node);
    const std::size_t begin = i == 0 ? 0 : ends[i - 1];
    return std::span(all).subspan(begin, ends[i] - begin);
}

} // namespace stagecraft
