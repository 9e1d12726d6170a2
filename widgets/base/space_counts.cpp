#include "widgets/base/space_counts.h"

#include "graph/block.h"
#include "widgets/base/format.h"

#include <QCoreApplication>

namespace stagecraft {
namespace {

bool isBound(std::optional<int> value)
{
    return value && *value < static_cast<int>(kMaxBlockOperators);
}

} // namespace

QString spaceText(const SearchOptions &options)
{
    QString text = options.strategies == StrategySet::Parallel ? QStringLiteral("IOS-Parallel")
                   : options.strategies == StrategySet::Merge  ? QStringLiteral("IOS-Merge")
                                                               : QStringLiteral("IOS-Both");
    if (isBound(options.r))
        text += QStringLiteral(", r = %1").arg(*options.r);
    if (isBound(options.s))
        text += QStringLiteral(", s = %1").arg(*options.s);
    if (!isBound(options.r) && !isBound(options.s))
        text += QStringLiteral(", no pruning");
    return options.singleSource ? text + QStringLiteral(", single source") : text;
}

QString spaceNumberText(const std::optional<SpaceCount> &count, double number)
{
    if (!count)
        return QStringLiteral("counting...");
    return count->complete ? magnitudeText(number) : QStringLiteral("more than %1").arg(magnitudeText(number));
}

QString shortSpaceNumberText(const std::optional<SpaceCount> &count, double number)
{
    if (!count)
        return QStringLiteral("…");
    return (count->complete ? QString() : QStringLiteral(">")) + shortMagnitudeText(number);
}

} // namespace stagecraft
