#include "widgets/inspector/inspector.h"

#include "widgets/base/inspector_page.h"
#include "widgets/base/selection.h"
#include "widgets/base/theme.h"
#include "widgets/inspector/latency_reasons.h"
#include "widgets/inspector/launch_order_gain.h"
#include "widgets/inspector/layout_section.h"
#include "widgets/inspector/page_view.h"
#include "widgets/inspector/profiled_time.h"

#include <QClipboard>
#include <QEvent>
#include <QGuiApplication>
#include <QLabel>
#include <QPointer>
#include <QScrollArea>
#include <QScrollBar>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace stagecraft {

class Inspector::Private {
public:
    Private(Inspector *inspector, Selection *shared);

    [[nodiscard]] std::optional<InspectorPage> page() const;
    void refresh();
    void refreshSoon(); // once per turn of the event loop

    Inspector *q;
    QPointer<Selection> selection;
    std::shared_ptr<const Model> model;
    std::shared_ptr<const TimedSchedule> schedule;
    std::shared_ptr<const LatencyReasons> reasons;
    std::vector<RunnerUpTime> runnerUpTimes;
    std::vector<ProfiledTime> profiled;
    std::optional<LaunchOrderGain> launchOrder;
    LayoutFacts layouts;
    std::vector<BlockSearch> search;
    SpaceCounts spaces;
    bool isRefreshDue = false;
    bool isRoomy = true; // the page that is shown
    QScrollArea *scroll;
    QToolButton *copy;
    QToolButton *measure;
    void placeButtons() const;
    void showMeasure() const;
    QString shownSubject;
};

Inspector::Private::Private(Inspector *inspector, Selection *shared)
    : q(inspector), selection(shared), scroll(new QScrollArea(inspector)), copy(new QToolButton(inspector)),
      measure(new QToolButton(inspector))
{
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    copy->setText(QStringLiteral("Copy"));
    copy->setToolTip(QStringLiteral("Copy this page as text"));
    copy->setAccessibleName(QStringLiteral("Copy to clipboard"));
    scroll->setAccessibleName(QStringLiteral("Page of the inspector"));
    copy->setAutoRaise(true);
    copy->setAutoFillBackground(true);
    measure->setAutoFillBackground(true);
    connect(copy, &QToolButton::clicked, q, &Inspector::copyToClipboard);
    measure->setAutoRaise(true);
    measure->setToolTip(QStringLiteral("Measure this stage again, whatever is stored of it (Ctrl+Shift+M)"));
    connect(measure, &QToolButton::clicked, q, &Inspector::measureStageRequested);
    auto *layout = new QVBoxLayout(q);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(scroll);
    if (selection)
        connect(selection, &Selection::changed, q, [this] { refreshSoon(); });
}

std::optional<InspectorPage> Inspector::Private::page() const
{
    if (!model || !model->graph)
        return std::nullopt;
    const InspectorInput input{*model,   schedule.get(), search,
                               &spaces,  reasons.get(),  runnerUpTimes,
                               &layouts, profiled,       launchOrder ? &*launchOrder : nullptr};
    const Selected selected = selection ? selection->current() : Selected{};
    if (selected.op && selected.op->index() < model->graph->size())
        return operatorPage(input, *selected.op);
    if (selected.stage && schedule && *selected.stage < schedule->stages.size())
        return stagePage(input, *selected.stage);
    if (selected.block && *selected.block < model->blocks.size())
        return blockPage(input, *selected.block);
    return modelPage(input);
}

// Disturbed latencies are marked on the page.
void Inspector::Private::showMeasure() const
{
    const Selected selected = selection ? selection->current() : Selected{};
    const bool isStage =
        model && !selected.op && selected.stage && schedule && *selected.stage < schedule->measured.stages.size();
    measure->setVisible(isStage);
    if (!isStage)
        return;
    const bool isDisturbed = schedule->measured.stages[*selected.stage].isDisturbed();
    measure->setText(isDisturbed ? QStringLiteral("Disturbed: measure again") : QStringLiteral("Measure again"));
    QPalette colours = copy->palette();
    colours.setColor(QPalette::ButtonText,
                     isDisturbed ? themeFor(q->palette()).warning : colours.color(QPalette::ButtonText));
    measure->setPalette(colours);
    measure->raise();
    placeButtons();
}

void Inspector::Private::placeButtons() const
{
    copy->adjustSize();
    copy->move(q->width() - copy->width() - 18, 8);
    measure->adjustSize();
    measure->move(copy->x() - measure->width() - 2, 8);
}

void Inspector::Private::refreshSoon()
{
    if (!std::exchange(isRefreshDue, true))
        QMetaObject::invokeMethod(
            q, [this] { refresh(); }, Qt::QueuedConnection);
}

