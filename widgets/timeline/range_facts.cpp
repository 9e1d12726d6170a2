#include "widgets/timeline/range_facts.h"

#include "timeline/timeline_rows.h"
#include "widgets/fact_strip.h"
#include "widgets/format.h"
#include "widgets/timeline/timeline_text.h"

#include <QVBoxLayout>

#include <algorithm>

namespace stagecraft {
namespace {

QString shareText(std::int64_t part, std::int64_t whole)
{
    return QStringLiteral("= %1").arg(percentText(static_cast<double>(part) / static_cast<double>(whole)));
}

std::vector<Fact> factsOf(const TimelineStack &rows, std::size_t lane, const QCPRange &shared)
{
    const TimelineLane &of = *rows.lanes()[lane];
    const TimelineIndex &index = *of.index();
    const TimeRange range{nanoseconds(shared.lower + of.shiftUs), nanoseconds(shared.upper + of.shiftUs)};
    const RangeStatistics statistics = index.statistics(range);
    const RangeStatistics whole = index.statistics({0, index.timeline().durationNs});
    std::vector<Fact> facts;
    facts.push_back({rows.isAlone() ? QStringLiteral("selected") : of.what().letter,
                     latencyText(microseconds(range.sizeNs())),
                     {},
                     QStringLiteral("from %1").arg(latencyText(microseconds(range.fromNs)))});
    facts.push_back({QStringLiteral("busy"),
                     latencyText(microseconds(statistics.busyNs)),
                     {},
                     shareText(statistics.busyNs, range.sizeNs())});
    facts.push_back({QStringLiteral("idle"),
                     latencyText(microseconds(statistics.idleNs)),
                     {},
                     shareText(statistics.idleNs, range.sizeNs())});
    for (const auto &counter : rows.counters()) {
        if (const CounterSeries *series = counter->line(lane).series())
            facts.push_back({QStringLiteral("mean %1").arg(QString::fromStdString(series->name)),
                             meanText(*series, counter->meanIn(lane, shared))});
    }
    facts.push_back({hasThreadRows(index.timeline()) ? QStringLiteral("runs") : QStringLiteral("kernels"),
                     countText(static_cast<std::int64_t>(statistics.kernels))});
    // Of timelines that know neither, traced ones, nothing is said.
    if (whole.bytes > 0)
        facts.push_back({QStringLiteral("read and written"), bytesText(statistics.bytes)});
    if (whole.flops > 0)
        facts.push_back({QStringLiteral("arithmetic"), flopsText(statistics.flops)});
    return facts;
}

} // namespace

RangeFacts::RangeFacts(QWidget *parent) : QWidget(parent), m_lines(new QVBoxLayout(this))
{
    m_lines->setContentsMargins(8, 0, 8, 2);
    m_lines->setSpacing(0);
    setAccessibleName(QStringLiteral("Selected range"));
    hide();
}

void RangeFacts::show(const TimelineStack &rows, const QCPRange &shared)
{
    while (m_strips.size() < rows.lanes().size()) {
        auto *strip = new FactStrip(this);
        strip->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
        m_lines->addWidget(strip);
        m_strips.push_back(strip);
    }
    for (std::size_t i = 0; i < m_strips.size(); ++i) {
        const bool isShown = i < rows.lanes().size() && rows.lanes()[i]->isMade();
        m_strips[i]->setVisible(isShown);
        m_strips[i]->setFacts(isShown ? factsOf(rows, i, shared) : std::vector<Fact>{});
    }
    setVisible(true);
}

void RangeFacts::clear()
{
    for (FactStrip *strip : m_strips)
        strip->setFacts({});
    hide();
}

QString RangeFacts::plainText() const
{
    QStringList lines;
    for (const FactStrip *strip : m_strips) {
        if (!strip->plainText().isEmpty())
            lines << strip->plainText();
    }
    return lines.join(QLatin1Char('\n'));
}

} // namespace stagecraft
