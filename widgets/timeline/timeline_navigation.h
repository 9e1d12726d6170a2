#pragma once

// Mouse, wheel and keys of a timeline view: zoom and pan, what was visible before, the selected range, marks, and steps
// from operator to operator. Lives on the UI thread.

#include "widgets/timeline/timeline_stack.h"

#include <QList>
#include <QObject>

#include <functional>
#include <optional>
#include <vector>

class QAction;
class QKeyEvent;
class QMouseEvent;
class QScrollArea;
class QWheelEvent;

namespace stagecraft {

class TimelineNavigation : public QObject {
    Q_OBJECT

public:
    // `scroll` moves rows that do not fit up and down; `view` gets the actions.
    TimelineNavigation(TimelineStack *rows, QScrollArea *scroll, QWidget *view);

    [[nodiscard]] const QList<QAction *> &actions() const { return m_actions; } // their keys work in the view
    void add(const QString &text, const char *keys, const std::function<void()> &act);
    [[nodiscard]] bool pressKey(const QKeyEvent &event); // false: a key of others

    void jump(const QCPRange &to); // remembered for back()
    void zoomToSelection();        // to the selected range, else to what is selected
    void back();                   // to what was visible before
    void forget() { m_before.clear(); }
    void showKernel(const TimelineLane &lane, const KernelSpan &kernel); // up or down
    void setActiveLane(std::size_t lane) { m_activeLane = lane; }

    void selectRange(std::optional<QCPRange> range); // as far as it is within the whole time
    void setOver(const std::function<void(OverTime &)> &change);

signals:
    void rangeChanged();

private:
    enum class Drag { None, Pending, Range, Pan };

    void move(const std::function<void()> &stepwise); // remembered once for many
    void press(QMouseEvent *event);
    void pointAt(QMouseEvent *event);
    void release(QMouseEvent *event);
    void click(QPointF at);
    void wheel(QWheelEvent *event);
    void step(int by);
    void mark();
    void scrollBy(double pixels);
    [[nodiscard]] std::optional<double> rangeEdgeAt(double x) const; // the other edge of the range
    [[nodiscard]] double zoomCentre() const;

    TimelineStack *m_rows;
    QScrollArea *m_scroll;
    QWidget *m_view;
    QList<QAction *> m_actions;
    Drag m_drag = Drag::None;
    QPointF m_pressedAt;
    double m_anchorUs = 0; // the end of the range that stays
    QCPRange m_pannedFrom; // visible when the pan began
    int m_scrolledFrom = 0;
    std::optional<double> m_pointerUs;
    std::size_t m_activeLane = 0;   // the one last pressed; steps go through it
    std::vector<QCPRange> m_before; // what was visible; moves in small steps count as one
    bool m_isMovingStepwise = false;
};

} // namespace stagecraft
