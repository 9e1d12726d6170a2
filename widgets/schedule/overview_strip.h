#pragma once

// A whole schedule in a strip beside its view: how much of the time each stage takes, where it differs from the ones
// beside it, and what of it is in sight. A press or a drag scrolls there. Lives on the UI thread.

#include <QWidget>

namespace stagecraft {

class ScheduleView;

class OverviewStrip : public QWidget {
    Q_OBJECT

public:
    static constexpr int kWidth = 14;

    explicit OverviewStrip(ScheduleView *view, QWidget *parent = nullptr); // of a view that outlives it

    [[nodiscard]] QRect stageRect(std::size_t stage) const; // empty: folded away, or there is none
    [[nodiscard]] QRect sightRect() const;

    [[nodiscard]] QSize sizeHint() const override;

protected:
    bool event(QEvent *event) override;
    void paintEvent(QPaintEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;

private:
    [[nodiscard]] double scale() const; // pixels of the strip for one of the page
    void scrollTo(double y);

    ScheduleView *m_view;
};

} // namespace stagecraft
