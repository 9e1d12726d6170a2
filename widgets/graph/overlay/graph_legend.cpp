#include "widgets/graph/overlay/graph_legend.h"

#include "widgets/base/format.h"
#include "widgets/base/shown_name.h"

#include <QComboBox>
#include <QLinearGradient>
#include <QPainter>

#include <algorithm>
#include <array>

namespace stagecraft {
namespace {

constexpr int kPadding = 8;
constexpr int kAbove = 4;
constexpr int kRow = 20;
constexpr int kSwatch = 12;
constexpr int kMarkGap = 6; // between mark and text
constexpr int kBetween = 14;
constexpr int kStages = 3;
constexpr int kStageGap = 3;
constexpr int kMerge = 27;
constexpr int kScale = 110;
constexpr int kModelBar = 5;

QFont keyFont(const QWidget &widget)
{
    QFont font = widget.font();
    font.setPixelSize(11);
    return font;
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
        {"Model", "Which of several models that are open as one"},
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
}

void GraphLegend::setState(LegendState state)
{
    m_state = std::move(state);
    m_choice->setCurrentIndex(static_cast<int>(m_state.colouring));
    setAccessibleDescription(texts().join(QStringLiteral("; ")));
    update();
}

int GraphLegend::heightFor(int width) const
{
    int bottom = kAbove + m_choice->sizeHint().height();
    for (const PlacedEntry &entry : placed(width))
        bottom = std::max(bottom, entry.place.bottom() + 1);
    return bottom + kAbove;
}

QStringList GraphLegend::texts() const
{
    QStringList texts;
    for (const Entry &entry : entries())
        texts << entry.text;
    return texts;
}

std::vector<GraphLegend::Entry> GraphLegend::entries() const
{
    const Theme theme = themeFor(palette());
    std::vector<Entry> entries;
    switch (m_state.colouring) {
    case Colouring::Stage: addStages(entries, theme); break;
    case Colouring::Type:
        for (const std::size_t family : m_state.families)
            entries.push_back({Entry::Mark::Swatch, typeFamilyName(family), theme.stageFill(family), theme.text});
        break;
    case Colouring::Moved: addChanges(entries, theme); break;
    case Colouring::Layout: addLayouts(entries, theme); break;
    case Colouring::Model: break;
    default: addHeat(entries, theme); break;
    }
    addModels(entries, theme);
    return entries;
}

void GraphLegend::addStages(std::vector<Entry> &entries, const Theme &theme) const
{
    if (m_state.stages == 0 && m_state.streams == 0) {
        entries.push_back({Entry::Mark::None, QStringLiteral("No schedule yet"), {}, theme.mutedText});
        return;
    }
    entries.push_back({Entry::Mark::Stages,
                       m_state.streams > 0  ? QStringLiteral("2: stream 2")
                       : m_state.stages > 1 ? QStringLiteral("2b: stage 2, group b")
                                            : QStringLiteral("1a: stage 1, group a"),
                       {},
                       theme.text});
    if (m_state.hasMerge)
        entries.push_back(
            {Entry::Mark::Merge, QStringLiteral("merged into one operator"), theme.mergeMark, theme.text});
}

void GraphLegend::addHeat(std::vector<Entry> &entries, const Theme &theme) const
{
    const HeatScale &heat = m_state.heat;
    if (heat.maximum <= 0) {
        entries.push_back({Entry::Mark::None, noHeatText(m_state.colouring), {}, theme.mutedText});
        return;
    }
    const bool leavesOutWork = heat.of == Colouring::Heat && heat.leavesOutWork;
    entries.push_back({Entry::Mark::Scale,
                       QStringLiteral("0 to %1").arg(leavesOutWork ? shortLatencyText(heat.maximum, true)
                                                                   : heatText(heat, heat.maximum)),
                       {},
                       theme.text});
    entries.push_back(
        {Entry::Mark::None,
         heat.provenance ? QStringLiteral("%1, %2").arg(heat.what, provenanceText(*heat.provenance)) : heat.what,
         {},
         heat.provenance ? theme.provenance(*heat.provenance) : theme.mutedText});
}

void GraphLegend::addChanges(std::vector<Entry> &entries, const Theme &theme) const
{
    if (m_state.changes.of.empty()) {
        entries.push_back({Entry::Mark::None,
                           QStringLiteral("Nothing is compared: open another result of this model beside"),
                           {},
                           theme.mutedText});
        return;
    }
    entries.push_back({Entry::Mark::None, QStringLiteral("there: %1").arg(m_state.otherName), {}, theme.mutedText});
    const std::array texts{QStringLiteral("same stage: %1"), QStringLiteral("other operators in its stage: %1"),
                           QStringLiteral("merged in one only: %1"), QStringLiteral("in one only: %1")};
    for (std::size_t i = 0; i < texts.size(); ++i) {
        if (m_state.changes.counts[i] == 0)
            continue;
        const QColor fill = changeFill(theme, static_cast<StageChange>(i));
        entries.push_back({Entry::Mark::Swatch, texts[i].arg(m_state.changes.counts[i]),
                           fill == theme.panel ? theme.edge : fill, theme.text});
    }
}

void GraphLegend::addLayouts(std::vector<Entry> &entries, const Theme &theme) const
{
    if (m_state.layouts.of.empty()) {
        entries.push_back({Entry::Mark::None,
                           QStringLiteral("This result states no layouts: the device chooses them"),
                           {},
                           theme.mutedText});
        return;
    }
    for (const auto &[layout, count] : layoutsShown(m_state.layouts))
        entries.push_back(
            {Entry::Mark::Swatch,
             QStringLiteral("%1: %2").arg(layoutText(layout), plural(static_cast<std::int64_t>(count), "operator")),
             layoutFill(theme, layout), theme.text});
    QString text =
        QStringLiteral("\u21c4 %1").arg(plural(static_cast<std::int64_t>(m_state.layouts.conversions), "conversion"));
    const auto us = conversionsUs(m_state.layouts, m_state.layoutCosts.get());
    if (us)
        text += QStringLiteral(", %1").arg(latencyText(*us));
    entries.push_back({Entry::Mark::None, text, {}, theme.text});
    if (const auto provenance = us ? provenanceFromString(m_state.layoutCosts->source.provenance) : std::nullopt)
        entries.push_back({Entry::Mark::None, provenanceText(*provenance), {}, theme.provenance(*provenance)});
}

// Bars tell models apart in every colouring.
void GraphLegend::addModels(std::vector<Entry> &entries, const Theme &theme) const
{
    if (m_state.models.isEmpty() && m_state.colouring == Colouring::Model)
        entries.push_back({Entry::Mark::None,
                           QStringLiteral("One model is open: add another with File > Add model"),
                           {},
                           theme.mutedText});
    const auto &parts = m_state.models.parts();
    for (std::size_t model = 0; model < parts.size(); ++model)
        entries.push_back(
            {Entry::Mark::Model,
             m_state.colouring == Colouring::Model
                 ? QStringLiteral("%1: %2").arg(shownName(parts[model].name),
                                                plural(static_cast<std::int64_t>(parts[model].operators), "operator"))
                 : shownName(parts[model].name),
             modelFill(theme, model), theme.text, model});
}

// With the gap behind it.
int GraphLegend::markWidth(Entry::Mark mark)
{
    switch (mark) {
    case Entry::Mark::None: return 0;
    case Entry::Mark::Swatch:
    case Entry::Mark::Model: return kSwatch + kMarkGap;
    case Entry::Mark::Stages: return kStages * (kSwatch + kStageGap) - kStageGap + kMarkGap;
    case Entry::Mark::Merge: return kMerge + kMarkGap;
    case Entry::Mark::Scale: return kScale + kMarkGap;
    }
    return 0;
}

// From left to right, behind the choice at first.
std::vector<GraphLegend::PlacedEntry> GraphLegend::placed(int width) const
{
    const QFontMetrics metrics(keyFont(*this));
    const QSize choice = m_choice->sizeHint();
    int x = kPadding + choice.width() + kBetween;
    int y = kAbove + (choice.height() - kRow) / 2;
    std::vector<PlacedEntry> placed;
    for (Entry &entry : entries()) {
        const int mark = markWidth(entry.mark);
        const int wanted = mark + metrics.horizontalAdvance(entry.text);
        if (x > kPadding && x + wanted > width - kPadding) {
            x = kPadding;
            y += y < choice.height() / 2 + kAbove ? (choice.height() + kRow) / 2 + 2 : kRow;
        }
        const QRect place(x, y, std::min(wanted, width - kPadding - x), kRow);
        x += wanted + kBetween;
        placed.push_back({std::move(entry), place});
    }
    return placed;
}

void GraphLegend::paintEvent(QPaintEvent *)
{
    const Theme theme = themeFor(palette());
    QPainter painter(this);
    painter.fillRect(rect(), theme.panel);
    painter.fillRect(QRect(0, 0, width(), 1), theme.border);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setFont(keyFont(*this));
    for (const PlacedEntry &entry : placed(width()))
        paintEntry(painter, entry, theme);
}

void GraphLegend::resizeEvent(QResizeEvent *event)
{
    OverlayPanel::resizeEvent(event);
    const QSize size = m_choice->sizeHint();
    m_choice->setGeometry(kPadding, kAbove, size.width(), size.height());
}

void GraphLegend::paintEntry(QPainter &painter, const PlacedEntry &placed, const Theme &theme) const
{
    const auto &[entry, place] = placed;
    const double middle = place.top() + kRow / 2.0;
    const auto swatch = [&](double left, const QColor &fill) {
        painter.setBrush(fill);
        painter.drawRoundedRect(QRectF(left, middle - kSwatch / 2.0, kSwatch, kSwatch), 3, 3);
    };
    painter.setPen(Qt::NoPen);
    switch (entry.mark) {
    case Entry::Mark::None: break;
    case Entry::Mark::Swatch: swatch(place.left(), entry.fill); break;
    case Entry::Mark::Model:
        if (m_state.colouring == Colouring::Model)
            swatch(place.left(), entry.fill);
        paintModelMark(painter, QRectF(place.left() + 1, place.top() + 1, kModelBar, kRow - 2), entry.model, theme);
        break;
    case Entry::Mark::Stages:
        for (int i = 0; i < kStages; ++i)
            swatch(place.left() + i * (kSwatch + kStageGap), theme.stageFill(static_cast<std::size_t>(i)));
        break;
    case Entry::Mark::Merge: {
        const QRectF pill(place.left(), middle - 7.5, kMerge, 15);
        painter.setBrush(entry.fill);
        painter.drawRoundedRect(pill, 7.5, 7.5);
        painter.setPen(theme.onFill(entry.fill));
        painter.drawText(pill, Qt::AlignCenter, m_state.stages > 1 ? QStringLiteral("2 M") : QStringLiteral("1 M"));
        break;
    }
    case Entry::Mark::Scale: {
        const QRectF bar(place.left(), middle - 5, kScale, 10);
        QLinearGradient gradient(bar.topLeft(), bar.topRight());
        for (int i = 0; i <= 8; ++i)
            gradient.setColorAt(i / 8.0, theme.heat(i / 8.0));
        painter.setBrush(gradient);
        painter.drawRoundedRect(bar, 3, 3);
        break;
    }
    }
    const QRect text = place.adjusted(markWidth(entry.mark), 0, 1, 0);
    painter.setPen(entry.ink);
    painter.drawText(text, Qt::AlignVCenter | Qt::AlignLeft,
                     painter.fontMetrics().elidedText(entry.text, Qt::ElideRight, text.width()));
}

} // namespace stagecraft
