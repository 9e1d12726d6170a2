#include "desktop/areas/panes/schedule_pane.h"

#include "desktop/areas/panes/pane_change.h"
#include "desktop/frame/icons.h"
#include "results/shelf_words.h"
#include "schedule/compare/latency_parts.h"
#include "search/search_words.h"
#include "widgets/base/elided_label.h"
#include "widgets/base/fact_strip.h"
#include "widgets/base/format.h"
#include "widgets/base/pane_badge.h"
#include "widgets/base/selection.h"
#include "widgets/base/theme.h"
#include "widgets/base/time_change.h"
#include "widgets/schedule/overview_strip.h"
#include "widgets/schedule/schedule_edit_tool.h"
#include "widgets/schedule/schedule_view.h"
#include "widgets/schedule/streams_edit_tool.h"
#include "widgets/schedule/streams_view.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QPainter>
#include <QResizeEvent>
#include <QToolButton>
#include <QVBoxLayout>

namespace stagecraft {
namespace {

constexpr int kFocusMark = 3;    // pixels above the focused pane
constexpr int kWideHeader = 330; // at this width there is space to say what a change refers to

// Compared with the best schedule of the same space without pins.
QString pinCostText(const SearchRecord &record)
{
    if (!record.freeUs)
        return QStringLiteral("not known");
    const double costUs = record.sumUs - *record.freeUs;
    return costUs > 1e-9 * *record.freeUs ? latencyText(costUs) : QStringLiteral("nothing");
}

} // namespace

bool isSameMeasured(const SchedulePtr &one, const SchedulePtr &other)
{
    return one == other || (one && other && hasSameOrder(*one, *other) &&
                            one->measured.stages == other->measured.stages && one->latencyUs() == other->latencyUs() &&
                            one->measured.isSumOfStages() == other->measured.isSumOfStages() &&
                            one->measured.provenance == other->measured.provenance &&
                            one->context.isOnSameDevice(other->context) && one->context.batch == other->context.batch);
}

class PaneLetter : public QWidget {
public:
    using QWidget::QWidget;

    QString letter;
    bool isFilled = false;

    [[nodiscard]] QSize sizeHint() const override { return {20, 20}; }

protected:
    void paintEvent(QPaintEvent *) override
    {
        QPainter painter(this);
        paintPaneBadge(painter, QRectF(0, (height() - 18) / 2.0, 18, 18), letter, themeFor(palette()), isFilled);
    }
};

SchedulePane::SchedulePane(Document *document, QWidget *parent)
    : QWidget(parent), m_document(document), m_selection(new Selection(this)), m_letter(new PaneLetter(this)),
      m_title(new ElidedLabel({}, this)), m_again(new QToolButton(this)), m_add(new QToolButton(this)),
      m_close(new QToolButton(this)), m_summary(new FactStrip(this)), m_view(new ScheduleView(m_selection, this)),
      m_streams(new StreamsView(m_selection, this)), m_editTool(new ScheduleEditTool(m_view, m_selection)),
      m_streamsTool(new StreamsEditTool(m_streams, m_selection)), m_overview(new OverviewStrip(m_view, this))
{
    QFont bold = m_title->font();
    bold.setBold(true);
    m_title->setFont(bold);
    m_letter->setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Preferred);
    m_letter->hide();
    for (QToolButton *button : {m_add, m_close}) {
        button->setAutoRaise(true);
        button->setIconSize({14, 14});
        button->hide();
    }
    m_again->setText(QStringLiteral("Disturbed: measure again"));
    m_again->setObjectName(QStringLiteral("chip"));
    m_again->setToolTip(QStringLiteral("Something else kept the device busy: measure this result again (Ctrl+M)"));
    m_again->hide();
    m_add->setToolTip(QStringLiteral("Choose a result to show beside (Ctrl+Shift+Return)"));
    m_add->setAccessibleName(QStringLiteral("Choose a result to show beside"));
    showIcons();
    auto *head = new QHBoxLayout;
    head->setContentsMargins(12, 6, 8, 0);
    head->setSpacing(6);
    head->addWidget(m_letter);
    head->addWidget(m_title, 1);
    head->addWidget(m_add);
    head->addWidget(m_close);
    auto *line = new QHBoxLayout;
    line->setContentsMargins(12, 2, 8, 4);
    line->addWidget(m_summary, 1);
    line->addWidget(m_again);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(head);
    column->addLayout(line);
    auto *page = new QHBoxLayout;
    page->setSpacing(0);
    page->addWidget(m_view, 1);
    page->addWidget(m_overview);
    page->addWidget(m_streams, 1);
    m_streams->hide();
    column->addLayout(page, 1);
    connect(m_editTool, &ScheduleEditTool::editRequested, this, &SchedulePane::editRequested);
    connect(m_streamsTool, &StreamsEditTool::editRequested, this, &SchedulePane::editRequested);
    connect(m_again, &QToolButton::clicked, this, &SchedulePane::measureAgainPressed);
    connect(m_add, &QToolButton::clicked, this, &SchedulePane::addPressed);
    connect(m_close, &QToolButton::clicked, this, &SchedulePane::closePressed);
    refresh();
}

