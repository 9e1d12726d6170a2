#include "desktop/areas/panes/pane_row.h"

#include "desktop/areas/panes/pane_titles.h"
#include "desktop/areas/panes/schedule_pane.h"
#include "widgets/base/format.h"
#include "widgets/base/pane_badge.h"
#include "widgets/base/selection.h"
#include "widgets/schedule/schedule_edit_tool.h"
#include "widgets/schedule/schedule_page.h"
#include "widgets/schedule/schedule_view.h"
#include "widgets/schedule/span_gutter.h"
#include "widgets/schedule/streams_view.h"

#include <QAction>
#include <QApplication>
#include <QHBoxLayout>
#include <QMouseEvent>
#include <QScrollBar>
#include <QToolButton>

#include <algorithm>
#include <utility>

namespace stagecraft {
namespace {

constexpr int kLeastWidth = 80; // of a pane if the window is too narrow for all

} // namespace

PaneRow::PaneRow(Document *document, Selection *selection, QWidget *parent)
    : QWidget(parent), m_document(document), m_selection(selection), m_line(new QHBoxLayout(this)),
      m_comparison(document, m_panes)
{
    m_line->setContentsMargins(0, 0, 0, 0);
    m_line->setSpacing(0);
    addPane({});
    arrange();
    connect(m_document->results(), &Results::shelfChanged, this, &PaneRow::follow);
    connect(m_document->results(), &Results::frontChanged, this, &PaneRow::follow);
    connect(m_document->results(), &Results::timelineChanged, this, &PaneRow::compare); // where time goes
    connect(m_document->next(), &NextSearch::modelChanged, this, &PaneRow::follow);
    connect(m_document->editor(), &Editor::replaced, this, &PaneRow::replace);
    connect(m_document->editor(), &Editor::marksChanged, this, [this](ResultId id) {
        for (SchedulePane *pane : m_panes) {
            if (pane->result() == id)
                pane->refreshMarks();
        }
    });
    connect(m_selection, &Selection::changed, this, &PaneRow::spreadSelection);
}

PaneRow::~PaneRow()
{
    m_isClosing = true;
}

int PaneRow::widthOfOneMore()
{
    return kNarrowestPane + SpanGutter::kWidth;
}

std::size_t PaneRow::indexOf(const SchedulePane *pane) const
{
    return static_cast<std::size_t>(std::ranges::find(m_panes, pane) - m_panes.begin());
}

QString PaneRow::lettersOf(ResultId id) const
{
    QStringList letters;
    for (std::size_t i = 0; m_panes.size() > 1 && i < m_panes.size(); ++i) {
        if (m_panes[i]->result() == id)
            letters << paneLetter(i);
    }
    return letters.join(QStringLiteral(", "));
}

SchedulePane *PaneRow::addPane(ResultId id)
{
    auto *pane = new SchedulePane(m_document, this);
    pane->view()->setMinimumWidth(kLeastWidth);
    pane->installEventFilter(this);
    for (PageCanvas *page : {static_cast<PageCanvas *>(pane->view()), static_cast<PageCanvas *>(pane->streams())}) {
        page->installEventFilter(this);
        page->viewport()->installEventFilter(this);
        page->setContextMenuPolicy(Qt::CustomContextMenu);
        connect(page, &QWidget::customContextMenuRequested, this,
                [this, page](const QPoint &at) { emit menuRequested(page->viewport()->mapToGlobal(at)); });
        connect(page, &PageCanvas::zoomChanged, this, [this, pane, page](double zoom) {
            if (page == pane->page())
                zoomInStep(pane, zoom);
        });
        connect(page->verticalScrollBar(), &QScrollBar::valueChanged, this, [this, pane, page] {
            if (page == pane->page())
                scrollInStep(pane);
        });
    }
    connect(pane, &SchedulePane::closePressed, this, [this, pane] { close(indexOf(pane)); });
    connect(pane, &SchedulePane::addPressed, this, [this, pane] {
        focus(indexOf(pane));
        emit addPressed(pane->addButton()->mapToGlobal(pane->addButton()->rect().bottomLeft()));
    });
    connect(pane->selection(), &Selection::changed, this, [this, pane](const Selected &selected) {
        if (!m_isSpreading)
            showIn(pane, selected);
    });
    connect(pane, &SchedulePane::measureAgainPressed, this, [this, pane] { emit measureAgainPressed(pane->result()); });
    connect(pane->view(), &ScheduleView::foldPressed, this, [this](std::size_t firstSpan) {
        m_comparison.toggleFold(firstSpan);
        place();
    });
    connect(pane, &SchedulePane::editRequested, this, &PaneRow::editRequested);
    connect(pane->editTool(), &ScheduleEditTool::originalHeld, this,
            [this, pane](bool held) { showOriginal(pane, held); });
    pane->addPageActions(m_viewActions, m_streamsActions);
    m_panes.push_back(pane);
    pane->setResult(id);
    return pane;
}

void PaneRow::openBeside(ResultId id)
{
    if (m_panes.size() >= kMostPanes || !m_document->results()->shelf().find(id))
        return;
    const SchedulePane *before = focusedPane();
    SchedulePane *pane = addPane(id);
    m_comparison.setLengths();
    m_isSpreading = true;
    pane->page()->setZoom(before->page()->zoom());
    m_isSpreading = false;
    arrange();
    pane->show();
    compare(); // its selection is updated as well
    focus(m_panes.size() - 1);
    pane->page()->verticalScrollBar()->setValue(before->page()->verticalScrollBar()->value());
}

void PaneRow::show(std::vector<ResultId> ids, std::size_t focused)
{
    std::erase_if(ids, [this](ResultId id) { return !m_document->results()->shelf().find(id); });
    if (ids.empty())
        return;
    ids.resize(std::min(ids.size(), kMostPanes));
    while (m_panes.size() > ids.size())
        close(m_panes.size() - 1);
    focus(0);
    m_document->results()->setCurrent(ids.front());
    for (std::size_t i = 1; i < ids.size(); ++i) {
        if (i < m_panes.size())
            m_panes[i]->setResult(ids[i]);
        else
            openBeside(ids[i]);
    }
    follow();
    focus(std::min(focused, ids.size() - 1));
}

void PaneRow::close(std::size_t index)
{
    if (m_panes.size() < 2 || index >= m_panes.size())
        return;
    SchedulePane *pane = m_panes[index];
    pane->view()->setPlacer({});
    pane->view()->disconnect(this);
    pane->streams()->setPlacer({});
    pane->streams()->disconnect(this);
    m_panes.erase(m_panes.begin() + static_cast<std::ptrdiff_t>(index));
    const std::size_t next = m_focused > index ? m_focused - 1 : std::min(m_focused, m_panes.size() - 1);
    const bool wasFocused = m_focused == index;
    m_focused = next;
    pane->hide();
    pane->deleteLater();
    arrange();
    if (wasFocused) {
        m_document->results()->setCurrent(focusedPane()->result());
        focusedPane()->page()->setFocus();
    }
    compare();
    emit panesChanged();
}

// The selection moves along: the counterpart in the new pane is now selected.
void PaneRow::focus(std::size_t index)
{
    if (index >= m_panes.size())
        return;
    SchedulePane *pane = m_panes[index];
    const Selected selected = pane->selection()->current();
    const bool isOther = index != m_focused;
    m_focused = index;
    const bool isOtherResult = m_document->results()->current() != pane->result();
    m_document->results()->setCurrent(pane->result()); // emits frontChanged() if it is another one
    markPanes();
    compare();
    if (isOther) {
        m_selection->set(selected);
        spreadSelection();
    }
    const QWidget *withKeys = QApplication::focusWidget();
    if (withKeys && isAncestorOf(withKeys) && !pane->isAncestorOf(withKeys))
        pane->page()->setFocus();
    if (!isOtherResult)
        emit panesChanged();
}

void PaneRow::setGutterAction(QAction *action)
{
    m_gutterAction = action;
}

void PaneRow::setViewActions(const QList<QAction *> &actions, const QList<QAction *> &ofStreams)
{
    m_viewActions = actions;
    m_streamsActions = ofStreams;
    for (SchedulePane *pane : m_panes)
        pane->addPageActions(actions, ofStreams);
}

void PaneRow::arrange()
{
    // A gutter belongs to two neighbours: those of other pairs are created again.
    for (SpanGutter *gutter : std::exchange(m_gutters, {})) {
        gutter->hide();
        gutter->deleteLater();
    }
    while (m_line->count() > 0)
        delete m_line->takeAt(0);
    for (std::size_t i = 0; i < m_panes.size(); ++i) {
        m_line->addWidget(m_panes[i], 1);
        if (i + 1 == m_panes.size())
            continue;
        auto *gutter = new SpanGutter(m_panes[i]->view(), m_panes[i + 1]->view(), this);
        gutter->setLetters(paneLetter(i), paneLetter(i + 1));
        connect(gutter, &SpanGutter::takePressed, this, [this, i](std::size_t span, bool intoRight) {
            if (const auto take = m_comparison.toTake(intoRight ? i : i + 1, intoRight ? i + 1 : i, span, false))
                emit takePressed(*take);
        });
        if (m_gutterAction)
            gutter->addButton(m_gutterAction);
        m_gutters.push_back(gutter);
        m_line->addWidget(gutter);
        gutter->show();
    }
    setLeastWidth(m_leastWidth);
    markPanes();
}

void PaneRow::setLeastWidth(int width)
{
    m_leastWidth = width;
    const auto count = static_cast<int>(m_panes.size());
    setMinimumWidth(std::max(width, count * kNarrowestPane + (count - 1) * SpanGutter::kWidth));
}

void PaneRow::markPanes()
{
    const bool isBeside = m_panes.size() > 1;
    for (std::size_t i = 0; i < m_panes.size(); ++i)
        m_panes[i]->setPlace(isBeside ? paneLetter(i) : QString(), i == m_focused, m_panes.front()->result());
    shareTitles(m_panes);
}

void PaneRow::setLengthsLatencies(bool latencies)
{
    m_comparison.setLengthsLatencies(latencies);
    m_comparison.setLengths();
    if (m_comparison.isPlacing())
        place();
}

void PaneRow::setGutters()
{
    for (std::size_t i = 0; i < m_gutters.size(); ++i) {
        const auto left = m_comparison.stagedSideOf(i);
        const auto right = m_comparison.stagedSideOf(i + 1);
        if (left && right)
            m_gutters[i]->setCompared(m_comparison.staged(), *left, *right);
        else
            m_gutters[i]->setCompared(m_comparison.besideStreams(i), 0, 1);
    }
}

void PaneRow::follow()
{
    for (std::size_t i = m_panes.size(); i-- > 0;) {
        if (i == m_focused)
            m_panes[i]->setResult(m_document->results()->current());
        else if (!m_document->results()->shelf().find(m_panes[i]->result()))
            close(i);
        else
            m_panes[i]->refresh();
    }
    markPanes();
    compare();
}

// Replaces it in panes without the focus; the focused pane follows the document.
void PaneRow::replace(ResultId gone, ResultId by)
{
    for (std::size_t i = 0; i < m_panes.size(); ++i) {
        if (i != m_focused && m_panes[i]->result() == gone)
            m_panes[i]->setResult(by);
    }
}

void PaneRow::showOriginal(SchedulePane *pane, bool held)
{
    pane->showOriginal(held);
    if (!held)
        place();
}

void PaneRow::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    emit widthChanged();
}

