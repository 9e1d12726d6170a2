#pragma once

// A plot with a line of facts above it, or a hint while there is nothing to draw: what the charts have in common. Lives
// on the UI thread.

#include "widgets/base/fact_strip.h"

#include <QPoint>
#include <QString>
#include <QWidget>

#include <vector>

class QCustomPlot;
class QLabel;
class QStackedLayout;

namespace stagecraft {

class PlotPage : public QWidget {
    Q_OBJECT

public:
    void setHint(const QString &hint);

    [[nodiscard]] QString plainSummary() const; // the line above the plot

    [[nodiscard]] QSize sizeHint() const override;

protected:
    explicit PlotPage(QWidget *parent);

    [[nodiscard]] QCustomPlot *plot() const { return m_plot; }
    void setFacts(std::vector<Fact> facts);
    void showPlot(bool isShown); // otherwise the hint
    [[nodiscard]] QPoint fromPlot(QPointF point) const;

    virtual void applyTheme() = 0; // when the palette changes
    // Points are on the plot. A click is one of the left button without a drag.
    virtual void clicked(QPoint point) = 0;
    [[nodiscard]] virtual QString tipAt(QPoint point) const = 0; // lines of HTML; empty: none

    void changeEvent(QEvent *event) override;

private:
    FactStrip *m_summary;
    QWidget *m_page; // summary and plot
    QCustomPlot *m_plot;
    QLabel *m_hint;
    QStackedLayout *m_stack;
    QPoint m_pressedAt;
};

} // namespace stagecraft