ModelPtr SchedulePane::model() const
{
    return m_shown.id.isValid() ? m_document->results()->targetOf(m_shown.id).model : nullptr;
}

PageCanvas *SchedulePane::page() const
{
    return m_shown.schedule && m_shown.schedule->streams ? static_cast<PageCanvas *>(m_streams) : m_view;
}

void SchedulePane::addPageActions(const QList<QAction *> &ofStages, const QList<QAction *> &ofStreams)
{
    m_view->addActions(ofStages);
    m_streams->addActions(ofStreams);
}

void SchedulePane::setResult(ResultId id)
{
    m_shown.id = id;
    refresh();
}

void SchedulePane::refresh()
{
    const ResultId id = m_shown.id;
    RatedResult next =
        id == m_document->results()->current() ? m_document->results()->front() : m_document->results()->shown(id);
    if (isSameMeasured(m_shown.schedule, next.schedule) && id != m_document->results()->current())
        next.schedule = m_shown.schedule;
    m_shown = std::move(next);
    m_shown.id = id;
    if (!m_document->results()->shelf().find(id))
        m_view->setHint(m_document->next()->model()
                            ? QStringLiteral("Press Search (F5), or choose a result on the shelf.")
                            : QStringLiteral("Open a model to see its schedules here."));
    else
        m_view->setHint(whyNotText(m_shown));
    const ModelPtr ofResult = model();
    const auto graph = ofResult ? ofResult->graph : nullptr;
    const bool hasStreams = graph && m_shown.schedule && m_shown.schedule->streams;
    const SchedulePtr staged = hasStreams ? nullptr : m_shown.schedule;
    if (m_view->schedule() != staged || !staged)
        m_view->setSchedule(graph, staged);
    m_streams->setSchedule(graph, hasStreams ? m_shown.schedule : nullptr);
    m_streams->setVisible(hasStreams);
    m_view->setVisible(!hasStreams);
    m_overview->setVisible(!hasStreams);
    m_showsOriginal = false;
    setEditContext();
    refreshMarks();
    showSummary();
}

void SchedulePane::setEditContext()
{
    const ResultId id = m_shown.id;
    EditContext context{model(), m_shown.schedule, {}, {}, {}, {}};
    const bool hasStreams = context.isValid() && context.schedule->streams;
    m_streamsTool->setContext(hasStreams ? context.model : nullptr, hasStreams ? context.schedule : nullptr);
    if (hasStreams)
        context = {};
    if (context.isValid()) {
        const SearchRecord record = m_document->results()->recordOf(id);
        if (record.termination != Termination::None) {
            context.r = record.r;
            context.s = record.s;
        }
        context.knownUs = [document = m_document, id](const Stage &stage) {
            return document->editor()->knownUs(id, stage);
        };
        context.barrierUs = [document = m_document, id] { return document->editor()->barrierUsOf(id); };
    }
    m_editTool->setContext(std::move(context));
}

void SchedulePane::refreshMarks()
{
    StageMarks marks = m_document->editor()->marksOf(m_shown.id);
    const bool hasStreams = m_shown.schedule && m_shown.schedule->streams;
    m_streams->setMarks(hasStreams ? marks : StageMarks());
    if (hasStreams)
        marks.clear();
    if (marks != m_view->marks())
        m_view->setMarks(std::move(marks));
}

void SchedulePane::showOriginal(bool held)
{
    const SchedulePtr origin = m_document->editor()->editedFrom(m_shown.id);
    if (!held) {
        if (m_showsOriginal)
            refresh();
        return;
    }
    const ModelPtr ofResult = model();
    if (!origin || !ofResult)
        return;
    m_showsOriginal = true;
    m_view->setMarks({});
    m_view->setSchedule(ofResult->graph, origin);
    const ScheduleResult *result = m_document->results()->shelf().find(m_shown.id);
    m_title->setText(QStringLiteral("The original: %1").arg(QString::fromStdString(result->asked.editedFrom)));
}

