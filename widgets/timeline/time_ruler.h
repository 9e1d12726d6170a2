#pragma once

// The time axis below the rows of a timeline, which stays in sight while they scroll.

#include "widgets/timeline/timeline_stack.h"

#include <QWidget>

namespace stagecraft {

class TimeRuler : public QWidget {
public:
    // As wide as the plot, and at the same left; `rows` outlive it.
    TimeRuler(const TimelineStack &rows, QWidget *parent);

    [[nodiscard]] QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    const TimelineStack &m_rows;
};

} // namespace stagecraft
