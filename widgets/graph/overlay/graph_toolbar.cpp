#include "widgets/graph/overlay/graph_toolbar.h"

#include <QHBoxLayout>
#include <QToolButton>

namespace stagecraft {

GraphToolbar::GraphToolbar(QWidget *parent) : OverlayPanel(parent)
{
    auto *layout = new QHBoxLayout(this);
    layout->setContentsMargins(5, 4, 5, 4);
    layout->setSpacing(2);
    QToolButton *out = button(QStringLiteral("−"), QStringLiteral("Zoom out"), QStringLiteral("Zoom out (−)"));
    m_zoom = button(QStringLiteral("100 %"), QStringLiteral("Zoom"), QStringLiteral("Show at 100 %"));
    m_zoom->setMinimumWidth(m_zoom->fontMetrics().horizontalAdvance(QStringLiteral("100.0 %")) + 8);
    QToolButton *in = button(QStringLiteral("+"), QStringLiteral("Zoom in"), QStringLiteral("Zoom in (+)"));
    QToolButton *fit =
        button(QStringLiteral("Fit"), QStringLiteral("Fit the whole graph"), QStringLiteral("Fit the whole graph (F)"));
    m_fold = button(QStringLiteral("Fold"), QStringLiteral("Fold all blocks"), QStringLiteral("Fold all blocks"));
    m_fold->setMinimumWidth(m_fold->fontMetrics().horizontalAdvance(QStringLiteral("Unfold")) + 12);
    QToolButton *find =
        button(QStringLiteral("Find"), QStringLiteral("Find an operator"), QStringLiteral("Find an operator (Ctrl+F)"));
    for (QToolButton *each : {out, m_zoom, in, fit, m_fold, find})
        layout->addWidget(each);
    connect(out, &QToolButton::clicked, this, &GraphToolbar::zoomOutRequested);
    connect(in, &QToolButton::clicked, this, &GraphToolbar::zoomInRequested);
    connect(m_zoom, &QToolButton::clicked, this, &GraphToolbar::actualSizeRequested);
    connect(fit, &QToolButton::clicked, this, &GraphToolbar::fitRequested);
    connect(find, &QToolButton::clicked, this, &GraphToolbar::findRequested);
    connect(m_fold, &QToolButton::clicked, this, [this] { emit foldRequested(!m_anyFolded); });
    setAccessibleName(QStringLiteral("Graph tools"));
}

QToolButton *GraphToolbar::button(const QString &text, const QString &name, const QString &tip)
{
    auto *result = new QToolButton(this);
    result->setText(text);
    result->setAccessibleName(name);
    result->setToolTip(tip);
    result->setAutoRaise(true);
    result->setFocusPolicy(Qt::TabFocus);
    return result;
}

void GraphToolbar::showZoom(double zoom)
{
    m_zoom->setText(QStringLiteral("%1 %").arg(zoom * 100, 0, 'f', zoom < 0.0995 ? 1 : 0));
}

void GraphToolbar::showFolds(bool anyFolded, bool hasBlocks)
{
    m_anyFolded = anyFolded;
    m_fold->setVisible(hasBlocks);
    m_fold->setText(anyFolded ? QStringLiteral("Unfold") : QStringLiteral("Fold"));
    m_fold->setToolTip(anyFolded ? QStringLiteral("Unfold all blocks") : QStringLiteral("Fold all blocks"));
    m_fold->setAccessibleName(m_fold->toolTip());
}

} // namespace stagecraft