void SchedulePane::setPlace(const QString &letter, bool isFocused, ResultId first)
{
    const bool isBeside = !letter.isEmpty();
    if (letter == m_letter->letter && m_isFocused == (isBeside && isFocused) &&
        m_first == (isBeside ? first : ResultId()))
        return;
    m_letter->letter = letter;
    m_letter->isFilled = isFocused;
    m_letter->setVisible(isBeside);
    m_letter->update();
    m_close->setVisible(isBeside);
    m_close->setToolTip(QStringLiteral("Close pane %1 (Ctrl+W)").arg(letter));
    m_close->setAccessibleName(QStringLiteral("Close pane %1").arg(letter));
    m_view->setAccessibleName(isBeside ? QStringLiteral("Schedule %1").arg(letter) : QStringLiteral("Schedule"));
    setAccessibleName(isBeside ? QStringLiteral("Pane %1").arg(letter) : QString());
    m_first = isBeside ? first : ResultId();
    m_isFocused = isBeside && isFocused;
    layout()->setContentsMargins(0, isBeside ? kFocusMark : 0, 0, 0);
    update();
    showSummary();
}

void SchedulePane::showSummary()
{
    const ScheduleResult *result = m_document->results()->shelf().find(m_shown.id);
    m_title->setVisible(result != nullptr || m_letter->isVisibleTo(this));
    m_add->setVisible(result != nullptr);
    m_again->hide();
    if (!result) {
        m_title->setText({});
        m_summary->setMessage(m_document->next()->model() ? QStringLiteral("No result is chosen")
                                                          : QStringLiteral("No model is open"));
        return;
    }
    QStringList title{QString::fromStdString(m_shown.name)};
    m_titleParts = title;
    for (const std::string &more : {m_shown.madeBy, whyNotFitting(result->settings, m_document->next()->settings())}) {
        if (more.empty())
            continue;
        title << QString::fromStdString(more);
        m_titleParts << title.back().split(QStringLiteral(", "));
    }
    m_title->setText(title.join(QStringLiteral(" · ")));
    m_title->setDetail({});
    shortenTitle();
    if (!m_shown.schedule) {
        m_summary->setMessage(QString::fromStdString(m_shown.whyNot));
        return;
    }
    const ComparisonRow row = m_document->results()->comparisonRow(m_shown.id);
    const TimedSchedule &schedule = *m_shown.schedule;
    const auto &latency = m_shown.latency;
    m_again->setVisible(!result->isUnderWay() && m_document->editor()->checkMeasurable(m_shown.id) &&
                        ((latency && latency->isDisturbed) || row.disturbedStages > 0));
    std::vector<Fact> facts;
    if (row.latencyUs && schedule.measured.provenance) {
        QString text = latencyText(*row.latencyUs, row.leavesOutWork);
        if (row.halfWidthUs > 0)
            text += QStringLiteral(" ± %1").arg(latencyText(row.halfWidthUs));
        facts.push_back({{}, text, {}, provenanceText(schedule), schedule.measured.provenance});
        if (const auto &errors = schedule.measured.simulationErrors)
            facts.back().tip = QString::fromStdString(simulatedText(*errors));
    }
    if (m_first.isValid() && m_first != m_shown.id) {
        const PaneChange change = changeAgainst(*m_document, m_shown.id, m_first);
        m_title->setDetail(change.detail);
        if (!facts.empty())
            facts.front().after.clear(); // the change against A needs the space
        QStringList of;
        if (change.isPerImage)
            of << QStringLiteral("an image");
        if (width() >= kWideHeader)
            of << QStringLiteral("against A");
        if (!change.text.isEmpty())
            facts.push_back({of.join(QStringLiteral(", ")), change.text});
        else if (!change.detail.isEmpty())
            facts.push_back({{}, change.detail});
    }
    const bool hasSameWork = result->origin == Origin::Edited || result->origin == Origin::Layouts;
    const ScheduleResult *from = hasSameWork ? m_document->results()->shelf().find(result->from) : nullptr;
    const bool isFromBaseline = from && from->id == m_document->results()->shelf().baseline(result->settings);
    if (from && !(m_first == from->id && m_first != m_shown.id)) {
        const PaneChange change = changeAgainst(*m_document, m_shown.id, from->id);
        if (!change.text.isEmpty())
            facts.push_back({QStringLiteral("against %1").arg(QString::fromStdString(from->shownName())), change.text});
    }
    if (schedule.search.pinnedStages > 0) {
        facts.push_back({QStringLiteral("pins cost"), pinCostText(schedule.search)});
        m_title->setDetail(QString::fromStdString(pinsText(schedule.search)));
    }
    if (const auto &orders = schedule.search.launchOrders; orders && orders->stages > 0) {
        facts.push_back({QStringLiteral("by launch order"), signedPercentText(orders->withUs / orders->withoutUs - 1)});
        facts.back().tip = QString::fromStdString(launchOrdersText(schedule.search));
    }
    if (const Synchronisation needs = synchronisationOf(schedule); schedule.streams) {
        facts.push_back({QStringLiteral("streams"), countText(static_cast<std::int64_t>(needs.streams))});
        facts.push_back({QStringLiteral("events"), countText(static_cast<std::int64_t>(needs.events))});
    } else {
        facts.push_back({QStringLiteral("stages"), countText(static_cast<std::int64_t>(schedule.stages.size()))});
    }
    if (row.speedup && !row.isBaseline && !isFromBaseline) { // else it is said above
        facts.push_back({row.leavesOutWork ? QStringLiteral("costed part against %1").arg(row.baselineTitle)
                                           : QStringLiteral("against %1").arg(row.baselineTitle),
                         QStringLiteral("%1×").arg(*row.speedup, 0, 'f', 2)});
        if (!row.verdict.isEmpty())
            facts.back().value += QStringLiteral(", ") + row.verdict.section(QLatin1Char('('), 0, 0).trimmed();
    }
    if (!result->blocks.empty())
        facts.push_back({QStringLiteral("search"), QString::fromStdString(outcomeText(schedule.search))});
    if (const QString bound = withoutBarriersText(schedule); !result->blocks.empty() && !bound.isEmpty())
        facts.push_back({QStringLiteral("without barriers or merges at least"), bound});
    if (const auto parts = latencyParts(schedule)) {
        QString sum = partsText(*parts);
        if (const auto rest = restUs(schedule); rest && *rest != 0)
            sum += QStringLiteral(", rest %1").arg(signedLatencyText(*rest));
        facts.push_back({QStringLiteral("adds up from"), sum});
    }
    m_summary->setFacts(std::move(facts));
}