void Inspector::Private::refresh()
{
    isRefreshDue = false;
    const Theme theme = themeFor(q->palette());
    QPalette back = q->palette();
    back.setColor(QPalette::Window, theme.panel);
    scroll->viewport()->setPalette(back);
    scroll->viewport()->setAutoFillBackground(true);
    const auto shown = page();
    QPalette onPage = q->palette();
    onPage.setColor(QPalette::Button, theme.panel); // text that scrolls below the buttons does not show through
    copy->setPalette(onPage);
    copy->setVisible(shown.has_value());
    copy->raise();
    showMeasure();
    if (!shown) {
        auto *hint = new QLabel(QStringLiteral("Open a model to see its details here."));
        hint->setAlignment(Qt::AlignCenter);
        hint->setWordWrap(true);
        hint->setMargin(24);
        scroll->setWidget(hint);
        return;
    }
    isRoomy = q->width() >= PageView::kRoomy;
    auto *view = new PageView(*shown, theme, isRoomy, nullptr);
    connect(view, &PageView::chosen, q, [this](const Selected &target) {
        // Deferred: selecting replaces the page that contains the link.
        QMetaObject::invokeMethod(
            q, [this, target] { selection ? selection->set(target) : void(); }, Qt::QueuedConnection);
    });
    connect(view, &PageView::tryPressed, q, [this](const Stage &stage) { // deferred for the same reason
        QMetaObject::invokeMethod(
            q, [this, stage] { emit q->tryRequested(stage); }, Qt::QueuedConnection);
    });
    connect(
        view, &PageView::whyPressed, q, [this] { emit q->whyRequested(); }, Qt::QueuedConnection);
    const QString subject = shown->kind + shown->title + shown->subtitle;
    const int place =
        subject == shownSubject ? scroll->verticalScrollBar()->value() : 0; // numbers may change while one reads
    shownSubject = subject;
    scroll->setWidget(view);
    scroll->verticalScrollBar()->setValue(place);
}

Inspector::Inspector(Selection *selection, QWidget *parent)
    : QWidget(parent), m_private(std::make_unique<Private>(this, selection))
{
    setAccessibleName(QStringLiteral("Inspector"));
    setMinimumWidth(220);
    m_private->refresh();
}

Inspector::~Inspector() = default;

void Inspector::setModel(std::shared_ptr<const Model> model)
{
    m_private->model = std::move(model);
    m_private->schedule = nullptr;
    m_private->reasons = nullptr;
    m_private->layouts = {};
    m_private->search.clear();
    m_private->spaces = {};
    m_private->refreshSoon();
}

void Inspector::setReasons(std::shared_ptr<const LatencyReasons> reasons)
{
    m_private->reasons = std::move(reasons);
    m_private->refreshSoon();
}

void Inspector::setLayouts(LayoutFacts layouts)
{
    if (!layouts.choice && !m_private->layouts.choice)
        return;
    m_private->layouts = std::move(layouts);
    m_private->refreshSoon();
}

void Inspector::setRunnerUpTimes(std::vector<RunnerUpTime> times)
{
    if (times.empty() && m_private->runnerUpTimes.empty())
        return;
    m_private->runnerUpTimes = std::move(times);
    m_private->refreshSoon();
}

void Inspector::setLaunchOrder(std::optional<LaunchOrderGain> gain)
{
    if (!gain && !m_private->launchOrder)
        return;
    m_private->launchOrder = std::move(gain);
    m_private->refreshSoon();
}

void Inspector::setProfiledTimes(std::vector<ProfiledTime> times)
{
    if (times == m_private->profiled)
        return;
    m_private->profiled = std::move(times);
    m_private->refreshSoon();
}

void Inspector::setSchedule(std::shared_ptr<const TimedSchedule> schedule)
{
    if (schedule != m_private->schedule)
        m_private->reasons = nullptr;
    m_private->schedule = std::move(schedule);
    m_private->refreshSoon();
}

void Inspector::setSearch(std::vector<BlockSearch> search)
{
    m_private->search = std::move(search);
    m_private->refreshSoon();
}

void Inspector::setSpaces(SpaceCounts spaces)
{
    m_private->spaces = std::move(spaces);
    if (m_private->selection && m_private->selection->current().block)
        m_private->refreshSoon();
}

void Inspector::setCounts(std::size_t firstBlock, const std::vector<SpaceCount> &counts)
{
    auto &blocks = m_private->spaces.blocks;
    if (firstBlock + counts.size() > blocks.size())
        return;
    std::ranges::copy(counts, blocks.begin() + static_cast<std::ptrdiff_t>(firstBlock));
    const auto shown = m_private->selection ? m_private->selection->current().block : std::nullopt;
    if (shown && *shown >= firstBlock && *shown < firstBlock + counts.size())
        m_private->refreshSoon();
}

QString Inspector::plainText() const
{
    const auto page = m_private->page();
    return page ? stagecraft::plainText(*page) : QString();
}

QToolButton *Inspector::measureButton() const
{
    return m_private->measure;
}

QSize Inspector::sizeHint() const
{
    return {330, 640};
}

void Inspector::copyToClipboard() const
{
    QGuiApplication::clipboard()->setText(plainText());
}

void Inspector::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    m_private->placeButtons();
    if (m_private->isRoomy != (width() >= PageView::kRoomy))
        m_private->refreshSoon();
}

void Inspector::changeEvent(QEvent *event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange)
        m_private->refreshSoon();
}

} // namespace stagecraft
