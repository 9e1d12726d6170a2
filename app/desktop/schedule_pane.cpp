#include "desktop/schedule_pane.h"

#include "desktop/document.h"
#include "schedule/search_words.h"
#include "shelf/shelf_words.h"
#include "widgets/elided_label.h"
#include "widgets/fact_strip.h"
#include "widgets/format.h"
#include "widgets/schedule/schedule_view.h"
#include "widgets/theme.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QVBoxLayout>

namespace stagecraft {

SchedulePane::SchedulePane(Document *document, Selection *selection, QWidget *parent)
    : QWidget(parent), m_document(document), m_title(new ElidedLabel({}, this)), m_summary(new FactStrip(this)),
      m_view(new ScheduleView(selection, this))
{
    QFont bold = m_title->font();
    bold.setBold(true);
    m_title->setFont(bold);
    m_title->setContentsMargins(12, 6, 8, 0);
    m_title->setElideMode(Qt::ElideRight);
    auto *line = new QHBoxLayout;
    line->setContentsMargins(12, 2, 8, 4);
    line->addWidget(m_summary);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_title);
    column->addLayout(line);
    column->addWidget(m_view, 1);
    connect(m_document, &Document::shelfChanged, this, &SchedulePane::showSummary);
    connect(m_document, &Document::frontChanged, this, &SchedulePane::showFront);
    showFront();
}

void SchedulePane::showFront()
{
    const ShownResult &front = m_document->front();
    if (!front.id.isValid())
        m_view->setHint(m_document->model() ? tr("Press Search (F5), or choose a result on the shelf.")
                                            : tr("Open a model to see its schedules here."));
    else
        m_view->setHint(tr("%1: %2.").arg(front.title, front.note));
    m_view->setSchedule(m_document->shownModel() ? m_document->shownModel()->graph : nullptr, front.schedule);
    showSummary();
}

void SchedulePane::showSummary()
{
    const ShownResult &front = m_document->front();
    const ScheduleResult *result = m_document->shelf().find(front.id);
    m_title->setVisible(result != nullptr);
    if (!result) {
        m_summary->setMessage(m_document->model() ? tr("No result is chosen") : tr("No model is open"));
        return;
    }
    QString title = front.title;
    for (const std::string &more :
         {madeByText(m_document->shelf(), *result), whyNotFitting(result->settings, m_document->settings())}) {
        if (!more.empty())
            title += QStringLiteral(" · ") + QString::fromStdString(more);
    }
    m_title->setText(title);
    if (!front.schedule) {
        m_summary->setMessage(front.note);
        return;
    }
    const ComparisonRow row = m_document->comparisonRow(front.id);
    std::vector<Fact> facts;
    if (row.latencyUs && front.schedule->provenance) {
        QString latency = latencyText(*row.latencyUs, row.leavesOutWork);
        if (row.halfWidthUs > 0)
            latency += QStringLiteral(" ± %1").arg(latencyText(row.halfWidthUs));
        facts.push_back({{},
                         latency,
                         {},
                         provenanceText(*front.schedule),
                         themeFor(palette()).provenance(*front.schedule->provenance)});
    }
    facts.push_back({tr("stages"), countText(static_cast<std::int64_t>(front.schedule->stages.size()))});
    if (row.speedup && !row.isBaseline) {
        facts.push_back({row.leavesOutWork ? tr("costed part against %1").arg(row.baselineTitle)
                                           : tr("against %1").arg(row.baselineTitle),
                         QStringLiteral("%1×").arg(*row.speedup, 0, 'f', 2)});
        if (!row.verdict.isEmpty())
            facts.back().value += QStringLiteral(", ") + row.verdict.section(QLatin1Char('('), 0, 0).trimmed();
    }
    if (!front.search.empty())
        facts.push_back({tr("search"), QString::fromStdString(outcomeText(front.schedule->search))});
    m_summary->setFacts(std::move(facts));
}

QString SchedulePane::titleText() const
{
    return m_title->text();
}

QString SchedulePane::summaryText() const
{
    return m_summary->plainText();
}

void SchedulePane::changeEvent(QEvent *event)
{
    if (event->type() == QEvent::PaletteChange && m_view)
        showSummary();
    QWidget::changeEvent(event);
}

} // namespace stagecraft