void SchedulePane::setCommonParts(const QStringList &parts, bool isOnlyOfItsName)
{
    m_commonParts = parts;
    m_isOnlyOfItsName = isOnlyOfItsName;
    shortenTitle();
}

// "… r 1, s 3" and "… r 2, s 3" rather than "IOS-Bo…" twice; a user's own name is kept whole if possible.
void SchedulePane::shortenTitle()
{
    QStringList own;
    for (const QString &part : m_titleParts) {
        if (!m_commonParts.contains(part))
            own << part;
    }
    QStringList shorter;
    if (!own.isEmpty() && own.size() < m_titleParts.size()) {
        const bool hasName = own.front() == m_titleParts.front();
        shorter << (hasName ? QString() : QStringLiteral("… ")) + own.join(QStringLiteral(", "));
    }
    if (m_isOnlyOfItsName && !m_titleParts.isEmpty())
        shorter << m_titleParts.front();
    m_title->setShorter(shorter);
}

QString SchedulePane::shownTitle() const
{
    return m_title->shownText();
}

QString SchedulePane::titleText() const
{
    return m_title->text();
}

QString SchedulePane::summaryText() const
{
    return m_summary->plainText();
}

QString SchedulePane::letter() const
{
    return m_letter->isVisibleTo(this) ? m_letter->letter : QString();
}

void SchedulePane::showIcons()
{
    m_close->setIcon(icon(QStringLiteral("close"), themeFor(palette()).text));
    m_add->setIcon(icon(QStringLiteral("add"), themeFor(palette()).text));
}

void SchedulePane::changeEvent(QEvent *event)
{
    if (event->type() == QEvent::PaletteChange && m_view) {
        showIcons();
        showSummary();
    }
    QWidget::changeEvent(event);
}

void SchedulePane::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    const bool wasWide = event->oldSize().width() >= kWideHeader;
    if (wasWide != (width() >= kWideHeader))
        showSummary();
}

void SchedulePane::paintEvent(QPaintEvent *)
{
    if (!m_isFocused)
        return;
    QPainter painter(this);
    painter.fillRect(QRect(0, 0, width(), kFocusMark), themeFor(palette()).accent);
}

} // namespace stagecraft
