#include "widgets/base/time_part_look.h"

#include "timing/timeline/time_part_colours.h"
#include "widgets/base/format.h"

#include <QPainter>
#include <QStringList>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

namespace stagecraft {
namespace {

constexpr double kLeastChangeShare = 0.03; // of the largest; smaller ones are not named
constexpr double kHatch = 6;               // between two lines

} // namespace

QString timePartWords(TimePart part, const TimePartSources &sources)
{
    const std::string_view text = timePartText(part, sources);
    return QString::fromLatin1(text.data(), static_cast<qsizetype>(text.size()));
}

QString aboutTimePart(TimePart part)
{
    switch (part) {
    case TimePart::Arithmetic: return QStringLiteral("arithmetic at its peak rate");
    case TimePart::Memory: return QStringLiteral("memory at its peak bandwidth");
    case TimePart::Waiting:
        return QStringLiteral("work that reaches neither peak: latency of memory and of dependent instructions");
    case TimePart::IdleUnits: return QStringLiteral("units without work while kernels run");
    case TimePart::Launch: return QStringLiteral("nothing runs in a stage: launches and ramps");
    case TimePart::BetweenStages:
        return QStringLiteral("nothing runs between two stages: the barrier and the first launch after it");
    case TimePart::NotExplained: break;
    }
    return QStringLiteral("kernels run and nothing says what they reach, or the timeline lacks it");
}

QColor timePartColour(TimePart part, const Theme &theme)
{
    if (part == TimePart::NotExplained)
        return mixed(theme.canvas, theme.mutedText, 0.25);
    return QColor(static_cast<QRgb>(timePartFill(part)));
}

TimeParts perImage(TimeParts parts, std::int64_t batch)
{
    for (double &us : parts.us)
        us /= static_cast<double>(batch);
    return parts;
}

void fillTimePart(QPainter &painter, const QRectF &rect, TimePart part, const Theme &theme)
{
    painter.fillRect(rect, timePartColour(part, theme));
    if (part != TimePart::NotExplained)
        return;
    // By hand: pictures know neither patterns nor clips.
    painter.save();
    painter.setPen(QPen(theme.mutedText, 1));
    for (double x = rect.left() - rect.height() + kHatch / 2; x < rect.right(); x += kHatch) {
        const double from = std::max(x, rect.left());
        const double to = std::min(x + rect.height(), rect.right());
        if (from < to)
            painter.drawLine(QPointF(from, rect.bottom() - (from - x)), QPointF(to, rect.bottom() - (to - x)));
    }
    painter.restore();
}

QString timePartChanges(const TimeParts &from, const TimeParts &to, const TimePartSources &sources, std::size_t most)
{
    std::vector<std::pair<double, TimePart>> changes;
    for (std::size_t i = 0; i < kTimeParts; ++i)
        changes.emplace_back(to.us[i] - from.us[i], static_cast<TimePart>(i));
    const auto size = [](const auto &change) { return std::abs(change.first); };
    std::ranges::stable_sort(changes, std::greater{}, size);
    const double largest = size(changes.front());
    QStringList words;
    for (const auto &[us, part] : changes) {
        const QString text = signedLatencyText(us);
        if (words.size() < static_cast<qsizetype>(most) && text != QStringLiteral("0") &&
            std::abs(us) >= kLeastChangeShare * largest)
            words << QStringLiteral("%1 %2").arg(timePartWords(part, sources), text);
    }
    return words.join(QStringLiteral(", "));
}

} // namespace stagecraft