bool PaneRow::eventFilter(QObject *watched, QEvent *event)
{
    if (event->type() == QEvent::Resize)
        placeSoon();
    if (m_panes.size() > 1 && (event->type() == QEvent::MouseButtonPress || event->type() == QEvent::FocusIn)) {
        for (std::size_t i = 0; i < m_panes.size(); ++i) {
            const PageCanvas *page = m_panes[i]->page();
            const bool isIts = watched == m_panes[i] || watched == page || watched == page->viewport();
            if (isIts && i != m_focused) {
                focus(i);
                break;
            }
        }
    }
    return QWidget::eventFilter(watched, event);
}

void PaneRow::compare()
{
    const bool isOther = m_comparison.update();
    setGutters(); // they may have been recreated
    if (!isOther)
        return;
    place(); // first: the rest lays pages out
    m_comparison.setLengths();
    m_comparison.setBlockChanges();
    spreadSelection();
    emit comparedChanged();
}

void PaneRow::setEqualStagesFolded(bool folded)
{
    m_comparison.setEqualStagesFolded(folded);
    place();
    if (const auto span = currentSpan())
        showSpan(*span);
    emit panesChanged();
}

// Rows of all panes depend on the narrowest one: they are placed again when all have their new widths.
void PaneRow::placeSoon()
{
    if (!m_comparison.isPlacing() || std::exchange(m_isToPlace, true))
        return;
    QMetaObject::invokeMethod(
        this,
        [this] {
            m_isToPlace = false;
            if (m_comparison.isPlacing() && m_comparison.isPlacedForOtherWidth())
                place();
        },
        Qt::QueuedConnection);
}

