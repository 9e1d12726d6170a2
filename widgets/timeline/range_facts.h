#pragma once

// The statistics of a selected range of time, a line per timeline: busy, idle, the mean of a counter, kernels, bytes,
// arithmetic.

#include "widgets/timeline/timeline_stack.h"

#include <QWidget>

#include <vector>

class QVBoxLayout;

namespace stagecraft {

class FactStrip;

class RangeFacts : public QWidget {
public:
    explicit RangeFacts(QWidget *parent);

    void show(const TimelineStack &rows, const QCPRange &shared);
    void clear(); // and hides it
    [[nodiscard]] QString plainText() const;

private:
    QVBoxLayout *m_lines;
    std::vector<FactStrip *> m_strips;
};

} // namespace stagecraft
