#include "widgets/graph/overlay/graph_legend.h"

#include "widgets/format.h"

#include <QComboBox>
#include <QLinearGradient>
#include <QPainter>

#include <algorithm>
#include <array>

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

// With how many operators write each, in the order of the list of layouts.
std::vector<std::pair<TensorLayout, std::size_t>> layoutsShown(const ShownLayouts &layouts)
{
    std::vector<std::pair<TensorLayout, std::size_t>> shown;
    for (const TensorLayout layout : kTensorLayouts) {
        const auto count = std::ranges::count_if(
            layouts.of, [layout](const std::optional<ShownLayout> &of) { return of && of->writes == layout; });
        if (count > 0)
            shown.emplace_back(layout, static_cast<std::size_t>(count));
    }
    return shown;
}

// All of them together; nullopt: of one it is not known, or there are none.
std::optional<double> conversionsUs(const ShownLayouts &layouts, const LayoutCosts *costs)
{
    double sumUs = 0;
    for (const ShownConversion &made : layouts.readings) {
        const auto us = conversionUs(costs, made);
        if (!us)
            return std::nullopt;
        sumUs += made.isFirst ? *us : 0;
    }
    return layouts.readings.empty() ? std::nullopt : std::optional(sumUs);
}

} // namespace

GraphLegend::GraphLegend(QWidget *parent) : OverlayPanel(parent), m_choice(new QComboBox(this))
{
    struct Choice {
        const char *name;
        const char *tip;
    };
    constexpr std::array<Choice, kColourings> kChoices{{
        {"Stage", "Stage of the schedule"},
        {"Latency", "Latency of the operator's stage, or its own"},
        {"Type", "Type of the operator"},
        {"FLOPs", "Arithmetic of the operator"},
        {"Bytes", "What the operator reads and writes"},
        {"Utilisation", "Arithmetic per time, against the peak of the device"},
        {"Time lost", "Launches before the operator and waits after it, on its stream or thread"},
        {"Moved", "Operators whose stage differs in the result beside"},
        {"Layout", "In which layout the schedule has each tensor written"},
    }};
    for (const Choice &choice : kChoices) {
        m_choice->addItem(QLatin1String(choice.name));
        m_choice->setItemData(m_choice->count() - 1, QLatin1String(choice.tip), Qt::ToolTipRole);
    }
    m_choice->setToolTip(QStringLiteral("What the colours of operators show"));
    m_choice->setAccessibleName(QStringLiteral("Colour by"));
    m_choice->setMaxVisibleItems(static_cast<int>(kColourings));
    connect(m_choice, &QComboBox::activated, this,
            [this](int index) { emit colouringChosen(static_cast<Colouring>(index)); });
    setAccessibleName(QStringLiteral("Colours"));
    place();
}

void GraphLegend::setState(LegendState state)
{
    m_state = std::move(state);
    m_choice->setCurrentIndex(static_cast<int>(m_state.colouring));
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
    case Colouring::Type: return static_cast<int>(m_state.families.size());
    case Colouring::Moved:
        return m_state.changes.of.empty()
                   ? 2
                   : 1 + static_cast<int>(std::ranges::count_if(m_state.changes.counts, [](auto n) { return n > 0; }));
    case Colouring::Layout:
        return m_state.layouts.of.empty() ? 2 : 1 + static_cast<int>(layoutsShown(m_state.layouts).size());
    default: return m_state.heat.maximum > 0 ? 2 : 1;
    }
}