void PaneRow::place()
{
    m_isSpreading = true;
    m_comparison.place();
    m_isSpreading = false;
    zoomInStep(focusedPane(), focusedPane()->page()->zoom());
}

void PaneRow::setLinked(bool linked)
{
    m_isLinked = linked;
    if (linked) {
        zoomInStep(focusedPane(), focusedPane()->page()->zoom());
        scrollInStep(focusedPane());
    }
    emit panesChanged();
}

void PaneRow::scrollInStep(const SchedulePane *pane)
{
    if (m_isSpreading || !isInStep(indexOf(pane)))
        return;
    m_isSpreading = true;
    for (std::size_t i = 0; i < m_panes.size(); ++i) {
        if (m_panes[i] != pane && isInStep(i))
            m_panes[i]->page()->verticalScrollBar()->setValue(pane->page()->verticalScrollBar()->value());
    }
    m_isSpreading = false;
}

void PaneRow::zoomInStep(const SchedulePane *pane, double zoom)
{
    if (m_isSpreading || !isInStep(indexOf(pane)))
        return;
    m_isSpreading = true;
    for (std::size_t i = 0; i < m_panes.size(); ++i) {
        if (m_panes[i] != pane && isInStep(i))
            m_panes[i]->page()->setZoom(zoom);
    }
    m_isSpreading = false;
    scrollInStep(pane);
}

