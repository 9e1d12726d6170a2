#pragma once

// What a timeline view holds and does: split over timeline_view.cpp (its face), timeline_view_state.cpp (what it shows)
// and timeline_view_events.cpp (mouse and keys).

#include "widgets/base/fact_strip.h"
#include "widgets/base/theme.h"
#include "widgets/timeline/timeline_find.h"
#include "widgets/timeline/timeline_stack.h"
#include "widgets/timeline/timeline_view.h"

#include <QAction>
#include <QLabel>
#include <QMenu>
#include <QScrollArea>
#include <QStackedLayout>
#include <QToolButton>

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace stagecraft {

class FindBar;
class RangeFacts;

class TimelineView::Private {
public:
    Private(TimelineView *view, Selection *own) : q(view), selection(own) {}

    TimelineView *q;
    Selection *selection; // of a single timeline; not used if there are several
    FactStrip *summary = nullptr;
    QToolButton *counters = nullptr;
    QMenu *counterMenu = nullptr;
    QLabel *notes = nullptr;
    QToolButton *all = nullptr;
    QToolButton *align = nullptr;
    FindBar *findBar = nullptr;
    RangeFacts *rangeFacts = nullptr;
    QWidget *page = nullptr;
    QLabel *hint = nullptr;
    QStackedLayout *stack = nullptr;
    std::unique_ptr<TimelineStack> rows;
    QScrollArea *scroll = nullptr; // up and down, where the rows do not fit
    std::vector<QMetaObject::Connection> selections;
    QList<QAction *> actions;
    TimelineFind found;
    bool isFoundSelected = false;
    Theme theme;
    bool isAligned = false;

    // Drags and the pointer
    enum class Drag { None, Pending, Range, Pan };
    Drag drag = Drag::None;
    QPointF pressedAt;
    double anchorUs = 0; // the end of the range that stays
    QCPRange pannedFrom; // visible when the pan began
    int scrolledFrom = 0;
    std::optional<double> pointerUs;
    std::size_t activeLane = 0; // the one last pressed; steps go through it

    // What was visible before, for Backspace. Moves in small steps count as one.
    std::vector<QCPRange> before;
    bool isMovingStepwise = false;

    // What was shown last, while the timeline of the model's next result is being made.
    std::shared_ptr<const Graph> lastGraph;
    std::optional<QCPRange> lastRange; // nullopt: the whole

    // What it shows
    [[nodiscard]] std::optional<Fact> meanFact(const TimelineLane &lane) const;
    void applyTheme();
    void offerCounters();
    void chooseCounters();
    void showNotes() const;
    void showSummary() const;
    void selectionChanged(TimelineLane &lane, const Selected &selected);
    [[nodiscard]] QString counterTip(std::size_t lane, const CounterPlot &counter, double sharedUs) const;
    [[nodiscard]] QString tip(QPointF at) const;
    void setOver(const std::function<void(OverTime &)> &change);
    void showRange();
    void selectRange(std::optional<QCPRange> range);
    void search(const QString &text);
    void stepFound(int by); // selects the match; the first time the current one
    void showFound();
    void revealFound();
    void scrollTo(const TimelineLane &lane, const KernelSpan &kernel);
    void scrollBy(double pixels);

    // Mouse and keys
    void createActions();
    void connectMouse();
    void jump(const QCPRange &to);                    // remembered for back()
    void move(const std::function<void()> &stepwise); // remembered once for many
    void press(QMouseEvent *event);
    void pointAt(QMouseEvent *event);
    void release(QMouseEvent *event);
    void click(QPointF at);
    void wheel(QWheelEvent *event);
    void step(int by);
    void mark();
    [[nodiscard]] std::optional<double> rangeEdgeAt(double x) const; // the other edge of the range
    [[nodiscard]] double zoomCentre() const;
};

} // namespace stagecraft
