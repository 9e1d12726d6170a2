// The rTasks of a fused stage: its units, and the rKernels of each operator with the chosen one.

#include "timing/timeline/unit_rows.h"
#include "widgets/base/format.h"
#include "widgets/base/inspector_page.h"
#include "widgets/base/shown_name.h"
#include "widgets/inspector/latency_reasons.h"

#include <QStringList>

#include <algorithm>

namespace stagecraft {
namespace {

// "128 rTasks, 12.4 µs alone on 40 % of the units"
QString rKernelText(const TimedRKernel &rKernel)
{
    QString text = plural(rKernel.rTasks, "rTask");
    if (rKernel.aloneNs > 0)
        text += QStringLiteral(", %1 alone").arg(latencyText(rKernel.aloneNs / 1000));
    return text + QStringLiteral(", %1 of the units").arg(percentText(rKernel.deviceShare));
}

} // namespace

InspectorSection fusedSection(const InspectorInput &input, std::size_t stage)
{
    InspectorSection section{QStringLiteral("rTasks"), {}, input.schedule->measured.provenance};
    if (!input.reasons)
        return section;
    const auto fused = std::ranges::find(input.reasons->fused, stage, &FusedUnits::stage);
    if (fused == input.reasons->fused.end())
        return section;
    const double share = busyShare(*fused);
    section.rows.push_back(shareRow(
        QStringLiteral("Virtual units"),
        QStringLiteral("%1, busy %2 of the time").arg(countText(unitCount(*fused)), percentText(share)), share));
    for (const TimedROperator &rOperator : fused->rOperators) {
        QStringList lines;
        for (std::size_t i = 0; i < rOperator.rKernels.size(); ++i) {
            const QString mark = rOperator.rKernels.size() < 2 ? QString()
                                 : i == rOperator.chosen       ? QStringLiteral("chosen: ")
                                                               : QStringLiteral("not: ");
            lines << mark + rKernelText(rOperator.rKernels[i]);
        }
        section.rows.push_back(
            textRow(shownName(input.model.graph->op(rOperator.op).name), lines.join(QLatin1Char('\n'))));
    }
    return section;
}

} // namespace stagecraft
