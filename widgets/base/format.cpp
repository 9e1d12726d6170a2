#include "widgets/base/format.h"

#include "results/schedule_words.h"
#include "schedule/compare/spans.h"
#include "search/search_words.h"
#include "support/number_text.h"

#include <QStringList>

#include <array>
#include <cmath>

namespace stagecraft {
namespace {

// Three significant digits, the precision of a latency or size.
QString threeDigits(double value)
{
    const double magnitude = std::abs(value);
    const int decimals = magnitude < 9.995 ? 2 : magnitude < 99.95 ? 1 : 0;
    return QString::number(value, 'f', decimals);
}

QString scaled(double value, double step, std::initializer_list<const char *> units)
{
    auto unit = units.begin();
    while (std::abs(value) >= step * 0.9995 && unit + 1 != units.end()) {
        value /= step;
        ++unit;
    }
    const QString digits = unit == units.begin() ? QString::number(value, 'f', 0) : threeDigits(value);
    return QStringLiteral("%1 %2").arg(digits, QString::fromUtf8(*unit));
}

// "9.2 × 10²²"
QString scientific(double value, int decimals, const QString &times)
{
    const QStringList parts = QString::number(value, 'e', decimals).split(QLatin1Char('e'));
    static const QString digits = QStringLiteral("⁰¹²³⁴⁵⁶⁷⁸⁹");
    QString power;
    for (const QChar digit : QString::number(parts.back().toInt()))
        power += digits[digit.digitValue()];
    return parts.front() + times + QStringLiteral("10") + power;
}

} // namespace

QString latencyText(double latencyUs)
{
    if (latencyUs < 999.5)
        return QStringLiteral("%1 µs").arg(threeDigits(latencyUs));
    if (latencyUs < 999.5e3)
        return QStringLiteral("%1 ms").arg(threeDigits(latencyUs / 1e3));
    return QStringLiteral("%1 s").arg(threeDigits(latencyUs / 1e6));
}

QString latencyText(double latencyUs, bool atLeast)
{
    return atLeast ? QStringLiteral("at least %1").arg(latencyText(latencyUs)) : latencyText(latencyUs);
}

QString shortLatencyText(double latencyUs, bool atLeast)
{
    return atLeast ? QStringLiteral("≥ %1").arg(latencyText(latencyUs)) : latencyText(latencyUs);
}

QString countText(std::int64_t count)
{
    return QString::fromStdString(grouped(count));
}

QString magnitudeText(double count)
{
    constexpr double kExact = 1e8;
    if (!std::isfinite(count))
        return QStringLiteral("unknown");
    if (std::abs(count) < kExact)
        return countText(static_cast<std::int64_t>(std::llround(count)));
    return scientific(count, 1, QStringLiteral(" × "));
}

QString shortMagnitudeText(double count)
{
    constexpr double kExact = 1e4;
    constexpr double kScaled = 999.5e6; // from here on, numbers that would round to 1000M are written as powers
    if (!std::isfinite(count) || std::abs(count) < kExact)
        return magnitudeText(count);
    return std::abs(count) < kScaled ? scaled(count, 1e3, {"", "k", "M"}).remove(QLatin1Char(' '))
                                     : scientific(count, 0, QStringLiteral("×"));
}

QString flopsText(double flops)
{
    return scaled(flops, 1e3, {"FLOP", "kFLOP", "MFLOP", "GFLOP", "TFLOP"});
}

QString bytesText(double bytes)
{
    return scaled(bytes, 1024, {"B", "KiB", "MiB", "GiB", "TiB"});
}

QString shapeText(const Shape &shape)
{
    if (!shape.known)
        return QStringLiteral("unknown");
    if (shape.dims.empty())
        return QStringLiteral("scalar");
    QStringList dims;
    for (const std::int64_t dim : shape.dims)
        dims << QString::number(dim);
    return dims.join(QStringLiteral(" × "));
}

QString percentText(double share)
{
    return QString::fromStdString(percent(share));
}

QString signedPercentText(double share)
{
    if (std::abs(share) < 0.0005)
        return QStringLiteral("0 %");
    return (share < 0 ? QChar(0x2212) : QChar(u'+')) + percentText(std::abs(share));
}

QString signedLatencyText(double latencyUs)
{
    if (std::abs(latencyUs) < 0.005)
        return QStringLiteral("0");
    return (latencyUs < 0 ? QChar(0x2212) : QChar(u'+')) + latencyText(std::abs(latencyUs));
}

QString provenanceText(const TimedSchedule &schedule)
{
    return QString::fromStdString(provenanceWords(schedule));
}

QString provenanceText(Provenance provenance)
{
    const std::string_view word = toString(provenance);
    return QString::fromUtf8(word);
}

QString withoutBarriersText(const TimedSchedule &schedule)
{
    const auto share = shareWithoutBarriers(schedule.search);
    return share ? QStringLiteral("%1, %2 less")
                       .arg(latencyText(*schedule.search.boundWithoutBarriersUs), percentText(*share))
                 : QString();
}

QString stageTitle(std::size_t stage)
{
    return QStringLiteral("Stage %1").arg(stage + 1);
}

QString stagesText(const StageRange &stages)
{
    return stages.count == 1 ? QStringLiteral("stage %1").arg(stages.first + 1)
                             : QStringLiteral("stages %1 to %2").arg(stages.first + 1).arg(stages.end());
}

QString stageText(const TimedSchedule &schedule, std::size_t stage)
{
    return stagesText(schedule, {stage, 1});
}

QString stagesText(const TimedSchedule &schedule, const StageRange &stages)
{
    if (!schedule.streams)
        return stagesText(stages);
    return stages.count == 1 ? QStringLiteral("launch %1").arg(stages.end())
                             : QStringLiteral("launches %1 to %2").arg(stages.first + 1).arg(stages.end());
}

QString blockTitle(std::size_t block)
{
    return QStringLiteral("Block %1").arg(block + 1);
}

QString groupLetter(std::size_t group)
{
    QString letters;
    for (std::size_t rest = group + 1; rest > 0; rest = (rest - 1) / 26)
        letters.prepend(QChar('a' + static_cast<char>((rest - 1) % 26)));
    return letters;
}

QString plural(std::int64_t count, const char *noun)
{
    const QLatin1String word(noun);
    const char *ending = count == 1 ? "" : word.endsWith(QLatin1String("ch")) ? "es" : "s";
    return QStringLiteral("%1 %2%3").arg(countText(count), word, QLatin1String(ending));
}

} // namespace stagecraft
