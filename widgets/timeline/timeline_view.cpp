#include "widgets/timeline/timeline_view.h"

#include "widgets/base/fact_strip.h"
#include "widgets/base/find_bar.h"
#include "widgets/base/selection.h"
#include "widgets/timeline/range_facts.h"
#include "widgets/timeline/time_ruler.h"
#include "widgets/timeline/timeline_view_state.h"

#include <QHBoxLayout>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace stagecraft {

TimelineView::TimelineView(Selection *selection, QWidget *parent)
    : QWidget(parent), m_private(std::make_unique<Private>(this, selection))
{
    Private &d = *m_private;
    d.summary = new FactStrip(this);
    d.summary->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    const auto button = [this](const QString &text, const QString &toolTip) {
        auto *made = new QToolButton(this);
        made->setText(text);
        made->setToolTip(toolTip);
        made->setAutoRaise(true);
        return made;
    };
    d.counters = button(QStringLiteral("Counters ▾"), QStringLiteral("Counters shown below the kernels"));
    d.counters->setAccessibleName(QStringLiteral("Counters"));
    d.counters->setStyleSheet(QStringLiteral("QToolButton::menu-indicator { image: none; }")); // the text has its own
    d.counters->setPopupMode(QToolButton::InstantPopup);
    d.counterMenu = new QMenu(d.counters);
    d.counters->setMenu(d.counterMenu);
    d.all = button(QStringLiteral("Show all"), QStringLiteral("Show the whole time (double click)"));
    d.align = button(QStringLiteral("Align"), QStringLiteral("Start all timelines at what is selected"));
    d.align->setAccessibleName(QStringLiteral("Align at selection"));
    d.align->setCheckable(true);
    d.align->hide();
    d.notes = new QLabel(this);
    d.notes->setObjectName(QStringLiteral("notes"));
    d.notes->setTextFormat(Qt::PlainText);
    d.notes->setWordWrap(true);
    d.notes->setContentsMargins(8, 0, 8, 2);
    d.hint = new QLabel(QStringLiteral("When kernels run, and how busy the device is, appears here."), this);
    d.hint->setAlignment(Qt::AlignCenter);
    d.hint->setWordWrap(true);
    d.hint->setObjectName(QStringLiteral("hint"));

    d.page = new QWidget(this);
    d.rows = std::make_unique<TimelineStack>(d.page);
    d.findBar = new FindBar(QStringLiteral("Find kernel by operator or name"), d.page);
    d.rangeFacts = new RangeFacts(d.page);
    auto *head = new QHBoxLayout;
    head->setContentsMargins(8, 3, 8, 0);
    head->addWidget(d.summary, 1);
    head->addWidget(d.counters);
    head->addWidget(d.align);
    head->addWidget(d.all);
    auto *column = new QVBoxLayout(d.page);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(head);
    column->addWidget(d.notes);
    column->addWidget(d.findBar);
    d.rows->setHasRuler(true);
    d.scroll = new QScrollArea(d.page);
    d.scroll->setWidget(d.rows->plot());
    d.scroll->setWidgetResizable(true);
    d.scroll->setFrameShape(QFrame::NoFrame);
    d.scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    d.scroll->setFocusPolicy(Qt::NoFocus);
    column->addWidget(d.scroll, 1);
    column->addWidget(new TimeRuler(*d.rows, d.page));
    column->addWidget(d.rangeFacts);
    d.stack = new QStackedLayout(this);
    d.stack->addWidget(d.hint);
    d.stack->addWidget(d.page);
    d.applyTheme();
    d.createActions();
    d.connectMouse();
    setAccessibleName(QStringLiteral("Timeline"));
    setMinimumSize(220, 130);

    connect(d.rows->plot(), &QCustomPlot::afterLayout, this, [this] { m_private->rows->fitRows(); });
    connect(d.counterMenu, &QMenu::triggered, this, [this](QAction *entry) {
        const auto entries = m_private->counterMenu->actions();
        if (std::ranges::none_of(entries, &QAction::isChecked))
            entry->setChecked(true); // one stays
        m_private->chooseCounters();
    });
    connect(d.all, &QToolButton::clicked, this, &TimelineView::showAll);
    connect(d.align, &QToolButton::toggled, this, &TimelineView::setAligned);
    connect(d.findBar, &FindBar::textChanged, this, &TimelineView::find);
    connect(d.findBar, &FindBar::nextRequested, this, [this] { m_private->stepFound(1); });
    connect(d.findBar, &FindBar::previousRequested, this, [this] { m_private->stepFound(-1); });
    connect(d.findBar, &FindBar::closed, this, [this] {
        m_private->findBar->hide();
        find({});
        m_private->rows->plot()->setFocus();
    });
}

TimelineView::~TimelineView() = default;

void TimelineView::setTimeline(std::shared_ptr<const Graph> graph, std::shared_ptr<const TimelineIndex> timeline,
                               std::shared_ptr<const Schedule> schedule)
{
    setTimelines({{{}, std::move(graph), std::move(timeline), m_private->selection, std::move(schedule)}});
}

