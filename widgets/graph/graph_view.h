#pragma once

// The model's graph on a canvas: operators as cards from top to bottom, blocks as foldable frames, coloured by the
// stages of the current schedule, by latency or by operator type. The selection is synchronised with Selection both
// ways. Layout runs on a background thread; late results are dropped. Lives on the UI thread. Emits drawingFinished()
// when a new layout is shown.
//
// Mouse: as of a canvas; click selects, double click zooms to the operator, Shift+click shows the paths from the
// selected operator, click on a block's title folds it. Keys: arrows (follow edges from the selection), Home (as after
// opening), Z (selection), Ctrl+F (find), Escape (clear), those of viewActions(), and those of a canvas.

#include "graph/block.h"
#include "graph/graph.h"
#include "schedule/timed_schedule.h"
#include "support/result.h"
#include "timing/provenance.h"
#include "timing/timeline/timeline_index.h"
#include "widgets/graph/drawing/dot_runner.h"
#include "widgets/graph/graph_canvas.h"
#include "widgets/graph/paint/colouring.h"
#include "widgets/graph/paint/graph_labels.h"
#include "widgets/graph/paint/operator_marks.h"

#include <QList>
#include <QPointer>
#include <QStringList>

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

class QAction;

namespace stagecraft {

class DrawingRunner;
class EmptyState;
class GraphChoice;
class GraphLegend;
class GraphSearch;
class GraphToolbar;
class Selection;
enum class Direction;
struct LayoutCosts;
struct PreparedGraph;
struct StartEntry;

class GraphView : public GraphCanvas {
    Q_OBJECT

public:
    explicit GraphView(Selection *selection, QWidget *parent = nullptr);
    ~GraphView() override;

    // A null graph shows the empty state. Drops the schedule, which belongs to the previous model.
    void setModel(std::shared_ptr<const Graph> graph, Blocks blocks);
    [[nodiscard]] const std::shared_ptr<const Graph> &graph() const;

    // The current schedule, or null. Stages of the selection are indices into it.
    void setSchedule(std::shared_ptr<const TimedSchedule> schedule);

    // What ran when under the current schedule, for utilisation and time lost; or null.
    void setTimeline(std::shared_ptr<const TimelineIndex> timeline);
    // Another schedule of the same graph, for Colouring::Moved; or null. `name`: as in the legend.
    void setComparedSchedule(const std::shared_ptr<const TimedSchedule> &other, const QString &name);

    // What conversions take on the device of the current schedule, for Colouring::Layout; or null.
    void setLayoutCosts(const std::shared_ptr<const LayoutCosts> &costs);

    void setColouring(Colouring colouring);
    [[nodiscard]] Colouring colouring() const;
    [[nodiscard]] QStringList badges() const; // of conversions, as on the edges

    // Per operator of the graph, instead of a colouring, until the next model; empty: none.
    void setMarks(std::vector<OperatorMark> marks);
    // For the models that follow: what is read from outside and written to it.
    void setTerminalWords(const TerminalWords &words) { m_words = words; }
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

    // Several operators with a frame, and all else stepped back (GraphChoice); or hidden. The selection itself stays.
    [[nodiscard]] std::vector<OperatorId> chosen() const;
    [[nodiscard]] bool isIsolated() const;

    // Their keys work in this view; for menus.
    [[nodiscard]] const QList<QAction *> &viewActions() const;

    void setBlockFolded(std::size_t block, bool folded);
    [[nodiscard]] bool isBlockFolded(std::size_t block) const;
    void setAllFolded(bool folded);

    [[nodiscard]] bool isBusy() const; // a layout is being computed

    [[nodiscard]] QSize sizeHint() const override { return {520, 640}; }

public slots:
    void findNext() { stepMatch(1); }
    void findPrevious() { stepMatch(-1); }
    void selectMatch(int by); // the current match; where it is selected already, the next one in that direction
    void showFindBar();

signals:
    void openRequested();
    void sampleRequested(const QString &name);
    void tourRequested();
    void continueRequested(const QString &id);
    void recentRequested(const QString &id);
    void colouringChanged(stagecraft::Colouring colouring);
    void drawingFinished();
    void dotFailed(const stagecraft::Error &why); // before drawingFinished(): blocks are laid out by rows
    void matchesChanged(int current, int count);

protected:
    [[nodiscard]] int coveredTop() const override; // by the find bar
    void viewportChanged() override;
    void click(const QPointF &position, Qt::KeyboardModifiers modifiers) override;

    bool event(QEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void changeEvent(QEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;

private:
    void connectParts();
    void startDrawing();
    void showLayout(std::shared_ptr<const PreparedGraph> prepared);
    void refreshAppearance();
    void refreshStyles();
    void refreshEmphasis();
    void placeOverlays();

    void showAgain(bool animated); // what is framed, else from the start

    void selectionChanged();
    void select(OperatorId op); // what was clicked or found is visible already
    void step(Direction direction);
    void closeFindBar();
    void stepMatch(int by);
    void showMatch(); // and moves there

    QPointer<Selection> m_selection;
    DrawingRunner *m_runner;
    GraphChoice *m_choice;
    EmptyState *m_empty;
    GraphToolbar *m_toolbar;
    GraphLegend *m_legend;
    GraphSearch *m_search; // its bar is above the others

    std::vector<bool> m_folded; // blocks
    std::vector<OperatorId> m_framed;
    TerminalWords m_words;
    bool m_isFirstDrawing = true;
    std::optional<std::size_t> m_keepInPlace; // a block that was just folded: its title stays in place
    bool m_isOwnSelection = false;
};

} // namespace stagecraft
