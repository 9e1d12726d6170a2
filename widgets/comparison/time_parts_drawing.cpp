#include "widgets/comparison/time_parts_drawing.h"

#include "widgets/base/format.h"
#include "widgets/base/time_part_look.h"

#include <QPainter>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <utility>

namespace stagecraft {
namespace {

constexpr double kMargin = 8;
constexpr double kGap = 8; // between bars
constexpr double kBarHeight = 22;
constexpr double kRowGap = 3;
constexpr double kBesideFrom = 520; // of the width: the steps stand beside the bars, not below them
constexpr double kLeastPlot = 60;   // width of the steps, however long the words are
constexpr double kTextPadding = 4;  // in a part
constexpr double kLeastStep = 2;    // of a step that changes nothing to see
constexpr double kCutFrom = 0.5;    // of the least level: from here on the axis of the steps leaves out what is equal
constexpr double kCutMargin = 0.4;  // of what the steps span

double drawnUs(const TimeParts &parts) // without what a timeline took longer than the latency
{
    return parts.totalUs() - std::min(0.0, parts.of(TimePart::NotExplained));
}

QString timeText(std::optional<double> us)
{
    if (!us)
        return QStringLiteral("unknown");
    return *us < 0 ? signedLatencyText(*us) : latencyText(*us);
}

} // namespace

TimePartsDrawing::TimePartsDrawing(ShownTimeParts shown, const QFont &font, double width)
    : m_shown(std::move(shown)), m_font(font), m_metrics(font), m_width(std::max(width, 2 * kMargin + kLeastPlot)),
      m_height(kMargin)
{
    if (m_shown.bars.empty())
        return;
    m_shown.other = std::min(m_shown.other, m_shown.bars.size() - 1);
    m_left = kMargin;
    m_right = m_width - kMargin;
    const bool areBeside = hasSteps() && m_width >= kBesideFrom;
    if (areBeside)
        m_right = m_width / 2 - kGap;
    layOutBars();
    layOutLegend();
    if (hasSteps()) {
        const double below = std::exchange(m_height, areBeside ? kMargin : m_height + kGap);
        if (areBeside)
            m_left = m_width / 2 + kGap;
        m_right = m_width - kMargin;
        layOutSteps();
        m_height = std::max(below, m_height);
    }
    m_height += kMargin;
}

QString TimePartsDrawing::wordsOf(TimePart part, std::optional<std::size_t> other) const
{
    QStringList words;
    for (std::size_t i = 0; i < m_shown.bars.size(); ++i) {
        const TimePartsBar &bar = m_shown.bars[i];
        const bool isMeant = !other || i == 0 || i == *other;
        if (isMeant && (bar.sources.has(part) || bar.parts.of(part) != 0))
            words << timePartWords(part, bar.sources);
    }
    words.removeDuplicates();
    return words.join(QStringLiteral(" or "));
}

QString TimePartsDrawing::titleOf(std::size_t bar) const
{
    const TimePartsBar &of = m_shown.bars[bar];
    return of.letter.isEmpty() ? of.name : QStringLiteral("%1 %2").arg(of.letter, of.name);
}

QString TimePartsDrawing::shortTitleOf(std::size_t bar) const
{
    const TimePartsBar &of = m_shown.bars[bar];
    return of.letter.isEmpty() ? of.name : of.letter;
}

std::vector<TimePart> TimePartsDrawing::partsShown() const
{
    std::vector<TimePart> parts;
    for (std::size_t i = 0; i < kTimeParts; ++i) {
        const auto part = static_cast<TimePart>(i);
        if (std::ranges::any_of(m_shown.bars, [&](const TimePartsBar &bar) { return bar.parts.of(part) != 0; }))
            parts.push_back(part);
    }
    return parts;
}

void TimePartsDrawing::addLine(const QRectF &rect, const QString &text, bool isStrong, bool isMuted,
                               Qt::Alignment alignment, std::optional<double> change)
{
    QFont font = m_font;
    font.setBold(isStrong);
    m_lines.push_back({rect, QFontMetricsF(font).elidedText(text, Qt::ElideRight, rect.width()), isStrong, isMuted,
                       alignment, change});
}

void TimePartsDrawing::layOutBars()
{
    double mostUs = 0;
    for (const TimePartsBar &bar : m_shown.bars)
        mostUs = std::max(mostUs, drawnUs(bar.parts));
    const double room = m_right - m_left;
    const double scale = mostUs > 0 ? room / mostUs : 0;
    const QString perImage = m_shown.isPerImage ? QStringLiteral(" per image") : QString();
    for (std::size_t i = 0; i < m_shown.bars.size(); ++i) {
        const TimePartsBar &bar = m_shown.bars[i];
        const QString time =
            QStringLiteral("%1%2, %3").arg(latencyText(bar.parts.totalUs()), perImage, provenanceText(bar.provenance));
        const double timeWidth = std::min(m_metrics.horizontalAdvance(time) + 2, room);
        const QRectF line(m_left, m_height, room, m_metrics.height());
        addLine(QRectF(line.left(), line.top(), std::max(0.0, room - timeWidth - kGap), line.height()), titleOf(i),
                true);
        addLine(QRectF(line.right() - timeWidth, line.top(), timeWidth, line.height()), time, false, false,
                Qt::AlignRight);
        m_height += line.height() + 2;
        double left = m_left;
        for (const TimePart part : partsShown()) {
            const double us = bar.parts.of(part);
            if (us == 0)
                continue;
            QRectF rect(left, m_height, us * scale, kBarHeight);
            if (us < 0) { // the timeline took longer than the latency: the end of the bar is beyond it
                rect.moveLeft(left + us * scale);
                rect.setWidth(-us * scale);
                m_ends.emplace_back(rect.left(), rect);
            }
            m_marks.push_back({i, part, false, rect});
            left = std::max(left, rect.right());
        }
        m_height += kBarHeight + kGap;
    }
}

void TimePartsDrawing::layOutLegend()
{
    const double line = m_metrics.height();
    double left = m_left;
    for (const TimePart part : partsShown()) {
        const double width = m_metrics.horizontalAdvance(wordsOf(part));
        const double all = line + 4 + width;
        if (left > m_left && left + all > m_right) {
            left = m_left;
            m_height += line + 4;
        }
        m_swatches.push_back({part, QRectF(left + 1, m_height + 2, line - 4, line - 4)});
        addLine(QRectF(left + line + 2, m_height, width + 2, line), wordsOf(part));
        left += all + 12;
    }
    m_height += line + kGap;
}

QString TimePartsDrawing::stepsHeading() const
{
    if (!hasSteps())
        return {};
    const double from = m_shown.bars.front().parts.totalUs();
    const double change = m_shown.bars[m_shown.other].parts.totalUs() - from;
    const QString perImage = m_shown.isPerImage ? QStringLiteral(" per image") : QString();
    QString heading = QStringLiteral("From %1 to %2: %3%4")
                          .arg(shortTitleOf(0), shortTitleOf(m_shown.other), signedLatencyText(change), perImage);
    if (from > 0)
        heading += QStringLiteral(", %1").arg(signedPercentText(change / from));
    return heading;
}

void TimePartsDrawing::layOutSteps()
{
    const TimeParts &from = m_shown.bars.front().parts;
    const TimeParts &to = m_shown.bars[m_shown.other].parts;
    const double line = m_metrics.height();
    const double room = m_right - m_left;
    addLine(QRectF(m_left, m_height, room, line), stepsHeading(), true);
    m_height += line + 4;

    struct Row {
        QString words;
        QString value;
        double fromUs = 0;
        double toUs = 0;
        std::optional<TimePart> part{};
        std::size_t bar = 0;
    };
    std::vector<Row> rows{{shortTitleOf(0), latencyText(from.totalUs()), 0, from.totalUs(), {}, 0}};
    double least = std::min(from.totalUs(), to.totalUs());
    double most = std::max(from.totalUs(), to.totalUs());
    for (const TimeStep &step : timeSteps(from, to)) {
        rows.push_back({wordsOf(step.part, m_shown.other), signedLatencyText(step.changeUs()), step.fromUs, step.toUs,
                        step.part, m_shown.other});
        least = std::min(least, step.toUs);
        most = std::max(most, step.toUs);
    }
    rows.push_back({shortTitleOf(m_shown.other), latencyText(to.totalUs()), 0, to.totalUs(), {}, m_shown.other});

    const double cut = least - kCutMargin * (most - least);
    m_stepsFromUs = cut > kCutFrom * least ? cut : 0;
    if (m_stepsFromUs > 0) {
        const QString note = QStringLiteral("the axis starts at %1").arg(latencyText(m_stepsFromUs));
        addLine(QRectF(m_left, m_height, room, line), note, false, true);
        m_height += line + 4;
    }
    double wordsWidth = 0;
    double valueWidth = 0;
    for (const Row &row : rows) {
        wordsWidth = std::max(wordsWidth, m_metrics.horizontalAdvance(row.words) + 2);
        valueWidth = std::max(valueWidth, m_metrics.horizontalAdvance(row.value) + 2);
    }
    wordsWidth = std::min(wordsWidth, std::max(20.0, room - valueWidth - 2 * kGap - kLeastPlot));
    const double left = m_left + wordsWidth + kGap;
    const double plot = std::max(kLeastPlot / 2, room - wordsWidth - valueWidth - 2 * kGap);
    const double scale = most > m_stepsFromUs ? plot / (most - m_stepsFromUs) : 0;
    const auto x = [&](double us) { return left + std::max(0.0, us - m_stepsFromUs) * scale; };
    const double rowHeight = line + kRowGap;
    for (const Row &row : rows) {
        const QRectF place(m_left, m_height, room, line);
        const bool isEnd = !row.part;
        addLine(QRectF(place.left(), place.top(), wordsWidth, place.height()), row.words, isEnd);
        addLine(QRectF(place.right() - valueWidth, place.top(), valueWidth, place.height()), row.value, isEnd, false,
                Qt::AlignRight, isEnd ? std::nullopt : std::optional(row.toUs - row.fromUs));
        double first = std::min(x(row.fromUs), x(row.toUs));
        double width = std::abs(x(row.toUs) - x(row.fromUs));
        if (width < kLeastStep) {
            first = std::max(left, first - kLeastStep / 2);
            width = kLeastStep;
        }
        m_marks.push_back({row.bar, row.part, true, QRectF(first, place.top(), width, place.height())});
        m_height += rowHeight;
        if (&row != &rows.back())
            m_joints.emplace_back(x(row.toUs), place.bottom(), x(row.toUs), m_height);
    }
}

std::optional<std::size_t> TimePartsDrawing::markAt(QPointF point) const
{
    for (std::size_t i = m_marks.size(); i-- > 0;) { // the last one lies on top
        QRectF rect = m_marks[i].rect;
        if (m_marks[i].isStep) { // the whole row
            rect.setLeft(m_left);
            rect.setRight(m_right);
        }
        if (rect.adjusted(-1, 0, 1, 0).contains(point))
            return i;
    }
    return std::nullopt;
}

void TimePartsDrawing::paintMark(QPainter &painter, const Theme &theme, const Mark &mark) const
{
    if (!mark.part) { // the latencies that steps lead from and to
        painter.fillRect(mark.rect, mixed(theme.canvas, theme.text, 0.45));
        if (m_stepsFromUs > 0) { // torn: it is longer than shown
            const double left = mark.rect.left() + 8;
            painter.setPen(QPen(theme.canvas, 3));
            painter.drawLine(QPointF(left + 3, mark.rect.top()), QPointF(left - 3, mark.rect.bottom()));
        }
        return;
    }
    fillTimePart(painter, mark.rect, *mark.part, theme);
    if (mark.isStep)
        return;
    painter.setPen(QPen(theme.canvas, 1));
    painter.drawLine(mark.rect.topRight(), mark.rect.bottomRight());
    const double us = m_shown.bars[mark.bar].parts.of(*mark.part);
    const QString text = latencyText(us);
    if (*mark.part == TimePart::NotExplained ||
        m_metrics.horizontalAdvance(text) + 2 * kTextPadding > mark.rect.width())
        return;
    painter.setPen(theme.onFill(timePartColour(*mark.part, theme)));
    painter.drawText(mark.rect, Qt::AlignCenter, text);
}

void TimePartsDrawing::paint(QPainter &painter, const Theme &theme, std::optional<std::size_t> current) const
{
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setFont(m_font);
    painter.setPen(QPen(theme.mutedText, 1));
    for (const QLineF &joint : m_joints)
        painter.drawLine(joint);
    for (const Mark &mark : m_marks)
        paintMark(painter, theme, mark);
    for (const auto &[end, rect] : m_ends) {
        painter.setPen(QPen(theme.text, 2));
        painter.drawLine(QPointF(end, rect.top() - 3), QPointF(end, rect.bottom() + 3));
    }
    for (const Swatch &swatch : m_swatches)
        fillTimePart(painter, swatch.rect, swatch.part, theme);
    QFont strong = m_font;
    strong.setBold(true);
    for (const Line &line : m_lines) {
        painter.setFont(line.isStrong ? strong : m_font);
        const bool isNone = !line.change || signedLatencyText(*line.change) == QStringLiteral("0");
        painter.setPen(line.isMuted       ? theme.mutedText
                       : isNone           ? theme.text
                       : *line.change < 0 ? theme.faster
                                          : theme.slower);
        painter.drawText(line.rect, static_cast<int>(line.alignment | Qt::AlignVCenter) | Qt::TextSingleLine,
                         line.text);
    }
    if (current && *current < m_marks.size()) {
        painter.setPen(QPen(theme.accent, 2));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(m_marks[*current].rect.adjusted(-1, -1, 1, 1));
    }
}

QString TimePartsDrawing::markText(std::size_t mark) const
{
    const Mark &of = m_marks[mark];
    const TimePartsBar &bar = m_shown.bars[of.bar];
    const QString perImage = m_shown.isPerImage ? QStringLiteral(" per image") : QString();
    if (!of.part)
        return QStringLiteral("%1, %2%3, %4")
            .arg(titleOf(of.bar), latencyText(bar.parts.totalUs()), perImage, provenanceText(bar.provenance));
    const double us = bar.parts.of(*of.part);
    if (of.isStep) {
        const TimePartsBar &first = m_shown.bars.front();
        return QStringLiteral("%1 %2%3: %4 %5 %6, from %7 to %8")
            .arg(wordsOf(*of.part, of.bar), signedLatencyText(us - first.parts.of(*of.part)), perImage,
                 timeText(knownUs(first.parts, first.sources, *of.part)), QString(QChar(0x2192)),
                 timeText(knownUs(bar.parts, bar.sources, *of.part)), shortTitleOf(0), shortTitleOf(of.bar));
    }
    const double total = bar.parts.totalUs();
    const QString share = total > 0 ? QStringLiteral(", %1").arg(percentText(us / total)) : QString();
    return QStringLiteral("%1, %2 %3%4%5, %6")
        .arg(titleOf(of.bar), timePartWords(*of.part, bar.sources), timeText(us), perImage, share,
             provenanceText(bar.provenance));
}

QString TimePartsDrawing::table(QChar separator) const
{
    if (m_shown.bars.empty())
        return {};
    QStringList lines;
    QStringList header{m_shown.isPerImage ? QStringLiteral("part, per image") : QStringLiteral("part")};
    for (std::size_t i = 0; i < m_shown.bars.size(); ++i) {
        header << QStringLiteral("%1 (%2)").arg(titleOf(i), provenanceText(m_shown.bars[i].provenance));
        if (i > 0)
            header << QStringLiteral("%1 %2 %3").arg(shortTitleOf(i), QString(QChar(0x2212)), shortTitleOf(0));
    }
    lines << header.join(separator);
    using Us = std::function<std::optional<double>(const TimePartsBar &)>;
    const auto add = [&](const QString &title, const Us &usOf) {
        QStringList cells{title};
        const auto first = usOf(m_shown.bars.front());
        for (std::size_t i = 0; i < m_shown.bars.size(); ++i) {
            const auto us = usOf(m_shown.bars[i]);
            cells << timeText(us);
            if (i > 0)
                cells << (us && first ? signedLatencyText(*us - *first) : timeText({}));
        }
        lines << cells.join(separator);
    };
    for (const TimePart part : partsShown())
        add(wordsOf(part), [part](const TimePartsBar &bar) { return knownUs(bar.parts, bar.sources, part); });
    add(QStringLiteral("latency"), [](const TimePartsBar &bar) { return bar.parts.totalUs(); });
    return lines.join(QLatin1Char('\n'));
}

} // namespace stagecraft
