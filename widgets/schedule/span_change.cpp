#include "widgets/schedule/span_change.h"

#include "schedule/compare/latency_parts.h"
#include "widgets/base/time_part_look.h"
#include "widgets/schedule/compared_schedules.h"

namespace stagecraft {
namespace {

constexpr std::size_t kPartsNamed = 3;

bool isPerImage(const ComparedSchedules &compared, std::size_t sideA, std::size_t sideB)
{
    return compared.schedule(sideA).context.batch != compared.schedule(sideB).context.batch;
}

TimeChange changeOf(const ComparedSchedules &compared, double fromUs, std::size_t sideA, double toUs, std::size_t sideB)
{
    if (!isPerImage(compared, sideA, sideB))
        return {fromUs, toUs, false};
    return {fromUs / static_cast<double>(compared.schedule(sideA).context.batch),
            toUs / static_cast<double>(compared.schedule(sideB).context.batch), true};
}

QString barriersText(const ComparedSchedules &compared, std::size_t span, std::size_t sideA, std::size_t sideB)
{
    const auto barriers = [&](std::size_t side) {
        return barriersAround(compared.schedule(side).stages, compared.spans()[span].sides[side]);
    };
    if (barriers(sideA) == barriers(sideB))
        return {};
    return QStringLiteral("; barriers %1 %2 %3").arg(barriers(sideA)).arg(QChar(0x2192)).arg(barriers(sideB));
}

} // namespace

std::optional<TimeChange> spanChange(const ComparedSchedules &compared, std::size_t span, std::size_t sideA,
                                     std::size_t sideB)
{
    const auto a = compared.spanUs(span, sideA);
    const auto b = compared.spanUs(span, sideB);
    return a && b ? std::optional(changeOf(compared, *a, sideA, *b, sideB)) : std::nullopt;
}

TimeChange blockChange(const ComparedSchedules &compared, const LatencyParts &first, const LatencyParts &other,
                       std::size_t side)
{
    return changeOf(compared, first.latencyUs(), 0, other.latencyUs(), side);
}

QString spanReasons(const ComparedSchedules &compared, std::size_t span, std::size_t sideA, std::size_t sideB)
{
    const ScheduleTimeParts *a = compared.timeParts(sideA);
    const ScheduleTimeParts *b = compared.timeParts(sideB);
    if (!a || !b || !a->areStagesKnown || !b->areStagesKnown)
        return {};
    const auto partsOf = [&](const ScheduleTimeParts &of, std::size_t side) {
        const TimeParts parts = of.of(compared.spans()[span].sides[side]);
        return isPerImage(compared, sideA, sideB) ? perImage(parts, compared.schedule(side).context.batch) : parts;
    };
    return timePartChanges(partsOf(*a, sideA), partsOf(*b, sideB), b->sources, kPartsNamed);
}

QString spanText(const ComparedSchedules &compared, std::size_t span, const QStringList &letters)
{
    QStringList parts;
    for (std::size_t side = 1; side < compared.schedules().size(); ++side) {
        const auto change = spanChange(compared, span, 0, side);
        QString text = change ? changeText(*change) : QStringLiteral("not measured");
        text += barriersText(compared, span, 0, side);
        if (const QString reasons = spanReasons(compared, span, 0, side); !reasons.isEmpty())
            text += QStringLiteral("; %1").arg(reasons);
        if (compared.schedules().size() > 2)
            text = QStringLiteral("%1 %2").arg(letters[static_cast<qsizetype>(side)], text);
        parts << text;
    }
    return parts.join(QStringLiteral(" · "));
}

} // namespace stagecraft
