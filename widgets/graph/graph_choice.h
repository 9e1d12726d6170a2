#pragma once

// Several operators of a graph at once: what leads to the selected one, what follows from it, or all paths between it
// and the one selected before; and whether only these are shown. Lives on the UI thread.

#include "graph/graph.h"
#include "widgets/base/selection.h"

#include <QAction>
#include <QList>
#include <QObject>
#include <QPointer>

#include <optional>
#include <vector>

namespace stagecraft {

struct GraphContent;

class GraphChoice : public QObject {
    Q_OBJECT

public:
    // The keys of the actions work in the view.
    GraphChoice(const GraphContent *content, Selection *selection, QWidget *view);

    void reset();              // another model
    void follow();             // the selection has changed
    [[nodiscard]] bool drop(); // false: nothing was chosen or isolated
    void setIsolated(bool isolated);

    void chooseAncestors();
    void chooseDescendants();
    void choosePath();

    [[nodiscard]] const std::vector<bool> &marks() const { return m_marks; } // per operator; empty: none
    [[nodiscard]] std::vector<OperatorId> operators() const;
    [[nodiscard]] bool isIsolated() const { return m_isIsolated; }
    [[nodiscard]] const QList<QAction *> &actions() const { return m_actions; }

signals:
    void chosen(const QString &what);
    void isolated(bool on);

private:
    [[nodiscard]] std::optional<OperatorId> selected() const; // in the graph that is laid out
    void choose(const QString &what, std::vector<bool> marks);

    const GraphContent *m_content;
    QPointer<Selection> m_selection;
    QList<QAction *> m_actions;
    std::vector<bool> m_marks;
    std::optional<OperatorId> m_before; // the operator before the selected one
    std::optional<OperatorId> m_now;
    bool m_isIsolated = false;
};

} // namespace stagecraft
