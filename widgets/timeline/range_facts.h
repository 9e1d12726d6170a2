#pragma once

// The statistics of a selected range of time, a paragraph per timeline: busy, idle, the mean of a counter, kernels,
// bytes, arithmetic.

#include "widgets/timeline/timeline_stack.h"

#include <QStringList>
#include <QWidget>

#include <vector>

class QLabel;
class QVBoxLayout;

namespace stagecraft {

class RangeFacts : public QWidget {
public:
    explicit RangeFacts(QWidget *parent);

    void show(const TimelineStack &rows, const QCPRange &shared);
    void clear(); // and hides it
    [[nodiscard]] QString plainText() const { return m_texts.join(QLatin1Char('\n')); }

private:
    QVBoxLayout *m_column;
    std::vector<QLabel *> m_lines;
    QStringList m_texts;
};

} // namespace stagecraft
