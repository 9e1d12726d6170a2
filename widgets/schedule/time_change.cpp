#include "widgets/schedule/time_change.h"

#include "schedule/latency_parts.h"
#include "widgets/format.h"
#include "widgets/schedule/compared_schedules.h"

#include <cmath>

namespace stagecraft {
namespace {

const QChar kTo(0x2192);
constexpr double kNoChangeUs = 0.05; // smaller changes are shown as 0.0

// "224 → 158 µs": a unit that both have is said once.
QString fromToText(double fromUs, double toUs)
{
    QString from = latencyText(fromUs);
    const QString to = latencyText(toUs);
    const QString unit = to.mid(to.lastIndexOf(QLatin1Char(' ')));
    if (from.endsWith(unit))
        from.chop(unit.size());
    return QStringLiteral("%1 %2 %3").arg(from, QString(kTo), to);
}

bool isPerImage(const ComparedSchedules &compared, std::size_t sideA, std::size_t sideB)
{
    return compared.schedule(sideA).batch != compared.schedule(sideB).batch;
}

TimeChange changeOf(const ComparedSchedules &compared, double fromUs, std::size_t sideA, double toUs, std::size_t sideB)
{
    if (!isPerImage(compared, sideA, sideB))
        return {fromUs, toUs, false};
    return {fromUs / static_cast<double>(compared.schedule(sideA).batch),
            toUs / static_cast<double>(compared.schedule(sideB).batch), true};
}

QString barriersText(const ComparedSchedules &compared, std::size_t span, std::size_t sideA, std::size_t sideB)
{
    const auto barriers = [&](std::size_t side) {
        return barriersAround(compared.schedule(side).stages, compared.spans()[span].sides[side]);
    };
    if (barriers(sideA) == barriers(sideB))
        return {};
    return QStringLiteral("; barriers %1 %2 %3").arg(barriers(sideA)).arg(kTo).arg(barriers(sideB));
}

} // namespace

bool TimeChange::isNone() const
{
    return signedLatencyText(us()) == QStringLiteral("0");
}

QString changeText(const TimeChange &change)
{
    return QStringLiteral("%1%2, %3")
        .arg(fromToText(change.fromUs, change.toUs), change.isPerImage ? QStringLiteral(" an image") : QString(),
             signedPercentText(change.share()));
}

std::optional<TimeChange> spanChange(const ComparedSchedules &compared, std::size_t span, std::size_t sideA,
                                     std::size_t sideB)
{
    const auto &sides = compared.spans()[span].sides;
    const auto a = sumOfStagesUs(compared.schedule(sideA), sides[sideA]);
    const auto b = sumOfStagesUs(compared.schedule(sideB), sides[sideB]);
    return a && b ? std::optional(changeOf(compared, *a, sideA, *b, sideB)) : std::nullopt;
}

TimeChange blockChange(const ComparedSchedules &compared, const LatencyParts &first, const LatencyParts &other,
                       std::size_t side)
{
    return changeOf(compared, first.latencyUs(), 0, other.latencyUs(), side);
}

QString spanText(const ComparedSchedules &compared, std::size_t span, const QStringList &letters)
{
    QStringList parts;
    for (std::size_t side = 1; side < compared.schedules().size(); ++side) {
        const auto change = spanChange(compared, span, 0, side);
        QString text = change ? changeText(*change) : QStringLiteral("not measured");
        text += barriersText(compared, span, 0, side);
        if (compared.schedules().size() > 2)
            text = QStringLiteral("%1 %2").arg(letters[static_cast<qsizetype>(side)], text);
        parts << text;
    }
    return parts.join(QStringLiteral(" · "));
}

QString changeWords(double us)
{
    if (std::abs(us) < kNoChangeUs)
        return QStringLiteral("no difference");
    return signedLatencyText(us) + (us < 0 ? QStringLiteral(", faster") : QStringLiteral(", slower"));
}

QString partsOfChange(double stagesUs, double barriersUs)
{
    if (std::abs(barriersUs) < kNoChangeUs)
        return {};
    return QStringLiteral("stages %1, barriers %2").arg(signedLatencyText(stagesUs), signedLatencyText(barriersUs));
}

QString changeInParts(double stagesUs, double barriersUs)
{
    const QString parts = partsOfChange(stagesUs, barriersUs);
    const QString whole = changeWords(stagesUs + barriersUs);
    return parts.isEmpty() ? whole : QStringLiteral("%1: %2").arg(whole, parts);
}

QString partsText(const LatencyParts &parts)
{
    QString stages = QStringLiteral("%1 %2").arg(plural(static_cast<std::int64_t>(parts.stages.count), "stage"),
                                                 latencyText(parts.stagesUs));
    if (parts.stages.count < 2)
        return stages;
    if (parts.barriers == 0)
        return stages + QStringLiteral(", no barriers");
    const QString barriers = plural(static_cast<std::int64_t>(parts.barriers), "barrier");
    return parts.barriersUs > 0 ? QStringLiteral("%1, %2 %3").arg(stages, barriers, latencyText(parts.barriersUs))
                                : QStringLiteral("%1, %2").arg(stages, barriers);
}

QString aboutBarriers(std::size_t barriers)
{
    return barriers == 0 ? QStringLiteral("No barriers: between stages of one group nobody has to wait, their kernels "
                                          "follow each other in one stream.")
                         : QStringLiteral("A barrier, before and after a stage of several groups, waits until all "
                                          "groups are done.");
}

} // namespace stagecraft
