#include "flow/verify/cuda_graph_dot.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

namespace stagecraft {
namespace {

constexpr std::string_view kSpace = " \t\r\n";

// "\<" is "<": what would be a part of a record.
std::string withoutEscapes(std::string_view text)
{
    std::string plain;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\\' && i + 1 < text.size())
            ++i;
        plain += text[i];
    }
    return plain;
}

std::string_view withoutSpace(std::string_view text)
{
    const std::size_t first = text.find_first_not_of(kSpace);
    return first == std::string_view::npos ? std::string_view()
                                           : text.substr(first, text.find_last_not_of(kSpace) + 1 - first);
}

// The function of a kernel: before its launch configuration, or, in labels that say nothing else, in the second line.
std::string kernelIn(std::string_view label, bool isOctagon)
{
    constexpr std::string_view kConfiguration = "\\<\\<\\<";
    if (const std::size_t end = label.find(kConfiguration); end != std::string_view::npos) {
        const std::size_t begin = label.substr(0, end).find_last_of("|\n");
        return withoutEscapes(
            withoutSpace(label.substr(begin == std::string_view::npos ? 0 : begin + 1, end - begin - 1)));
    }
    const std::size_t line = label.find('\n');
    if (!isOctagon || line == std::string_view::npos)
        return {};
    const std::string_view rest = label.substr(line + 1);
    return withoutEscapes(withoutSpace(rest.substr(0, rest.find('\n'))));
}

class DotReader {
public:
    explicit DotReader(std::string_view text) : m_text(text) {}

    Result<CudaGraphFile> read()
    {
        if (subgraphs() > 1)
            return refused("it has child graphs, which are not read", "Print the graph that is launched by itself");
        while (m_at < m_text.size() && m_text[m_at] != '}') {
            if (m_text[m_at] != '"') {
                ++m_at;
                continue;
            }
            TRY(readStatement());
        }
        if (m_at >= m_text.size())
            return cutShort();
        if (m_graph.nodes.empty())
            return refused("it has no nodes", "Print a graph that was captured");
        for (const auto &[from, to] : m_edges) {
            TRY_AS(const auto first, nodeOf(from));
            TRY_AS(const auto second, nodeOf(to));
            m_graph.edges.emplace_back(first, second);
        }
        return std::move(m_graph);
    }

private:
    static tl::unexpected<Error> cutShort() { return refused("it is cut short", "Print the graph again"); }

    // Labels may have the word as well, within quotation marks.
    [[nodiscard]] std::size_t subgraphs() const
    {
        constexpr std::string_view kWord = "subgraph";
        std::size_t count = 0;
        bool isQuoted = false;
        for (std::size_t at = 0; at < m_text.size(); ++at) {
            if (m_text[at] == '"')
                isQuoted = !isQuoted;
            else if (isQuoted && m_text[at] == '\\')
                ++at;
            else if (!isQuoted && m_text.substr(at).starts_with(kWord))
                ++count;
        }
        return count;
    }

    Result<std::uint32_t> nodeOf(std::string_view name) const
    {
        const auto found = m_places.find(name);
        if (found == m_places.end())
            return refused(fmt::format("an edge has the node {}, which is not there", name), "Print the graph again");
        return found->second;
    }

    // What stands between quotation marks, from the first on.
    std::optional<std::string_view> quoted()
    {
        const std::size_t begin = ++m_at;
        for (; m_at < m_text.size() && m_text[m_at] != '"'; ++m_at)
            m_at += m_text[m_at] == '\\' ? 1 : 0;
        if (m_at >= m_text.size())
            return std::nullopt;
        return m_text.substr(begin, m_at++ - begin);
    }

    void skipSpace() { m_at = std::min(m_text.find_first_not_of(kSpace, m_at), m_text.size()); }

    // A node with its attributes, an edge, or the value of something else.
    Result<void> readStatement()
    {
        const auto name = quoted();
        if (!name)
            return cutShort();
        skipSpace();
        if (m_text.substr(m_at).starts_with("->")) {
            m_at = std::min(m_text.find('"', m_at), m_text.size());
            const auto to = m_at < m_text.size() ? quoted() : std::nullopt;
            if (!to)
                return cutShort();
            m_edges.emplace_back(*name, *to);
            return {};
        }
        if (!m_text.substr(m_at).starts_with('['))
            return {};
        std::string_view label;
        bool isOctagon = false;
        while (m_at < m_text.size() && m_text[m_at] != ']') {
            if (m_text[m_at] != '"') {
                ++m_at;
                continue;
            }
            const bool isLabel = m_text.substr(0, m_at).ends_with("label=");
            const auto value = quoted();
            if (!value)
                return cutShort();
            isOctagon = isOctagon || *value == "octagon";
            if (isLabel)
                label = *value;
        }
        if (m_at >= m_text.size())
            return cutShort();
        m_places.try_emplace(*name, static_cast<std::uint32_t>(m_graph.nodes.size()));
        m_graph.nodes.push_back({std::string(*name), kernelIn(label, isOctagon)});
        return {};
    }

    std::string_view m_text;
    std::size_t m_at = 0;
    CudaGraphFile m_graph;
    std::map<std::string_view, std::uint32_t> m_places; // of nodes
    std::vector<std::pair<std::string_view, std::string_view>> m_edges;
};

} // namespace

bool isCudaGraphDot(std::string_view text)
{
    const std::string_view begin = withoutSpace(text.substr(0, 256));
    return begin.starts_with("digraph dot") && begin.find("subgraph cluster_") != std::string_view::npos;
}

Result<CudaGraphFile> cudaGraphFromDot(std::string_view text)
{
    return DotReader(text).read();
}

} // namespace stagecraft
