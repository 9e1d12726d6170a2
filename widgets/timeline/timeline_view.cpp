#include "widgets/timeline/timeline_view.h"

#include "widgets/base/fact_strip.h"
#include "widgets/base/find_bar.h"
#include "widgets/base/selection.h"
#include "widgets/base/theme.h"
#include "widgets/timeline/counter_menu.h"
#include "widgets/timeline/range_facts.h"
#include "widgets/timeline/time_ruler.h"
#include "widgets/timeline/timeline_find.h"
#include "widgets/timeline/timeline_navigation.h"
#include "widgets/timeline/timeline_words.h"

#include <QAction>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QScrollArea>
#include <QStackedLayout>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace stagecraft {
namespace {

constexpr int kWidestFirst = 140; // pixels

} // namespace

class TimelineView::Private {
public:
    Private(TimelineView *view, Selection *own) : q(view), selection(own) {}

    TimelineView *q;
    Selection *selection; // of a single timeline; not used if there are several
    FactStrip *summary = nullptr;
    CounterMenu *counters = nullptr;
    QLabel *notes = nullptr;
    QToolButton *all = nullptr;
    QToolButton *align = nullptr;
    FindBar *findBar = nullptr;
    RangeFacts *rangeFacts = nullptr;
    QWidget *page = nullptr;
    QLabel *hint = nullptr;
    QStackedLayout *stack = nullptr;
    std::unique_ptr<TimelineStack> rows;
    TimelineNavigation *navigation = nullptr;
    std::vector<QMetaObject::Connection> selections;
    TimelineFind found;
    bool isFoundSelected = false;
    bool isAligned = false;

    // What was shown last, while the timeline of the model's next result is being made.
    std::shared_ptr<const Graph> lastGraph;
    std::optional<QCPRange> lastRange; // nullopt: the whole

    void applyTheme();
    void offerCounters();
    void showCounters();
    void showSummary() const;
    void showRange();
    void selectionChanged(TimelineLane &lane, const Selected &selected);
    void search(const QString &text);
    void stepFound(int by); // selects the match; the first time the current one
    void showFound();
    void revealFound();
};

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
    d.counters = new CounterMenu(this);
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
    auto *scroll = new QScrollArea(d.page);
    scroll->setWidget(d.rows->plot());
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setFocusPolicy(Qt::NoFocus);
    column->addWidget(scroll, 1);
    column->addWidget(new TimeRuler(*d.rows, d.page));
    column->addWidget(d.rangeFacts);
    d.stack = new QStackedLayout(this);
    d.stack->addWidget(d.hint);
    d.stack->addWidget(d.page);
    d.applyTheme();
    d.navigation = new TimelineNavigation(d.rows.get(), scroll, this);
    d.navigation->add(QStringLiteral("&Find a kernel..."), "F", [this] { showFindBar(); });
    connect(d.navigation, &TimelineNavigation::rangeChanged, this, [this] { m_private->showRange(); });
    setAccessibleName(QStringLiteral("Timeline"));
    setMinimumSize(220, 130);

    connect(d.rows->plot(), &QCustomPlot::afterLayout, this, [this] { m_private->rows->fitRows(); });
    connect(d.counters, &CounterMenu::chosenChanged, this, [this] { m_private->showCounters(); });
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
                               std::shared_ptr<const TimedSchedule> schedule)
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
    const QString notes = timelineNotes(*d.rows);
    d.notes->setText(notes);
    d.notes->setVisible(!notes.isEmpty());
    d.rows->shift(d.isAligned);
    d.offerCounters();
    d.rows->setRange(isSameModel && d.lastRange ? *d.lastRange : d.rows->whole());
    if (!isSameModel) {
        d.navigation->forget();
        d.rows->setOver({});
    }
    d.navigation->selectRange(d.rows->over().range); // within the new time
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
    m_private->navigation->selectRange(range ? std::optional(QCPRange(range->first, range->second)) : std::nullopt);
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
    m_private->counters->choose(titles);
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
    return m_private->navigation->actions();
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
    m_private->navigation->jump(m_private->rows->whole());
}

void TimelineView::zoomToSelection()
{
    m_private->navigation->zoomToSelection();
}

void TimelineView::back()
{
    m_private->navigation->back();
}

void TimelineView::showFindBar()
{
    if (!m_private->rows->isAnyMade())
        return;
    m_private->findBar->open();
}

bool TimelineView::event(QEvent *event)
{
    if (event->type() == QEvent::ShortcutOverride) { // Escape closes what is open here before it clears the selection
        const auto *key = static_cast<QKeyEvent *>(event);
        if (key->key() == Qt::Key_Escape && (m_private->rows->over().range || m_private->findBar->isVisible())) {
            event->accept();
            return true;
        }
    }
    return QWidget::event(event);
}

