#pragma once

// Chooses the counters of a timeline view. Lives on the UI thread.

#include "widgets/timeline/counter_plot.h"

#include <QStringList>
#include <QToolButton>

#include <vector>

namespace stagecraft {

class CounterMenu : public QToolButton {
    Q_OBJECT

public:
    explicit CounterMenu(QWidget *parent);

    // A counter may exist twice, sampled and modelled; then each title says which. Chooses those that are wanted, else
    // the first one.
    void offer(const std::vector<CounterSeries> &offered, const std::vector<CounterChoice> &wanted);
    void choose(const QStringList &titles); // those that there are; at least one stays
    [[nodiscard]] std::vector<CounterChoice> chosen() const;

signals:
    void chosenChanged();
};

} // namespace stagecraft