void GraphLegend::place()
{
    const QSize size = m_choice->sizeHint();
    m_choice->setGeometry(kPadding - 4, m_compact ? 5 : 6, size.width(), size.height());
    if (m_compact)
        resize(size.width() + 2 * kPadding - 8, size.height() + 10);
    else
        resize(kWidth, 6 + size.height() + 6 + keyRows() * kRow + kPadding - 2);
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
    case Colouring::Type: paintFamilies(painter, area, theme); break;
    case Colouring::Moved: paintChanges(painter, area, theme); break;
    case Colouring::Layout: paintLayouts(painter, area, theme); break;
    default: paintHeat(painter, area, theme); break;
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
    if (m_state.heat.maximum <= 0) {
        painter.setPen(theme.mutedText);
        painter.drawText(row, Qt::AlignVCenter, noHeatText(m_state.colouring));
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
    const bool leavesOutWork = m_state.heat.of == Colouring::Heat && m_state.heat.leavesOutWork;
    painter.drawText(below, Qt::AlignVCenter | Qt::AlignRight,
                     leavesOutWork ? shortLatencyText(m_state.heat.maximum, true)
                                   : heatText(m_state.heat, m_state.heat.maximum));
    const auto &provenance = m_state.heat.provenance;
    painter.setPen(provenance ? theme.provenance(*provenance) : theme.mutedText);
    painter.drawText(below, Qt::AlignCenter,
                     provenance ? QStringLiteral("%1, %2").arg(m_state.heat.what, provenanceText(*provenance))
                                : m_state.heat.what);
}

void GraphLegend::paintChanges(QPainter &painter, const QRect &area, const Theme &theme) const
{
    QRect row(area.left(), area.top(), area.width(), kRow);
    if (m_state.changes.of.empty()) {
        painter.setPen(theme.mutedText);
        painter.drawText(row, Qt::AlignVCenter, QStringLiteral("Nothing is compared: open another"));
        painter.drawText(row.translated(0, kRow), Qt::AlignVCenter, QStringLiteral("result of this model beside"));
        return;
    }
    painter.setPen(theme.mutedText);
    painter.drawText(row, Qt::AlignVCenter,
                     painter.fontMetrics().elidedText(QStringLiteral("there: %1").arg(m_state.otherName),
                                                      Qt::ElideRight, row.width()));
    const std::array texts{QStringLiteral("same stage: %1"), QStringLiteral("other operators in its stage: %1"),
                           QStringLiteral("merged in one only: %1"), QStringLiteral("in one only: %1")};
    for (std::size_t i = 0; i < texts.size(); ++i) {
        if (m_state.changes.counts[i] == 0)
            continue;
        row.translate(0, kRow);
        const QColor fill = changeFill(theme, static_cast<StageChange>(i));
        paintSwatch(painter, row, fill == theme.panel ? theme.edge : fill);
        painter.setPen(theme.text);
        painter.drawText(row.adjusted(kSwatch + 8, 0, 0, 0), Qt::AlignVCenter, texts[i].arg(m_state.changes.counts[i]));
    }
}

void GraphLegend::paintLayouts(QPainter &painter, const QRect &area, const Theme &theme) const
{
    QRect row(area.left(), area.top(), area.width(), kRow);
    if (m_state.layouts.of.empty()) {
        painter.setPen(theme.mutedText);
        painter.drawText(row, Qt::AlignVCenter, QStringLiteral("This result states no layouts:"));
        painter.drawText(row.translated(0, kRow), Qt::AlignVCenter, QStringLiteral("the device chooses them"));
        return;
    }
    for (const auto &[layout, count] : layoutsShown(m_state.layouts)) {
        paintSwatch(painter, row, layoutFill(theme, layout));
        painter.setPen(theme.text);
        painter.drawText(
            row.adjusted(kSwatch + 8, 0, 0, 0), Qt::AlignVCenter,
            QStringLiteral("%1: %2").arg(layoutText(layout), plural(static_cast<std::int64_t>(count), "operator")));
        row.translate(0, kRow);
    }
    painter.setPen(theme.text);
    QString text =
        QStringLiteral("\u21c4 %1").arg(plural(static_cast<std::int64_t>(m_state.layouts.conversions), "conversion"));
    const auto us = conversionsUs(m_state.layouts, m_state.layoutCosts.get());
    if (us)
        text += QStringLiteral(", %1").arg(latencyText(*us));
    painter.drawText(row, Qt::AlignVCenter, text);
    const auto provenance = us ? provenanceFromString(m_state.layoutCosts->origin.provenance) : std::nullopt;
    if (!provenance)
        return;
    painter.setPen(theme.provenance(*provenance));
    painter.drawText(row, Qt::AlignVCenter | Qt::AlignRight, provenanceText(*provenance));
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