void TimelineView::changeEvent(QEvent *event)
{
    if (event->type() == QEvent::PaletteChange && m_private->summary)
        m_private->applyTheme();
    QWidget::changeEvent(event);
}

void TimelineView::keyPressEvent(QKeyEvent *event)
{
    Private &d = *m_private;
    if (event->key() == Qt::Key_Escape && d.findBar->isVisible())
        emit d.findBar->closed();
    else if (event->key() == Qt::Key_Escape && d.rows->over().range)
        d.navigation->selectRange(std::nullopt);
    else if (!d.navigation->pressKey(*event))
        QWidget::keyPressEvent(event);
}

void TimelineView::Private::applyTheme()
{
    rows->applyTheme(themeFor(q->palette()));
    showSummary();
    showRange();
}

void TimelineView::Private::offerCounters()
{
    const auto made = std::ranges::find_if(rows->lanes(), [](const auto &lane) { return lane->isMade(); });
    if (made == rows->lanes().end())
        return;
    std::vector<CounterChoice> wanted;
    for (const auto &counter : rows->counters())
        wanted.push_back(counter->choice());
    if (wanted.empty())
        wanted.push_back({QString(), QStringLiteral("active warps")});
    counters->offer((*made)->timeline().counters, wanted);
    showCounters();
}

void TimelineView::Private::showCounters()
{
    rows->setCounters(counters->chosen());
    showSummary();
    showRange();
}

void TimelineView::Private::showSummary() const
{
    if (!rows->isAnyMade()) {
        summary->setMessage({});
        return;
    }
    summary->setFacts(timelineFacts(*rows));
    summary->setMinimumWidth(std::min(kWidestFirst, summary->widthOfFirst())); // the provenance is not cut
}

void TimelineView::Private::showRange()
{
    const auto &range = rows->over().range;
    if (range && rows->isAnyMade())
        rangeFacts->show(*rows, *range);
    else
        rangeFacts->clear();
}

void TimelineView::Private::selectionChanged(TimelineLane &lane, const Selected &selected)
{
    rows->select(lane, selected);
    if (isAligned)
        rows->shift(true);
    const auto range = lane.rangeOf(selected);
    if (!range)
        return;
    rows->reveal(lane, *range);
    const auto &kernels = lane.timeline().kernels;
    const auto shown = std::ranges::find_if(kernels, [&](const KernelSpan &kernel) {
        return selected.op ? std::ranges::find(kernel.operators, *selected.op) != kernel.operators.end()
                           : selected.stage == kernel.stage;
    });
    if (shown != kernels.end())
        navigation->showKernel(lane, *shown);
}

void TimelineView::Private::search(const QString &text)
{
    findBar->setText(text);
    found.search(*rows, text, rows->shown().lower);
    isFoundSelected = false;
    showFound();
}

void TimelineView::Private::stepFound(int by)
{
    if (std::exchange(isFoundSelected, true) || by < 0)
        found.step(by);
    if (found.current() < 0)
        return;
    revealFound();
    showFound();
    const TimelineFind::Match match = found.matches()[static_cast<std::size_t>(found.current())];
    TimelineLane &lane = *rows->lanes()[match.lane];
    const KernelSpan &kernel = lane.timeline().kernels[match.kernel];
    navigation->setActiveLane(match.lane);
    if (lane.what().selection)
        lane.what().selection->set(
            {kernel.operators.empty() ? std::nullopt : std::optional(kernel.operators.front()), kernel.stageOrNone()});
}

void TimelineView::Private::revealFound()
{
    if (found.current() < 0)
        return;
    const TimelineFind::Match match = found.matches()[static_cast<std::size_t>(found.current())];
    const TimelineLane &lane = *rows->lanes()[match.lane];
    const KernelSpan &kernel = lane.timeline().kernels[match.kernel];
    rows->reveal(lane, {microseconds(kernel.startNs), microseconds(kernel.endNs)});
    navigation->showKernel(lane, kernel);
}

// All of them are marked, the current one more than the others.
void TimelineView::Private::showFound()
{
    navigation->setOver([&](OverTime &over) {
        over.current.reset();
        if (found.current() >= 0)
            over.current = TimelineFind::startUs(*rows, found.matches()[static_cast<std::size_t>(found.current())]);
        over.found.clear();
        for (const TimelineFind::Match &match : found.matches())
            over.found.push_back(TimelineFind::startUs(*rows, match));
    });
    findBar->showMatches(found.current(), static_cast<int>(found.matches().size()));
}

} // namespace stagecraft
