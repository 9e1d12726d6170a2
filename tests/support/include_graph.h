#pragma once

// Which of our files include which, from the sources.

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
        QString from; // a file, relative to the root
        QString to;   // also; for a system include, the text between < and >
    };

    // Reads every C++ and CUDA file below the folders of `root`.
    IncludeGraph(const QString &root, const QStringList &folders);

    [[nodiscard]] const QStringList &files() const { return m_files; }
    [[nodiscard]] const QList<Include> &includes() const { return m_includes; } // between our files
    [[nodiscard]] const QList<Include> &systemIncludes() const { return m_systemIncludes; }
    [[nodiscard]] const QStringList &unresolved() const { return m_unresolved; } // "..." that is none of our files

    // The includes between nodes: nodeOf returns a file's node, or an empty text to leave it out.
    [[nodiscard]] Edges edges(const std::function<QString(const QString &)> &nodeOf) const;

private:
    QStringList m_files;
    QList<Include> m_includes;
    QList<Include> m_systemIncludes;
    QStringList m_unresolved;
};

// A circle, with its first node repeated at the end; empty if there is none.
[[nodiscard]] QStringList findCircle(const Edges &edges);

} // namespace stagecraft::test
