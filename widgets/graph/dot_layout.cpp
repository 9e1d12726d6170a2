#include "widgets/graph/part_layout.h"

#include <clocale>
#include <gvc.h>
#include <mutex>
#include <string>

namespace stagecraft {
namespace {

constexpr double kPointsPerInch = 72;

// Graphviz reads numbers with the locale of the thread; a decimal comma would ruin every size.
class CLocale {
public:
    CLocale() : m_locale(newlocale(LC_ALL_MASK, "C", nullptr)), m_previous(uselocale(m_locale)) {}
    CLocale(const CLocale &) = delete;
    CLocale &operator=(const CLocale &) = delete;
    ~CLocale()
    {
        uselocale(m_previous);
        freelocale(m_locale);
    }

private:
    locale_t m_locale;
    locale_t m_previous;
};

std::string number(double value)
{
    return std::to_string(value);
}

// Graphviz takes char pointers it does not write to.
char *text(const char *value)
{
    return const_cast<char *>(value);
}

void setAttribute(void *object, const char *name, const std::string &value)
{
    agset(object, text(name), text(value.c_str()));
}

class DotGraph {
public:
    DotGraph(GVC_t *context, const Part &part, const Spacing &spacing)
        : m_context(context), m_graph(agopen(text("part"), Agdirected, nullptr))
    {
        setDefaults(spacing, part.nodes.size());
        addNodes(part);
        addEdges(part);
        addPorts(part.topPorts, "source", true);
        addPorts(part.bottomPorts, "sink", false);
    }
    DotGraph(const DotGraph &) = delete;
    DotGraph &operator=(const DotGraph &) = delete;
    ~DotGraph()
    {
        gvFreeLayout(m_context, m_graph);
        agclose(m_graph);
    }

    [[nodiscard]] std::optional<PartLayout> run()
    {
        if (gvLayout(m_context, m_graph, "dot") != 0)
            return std::nullopt;
        PartLayout layout;
        layout.centres.reserve(m_nodes.size());
        for (Agnode_t *node : m_nodes)
            layout.centres.emplace_back(ND_coord(node).x, -ND_coord(node).y);
        layout.curves.reserve(m_edges.size());
        for (Agedge_t *edge : m_edges) {
            const splines *route = ED_spl(edge);
            if (!route || route->size == 0)
                return std::nullopt;
            layout.curves.push_back(curveOf(route->list[0]));
        }
        return layout;
    }

private:
    void setDefaults(const Spacing &spacing, std::size_t nodes)
    {
        agattr(m_graph, AGRAPH, text("nodesep"), text(number(spacing.node / kPointsPerInch).c_str()));
        agattr(m_graph, AGRAPH, text("ranksep"), text(number(spacing.rank / kPointsPerInch).c_str()));
        agattr(m_graph, AGRAPH, text("rank"), text(""));
        if (nodes > 100) { // network simplex is what grows; a bound on its steps costs little in looks
            agattr(m_graph, AGRAPH, text("nslimit"), text("0.5"));
            agattr(m_graph, AGRAPH, text("nslimit1"), text("0.5"));
            agattr(m_graph, AGRAPH, text("mclimit"), text("0.5"));
        }
        agattr(m_graph, AGNODE, text("shape"), text("box"));
        agattr(m_graph, AGNODE, text("fixedsize"), text("true"));
        agattr(m_graph, AGNODE, text("label"), text(""));
        agattr(m_graph, AGNODE, text("width"), text("1"));
        agattr(m_graph, AGNODE, text("height"), text("1"));
        agattr(m_graph, AGEDGE, text("arrowhead"), text("normal"));
        agattr(m_graph, AGEDGE, text("arrowsize"),
               text(number(spacing.arrow / 10).c_str())); // dot's arrow is 10 points
        agattr(m_graph, AGEDGE, text("style"), text(""));
        agattr(m_graph, AGEDGE, text("tailport"), text(""));
        agattr(m_graph, AGEDGE, text("weight"), text("1"));
    }

    void addNodes(const Part &part)
    {
        for (std::size_t i = 0; i < part.nodes.size(); ++i) {
            Agnode_t *node = agnode(m_graph, text(std::to_string(i).c_str()), 1);
            // A size of zero makes dot divide by it.
            setAttribute(node, "width", number(std::max(part.nodes[i].width(), 1.0) / kPointsPerInch));
            setAttribute(node, "height", number(std::max(part.nodes[i].height(), 1.0) / kPointsPerInch));
            m_nodes.push_back(node);
        }
    }

    void addEdges(const Part &part)
    {
        for (const auto &[from, to] : part.edges) {
            Agedge_t *edge = agedge(m_graph, m_nodes[from], m_nodes[to], nullptr, 1);
            if (part.nodes[to].isEmpty())
                setAttribute(edge, "arrowhead", "none");
            m_edges.push_back(edge);
        }
    }

    void addPorts(const std::vector<std::uint32_t> &ports, const char *rank, bool ordered)
    {
        if (ports.empty())
            return;
        Agraph_t *row = agsubg(m_graph, text(rank), 1);
        setAttribute(row, "rank", rank);
        for (std::size_t i = 0; i < ports.size(); ++i) {
            agsubnode(row, m_nodes[ports[i]], 1);
            if (ordered && i > 0)
                setAttribute(agedge(row, m_nodes[ports[i - 1]], m_nodes[ports[i]], nullptr, 1), "style", "invis");
        }
    }

    static Curve curveOf(const bezier &piece)
    {
        Curve curve;
        curve.points.reserve(static_cast<std::size_t>(piece.size));
        for (int i = 0; i < piece.size; ++i)
            curve.points.emplace_back(piece.list[i].x, -piece.list[i].y);
        if (piece.eflag)
            curve.arrowTip = QPointF(piece.ep.x, -piece.ep.y);
        return curve;
    }

    GVC_t *m_context;
    Agraph_t *m_graph;
    std::vector<Agnode_t *> m_nodes;
    std::vector<Agedge_t *> m_edges;
};

} // namespace

std::optional<PartLayout> dotLayout(const Part &part, const Spacing &spacing)
{
    static std::mutex mutex; // guards everything in Graphviz, which keeps its state in globals
    const std::lock_guard lock(mutex);
    const CLocale locale;
    static GVC_t *const context = [] {
        agseterr(AGMAX); // it would print to standard error
        return gvContext();
    }();
    return DotGraph(context, part, spacing).run();
}

} // namespace stagecraft