// A selection by the user in a pane gives it the focus.
void PaneRow::showIn(SchedulePane *pane, const Selected &selected)
{
    const Selected copy = selected;
    if (pane != focusedPane())
        focus(indexOf(pane));
    m_selection->set(copy);
}

// Copies the focused pane's selection to the others: the same operator, the counterpart of the stage, or a note that
// there is none.
void PaneRow::spreadSelection()
{
    if (m_isSpreading || m_isClosing)
        return;
    m_isSpreading = true;
    const Selected selected = m_selection->current();
    for (std::size_t i = 0; i < m_panes.size(); ++i) {
        if (i == m_focused)
            continue;
        const Counterpart there = m_comparison.counterpart(selected, m_focused, i);
        m_panes[i]->selection()->set(there.selected);
        m_panes[i]->view()->setMissing(there.missing, there.missingIn);
    }
    focusedPane()->view()->setMissing({});
    focusedPane()->selection()->set(selected);
    m_isSpreading = false;
    scrollInStep(focusedPane());
}

void PaneRow::showSpan(std::size_t span)
{
    const auto side = sideOf(m_focused).value_or(0);
    if (!compared() || span >= compared()->spans().size())
        return;
    if (!sideOf(m_focused))
        focus(paneOf(side));
    m_selection->set(selectedAt(compared()->schedule(side), compared()->spans()[span].sides[side].first));
    if (const auto staged = m_comparison.stagedSpanOf(m_focused, m_selection->current()))
        focusedPane()->view()->scrollToSpan(*staged);
}

void PaneRow::showStage(std::size_t side, std::size_t stage)
{
    if (!compared() || side >= compared()->schedules().size())
        return;
    if (const auto focusedSide = sideOf(m_focused); focusedSide != side) {
        // The stage's counterpart, if any, so that the focus stays.
        const auto there = focusedSide && !compared()->hasStreams() ? compared()->counterpart(side, stage, *focusedSide)
                                                                    : std::nullopt;
        if (there) {
            m_selection->set({std::nullopt, there});
            return;
        }
        focus(paneOf(side));
    }
    m_selection->set(selectedAt(compared()->schedule(side), stage));
}

std::optional<std::size_t> PaneRow::goToDifference(int direction)
{
    if (!compared())
        return std::nullopt;
    auto span = compared()->nextDifference(currentSpan(), direction);
    if (!span) // wraps around
        span = compared()->nextDifference(std::nullopt, direction);
    if (span)
        showSpan(*span);
    return span;
}

std::optional<StagesToTake> PaneRow::toTake(int neighbour, bool wholeBlock) const
{
    const auto span = m_comparison.stagedSpanOf(m_focused, m_selection->current());
    const auto from = static_cast<std::ptrdiff_t>(m_focused) + neighbour;
    if (!span || from < 0 || from >= static_cast<std::ptrdiff_t>(m_panes.size()))
        return std::nullopt;
    return m_comparison.toTake(static_cast<std::size_t>(from), m_focused, *span, wholeBlock);
}

} // namespace stagecraft
