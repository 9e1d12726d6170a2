#include "desktop/areas/shelf_area.h"

#include "desktop/areas/search/waiting_line.h"
#include "desktop/dialogs/dialog_folder.h"
#include "desktop/dialogs/stated_dialog.h"
#include "desktop/document/document.h"
#include "desktop/frame/panels.h"
#include "desktop/work/result_queue.h"
#include "desktop/work/services.h"
#include "flow/find/measured.h"
#include "flow/open_model.h"
#include "reproduction/published_schedules.h"
#include "results/files/schedule_json.h"
#include "results/schedule_words.h"
#include "support/output_file.h"
#include "timing/device_id.h"
#include "widgets/base/format.h"
#include "widgets/shelf/shelf_view.h"

#include <QDockWidget>
#include <QFile>
#include <QFileDialog>
#include <QKeySequence>
#include <QMessageBox>
#include <QPushButton>

#include <algorithm>
#include <utility>

namespace stagecraft {
namespace {

QString latenciesText(std::int64_t count)
{
    return countText(count) + (count == 1 ? QStringLiteral(" stored latency") : QStringLiteral(" stored latencies"));
}

} // namespace

ShelfArea::ShelfArea(const AreaContext &context, WaitingLine &waiting)
    : Area(context), m_shelf(new ShelfView(results().shelf(), &window())), m_waiting(waiting),
      m_told(std::make_unique<ShelfContext>())
{
    addActions();
    addFurtherActions();
    connect(m_shelf, &ShelfView::showRequested, &results(), &Results::setCurrent);
    connect(m_shelf, &ShelfView::renameRequested, &results(), &Results::rename);
    connect(m_shelf, &ShelfView::noteRequested, &results(), &Results::annotate);
    connect(m_shelf, &ShelfView::measureAgainRequested, this, &ShelfArea::measureAgain);
    connect(m_shelf, &ShelfView::besideRequested, this, &ShelfArea::besideWanted);
    connect(m_shelf, &ShelfView::unfoldRequested, this, [this] { actions()["fold_shelf"]->trigger(); });
    connect(m_shelf, &ShelfView::openRequested, this, [this] { actions()["open"]->trigger(); });
    connect(m_shelf, &ShelfView::selectionChanged, this, &ShelfArea::refresh);
    connect(m_shelf, &ShelfView::selectionChanged, this, &ShelfArea::selectionChanged);
    connect(m_shelf, &ShelfView::menuRequested, this, [this](const QPoint &at) {
        if (!chosen().empty())
            openMenu(at, {"shelf"});
    });
    connect(&results(), &Results::progressed, m_shelf, &ShelfView::refreshRow);
    connect(&results(), &Results::frontChanged, this, &ShelfArea::show);
    connect(&results(), &Results::shelfChanged, this, &ShelfArea::show);
    connect(&results(), &Results::memoryChanged, this, &ShelfArea::show);
    connect(&m_waiting, &WaitingLine::changed, this, [this] { m_shelf->showWaits(m_waiting.texts()); });
    connect(&queue(), &ResultQueue::measuringFailed, this, &ShelfArea::setFailed);
    connect(&m_storing, &JobLane::busyChanged, this, &ShelfArea::busyChanged);
}

ShelfArea::~ShelfArea() = default;

// What has no schedule goes, but for a baseline, which says why it has none.
void ShelfArea::setFailed(ResultId id, const Error &error)
{
    const ScheduleResult *result = results().shelf().find(id);
    if (result && result->schedule)
        results().setDone(id);
    else if (result && result->origin == Origin::Baseline)
        results().setFailed(id, QStringLiteral("could not be measured"));
    else
        results().drop(id);
    refuse(error);
}

bool ShelfArea::isFolded() const
{
    return m_shelf->isFolded();
}

void ShelfArea::setFolded(bool folded)
{
    m_shelf->setFolded(folded);
}

std::vector<Dock> ShelfArea::docks() const
{
    return {{1, QStringLiteral("Shelf"), "shelf", m_shelf}};
}

void ShelfArea::addActions()
{
    const auto onChosen = [this](auto &&act) {
        return [this, act] {
            for (const ResultId id : chosen())
                act(id);
        };
    };
    actions().add("undo", QStringLiteral("&Undo"), QKeySequence::Undo, [this] {
        const QString words = QString::fromStdString(results().shelf().undoWords());
        results().undo();
        tell(QStringLiteral("Undone: %1. Ctrl+Shift+Z does it again").arg(words));
    });
    actions().add("redo", QStringLiteral("&Redo"), QStringLiteral("Ctrl+Shift+Z"), [this] {
        const QString words = QString::fromStdString(results().shelf().redoWords());
        results().redo();
        tell(QStringLiteral("Done again: %1. Ctrl+Z takes it back").arg(words));
    });
    actions().add("show_result", QStringLiteral("&Show\tEnter"), {},
                  [this] { results().setCurrent(m_shelf->chosen()); });
    actions().add("rename", QStringLiteral("&Rename"), QStringLiteral("F2"), [this] {
        bringUp();
        m_shelf->startRename();
    });
    actions().add("note", QStringLiteral("&Note..."), QStringLiteral("Ctrl+Shift+N"), [this] {
        bringUp();
        m_shelf->startNote();
    });
    actions().add("pin", QStringLiteral("&Pin to the top"), QStringLiteral("Ctrl+P"),
                  onChosen([this](ResultId id) { results().setPinned(id, !results().shelf().find(id)->isPinned); }));
    actions()["pin"]->setCheckable(true);
    actions().add("baseline", QStringLiteral("Set as base&line"), QStringLiteral("Ctrl+B"), [this] {
        if (const auto ids = chosen(); ids.size() == 1)
            results().chooseBaseline(ids.front());
    });
    actions().add("measure_again", QStringLiteral("&Measure again"), QStringLiteral("Ctrl+M"),
                  onChosen([this](ResultId id) { measureAgain(id); }));
    actions().add("stop_result", QStringLiteral("Stop &it"), QStringLiteral("Ctrl+Shift+X"),
                  onChosen([this](ResultId id) { emit stopWanted(id); }));
    actions().add("export_result", QStringLiteral("&Export schedule..."), QStringLiteral("Ctrl+Shift+E"), [this] {
        if (const auto ids = chosen(); ids.size() == 1)
            save(ids.front());
    });
    actions().add("remove", QStringLiteral("Remo&ve"), QKeySequence::Delete, [this] { removeChosen(); });
    actions().add("filter", QStringLiteral("&Filter the shelf"), QStringLiteral("Ctrl+L"), [this] {
        bringUp();
        m_shelf->focusFilter();
    });
    // These keys apply only while the shelf has the focus.
    for (QAction *action : {actions()["rename"], actions()["remove"]}) {
        action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
        m_shelf->addAction(action);
    }
    actions().addEntries("shelf", [this](QMenu *menu) {
        actions().fill(menu, {"show_result", "open_beside", "-", "rename", "note", "pin", "baseline", "-",
                              "measure_again", "stop_result", "export_result", "-", "remove", "filter"});
    });
}

void ShelfArea::bringUp()
{
    panels().dockOf(m_shelf)->show();
}

void ShelfArea::addFurtherActions()
{
    actions().add("published", QStringLiteral("P&ublished schedules"), QStringLiteral("Ctrl+Alt+H"),
                  [this] { openPublished(); });
    actions().add("today", QStringLiteral("What I run to&day..."), QStringLiteral("Ctrl+Shift+B"),
                  [this] { stateLatency(); });
    actions().add("forget_device", {}, QStringLiteral("Ctrl+Alt+D"), [this] {
        const DeviceInfo &device = next().device();
        forgetLatencies({device.fingerprint, storedDeviceId(device.contextDevice()), 0, {}},
                        QString::fromStdString(device.title));
    });
    actions().add("forget_model", {}, QStringLiteral("Ctrl+Alt+M"), [this] {
        const std::string name = next().model()->graph->name();
        forgetLatencies({{}, {}, 0, name}, QString::fromStdString(name));
    });
}

std::vector<ResultId> ShelfArea::chosen() const
{
    std::vector<ResultId> ids = m_shelf->selected();
    if (ids.empty() && results().current().isValid())
        ids.push_back(results().current());
    return ids;
}

void ShelfArea::choose(ResultId id)
{
    m_shelf->choose(id);
}

void ShelfArea::setDevices(const std::vector<DeviceInfo> &devices)
{
    m_told->deviceTitles.clear();
    for (const DeviceInfo &info : devices)
        m_told->deviceTitles[info.id] = QString::fromStdString(info.title);
    show();
}

void ShelfArea::setOptions(const SearchOptions &options)
{
    m_told->asked.r = options.r;
    m_told->asked.s = options.s;
    m_told->asked.singleSource = options.singleSource;
    show();
}

void ShelfArea::setLetters(const std::map<ResultId, QString> &letters)
{
    m_told->letters = letters;
    show();
}

void ShelfArea::setTimeLeft(ResultId id, const QString &text)
{
    m_shelf->showTimeLeft(id, text);
}

void ShelfArea::show()
{
    ShelfContext context = *m_told;
    context.isOpen = next().model() != nullptr;
    context.chosen = next().settings();
    context.shown = results().current();
    context.waits = m_waiting.texts();
    for (const ScheduleResult &result : results().shelf().results()) {
        const PlannedMemory *planned = results().memoryOf(result.id);
        if (planned && planned->memory)
            context.livePeakBytes[result.id] = planned->memory->use.livePeakBytes();
        if (planned && planned->verified)
            context.verified[result.id] = {verifiedText(*planned->verified), planned->verified->faults.empty()};
    }
    m_shelf->refresh(context);
}

void ShelfArea::refresh()
{
    const Shelf &shelf = results().shelf();
    const auto words = [](const QString &verb, const std::string &what) {
        return what.empty() ? verb : QStringLiteral("%1: %2").arg(verb, QString::fromStdString(what));
    };
    actions()["undo"]->setText(words(QStringLiteral("&Undo"), shelf.undoWords()));
    actions()["undo"]->setEnabled(!shelf.undoWords().empty());
    actions()["redo"]->setText(words(QStringLiteral("&Redo"), shelf.redoWords()));
    actions()["redo"]->setEnabled(!shelf.redoWords().empty());
    const std::vector<ResultId> ids = chosen();
    const bool one = ids.size() == 1;
    const ScheduleResult *result = one ? shelf.find(ids.front()) : nullptr;
    const bool made = result && result->schedule;
    actions()["show_result"]->setEnabled(one);
    actions()["rename"]->setEnabled(one);
    actions()["note"]->setEnabled(one);
    actions()["pin"]->setEnabled(!ids.empty());
    actions()["pin"]->setChecked(result && result->isPinned);
    const bool isBaseline = result && shelf.baseline(result->settings) == result->id;
    actions()["baseline"]->setEnabled((made || (result && result->origin == Origin::Stated)) && !isBaseline);
    actions()["baseline"]->setText(isBaseline ? QStringLiteral("Set as base&line (it is)")
                                              : QStringLiteral("Set as base&line"));
    actions()["export_result"]->setEnabled(made);
    actions()["measure_again"]->setEnabled(!ids.empty() &&
                                           std::ranges::all_of(ids, [this](ResultId id) { return canBeMeasured(id); }));
    const auto isUnderWay = [&](ResultId id) { return shelf.find(id) && shelf.find(id)->isUnderWay(); };
    actions()["stop_result"]->setEnabled(std::ranges::any_of(ids, isUnderWay));
    actions()["stop_result"]->setText(result && result->state == ResultState::Waiting
                                          ? QStringLiteral("Take &it out of the line")
                                          : QStringLiteral("Stop &it"));
    actions()["remove"]->setEnabled(!ids.empty());
    actions()["remove"]->setText(ids.size() > 1 ? QStringLiteral("Remo&ve %1 results").arg(ids.size())
                                                : QStringLiteral("Remo&ve"));
    refreshFurther();
}

void ShelfArea::refreshFurther()
{
    const ModelPtr &model = next().model();
    const bool isPublished = model && model->name == "inception_v3";
    actions()["published"]->setEnabled(isPublished);
    actions()["published"]->setText(isPublished ? QStringLiteral("P&ublished schedules")
                                                : QStringLiteral("P&ublished schedules (of inception_v3 only)"));
    actions()["today"]->setEnabled(model != nullptr);
    const bool keeps = !next().device().fingerprint.empty();
    actions()["forget_device"]->setEnabled(keeps);
    actions()["forget_device"]->setText(keeps ? QStringLiteral("For&get latencies of the device...")
                                              : QStringLiteral("For&get latencies of the device (none are stored)"));
    actions()["forget_model"]->setEnabled(model != nullptr);
    actions()["forget_model"]->setText(QStringLiteral("Forget latencies of the m&odel..."));
}

bool ShelfArea::canBeMeasured(ResultId id) const
{
    const ScheduleResult *result = results().shelf().find(id);
    return result && result->schedule && !result->isUnderWay() && !results().isModelMissing(id) &&
           editor().checkMeasurable(id);
}

void ShelfArea::measureAgain(ResultId id)
{
    if (!canBeMeasured(id))
        return;
    const SchedulePtr schedule = results().shelf().find(id)->schedule;
    results().setWaiting(id);
    measure(id, schedule);
}

void ShelfArea::measure(ResultId id, const SchedulePtr &schedule)
{
    const Target target = results().targetOf(id);
    const auto work = [this, target, id, schedule](const ResultQueue::Open &open,
                                                   const JobLane::Context &context) -> Result<JobLane::Delivery> {
        TRY_AS(auto opened, open());
        auto copy = std::make_shared<TimedSchedule>(*schedule);
        TRY(measureInto(*copy, *target.model, *opened.session, opened.device, context.stop));
        if (disturbedStages(*copy) > 0) {
            DisturbedLatencies *disturbed = opened.session->disturbed();
            const auto goOn = [] { return true; };
            if (disturbed && disturbed->measureAgain(goOn, context.stop).value_or(0) > 0)
                TRY(measureInto(*copy, *target.model, *opened.session, opened.device, context.stop));
        }
        return [this, id, copy] { results().setMeasuredAgain(id, copy); };
    };
    queue().measure(id, ResultQueue::Turn::Other, target, work);
}

// Running results are stopped and queued ones dropped; removing finished ones can be undone.
void ShelfArea::removeChosen()
{
    const std::vector<ResultId> ids = chosen();
    for (const ResultId id : ids) {
        const ScheduleResult *result = results().shelf().find(id);
        if (result && result->isUnderWay())
            emit leaveLineWanted(id);
    }
    results().remove(ids);
    if (const std::string words = results().shelf().undoWords(); words.starts_with("Remove"))
        tell(QStringLiteral("%1: Ctrl+Z brings it back").arg(QString::fromStdString(words)), 8000);
}

void ShelfArea::save(ResultId id)
{
    const ScheduleResult *result = results().shelf().find(id);
    const ModelPtr model = results().targetOf(id).model;
    if (!result || !result->schedule)
        return;
    const SchedulePtr shown = results().shown(id).schedule;
    const SchedulePtr schedule = shown ? shown : result->schedule; // results of missing models are not shown
    const QString suggested = QStringLiteral("%1/%2-%3.schedule.json")
                                  .arg(dialogFolder(), QString::fromStdString(result->settings.model.name),
                                       QString::fromStdString(result->shownName()).toLower());
    const QString path = QFileDialog::getSaveFileName(&window(), QStringLiteral("Save the schedule"), suggested,
                                                      QStringLiteral("Schedules (*.schedule.json)"));
    if (path.isEmpty())
        return;
    const std::string file = QFile::encodeName(path).toStdString();
    const auto differs = model ? refuseOverwritingModel(file, *model) : Result<void>{};
    const auto saved =
        differs.and_then([&] { return writeFile(file, toJson(document().places().operatorNames(id), *schedule)); });
    if (saved)
        editor().freeze(id);
    if (saved)
        tell(QStringLiteral("Saved %1").arg(path), 5000);
    else
        refuse(saved.error());
}

// Each becomes a result that is measured here.
void ShelfArea::openPublished()
{
    const Target target = next().target();
    if (!target.model)
        return;
    using namespace published;
    for (const PublishedSchedule *each : {&kForV100, &kForK80, &kForBatch32, &kForBatch128}) {
        auto schedule = publishedSchedule(*each, *target.model->graph, target.model->blocks);
        if (!schedule) {
            refuse(schedule.error());
            return;
        }
        schedule->context.batch = target.model->graph->batch();
        const QString source = QString::fromUtf8(each->source);
        const ResultId id = added().addPublished(QStringLiteral("IOS for %1").arg(source), source);
        measure(id, std::make_shared<const TimedSchedule>(std::move(*schedule)));
    }
}

// Adds the latency to the shelf and, if wanted, makes it the baseline.
void ShelfArea::stateLatency()
{
    auto *dialog = new StatedDialog(&window());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &StatedDialog::stated, this, [this](const StatedLatency &stated) {
        const ResultId id = added().addStated(stated.name, stated.us, stated.file);
        if (stated.isBaseline)
            results().chooseBaseline(id);
        m_shelf->choose(id);
    });
    dialog->open();
}

