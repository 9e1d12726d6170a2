#pragma once

// Finding operators of a graph: what the bar says is looked for, and the bar shows what was found. Lives on the UI
// thread.

#include "widgets/base/find_bar.h"
#include "widgets/graph/overlay/graph_find.h"

#include <QObject>

namespace stagecraft {

struct GraphContent;

class GraphSearch : public QObject {
    Q_OBJECT

public:
    GraphSearch(const GraphContent *content, QWidget *view);

    [[nodiscard]] FindBar *bar() const { return m_bar; }
    [[nodiscard]] const GraphFind &found() const { return m_find; }

    void reset();                               // another model: the bar closes
    void find(const QString &text, double top); // the first match at or below `top` of the scene becomes current
    void findAgain();                           // numbers have changed: the current match stays, if it is one
    void setCurrent(int match) { m_find.setCurrent(match); }
    void step(int by) { m_find.step(by); }
    void showFound(); // in the bar

signals:
    void changed(); // what was found, and the size of the bar

private:
    void search(const QString &text);

    const GraphContent *m_content;
    FindBar *m_bar;
    GraphFind m_find;
};

} // namespace stagecraft
