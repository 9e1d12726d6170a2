#pragma once

// Implementation of GraphView: its state and event handling. Included only by the files of GraphView.

#include "widgets/base/find_bar.h"
#include "widgets/canvas/viewport.h"
#include "widgets/graph/drawing/drawing_runner.h"
#include "widgets/graph/graph_hit_test.h"
#include "widgets/graph/graph_view.h"
#include "widgets/graph/overlay/empty_state.h"
#include "widgets/graph/overlay/graph_find.h"
#include "widgets/graph/overlay/graph_legend.h"
#include "widgets/graph/overlay/graph_toolbar.h"
#include "widgets/graph/overlay/hover_card.h"
#include "widgets/graph/overlay/minimap.h"
#include "widgets/graph/paint/graph_scene.h"

#include <QAction>
#include <QPixmap>
#include <QPointer>
#include <QTimer>
#include <QVariantAnimation>

namespace stagecraft {

class GraphView::Private {
public:
    Private(GraphView *view, Selection *selection);

    // Model, schedule, appearance.
    void startDrawing();
    void showLayout(std::shared_ptr<const PreparedGraph> prepared);
    void refreshStyles();
    void refreshEmphasis();
    void refreshTheme();
    void placeOverlays();

    // Viewport.
    void moveTo(const Viewport &target, bool animated);
    void setViewport(const Viewport &viewport);
    [[nodiscard]] QMarginsF fitMargins() const;
    [[nodiscard]] std::optional<MinimapPlace> minimapHere() const; // none where all fits, or has no room
    void fitCanvas(int legendHeight);
    [[nodiscard]] QRectF canvas() const { return {QPointF(), viewport.size}; } // what no strip takes
    [[nodiscard]] QMarginsF revealMargins() const;
    void showFramed(bool animated);
    void showAgain(bool animated); // what is framed, else from the start
    void showFirst();              // after opening: the whole graph if cards stay readable, else its top
    void reveal(const QRectF &sceneRect);
    [[nodiscard]] QRectF selectedRect() const;
    [[nodiscard]] QRectF content() const;
    [[nodiscard]] bool hasGraph() const { return scene.prepared != nullptr; }

    // Selection and finding.
    void selectionChanged();
    void select(std::uint32_t node);
    void step(Direction direction);
    void search(const QString &text);
    void searchAgain(); // numbers have changed: the current match stays, if it is one
    void showFound();
    void showMatch(); // and moves there
    void createActions();
    void choose(std::vector<bool> operators, const QString &what);
    [[nodiscard]] HeatScale heat();

    // Pointer.
    void hoverAt(const QPointF &position);
    void setHovered(std::optional<std::uint32_t> node);
    [[nodiscard]] GraphHit hitAt(const QPointF &position) const;
    [[nodiscard]] bool inMinimap(const QPointF &position) const;
    void press(const QPointF &position);
    void drag(const QPointF &position);
    void release(const QPointF &position, Qt::KeyboardModifiers modifiers);

    void paint(QPainter &painter, const QRect &clip);

    GraphView *q;
    QPointer<Selection> selection;
    std::shared_ptr<const Graph> graph;
    Blocks blocks;
    std::shared_ptr<const Schedule> schedule;
    std::vector<std::optional<StagePlace>> places;
    std::shared_ptr<const TimelineIndex> timeline;
    std::shared_ptr<const Schedule> compared;
    std::shared_ptr<const LayoutCosts> layoutCosts;
    QString comparedName;
    std::vector<bool> chosen;                 // per operator; empty: none
    std::optional<OperatorId> selectedBefore; // the operator before the selected one
    std::optional<OperatorId> selectedNow;
    bool isIsolated = false;
    std::vector<OperatorMark> marks;
    std::vector<OperatorId> framed;
    bool isPlain = false;
    TerminalWords words;
    QList<QAction *> actions;
    Colouring colouring = Colouring::Stage;
    std::vector<bool> folded;

    GraphScene scene;
    Viewport viewport;
    Viewport destination; // of the animation; the viewport itself if none runs
    DrawingRunner runner;
    GraphFind finder;
    bool firstDrawing = true;
    std::optional<std::size_t> keepInPlace; // a block that was just folded: its title stays in place
    bool ownSelection = false; // the selection changes from within the view: the clicked item is visible already

    QVariantAnimation animation;
    Viewport animationStart;
    QTimer hoverTimer;
    QTimer busyTimer;
    bool busyShown = false;
    bool hoverShown = false;
    QPixmap minimap;
    QSizeF minimapSize;

    enum class Drag { None, Pending, Pan, Minimap };
    Drag dragging = Drag::None;
    QPointF pressedAt;
    QPointF draggedFrom;

    EmptyState *empty;
    GraphToolbar *toolbar;
    GraphLegend *legend;
    FindBar *findBar;
};

} // namespace stagecraft
