#include "widgets/base/time_change.h"

#include "schedule/compare/latency_parts.h"
#include "widgets/base/format.h"

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
