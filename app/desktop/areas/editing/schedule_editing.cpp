#include "desktop/areas/editing/schedule_editing.h"

#include "desktop/areas/editing/chosen_edits.h"
#include "desktop/areas/panes/pane_row.h"
#include "desktop/areas/panes/schedule_pane.h"
#include "desktop/work/result_queue.h"
#include "flow/compare_edit.h"
#include "schedule/compare/spans.h"
#include "schedule/edit/edit.h"
#include "schedule/edit/edit_places.h"
#include "widgets/base/format.h"
#include "widgets/schedule/planned_move.h"
#include "widgets/schedule/schedule_edit_tool.h"
#include "widgets/schedule/schedule_view.h"
#include "widgets/schedule/streams_edit_tool.h"

#include <QAction>
#include <QCoreApplication>
#include <QKeyEvent>
#include <QMenu>

#include <algorithm>
#include <utility>

namespace stagecraft {
namespace {

constexpr int kLongestEntry = 80; // characters; the tool tip has the rest

QString inMenu(QString text)
{
    return text.replace(QLatin1Char('&'), QStringLiteral("&&"));
}

QString placeText(const EditPlace &place, std::size_t stages)
{
    if (!place.isNew)
        return stageTitle(place.stage);
    return place.stage < stages ? QStringLiteral("New stage before %1").arg(stageTitle(place.stage).toLower())
                                : QStringLiteral("New stage behind the last");
}

} // namespace

ScheduleEditing::ScheduleEditing(Document *document, ResultQueue *queue, PaneRow *panes, QObject *parent)
    : QObject(parent), m_document(document), m_queue(queue), m_panes(panes)
{
    m_pickUp = add(QStringLiteral("Pic&k up and move\tEnter"), {}, [this] {
        QKeyEvent press(QEvent::KeyPress, Qt::Key_Return, Qt::NoModifier);
        QCoreApplication::sendEvent(m_panes->focusedPane()->view(), &press);
    });
    m_moveTo = add(QStringLiteral("Move &to..."), QStringLiteral("Ctrl+G"), [this] { showPlaces(); });
    const auto key = [](const char *text) { return QKeySequence(QLatin1String(text)); };
    addEdit(QStringLiteral("Move one stage up"), key("Alt+Up"),
            [this] { return shiftChosen(context(), chosen(), false); });
    addEdit(QStringLiteral("Move one stage down"), key("Alt+Down"),
            [this] { return shiftChosen(context(), chosen(), true); });
    addEdit(QStringLiteral("Split off"), key("X"), [this] { return splitChosen(context(), chosen()); });
    addEdit(QStringLiteral("Join stages"), key("J"), [this] { return joinChosen(context(), chosen(), false); });
    addEdit(QStringLiteral("Join stages, unmerged"), key("Shift+J"),
            [this] { return joinChosen(context(), chosen(), true); });
    addEdit(QStringLiteral("Merge or unmerge"), key("G"),
            [this] { return toggleStrategyOfChosen(context(), chosen(), Strategy::Merge); });
    addEdit(QStringLiteral("Fuse or unfuse"), key("Shift+G"),
            [this] { return toggleStrategyOfChosen(context(), chosen(), Strategy::Fused); });
    addEdit(QStringLiteral("Try the best runner-up"), key("T"),
            [this] { return tryBestRunnerUp(context(), chosen(), m_document->results()->searchOf(result())); });
    addEdit(QStringLiteral("Reset stage"), key("R"),
            [this] { return resetChosen(context(), chosen(), origin().get(), false); });
    addEdit(QStringLiteral("Reset block"), key("Shift+R"),
            [this] { return resetChosen(context(), chosen(), origin().get(), true); });
    addEdit(QStringLiteral("Reset everything"), key("Ctrl+Shift+R"),
            [this] { return resetEverything(context(), origin().get()); });
    m_pin = add(
        QStringLiteral("Pin"), key("P"), [this] { togglePins(false); }, true);
    m_pinBlock = add(QStringLiteral("Pin block"), key("Shift+P"), [this] { togglePins(true); });
    const auto improve = [this] {
        if (!hasStreams() && measurable() && m_document->editor()->pinnedStages(result()).empty())
            editTool()->say(QStringLiteral("Nothing is pinned: P pins what is chosen"));
        else
            emit improveRequested(result());
    };
    m_improve = add(QStringLiteral("&Improve from here"), key("Ctrl+I"), improve, true);
    QList<QAction *> ofView;
    for (const Entry &entry : m_entries)
        ofView << entry.action;
    ofView << m_pin << m_pinBlock;
    for (QAction *action : std::as_const(ofView)) // single-letter keys work only in the schedule
        action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    m_panes->setViewActions(ofView, {m_pin});
    connect(m_panes, &PaneRow::editRequested, this, &ScheduleEditing::apply);
    connect(m_panes, &PaneRow::panesChanged, this, &ScheduleEditing::freezeWhatStandsTwice);
    connect(m_document->results(), &Results::frontChanged, this, &ScheduleEditing::freezeWhatStandsTwice);
    connect(m_document->editor(), &Editor::edited, this, &ScheduleEditing::show);
    connect(m_document->editor(), &Editor::replaced, m_queue, [this](ResultId gone) { m_queue->dropEdit(gone); });
    connect(m_document->editor(), &Editor::latenciesLearnt, this, [this] { editTool()->refreshText(); });
}

QAction *ScheduleEditing::add(const QString &text, const QKeySequence &keys, const std::function<void()> &act,
                              bool isOfStreamsToo)
{
    auto *action = new QAction(text, this);
    action->setShortcut(keys);
    connect(action, &QAction::triggered, this, [this, act, isOfStreamsToo] {
        if (isEditable() || (isOfStreamsToo && hasStreams()))
            act();
    });
    return action;
}

void ScheduleEditing::addEdit(const QString &verb, const QKeySequence &keys, Wanted wanted)
{
    QAction *action = add(verb, keys, [this, wanted] {
        const auto edit = wanted().and_then([this](const Edit &each) {
            return tryEdit(context(), each).map([&](const EditedStages &) { return each; });
        });
        if (edit)
            apply(*edit);
        else
            editTool()->say(reasonText(edit.error()));
    });
    m_entries.push_back({action, verb, std::move(wanted)});
}

ScheduleEditTool *ScheduleEditing::editTool() const
{
    return m_panes->focusedPane()->editTool();
}

ResultId ScheduleEditing::result() const
{
    return m_panes->focusedPane()->result();
}

const EditContext &ScheduleEditing::context() const
{
    return editTool()->context();
}

const ChosenParts &ScheduleEditing::chosen() const
{
    return editTool()->chosen();
}

Result<void> ScheduleEditing::measurable() const
{
    return m_document->editor()->checkMeasurable(result());
}

bool ScheduleEditing::hasStreams() const
{
    const SchedulePtr &shown = m_panes->focusedPane()->schedule();
    return shown && shown->streams;
}

bool ScheduleEditing::isEditable() const
{
    return context().isValid();
}

void ScheduleEditing::fillMenu(QMenu *menu)
{
    const qsizetype before = menu->actions().size();
    menu->addAction(m_pickUp);
    menu->addAction(m_moveTo);
    for (std::size_t i = 0; i < m_entries.size(); ++i) {
        if (i == 2 || i == 6 || i == 7)
            menu->addSeparator();
        menu->addAction(m_entries[i].action);
    }
    menu->addSeparator();
    menu->addAction(m_pin);
    menu->addAction(m_pinBlock);
    menu->addAction(m_improve);
    menu->setToolTipsVisible(true);
    connect(menu, &QMenu::aboutToShow, this, [this, menu, ofStages = menu->actions().mid(before)] {
        showEntries(menu, ofStages);
        refresh();
    });
    connect(menu, &QMenu::aboutToHide, this, &ScheduleEditing::enableAll);
}

// Of streams the entries are those of the focused pane's view.
void ScheduleEditing::showEntries(QMenu *menu, const QList<QAction *> &ofStages) const
{
    for (QAction *action : menu->actions()) {
        if (qobject_cast<StreamsEditTool *>(action->parent()))
            menu->removeAction(action);
    }
    for (QAction *action : ofStages)
        action->setVisible(!hasStreams() || action == m_pin || action == m_improve);
    if (hasStreams())
        menu->insertActions(ofStages.front(), m_panes->focusedPane()->streamsTool()->actions());
}

// While the menu is closed, all actions are enabled: their keys say why they do nothing.
void ScheduleEditing::enableAll()
{
    QList<QAction *> all{m_pickUp, m_moveTo, m_pin, m_pinBlock, m_improve};
    for (const Entry &entry : m_entries)
        all << entry.action;
    for (QAction *action : std::as_const(all)) {
        action->setEnabled(true);
        action->setVisible(true); // hidden ones have no keys
    }
}

void ScheduleEditing::refreshOfStreams()
{
    const auto launch = m_panes->focusedPane()->streamsTool()->launch();
    const auto can = measurable();
    const StageMarks marks = m_document->editor()->marksOf(result());
    const bool isPinned = launch && *launch < marks.size() && marks[*launch].isPinned;
    m_pin->setText(isPinned ? QStringLiteral("Unpin the launch") : QStringLiteral("Pin the launch"));
    m_pin->setEnabled(can && launch);
    m_improve->setText(can ? QStringLiteral("&Improve from here")
                           : QStringLiteral("&Improve from here (%1)").arg(reasonText(can.error())));
    m_improve->setEnabled(can.has_value());
}

void ScheduleEditing::refresh()
{
    if (hasStreams()) {
        refreshOfStreams();
        return;
    }
    const auto open = isEditable() ? measurable() : fail(ErrorCode::InvalidInput, "no schedule is shown");
    for (const Entry &entry : m_entries) {
        const auto edited = open.and_then([&] { return entry.wanted(); }).and_then([this](const Edit &edit) {
            return tryEdit(context(), edit);
        });
        entry.action->setEnabled(edited.has_value());
        const QString text = edited ? previewText(editTool()->context(), *edited)
                                    : QStringLiteral("%1 (%2)").arg(entry.verb, reasonText(edited.error()));
        const bool isLong = text.size() > kLongestEntry;
        entry.action->setText(inMenu(isLong ? text.left(kLongestEntry - 1) + QChar(0x2026) : text));
        entry.action->setToolTip(isLong ? text : QString());
    }
    const bool isOpen = open.has_value();
    const bool isChosen = isOpen && !chosen().isEmpty();
    m_pickUp->setEnabled(isChosen);
    m_moveTo->setEnabled(isChosen);
    const auto stages = isChosen ? stagesOf(chosen(), *editTool()->context().schedule) : std::vector<std::size_t>{};
    const StageMarks marks = isOpen ? m_document->editor()->marksOf(result()) : StageMarks{};
    const bool isPinned = !stages.empty() && !marks.empty() &&
                          std::ranges::all_of(stages, [&](std::size_t stage) { return marks[stage].isPinned; });
    const QString verb = isPinned ? QStringLiteral("Unpin") : QStringLiteral("Pin");
    m_pin->setEnabled(isChosen);
    m_pin->setText(stages.size() == 1 ? QStringLiteral("%1 %2").arg(verb, stageTitle(stages.front()).toLower())
                                      : QStringLiteral("%1 stages").arg(verb));
    m_pinBlock->setEnabled(isChosen);
    const bool hasPins = isOpen && !m_document->editor()->pinnedStages(result()).empty();
    m_improve->setEnabled(hasPins);
    m_improve->setText(hasPins  ? QStringLiteral("&Improve from here")
                       : isOpen ? QStringLiteral("&Improve from here (pin a stage first)")
                                : QStringLiteral("&Improve from here (%1)").arg(reasonText(open.error())));
}

// A menu of the places where the chosen parts can go on their own, shown next to them.
void ScheduleEditing::showPlaces()
{
    if (const auto can = measurable(); !can) {
        editTool()->say(reasonText(can.error()));
        return;
    }
    const EditContext &context = editTool()->context();
    const auto &stages = context.schedule->stages;
    const auto operators = operatorsOf(chosen(), *context.schedule);
    if (operators.empty()) {
        editTool()->say(QStringLiteral("Choose a stage or operators first"));
        return;
    }
    ScheduleView *view = m_panes->focusedPane()->view();
    auto *menu = new QMenu(view);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    for (const EditPlaceAnswer &answer : editPlaces(*context.model->graph, context.model->blocks, stages, operators)) {
        const Edit edit = editTo(answer.place, operators);
        if (answer.legal && tryEdit(context, edit))
            menu->addAction(placeText(answer.place, stages.size()), this, [this, edit] { apply(edit); });
    }
    if (menu->isEmpty())
        menu->addAction(QStringLiteral("There is no other place for it alone"))->setEnabled(false);
    menu->popup(view->viewport()->mapToGlobal(view->operatorRect(operators.back()).center()));
}

void ScheduleEditing::apply(const Edit &edit)
{
    m_isApplying = true;
    const auto made = m_document->editor()->edit(result(), edit);
    m_isApplying = false;
    if (!made && hasStreams())
        m_panes->focusedPane()->streamsTool()->say(reasonText(made.error()));
    else if (!made)
        editTool()->say(reasonText(made.error()));
    else if (const std::string words = m_document->results()->shelf().undoWords(); !words.empty())
        emit told(QStringLiteral("%1: Ctrl+Z takes it back").arg(QString::fromStdString(words)));
}

void ScheduleEditing::take(const StagesToTake &take)
{
    m_panes->focus(take.into);
    const SchedulePane *from = m_panes->pane(take.from);
    if (from->schedule() && isEditable())
        apply(takeSpan(take.intoStages, from->schedule()->stages, take.fromStages));
}

void ScheduleEditing::tryStage(const Stage &stage)
{
    if (isEditable())
        apply(TryStage{stage});
}

// The stages that are not known, then the whole: on a noisy device in rounds with the source of the edit and the
// baseline, and at last the spans that changed.
void ScheduleEditing::measure(const EditToMeasure &edit)
{
    const auto work = [this, edit](const ResultQueue::Open &open,
                                   const JobLane::Context &context) -> Result<JobLane::Delivery> {
        TRY_AS(auto opened, open());
        const bool isNoisy = opened.session->isNoisy();
        EditToCompare asked{*edit.edited, *edit.known, {}, kDefaultRounds};
        for (const SchedulePtr &beside : {edit.original, edit.baseline.schedule}) {
            if (isNoisy && edit.original && beside)
                asked.beside.push_back(*beside);
        }
        const auto told = [&](const Stage &stage, const Timing &timing) {
            context.report(
                [this, id = edit.id, stage, timing] { m_document->editor()->setStageTimed(id, stage, timing); });
        };
        TRY_AS(auto outcome,
               compareEdit(*edit.target.model, *opened.session, opened.device, std::move(asked), context.stop, told));
        std::vector<ResultId> timed{edit.from, edit.id, edit.baseline.id};
        timed.resize(outcome.rounds > 0 ? outcome.times.size() : 0);
        context.report([this, id = edit.id, timed, times = std::move(outcome.times),
                        edited = std::make_shared<const TimedSchedule>(std::move(outcome.edited))] {
            m_document->editor()->setEditMeasured(id, edited);
            if (!timed.empty())
                m_document->results()->setTimedInRounds(timed, times);
        });
        for (const ChangedSpan &span : isNoisy ? edit.spans : std::vector<ChangedSpan>{}) {
            TRY_AS(const auto changed, timeSpan(span, *opened.session, kDefaultRounds, context.stop));
            context.report([this, id = edit.id, changed] { m_document->editor()->setSpanTimed(id, changed); });
        }
        return JobLane::Delivery();
    };
    m_queue->measureEdit(edit.id, edit.target, work);
}

// Shows and chooses what an edit or undo changed; moved operators stay chosen.
void ScheduleEditing::show(ResultId id, const std::vector<std::size_t> &changed)
{
    if (const auto edit = m_document->editor()->toMeasure(id))
        measure(*edit);
    else
        m_queue->dropEdit(id);
    std::size_t pane = 0;
    while (pane < m_panes->count() && m_panes->pane(pane)->result() != id)
        ++pane;
    if (pane < m_panes->count() && result() != id)
        m_panes->focus(pane);
    else if (m_document->results()->current() != id)
        m_document->results()->setCurrent(id);
    ChosenParts next = chosen();
    if (!m_isApplying || next.operators.empty())
        next = {{}, changed};
    editTool()->choose(std::move(next));
}

// Of streams: the selected launch.
void ScheduleEditing::toggleLaunchPin()
{
    StreamsEditTool *tool = m_panes->focusedPane()->streamsTool();
    const auto can = measurable();
    const auto launch = tool->launch();
    if (!can || !launch) {
        tool->say(can ? QStringLiteral("Choose a launch first") : reasonText(can.error()));
        return;
    }
    const StageMarks marks = m_document->editor()->marksOf(result());
    m_document->editor()->pinStages(result(), {*launch}, marks.empty() || !marks[*launch].isPinned);
}

void ScheduleEditing::togglePins(bool wholeBlocks)
{
    if (hasStreams()) {
        toggleLaunchPin();
        return;
    }
    if (const auto can = measurable(); !can) {
        editTool()->say(reasonText(can.error()));
        return;
    }
    const TimedSchedule &schedule = *context().schedule;
    std::vector<std::size_t> stages = stagesOf(chosen(), schedule);
    if (stages.empty()) {
        editTool()->say(QStringLiteral("Choose a stage first"));
        return;
    }
    if (wholeBlocks)
        stages = withWholeBlocks(stages, schedule);
    const StageMarks marks = m_document->editor()->marksOf(result());
    const bool arePinned =
        !marks.empty() && std::ranges::all_of(stages, [&](std::size_t stage) { return marks[stage].isPinned; });
    m_document->editor()->pinStages(result(), stages, !arePinned);
}

void ScheduleEditing::freezeWhatStandsTwice()
{
    for (std::size_t i = 0; i < m_panes->count(); ++i) {
        for (std::size_t j = i + 1; j < m_panes->count(); ++j) {
            if (m_panes->pane(i)->result() == m_panes->pane(j)->result())
                m_document->editor()->freeze(m_panes->pane(i)->result());
        }
    }
}

} // namespace stagecraft
