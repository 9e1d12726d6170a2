#pragma once

// The graph before a pass and after it, side by side: what goes away hatched in vermilion, what takes over its work in
// teal. Drawn by two graph views; a click in either chooses the unit. Lives on the UI thread.

#include "model/rewrite/pass_step.h"
#include "widgets/graph/drawing/dot_runner.h"
#include "widgets/passes/shown_step.h"

#include <QWidget>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

class QBoxLayout;
class QLabel;
class QStackedLayout;

namespace stagecraft {

class ElidedLabel;
class GraphView;
class Selection;

class BeforeAfter : public QWidget {
    Q_OBJECT

public:
    explicit BeforeAfter(QWidget *parent = nullptr);

    void setDot(DotRunnerFactory dotRunnerFactory) { m_dotRunnerFactory = std::move(dotRunnerFactory); }
    void setText(const QString &text); // instead of graphs
    // `change`: the names of operators that are gone; empty: none in particular. Where a pass ran twice, the run that
    // took them is shown.
    void show(const std::vector<PassStep> &steps, const std::vector<std::string> &change);
    void selectUnit(OperatorId unit); // in the graph after the pass

    [[nodiscard]] QString text() const; // empty: graphs are shown
    [[nodiscard]] const ShownStep &shown() const { return m_shown; }
    // Null until graphs were shown for the first time.
    [[nodiscard]] GraphView *before() const { return m_before.view; }
    [[nodiscard]] GraphView *after() const { return m_after.view; }
    [[nodiscard]] QString beforeTitle() const;
    [[nodiscard]] QString afterTitle() const;
    [[nodiscard]] bool isBusy() const;

    [[nodiscard]] QSize sizeHint() const override;

signals:
    void unitChosen(stagecraft::OperatorId unit);
    void drawingFinished();

protected:
    void resizeEvent(QResizeEvent *event) override;

private:
    struct Side {
        QWidget *box = nullptr;
        ElidedLabel *title = nullptr;
        Selection *selection = nullptr;
        GraphView *view = nullptr;
    };

    void makeSides();
    Side makeSide(const QString &name);
    void showSide(Side &side, const QString &name, const ShownGraph &now, const std::shared_ptr<const Graph> &whole);
    void chosenBefore();
    void chosenAfter();
    void choose(OperatorId after); // in the whole graph after the pass

    DotRunnerFactory m_dotRunnerFactory;
    std::optional<PassStep> m_step;
    ShownStep m_shown;
    Side m_before;
    Side m_after;
    QBoxLayout *m_sides;
    QWidget *m_graphs;
    QWidget *m_page; // the text
    QLabel *m_text;
    QStackedLayout *m_stack;
    bool m_isSelecting = false;
};

} // namespace stagecraft
