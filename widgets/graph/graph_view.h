#pragma once

// The model's graph on a canvas: operators as cards from top to bottom, blocks as foldable frames, coloured by the
// stages of the current schedule, by latency or by operator type. The selection is synchronised with Selection both
// ways. Layout runs on a background thread; late results are dropped. Lives on the UI thread. Emits drawingFinished()
// when a new layout is shown.
//
// Mouse: drag pans, wheel scrolls, Ctrl+wheel and pinch zoom about the cursor, click selects, double click zooms to the
// operator, Shift+click shows the paths from the selected operator, click on a block's title folds it. Keys: arrows
// (follow edges from the selection, else pan), W, S, + and - (zoom), A and D (pan), F or 0 (fit), Z (selection), Ctrl+F
// (find), Escape (clear), and those of viewActions().

#include "graph/block.h"
#include "graph/graph.h"
#include "schedule/schedule.h"
#include "support/result.h"
#include "timing/provenance.h"
#include "timing/timeline/timeline_index.h"
#include "widgets/graph/drawing/dot_runner.h"
#include "widgets/graph/paint/colouring.h"
#include "widgets/graph/paint/graph_labels.h"
#include "widgets/graph/paint/operator_marks.h"

#include <QList>
#include <QStringList>
#include <QWidget>

#include <cstddef>
#include <memory>
#include <vector>

class QAction;

namespace stagecraft {

class Selection;
struct LayoutCosts;
struct StartEntry;

class GraphView : public QWidget {
    Q_OBJECT

public:
    explicit GraphView(Selection *selection, QWidget *parent = nullptr);
    ~GraphView() override;

    // A null graph shows the empty state. Drops the schedule, which belongs to the previous model.
    void setModel(std::shared_ptr<const Graph> graph, Blocks blocks);
    [[nodiscard]] const std::shared_ptr<const Graph> &graph() const;

    // The current schedule, or null. Stages of the selection are indices into it.
    void setSchedule(std::shared_ptr<const Schedule> schedule);

    // What ran when under the current schedule, for utilisation and time lost; or null.
    void setTimeline(std::shared_ptr<const TimelineIndex> timeline);
    // Another schedule of the same graph, for Colouring::Moved; or null. `name`: as in the legend.
    void setComparedSchedule(std::shared_ptr<const Schedule> other, const QString &name);

    // What conversions take on the device of the current schedule, for Colouring::Layout; or null.
    void setLayoutCosts(std::shared_ptr<const LayoutCosts> costs);

    void setColouring(Colouring colouring);
    [[nodiscard]] Colouring colouring() const;
    [[nodiscard]] QStringList badges() const; // of conversions, as on the edges

    // Per operator of the graph, instead of a colouring, until the next model; empty: none.
    void setMarks(std::vector<OperatorMark> marks);
    // For the models that follow: what is read from outside and written to it.
    void setTerminalWords(const TerminalWords &words);
    // Frames these operators and moves to them, also once they are laid out; none: the graph from its start.
    void showOperators(std::vector<OperatorId> operators);
    // Without tools, key and page for an empty view: a part of another panel, which has its own.
    void setPlain(bool plain);

    // How to start Graphviz's dot, which draws blocks best; without it, or if it fails, blocks are laid out by rows.
    void setDot(DotRunnerFactory dotRunnerFactory);

    // Built-in models offered in the empty state; sampleRequested() carries the clicked one.
    void setSamples(const QStringList &names);
    // Unfinished work and recently opened files in the empty state.
    void setStartEntries(const std::vector<StartEntry> &left, const std::vector<StartEntry> &recent);

    // As GraphFind says, in the graph's order. The first match at or below the view becomes current.
    void find(const QString &text);
    [[nodiscard]] int matchCount() const;
    [[nodiscard]] int currentMatch() const; // 0-based; -1: no match

    // Several operators with a frame, and all else stepped back: what leads to the selected one, what follows from it,
    // or all paths between it and the one selected before. The selection itself stays.
    void chooseAncestors();
    void chooseDescendants();
    void choosePath();
    [[nodiscard]] std::vector<OperatorId> chosen() const;
    void setIsolated(bool isolated); // shows only what is chosen or selected
    [[nodiscard]] bool isIsolated() const;

    // Their keys work in this view; for menus.
    [[nodiscard]] const QList<QAction *> &viewActions() const;

    void setBlockFolded(std::size_t block, bool folded);
    [[nodiscard]] bool isBlockFolded(std::size_t block) const;
    void setAllFolded(bool folded);

    [[nodiscard]] bool isBusy() const;   // a layout is being computed
    [[nodiscard]] bool isMoving() const; // an animation is running
    [[nodiscard]] double zoom() const;

    [[nodiscard]] QSize sizeHint() const override;

public slots:
    void findNext();
    void findPrevious();
    void selectMatch(int by); // the current match; where it is selected already, the next one in that direction
    void showFindBar();
    void fitAll();
    void zoomToSelection();
    void zoomIn();
    void zoomOut();

signals:
    void openRequested();
    void sampleRequested(const QString &name);
    void continueRequested(const QString &id);
    void recentRequested(const QString &id);
    void colouringChanged(stagecraft::Colouring colouring);
    void drawingFinished();
    void dotFailed(const stagecraft::Error &why); // before drawingFinished(): blocks are laid out by rows
    void zoomChanged(double zoom);
    void matchesChanged(int current, int count);

protected:
    bool event(QEvent *event) override;
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void changeEvent(QEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void mouseDoubleClickEvent(QMouseEvent *event) override;
    void leaveEvent(QEvent *event) override;
    void wheelEvent(QWheelEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;

private:
    class Private;
    std::unique_ptr<Private> m_private;
};

} // namespace stagecraft
