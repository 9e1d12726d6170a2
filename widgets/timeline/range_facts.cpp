#include "widgets/timeline/range_facts.h"

#include "timing/timeline/timeline_rows.h"
#include "widgets/base/fact_strip.h"
#include "widgets/base/format.h"
#include "widgets/base/theme.h"
#include "widgets/timeline/timeline_text.h"

#include <QLabel>
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

QString htmlOf(const std::vector<Fact> &facts, const Theme &theme)
{
    QStringList parts;
    for (const Fact &fact : facts) { // each stays on one line
        const auto whole = [](const QString &text) { return text.toHtmlEscaped().replace(QLatin1Char(' '), "&nbsp;"); };
        parts << QStringLiteral("<font color='%1'>%2</font>&nbsp;<b>%3</b>&nbsp;<font color='%1'>%4</font>")
                     .arg(theme.mutedText.name(), whole(fact.label), whole(fact.value), whole(fact.after));
    }
    return parts.join(QStringLiteral("&nbsp;&nbsp;&nbsp; "));
}

QString plainOf(const std::vector<Fact> &facts)
{
    QStringList parts;
    for (const Fact &fact : facts)
        parts << QStringLiteral("%1 %2 %3").arg(fact.label, fact.value, fact.after).trimmed();
    return parts.join(QStringLiteral(", "));
}

} // namespace

RangeFacts::RangeFacts(QWidget *parent) : QWidget(parent), m_column(new QVBoxLayout(this))
{
    m_column->setContentsMargins(8, 0, 8, 3);
    m_column->setSpacing(1);
    setAccessibleName(QStringLiteral("Selected range"));
    hide();
}

void RangeFacts::show(const TimelineStack &rows, const QCPRange &shared)
{
    while (m_lines.size() < rows.lanes().size()) {
        m_lines.push_back(new QLabel(this));
        m_lines.back()->setWordWrap(true);
        m_lines.back()->setTextFormat(Qt::RichText);
        m_lines.back()->setTextInteractionFlags(Qt::TextSelectableByMouse);
        m_column->addWidget(m_lines.back());
    }
    m_texts.clear();
    for (std::size_t i = 0; i < m_lines.size(); ++i) {
        const bool isShown = i < rows.lanes().size() && rows.lanes()[i]->isMade();
        m_lines[i]->setVisible(isShown);
        if (!isShown)
            continue;
        const std::vector<Fact> facts = factsOf(rows, i, shared);
        m_lines[i]->setText(htmlOf(facts, themeFor(palette())));
        m_lines[i]->setAccessibleName(plainOf(facts));
        m_texts << plainOf(facts);
    }
    setVisible(true);
}

void RangeFacts::clear()
{
    m_texts.clear();
    hide();
}

} // namespace stagecraft