void TimelineView::setTimelines(std::vector<TimelineOf> timelines)
{
    Private &d = *m_private;
    // What was in sight stays in sight from result to result of a model.
    if (d.rows->first().isMade()) {
        d.lastGraph = d.rows->first().what().graph;
        d.lastRange = d.rows->isWhole() ? std::nullopt : std::optional(d.rows->shown());
    }
    const bool isSameModel = d.lastGraph && std::ranges::all_of(timelines, [&](const TimelineOf &next) {
                                 return !next.timeline || next.graph == d.lastGraph;
                             });
    for (const QMetaObject::Connection &connection : std::exchange(d.selections, {}))
        disconnect(connection);
    d.rows->setLaneCount(std::max<std::size_t>(1, timelines.size()));
    for (std::size_t i = 0; i < timelines.size(); ++i) {
        TimelineLane *lane = d.rows->lanes()[i].get();
        lane->set(std::move(timelines[i]));
        if (Selection *selection = lane->what().selection)
            d.selections.push_back(
                connect(selection, &Selection::changed, this,
                        [this, lane](const Selected &selected) { m_private->selectionChanged(*lane, selected); }));
    }
    d.stack->setCurrentWidget(d.rows->isAnyMade() ? d.page : static_cast<QWidget *>(d.hint));
    d.align->setVisible(!d.rows->isAlone());
    if (!d.rows->isAnyMade())
        return;
    d.rows->shareHeight();
    d.showNotes();
    d.rows->shift(d.isAligned);
    d.offerCounters();
    d.rows->setRange(isSameModel && d.lastRange ? *d.lastRange : d.rows->whole());
    if (!isSameModel) {
        d.before.clear();
        d.rows->setOver({});
    }
    d.selectRange(d.rows->over().range); // within the new time
    d.search(d.found.text());
}

std::size_t TimelineView::laneCount() const
{
    return m_private->rows->lanes().size();
}

void TimelineView::setAligned(bool aligned)
{
    Private &d = *m_private;
    if (std::exchange(d.isAligned, aligned) == aligned)
        return;
    d.align->setChecked(aligned);
    d.rows->shift(d.isAligned);
    d.showRange();
    emit alignedChanged(aligned);
}

bool TimelineView::isAligned() const
{
    return m_private->isAligned;
}

double TimelineView::shiftUs(std::size_t lane) const
{
    return m_private->rows->lanes()[lane]->shiftUs;
}

void TimelineView::setHint(const QString &hint)
{
    m_private->hint->setText(hint);
}

double TimelineView::visibleFromUs() const
{
    return m_private->rows->shown().lower;
}

double TimelineView::visibleToUs() const
{
    return m_private->rows->shown().upper;
}

void TimelineView::setVisibleTime(double fromUs, double toUs)
{
    m_private->rows->setRange({fromUs, toUs});
}

void TimelineView::selectRange(std::optional<std::pair<double, double>> range)
{
    m_private->selectRange(range ? std::optional(QCPRange(range->first, range->second)) : std::nullopt);
}

std::optional<std::pair<double, double>> TimelineView::selectedRange() const
{
    const auto &range = m_private->rows->over().range;
    return range ? std::optional(std::pair(range->lower, range->upper)) : std::nullopt;
}

QString TimelineView::rangeText() const
{
    return m_private->rangeFacts->plainText();
}

std::vector<double> TimelineView::marks() const
{
    return m_private->rows->over().marks;
}

void TimelineView::chooseCounters(const QStringList &titles)
{
    const auto entries = m_private->counterMenu->actions();
    const bool isAny = std::ranges::any_of(entries, [&](const QAction *each) { return titles.contains(each->text()); });
    for (QAction *entry : entries)
        entry->setChecked(isAny ? titles.contains(entry->text()) : entry->isChecked());
    m_private->chooseCounters();
}

QStringList TimelineView::chosenCounters() const
{
    QStringList titles;
    for (const auto &counter : m_private->rows->counters())
        titles << counter->choice().title;
    return titles;
}

QStringList TimelineView::counterTitles() const
{
    QStringList titles;
    for (const auto &counter : m_private->rows->counters())
        titles << counter->title();
    return titles;
}

void TimelineView::find(const QString &text)
{
    m_private->search(text);
    m_private->revealFound();
}

std::pair<int, int> TimelineView::matches() const
{
    return {m_private->found.current(), static_cast<int>(m_private->found.matches().size())};
}

const QList<QAction *> &TimelineView::viewActions() const
{
    return m_private->actions;
}

QPoint TimelineView::kernelCentre(std::size_t kernel, std::size_t lane) const
{
    const Private &d = *m_private;
    if (lane >= d.rows->lanes().size() || !d.rows->lanes()[lane]->isMade() ||
        kernel >= d.rows->lanes()[lane]->timeline().kernels.size())
        return {};
    const KernelRows &kernels = d.rows->lanes()[lane]->kernels();
    return d.rows->plot()->mapTo(this, kernels.rectOf(kernels.index->timeline().kernels[kernel]).center().toPoint());
}

QString TimelineView::plainSummary() const
{
    return m_private->summary->plainText();
}

QSize TimelineView::sizeHint() const
{
    return {640, 240};
}

void TimelineView::showAll()
{
    m_private->jump(m_private->rows->whole());
}

void TimelineView::changeEvent(QEvent *event)
{
    if (event->type() == QEvent::PaletteChange && m_private->summary)
        m_private->applyTheme();
    QWidget::changeEvent(event);
}

} // namespace stagecraft
