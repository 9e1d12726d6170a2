#include "widgets/charts/plot_page.h"

#include <qcustomplot.h>

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QStackedLayout>
#include <QToolTip>
#include <QVBoxLayout>

#include <utility>

namespace stagecraft {

PlotPage::PlotPage(QWidget *parent)
    : QWidget(parent), m_page(new QWidget(this)), m_hint(new QLabel(this)), m_stack(new QStackedLayout(this))
{
    m_summary = new FactStrip(m_page);
    m_plot = new QCustomPlot(m_page);
    auto *column = new QVBoxLayout(m_page);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto *head = new QHBoxLayout;
    head->setContentsMargins(8, 3, 8, 0);
    head->addWidget(m_summary);
    column->addLayout(head);
    column->addWidget(m_plot, 1);
    m_plot->axisRect()->setMinimumMargins(QMargins(8, 8, 8, 4));
    m_hint->setAlignment(Qt::AlignCenter);
    m_hint->setWordWrap(true);
    m_hint->setObjectName(QStringLiteral("hint"));
    m_stack->addWidget(m_hint);
    m_stack->addWidget(m_page);
    setMinimumSize(160, 110);
    connect(m_plot, &QCustomPlot::mousePress, this,
            [this](QMouseEvent *event) { m_pressedAt = event->position().toPoint(); });
    connect(m_plot, &QCustomPlot::mouseRelease, this, [this](QMouseEvent *event) {
        const QPoint here = event->position().toPoint();
        if (event->button() == Qt::LeftButton && (here - m_pressedAt).manhattanLength() <= 3)
            clicked(here);
    });
    connect(m_plot, &QCustomPlot::mouseMove, this, [this](QMouseEvent *event) {
        if (event->buttons() != Qt::NoButton)
            return;
        const QString tip = tipAt(event->position().toPoint());
        if (tip.isEmpty())
            QToolTip::hideText();
        else
            QToolTip::showText(event->globalPosition().toPoint(),
                               QStringLiteral("<p style='white-space:pre'>%1</p>").arg(tip), m_plot);
    });
}

void PlotPage::setFacts(std::vector<Fact> facts)
{
    m_summary->setFacts(std::move(facts));
}

void PlotPage::showPlot(bool isShown)
{
    m_stack->setCurrentWidget(isShown ? m_page : static_cast<QWidget *>(m_hint));
}

QPoint PlotPage::fromPlot(QPointF point) const
{
    return m_plot->mapTo(this, point.toPoint());
}

void PlotPage::setHint(const QString &hint)
{
    m_hint->setText(hint);
}

QString PlotPage::plainSummary() const
{
    return m_summary->plainText();
}

QSize PlotPage::sizeHint() const
{
    return {320, 230};
}

void PlotPage::changeEvent(QEvent *event)
{
    if (event->type() == QEvent::PaletteChange)
        applyTheme();
    QWidget::changeEvent(event);
}

} // namespace stagecraft
