#pragma once

// A whole schedule in a strip next to its view: each stage's share of the time, where it differs from the compared
// schedules, and the visible part. A press or drag scrolls there. Lives on the UI thread.

#include <QWidget>

namespace stagecraft {

class ScheduleView;

class OverviewStrip : public QWidget {
    Q_OBJECT

public:
    static constexpr int kWidth = 14;

    explicit OverviewStrip(ScheduleView *view, QWidget *parent = nullptr); // the view must outlive the strip

    [[nodiscard]] QRect stageRect(std::size_t stage) const; // empty: folded away, or no such stage
    [[nodiscard]] QRect sightRect() const;

    [[nodiscard]] QSize sizeHint() const override;

protected:
    bool event(QEvent *event) override;
    void paintEvent(QPaintEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;

private:
    [[nodiscard]] double scale() const; // strip pixels per page pixel
    void scrollTo(double y);

    ScheduleView *m_view;
};

} // namespace stagecraft
