#include "widgets/study/together_facts.h"

#include "widgets/base/format.h"
#include "widgets/base/time_part_look.h"

#include <QStringList>

#include <algorithm>

namespace stagecraft {

void markFront(std::vector<TogetherPlan> &plans)
{
    for (TogetherPlan &plan : plans) {
        const auto isBetter = [&](const TogetherPlan &other) {
            return other.endsUs != plan.endsUs && other.endsUs[0] <= plan.endsUs[0] &&
                   other.endsUs[1] <= plan.endsUs[1];
        };
        plan.isOnFront = std::ranges::none_of(plans, isBetter);
    }
}

QString planText(const TogetherFacts &facts, std::size_t plan)
{
    const TogetherPlan &of = facts.plans[plan];
    QString text = QStringLiteral("%1: %2 %3, %4 %5, both %6")
                       .arg(of.name, facts.models[0], latencyText(of.endsUs[0]), facts.models[1],
                            latencyText(of.endsUs[1]), latencyText(of.latencyUs));
    if (of.isOnFront)
        text += QStringLiteral("; no plan here has both earlier");
    return text;
}

QString togetherText(const TogetherFacts &facts)
{
    QStringList rows{QStringList{QStringLiteral("plan"), QStringLiteral("both, us"),
                                 facts.models[0] + QStringLiteral(", us"), facts.models[1] + QStringLiteral(", us"),
                                 QStringLiteral("front")}
                         .join(QLatin1Char('\t'))};
    const auto number = [](double us) { return QString::number(us, 'f', 1); };
    for (const TogetherPlan &plan : facts.plans)
        rows << QStringList{plan.name, number(plan.latencyUs), number(plan.endsUs[0]), number(plan.endsUs[1]),
                            plan.isOnFront ? QStringLiteral("yes") : QString()}
                    .join(QLatin1Char('\t'));
    rows << QStringList{QStringLiteral("alone"), QString(), number(facts.aloneUs[0]), number(facts.aloneUs[1]),
                        QString()}
                .join(QLatin1Char('\t'));
    for (const TogetherTime &time : facts.times) {
        for (std::size_t i = 0; i < kTimeParts; ++i) {
            const auto part = static_cast<TimePart>(i);
            if (time.parts.of(part) > 0)
                rows << QStringList{time.name, timePartWords(part, time.sources), number(time.parts.of(part))}.join(
                    QLatin1Char('\t'));
        }
    }
    return rows.join(QLatin1Char('\n')) + QLatin1Char('\n');
}

} // namespace stagecraft
