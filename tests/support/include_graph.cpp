#include "support/include_graph.h"

#include <QDirIterator>
#include <QFile>
#include <QRegularExpression>

namespace stagecraft::test {
namespace {

// Depth first: a node that is met again while it is still open closes a circle.
class CircleFinder {
public:
    explicit CircleFinder(const Edges &edges) : m_edges(edges) {}

    QStringList find()
    {
        for (auto it = m_edges.keyBegin(); it != m_edges.keyEnd() && m_circle.isEmpty(); ++it)
            visit(*it);
        return m_circle;
    }

private:
    void visit(const QString &node)
    {
        if (m_closed.contains(node) || !m_circle.isEmpty())
            return;
        if (const auto at = m_open.indexOf(node); at >= 0) {
            m_circle = m_open.mid(at) + QStringList{node};
            return;
        }
        m_open += node;
        QStringList next = m_edges.value(node).values();
        next.sort();
        for (const QString &to : next)
            visit(to);
        m_open.removeLast();
        m_closed += node;
    }

    const Edges &m_edges;
    QStringList m_open;
    QSet<QString> m_closed;
    QStringList m_circle;
};

// Where an include is looked for: beside the file, and in the folders on the include path.
QStringList candidates(const QString &file, const QString &include)
{
    return {"core/" + include, include, "app/" + include, file.section('/', 0, -2) + '/' + include};
}

// By CMake, from a file of the same name that ends in .in.
bool isMade(const QString &root, const QString &file, const QString &include)
{
    return QFile::exists(root + '/' + file.section('/', 0, -2) + '/' + include.section('/', -1) + ".in");
}

} // namespace

IncludeGraph::IncludeGraph(const QString &root, const QStringList &folders)
{
    for (const QString &folder : folders) {
        QDirIterator found(root + '/' + folder, {"*.h", "*.cpp", "*.cu", "*.cuh"}, QDir::Files,
                           QDirIterator::Subdirectories);
        while (found.hasNext())
            m_files += found.next().mid(root.size() + 1);
    }
    m_files.sort();
    const QSet<QString> known(m_files.begin(), m_files.end());
    static const QRegularExpression pattern(R"(^\s*#\s*include\s*([<"])([^>"]+)[>"])");
    for (const QString &name : m_files) {
        QFile file(root + '/' + name);
        if (!file.open(QIODevice::ReadOnly))
            continue;
        while (!file.atEnd()) {
            const auto match = pattern.match(QString::fromUtf8(file.readLine()));
            if (!match.hasMatch())
                continue;
            if (match.captured(1) == "<") {
                m_systemIncludes += {name, match.captured(2)};
                continue;
            }
            const QStringList places = candidates(name, match.captured(2));
            const auto place =
                std::find_if(places.begin(), places.end(), [&](auto &path) { return known.contains(path); });
            if (place != places.end())
                m_includes += {name, *place};
            else if (!match.captured(2).endsWith(".moc") && !isMade(root, name, match.captured(2)))
                m_unresolved += name + " includes " + match.captured(2);
        }
    }
}

Edges IncludeGraph::edges(const std::function<QString(const QString &)> &nodeOf) const
{
    Edges edges;
    for (const Include &include : m_includes) {
        const QString from = nodeOf(include.from);
        const QString to = nodeOf(include.to);
        if (!from.isEmpty() && !to.isEmpty() && from != to)
            edges[from] += to;
    }
    return edges;
}

QStringList findCircle(const Edges &edges)
{
    return CircleFinder(edges).find();
}

} // namespace stagecraft::test