void ShelfArea::forgetLatencies(const StoredSelection &meant, const QString &whose)
{
    m_storing.start([this, meant, whose, measurers = services().measurers](const JobLane::Context &) {
        return JobLane::Delivery([this, meant, whose, count = measurers->countStored(meant)] {
            if (!count)
                refuse(count.error());
            else if (*count == 0)
                tell(QStringLiteral("No latencies of %1 are stored.").arg(whose), 8000);
            else
                askWhetherToForget(meant, whose, *count);
        });
    });
}

void ShelfArea::askWhetherToForget(const StoredSelection &meant, const QString &whose, std::int64_t count)
{
    auto *box = new QMessageBox(QMessageBox::Question, QStringLiteral("Forget stored latencies"),
                                QStringLiteral("Forget %1 of %2, for good?").arg(latenciesText(count), whose),
                                QMessageBox::Cancel, &window());
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setInformativeText(QStringLiteral("They are measured again when they are needed. Results stay on the shelf."));
    const QPushButton *forget = box->addButton(QStringLiteral("&Forget"), QMessageBox::DestructiveRole);
    box->setDefaultButton(QMessageBox::Cancel);
    connect(forget, &QPushButton::clicked, this, [this, meant, whose] {
        m_storing.start([this, meant, whose, measurers = services().measurers](const JobLane::Context &) {
            return JobLane::Delivery([this, whose, gone = measurers->forgetStored(meant)] {
                if (!gone)
                    refuse(gone.error());
                else
                    tell(QStringLiteral("%1 of %2 forgotten").arg(latenciesText(*gone), whose), 8000);
            });
        });
    });
    box->open();
}

} // namespace stagecraft
