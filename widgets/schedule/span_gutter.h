#pragma once

// The gutter between two neighbouring schedules: in visible spans that differ, ribbons join stages that share
// operators, arrows copy the span from one side to the other, and numbers say what it takes on both sides. Follows the
// scrolling of both views. Between stages and streams there are numbers alone. Lives on the UI thread.

#include "widgets/schedule/compared_schedules.h"

#include <QFont>
#include <QStringList>
#include <QWidget>

#include <memory>
#include <optional>

class QAction;

namespace stagecraft {

class ScheduleView;

class SpanGutter : public QWidget {
    Q_OBJECT

public:
    static constexpr int kWidth = 44;

    // Both views are children of the gutter's parent and outlive the gutter.
    SpanGutter(ScheduleView *left, ScheduleView *right, QWidget *parent);

    // Null: nothing to join. Sides are those of the compared schedules.
    void setCompared(std::shared_ptr<const ComparedSchedules> compared, std::size_t leftSide, std::size_t rightSide);
    void setLetters(const QString &left, const QString &right);
    void addButton(QAction *action); // at its top

    enum class Arrow { IntoRight, IntoLeft };
    [[nodiscard]] QRect arrowRect(std::size_t span, Arrow arrow) const; // empty: not visible
    [[nodiscard]] std::size_t ribbonCount() const;                      // visible ribbons
    // What stands above and below the arrows of the span, as far as there is room: "224 µs", "158 µs", "−29.5 %".
    [[nodiscard]] QStringList numbers(std::size_t span) const;

    [[nodiscard]] QSize sizeHint() const override;

signals:
    void takePressed(std::size_t span, bool intoRight);

protected:
    bool event(QEvent *event) override;
    void paintEvent(QPaintEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void leaveEvent(QEvent *event) override;

private:
    struct Hit {
        std::size_t span = 0;
        Arrow arrow = Arrow::IntoRight;

        friend bool operator==(const Hit &, const Hit &) = default;
    };

    [[nodiscard]] QRect viewArea(const ScheduleView *view) const; // the view's area in the gutter's coordinates
    [[nodiscard]] QRect area() const;
    [[nodiscard]] bool isBesideStreams() const { return m_compared && m_compared->hasStreams(); }
    [[nodiscard]] QRect middleOf(std::size_t span) const; // where its numbers stand around; empty: not visible
    [[nodiscard]] bool isDifferent(std::size_t span) const;
    [[nodiscard]] std::optional<Hit> hitAt(QPoint point) const;
    [[nodiscard]] QString tip(const Hit &hit) const;
    [[nodiscard]] QString tipOfSpanAt(QPoint point) const; // empty: no span that differs
    [[nodiscard]] QFont smallFont() const;
    void paintNumbers(QPainter &painter, std::size_t span) const;
    template <typename Visit>
    void forSpansInSight(Visit visit) const;
    void paintRibbons(QPainter &painter, std::size_t span) const;
    void paintArrow(QPainter &painter, const QRect &place, Arrow arrow, bool isHovered) const;

    ScheduleView *m_left;
    ScheduleView *m_right;
    std::shared_ptr<const ComparedSchedules> m_compared;
    std::size_t m_leftSide = 0;
    std::size_t m_rightSide = 1;
    QString m_leftLetter;
    QString m_rightLetter;
    std::optional<Hit> m_hovered;
};

} // namespace stagecraft
