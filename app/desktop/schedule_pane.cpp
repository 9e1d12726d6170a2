#include "desktop/schedule_pane.h"

#include "desktop/document.h"
#include "schedule/search_words.h"
#include "widgets/fact_strip.h"
#include "widgets/format.h"
#include "widgets/schedule/schedule_view.h"
#include "widgets/search/search_panel.h"
#include "widgets/theme.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QSignalBlocker>
#include <QTabBar>
#include <QVBoxLayout>

namespace stagecraft {

SchedulePane::SchedulePane(Document *document, Selection *selection, QWidget *parent)
    : QWidget(parent), m_document(document), m_tabs(new QTabBar(this)), m_summary(new FactStrip(this)),
      m_view(new ScheduleView(selection, this))
{
    m_tabs->setDrawBase(false);
    m_tabs->setExpanding(false);
    m_tabs->setUsesScrollButtons(true);
    m_tabs->setElideMode(Qt::ElideNone);
    m_tabs->setAccessibleName(tr("Schedules"));
    auto *line = new QHBoxLayout;
    line->setContentsMargins(12, 2, 8, 4);
    line->addWidget(m_summary);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_tabs);
    column->addLayout(line);
    column->addWidget(m_view, 1);
    connect(m_tabs, &QTabBar::currentChanged, this, [this](int index) {
        if (index >= 0)
            m_document->setCurrent(static_cast<std::size_t>(index));
    });
    connect(m_document, &Document::entriesChanged, this, &SchedulePane::showTabs);
    connect(m_document, &Document::frontChanged, this, &SchedulePane::showFront);
    showTabs();
    showFront();
}

void SchedulePane::showTabs()
{
    const QSignalBlocker blocker(m_tabs);
    const std::vector<ScheduleEntry> &entries = m_document->entries();
    while (m_tabs->count() > static_cast<int>(entries.size()))
        m_tabs->removeTab(m_tabs->count() - 1);
    while (m_tabs->count() < static_cast<int>(entries.size()))
        m_tabs->addTab(QString());
    const Theme theme = themeFor(palette());
    const std::vector<ComparisonRow> rows = m_document->comparison();
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const int tab = static_cast<int>(i);
        m_tabs->setTabText(tab, entries[i].title);
        const auto latencyUs = rows.empty() ? std::nullopt : rows[i].latencyUs; // no rows without a model
        m_tabs->setTabToolTip(tab, latencyUs ? latencyText(*latencyUs, rows[i].leavesOutWork) : entries[i].note);
        m_tabs->setTabTextColor(tab, entries[i].schedule ? theme.text : theme.mutedText);
    }
    m_tabs->setCurrentIndex(static_cast<int>(m_document->current()));
    showSummary();
}

void SchedulePane::showFront()
{
    const ScheduleEntry &front = m_document->front();
    if (!m_document->model())
        m_view->setHint(tr("Open a model to see its schedules here."));
    else if (front.kind && *front.kind != ScheduleKind::Sequential && *front.kind != ScheduleKind::Greedy)
        m_view->setHint(
            tr("%1: %2.\n\nPress Search (F5) with this strategy, or Compare all.").arg(front.title, front.note));
    else
        m_view->setHint(tr("%1: %2.").arg(front.title, front.note));
    m_view->setSchedule(m_document->model() ? m_document->model()->graph : nullptr, front.schedule);
    showSummary();
}

void SchedulePane::showSummary()
{
    const ScheduleEntry &front = m_document->front();
    if (!front.schedule) {
        m_summary->setMessage(m_document->model() ? front.note : tr("No model is open"));
        return;
    }
    const ComparisonRow row = m_document->comparison()[m_document->current()];
    std::vector<Fact> facts;
    if (row.latencyUs && front.schedule->provenance)
        facts.push_back({{},
                         latencyText(*row.latencyUs, row.leavesOutWork),
                         {},
                         provenanceText(*front.schedule),
                         themeFor(palette()).provenance(*front.schedule->provenance)});
    facts.push_back({tr("stages"), countText(static_cast<std::int64_t>(front.schedule->stages.size()))});
    if (row.speedup)
        facts.push_back({row.leavesOutWork ? tr("costed part against Sequential") : tr("against Sequential"),
                         QStringLiteral("%1×").arg(*row.speedup, 0, 'f', 2)});
    if (!front.search.empty())
        facts.push_back({tr("search"), QString::fromStdString(outcomeText(front.schedule->search))});
    m_summary->setFacts(std::move(facts));
}

QString SchedulePane::summaryText() const
{
    return m_summary->plainText();
}

void SchedulePane::changeEvent(QEvent *event)
{
    if (event->type() == QEvent::PaletteChange && m_view)
        showTabs();
    QWidget::changeEvent(event);
}

} // namespace stagecraft
