#include "widgets/graph/graph_legend.h"

#include "widgets/format.h"

#include <QButtonGroup>
#include <QHBoxLayout>
#include <QLinearGradient>
#include <QPainter>
#include <QToolButton>

namespace stagecraft {
namespace {

constexpr int kWidth = 232;
constexpr int kPadding = 10;
constexpr int kRow = 20;
constexpr int kSwatch = 12;

void paintSwatch(QPainter &painter, const QRect &row, const QColor &fill)
{
    painter.setPen(Qt::NoPen);
    painter.setBrush(fill);
    painter.drawRoundedRect(QRectF(row.left(), row.center().y() - kSwatch / 2.0 + 1, kSwatch, kSwatch), 3, 3);
}

} // namespace

GraphLegend::GraphLegend(QWidget *parent) : OverlayPanel(parent)
{
    auto *group = new QButtonGroup(this);
    const std::array names{QStringLiteral("Stage"), QStringLiteral("Latency"), QStringLiteral("Type")};
    const std::array tips{QStringLiteral("Colour by stage of the schedule"), QStringLiteral("Colour by latency"),
                          QStringLiteral("Colour by operator type")};
    for (std::size_t i = 0; i < m_buttons.size(); ++i) {
        auto *button = new QToolButton(this);
        button->setText(names[i]);
        button->setToolTip(tips[i]);
        button->setAccessibleName(tips[i]);
        button->setCheckable(true);
        button->setAutoRaise(true);
        group->addButton(button, static_cast<int>(i));
        m_buttons[i] = button;
        connect(button, &QToolButton::clicked, this, [this, i] { emit colouringChosen(static_cast<Colouring>(i)); });
    }
    setAccessibleName(QStringLiteral("Colours"));
    place();
}

void GraphLegend::setState(LegendState state)
{
    m_state = std::move(state);
    m_buttons[static_cast<std::size_t>(m_state.colouring)]->setChecked(true);
    place();
    update();
}

void GraphLegend::setCompact(bool compact)
{
    m_compact = compact;
    place();
}

int GraphLegend::keyRows() const
{
    if (m_compact)
        return 0;
    switch (m_state.colouring) {
    case Colouring::Stage: return m_state.hasMerge ? 2 : 1;
    case Colouring::Heat: return m_state.heat.maximumUs > 0 ? 2 : 1;
    case Colouring::Type: return static_cast<int>(m_state.families.size());
    }
    return 1;
}

void GraphLegend::place()
{
    int x = kPadding - 4;
    int height = 0;
    for (QToolButton *button : m_buttons) {
        const QSize size = button->sizeHint();
        button->setGeometry(x, m_compact ? 5 : 6, size.width() + 6, size.height());
        x += size.width() + 10;
        height = size.height();
    }
    if (m_compact)
        resize(x + 2, height + 10);
    else
        resize(kWidth, 6 + height + 6 + keyRows() * kRow + kPadding - 2);
}

void GraphLegend::paintEvent(QPaintEvent *event)
{
    OverlayPanel::paintEvent(event);
    if (m_compact)
        return;
    const Theme theme = themeFor(palette());
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    QFont small = font();
    small.setPixelSize(11);
    painter.setFont(small);
    const QRect area = rect().adjusted(kPadding, height() - keyRows() * kRow - kPadding + 4, -kPadding, -kPadding + 4);
    switch (m_state.colouring) {
    case Colouring::Stage: paintStages(painter, area, theme); break;
    case Colouring::Heat: paintHeat(painter, area, theme); break;
    case Colouring::Type: paintFamilies(painter, area, theme); break;
    }
}

void GraphLegend::paintStages(QPainter &painter, const QRect &area, const Theme &theme) const
{
    QRect row(area.left(), area.top(), area.width(), kRow);
    if (m_state.stages == 0) {
        painter.setPen(theme.mutedText);
        painter.drawText(row, Qt::AlignVCenter, QStringLiteral("No schedule yet"));
        return;
    }
    for (std::size_t i = 0; i < 3; ++i) {
        QRect swatch = row.translated(static_cast<int>(i) * (kSwatch + 3), 0);
        paintSwatch(painter, swatch, theme.stageFill(i));
    }
    painter.setPen(theme.text);
    painter.drawText(row.adjusted(3 * (kSwatch + 3) + 6, 0, 0, 0), Qt::AlignVCenter,
                     m_state.stages > 1 ? QStringLiteral("4b: stage 4, group b")
                                        : QStringLiteral("1a: stage 1, group a"));
    if (!m_state.hasMerge)
        return;
    row.translate(0, kRow);
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme.mergeMark);
    painter.drawRoundedRect(QRectF(row.left(), row.center().y() - 7, 27, 15), 7.5, 7.5);
    painter.setPen(theme.onFill(theme.mergeMark));
    painter.drawText(QRect(row.left(), row.center().y() - 7, 27, 15), Qt::AlignCenter, QStringLiteral("4 M"));
    painter.setPen(theme.text);
    painter.drawText(row.adjusted(3 * (kSwatch + 3) + 6, 0, 0, 0), Qt::AlignVCenter,
                     QStringLiteral("merged into one operator"));
}

void GraphLegend::paintHeat(QPainter &painter, const QRect &area, const Theme &theme) const
{
    const QRect row(area.left(), area.top(), area.width(), kRow);
    if (m_state.heat.maximumUs <= 0) {
        painter.setPen(theme.mutedText);
        painter.drawText(row, Qt::AlignVCenter, QStringLiteral("No latencies yet"));
        return;
    }
    const QRectF bar(row.left(), row.center().y() - 4, row.width(), 10);
    QLinearGradient gradient(bar.topLeft(), bar.topRight());
    for (int i = 0; i <= 8; ++i)
        gradient.setColorAt(i / 8.0, theme.heat(i / 8.0));
    painter.setPen(Qt::NoPen);
    painter.setBrush(gradient);
    painter.drawRoundedRect(bar, 3, 3);
    const QRect below = row.translated(0, kRow - 2);
    painter.setPen(theme.text);
    painter.drawText(below, Qt::AlignVCenter | Qt::AlignLeft, QStringLiteral("0"));
    painter.drawText(below, Qt::AlignVCenter | Qt::AlignRight,
                     shortLatencyText(m_state.heat.maximumUs, m_state.heat.leavesOutWork));
    if (!m_state.heat.provenance)
        return;
    painter.setPen(theme.provenance(*m_state.heat.provenance));
    painter.drawText(below, Qt::AlignCenter,
                     (m_state.heat.ofStages ? QStringLiteral("of the stage, %1") : QStringLiteral("alone, %1"))
                         .arg(provenanceText(*m_state.heat.provenance)));
}

void GraphLegend::paintFamilies(QPainter &painter, const QRect &area, const Theme &theme) const
{
    QRect row(area.left(), area.top(), area.width(), kRow);
    for (const std::size_t family : m_state.families) {
        paintSwatch(painter, row, theme.stageFill(family));
        painter.setPen(theme.text);
        painter.drawText(row.adjusted(kSwatch + 8, 0, 0, 0), Qt::AlignVCenter, typeFamilyName(family));
        row.translate(0, kRow);
    }
}

} // namespace stagecraft
