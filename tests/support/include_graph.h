#pragma once

// Which of our files include which, read from the sources.

#include <QList>
#include <QMap>
#include <QSet>
#include <QString>
#include <QStringList>

#include <functional>

namespace stagecraft::test {

using Edges = QMap<QString, QSet<QString>>;

class IncludeGraph {
public:
    struct Include {
        QString from; // a file, from the root
        QString to;   // likewise; of a system include what stands between < and >
    };

    // Reads every C++ and CUDA file below the folders of root.
    IncludeGraph(const QString &root, const QStringList &folders);

    [[nodiscard]] const QStringList &files() const { return m_files; }
    [[nodiscard]] const QList<Include> &includes() const { return m_includes; } // of our own files
    [[nodiscard]] const QList<Include> &systemIncludes() const { return m_systemIncludes; }
    [[nodiscard]] const QStringList &unresolved() const { return m_unresolved; } // "..." that are no file of ours

    // The includes between nodes: nodeOf names a file's node, or is empty for files to leave out.
    [[nodiscard]] Edges edges(const std::function<QString(const QString &)> &nodeOf) const;

private:
    QStringList m_files;
    QList<Include> m_includes;
    QList<Include> m_systemIncludes;
    QStringList m_unresolved;
};

// A circle, its first node repeated at its end; empty where there is none.
[[nodiscard]] QStringList findCircle(const Edges &edges);

} // namespace stagecraft::test
