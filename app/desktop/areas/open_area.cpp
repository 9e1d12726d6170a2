#include "desktop/areas/open_area.h"

#include "desktop/areas/device_area.h"
#include "desktop/areas/open/file_questions.h"
#include "desktop/areas/open/named_files.h"
#include "desktop/areas/open/opened_profile.h"
#include "desktop/areas/open/opened_schedule.h"
#include "desktop/areas/session_area.h"
#include "desktop/document/document.h"
#include "desktop/frame/message_bar.h"
#include "desktop/kept/kept_readings.h"
#include "desktop/kept/recent_files.h"
#include "desktop/work/services.h"
#include "flow/open/carry_schedule.h"
#include "flow/open/profiles_among.h"
#include "flow/open_model.h"
#include "model/union/model_union.h"
#include "support/error_text.h"
#include "widgets/base/format.h"

#include <QFileInfo>
#include <QKeySequence>
#include <QMenu>

#include <algorithm>
#include <functional>
#include <ranges>
#include <utility>

namespace stagecraft {

OpenArea::OpenArea(const AreaContext &context, SessionArea &session, const DeviceArea &devices)
    : Area(context), m_session(session), m_devices(devices)
{
    addActions();
    connectOpening();
}

void OpenArea::addActions()
{
    QAction *open =
        actions().add("open", QStringLiteral("&Open..."), QKeySequence::Open, [this] { chooseModelFile(); });
    open->setIconText(QStringLiteral("Open"));
    open->setToolTip(QStringLiteral("Open a model (ONNX or IOS JSON), a session, or a profile that another program "
                                    "recorded of the open model (Ctrl+O)"));
    actions().add("open_schedule", QStringLiteral("Open s&chedule..."), QStringLiteral("Ctrl+Shift+O"),
                  [this] { chooseScheduleFile(); });
    actions().addEntries("sample_list", [this](QMenu *menu) { fillSamples(menu); });
    actions().addEntries("recent_list", [this](QMenu *menu) { fillRecent(menu); });
    actions().addEntries("samples", [this](QMenu *menu) { fillSamples(menu->addMenu(QStringLiteral("S&amples"))); });
    actions().addEntries("recent", [this](QMenu *menu) {
        QMenu *recent = menu->addMenu(QStringLiteral("Open &recent"));
        connect(recent, &QMenu::aboutToShow, this, [this, recent] {
            recent->clear();
            fillRecent(recent);
        });
    });
}

void OpenArea::connectOpening()
{
    connect(&m_opening, &JobLane::busyChanged, this, [this](bool busy) {
        if (!busy) // read, refused, or replaced by another file
            emit readingAgain({});
        emit openingChanged(isOpening());
        emit busyChanged();
    });
    connect(&m_opening, &JobLane::workFailed, this, [this](const QString &reason) {
        refuseModel({}, {ErrorCode::DeviceFailed, reason.toStdString(), {}, {}}, {});
    });
    connect(&m_devices, &DeviceArea::busyChanged, this, [this] { emit openingChanged(isOpening()); });
    // Queued: the answer is delivered after the lane is free.
    connect(&m_opening, &JobLane::busyChanged, this, &OpenArea::openNext, Qt::QueuedConnection);
    connect(&m_devices, &DeviceArea::busyChanged, this, &OpenArea::openNext, Qt::QueuedConnection);
    connect(&m_session, &SessionArea::busyChanged, this, &OpenArea::openNext, Qt::QueuedConnection);
}

bool OpenArea::isOpening() const
{
    return m_opening.isBusy() || m_devices.isFinding();
}

void OpenArea::stopOpening()
{
    m_opening.stop();
}

void OpenArea::read(const OpenRequest &request, const Carried &carried)
{
    m_opening.start(
        [this, request, carried, open = services().openModel](const JobLane::Context &context) -> JobLane::Delivery {
            OpenRequest within = request;
            within.budget = openingBudget(context.stop);
            auto model = open(within);
            const QString spec = QString::fromStdString(request.spec);
            if (!model && model.error().code == ErrorCode::Cancelled)
                return [this, spec] { tell(QStringLiteral("Opening %1 was stopped").arg(shortSpec(spec))); };
            if (!model)
                return [this, spec, error = model.error(), inputs = openInputsOf(request.spec)] {
                    refuseModel(spec, error, inputs);
                };
            SchedulePtr embedded;
            if (model->embedded)
                embedded = std::make_shared<const TimedSchedule>(std::move(*model->embedded));
            auto shared = std::make_shared<const Model>(std::move(model->model));
            if (!carried.schedule)
                return [this, spec, embedded, shared] {
                    showModel(spec, shared);
                    openEmbedded(embedded);
                };
            auto taken = carrySchedule(*carried.model, *carried.schedule, *shared);
            if (!taken)
                return [this, spec, shared, name = carried.name, why = taken.error()] {
                    showModel(spec, shared);
                    messages().show(MessageBar::Kind::Info,
                                    QStringLiteral("%1: the schedule in front stays without it: %2.")
                                        .arg(name, QString::fromStdString(errorText(why))));
                };
            auto schedule = std::make_shared<const TimedSchedule>(std::move(*taken));
            return [this, spec, shared, schedule, name = carried.name] {
                showModel(spec, shared);
                readSchedule(spec, schedule, name);
            };
        });
}

void OpenArea::showModel(const QString &spec, const ModelPtr &model)
{
    tell({});
    if (!m_areSeveral)
        messages().dismiss();
    addRecentFile(spec);
    keepReading(spec, model->reading);
    emit leaving();
    const ModelReference before = next().settings().model;
    next().setModel(model);
    tellModel();
    emit opened(before);
}

void OpenArea::refuseModel(const QString &spec, Error error, const std::vector<OpenInput> &open)
{
    tell({});
    if (error.context.empty() && !spec.isEmpty())
        error.context.push_back(spec.toStdString());
    if (spec != next().spec()) // as it was read the last time: next, without that
        keepReading(spec, {});
    if (open.empty())
        refuse(error);
    else
        offerSizes(spec, error, open);
    emit failed();
}

void OpenArea::readSchedule(const QString &path, const SchedulePtr &embedded, const QString &name)
{
    m_opening.start([this, target = next().target(), settings = next().settings(), path, embedded,
                     name = name.isEmpty() ? scheduleName(path) : name,
                     measurers = services().measurers](const JobLane::Context &context) -> JobLane::Delivery {
        auto opened = openSchedule(target, path, embedded, *measurers, context.stop);
        if (!opened) {
            const Reading &asOpen = target.model->reading;
            const Reading reading = embedded ? asOpen : readingOfFile(path).value_or(asOpen);
            return [this, error = opened.error(), path, reading, asOpen] {
                reading == asOpen ? refuse(error) : offerReading(path, error, reading);
            };
        }
        if (opened->measured.isOfProfile())
            return [this, name, model = target.model, schedule = opened->measured] {
                results().setCurrent(added().addProfiled(name, model, std::make_shared<const TimedSchedule>(schedule)));
            };
        return
            [this, path, name, settings, opened = std::move(*opened)] { showSchedule(path, name, settings, opened); };
    });
}

void OpenArea::readProfiles(const QStringList &paths)
{
    tell(QStringLiteral("Opening %1 ...").arg(QFileInfo(paths.front()).fileName()));
    m_opening.start([this, paths, model = next().model()](const JobLane::Context &context) {
        return foundProfiles(model, paths, context.stop);
    });
}

// On the lane's thread.
JobLane::Delivery OpenArea::foundProfiles(const ModelPtr &model, const QStringList &paths, const std::stop_token &stop)
{
    const QString first = QFileInfo(paths.front()).fileName();
    auto stopped = [this, first] { tell(QStringLiteral("Opening %1 was stopped").arg(first)); };
    std::vector<std::string> files;
    for (const QString &path : paths)
        files.push_back(QFile::encodeName(path).toStdString());
    auto among = profilesAmong(files, stop);
    if (!among)
        return stopped;
    if (!among->others.empty()) { // one may be the model
        QStringList profiles;
        for (const auto &profile : among->profiles) {
            for (const ProfileFile &file : profile)
                profiles << QFile::decodeName(file.path.c_str());
        }
        return [this, others = std::move(among->others), profiles] { openOthersFirst(others, profiles); };
    }
    if (!model)
        return [this, first] {
            tell({});
            messages().show(
                MessageBar::Kind::Warning,
                QStringLiteral("%1 is a profile. Open the model that it was recorded of first.").arg(first));
        };
    std::vector<Result<OpenedProfile>> opened;
    for (auto &profile : among->profiles)
        opened.push_back(openProfile(model, std::move(profile), stop));
    if (stop.stop_requested())
        return stopped;
    return [this, model, opened = std::move(opened)] {
        tell({});
        for (const auto &each : opened) {
            if (each)
                showProfile(model, *each);
            else
                refuse(each.error());
        }
    };
}

void OpenArea::openOthersFirst(const std::vector<std::string> &others, const QStringList &profiles)
{
    tell({});
    if (!profiles.isEmpty())
        m_toOpen.push_front({profiles, true});
    for (const std::string &other : others | std::views::reverse)
        m_toOpen.push_front({{QFile::decodeName(other.c_str())}, false});
}

void OpenArea::showProfile(const ModelPtr &model, const OpenedProfile &opened)
{
    const ResultId id = added().addProfiled(opened.title, model, opened.schedule);
    results().setTimeline(id, opened.timeline);
    results().setCurrent(id);
    tell(QStringLiteral("%1: %2").arg(opened.title, opened.summary));
    if (!opened.warning.isEmpty())
        messages().show(MessageBar::Kind::Warning, QStringLiteral("%1: %2.").arg(opened.title, opened.warning));
}

void OpenArea::showSchedule(const QString &path, const QString &name, const RunContext &settings,
                            const OpenedSchedule &opened)
{
    if (const QString differs = originText(opened); !differs.isEmpty())
        messages().show(MessageBar::Kind::Warning,
                        QStringLiteral("%1 was made for %2.").arg(QFileInfo(path).fileName(), differs));
    results().setCurrent(
        added().addOpened(name, path, settings, std::make_shared<const TimedSchedule>(opened.measured)));
}

void OpenArea::refresh()
{
    actions()["open_schedule"]->setEnabled(next().model() != nullptr);
}

bool OpenArea::isBusy() const
{
    return !m_toOpen.empty() || m_opening.isBusy();
}

void OpenArea::openModel(const QString &spec)
{
    tell(QStringLiteral("Opening %1 ...").arg(shortSpec(spec)));
    read({.spec = spec.toStdString(), .reading = keptReading(spec)});
}

void OpenArea::openAtBatch(std::int64_t batch)
{
    if (next().model())
        read(sameReading(*next().model(), batch));
}

void OpenArea::open(const OpenRequest &request)
{
    tell(QStringLiteral("Opening %1 ...").arg(shortSpec(QString::fromStdString(request.spec))));
    read(request);
}

void OpenArea::openPath(const QString &path)
{
    if (!specsOfUnion(path.toStdString()).empty())
        return openModel(path);
    mayBeProfile(path) ? readProfiles({path}) : openOther(path);
}

void OpenArea::openOther(const QString &path)
{
    if (isSessionFile(path)) {
        m_session.open(path);
        return;
    }
    if (!isSchedule(path))
        mayBeDevice(path) ? emit deviceWanted(path) : openModel(path);
    else if (next().model())
        readSchedule(path);
    else
        messages().show(
            MessageBar::Kind::Warning,
            QStringLiteral("%1 is a schedule. Open the model it belongs to first.").arg(QFileInfo(path).fileName()));
}

// A schedule or a profile belongs to the model that is open by then.
void OpenArea::openPaths(QStringList paths)
{
    if (paths.size() > 1) {
        messages().dismiss();
        m_areSeveral = true;
    }
    const auto profiles = std::ranges::stable_partition(paths, std::not_fn(mayBeProfile));
    const auto schedules = std::stable_partition(paths.begin(), profiles.begin(), std::not_fn(isSchedule));
    const auto add = [this](auto first, auto last) {
        std::for_each(first, last, [this](const QString &path) { m_toOpen.push_back({{path}, false}); });
    };
    add(paths.begin(), schedules);
    if (!profiles.empty())
        m_toOpen.push_back({QStringList(profiles.begin(), profiles.end()), true});
    add(schedules, profiles.begin());
    openNext();
}

void OpenArea::openNext()
{
    while (!m_toOpen.empty() && !isOpening() && !m_session.isBusy()) {
        const ToOpen first = std::move(m_toOpen.front());
        m_toOpen.pop_front();
        first.mayBeProfiles ? readProfiles(first.paths) : openOther(first.paths.front());
    }
    m_areSeveral = m_areSeveral && (isOpening() || m_session.isBusy());
}

void OpenArea::openEmbedded(const SchedulePtr &schedule)
{
    if (!schedule)
        return;
    const ModelPtr &model = next().model();
    const bool isOnShelf = std::ranges::any_of(results().shelf().results(), [&](const ScheduleResult &result) {
        return result.origin == Origin::OpenedFile && result.source == model->source &&
               result.settings == next().settings();
    });
    if (isOnShelf)
        return;
    readSchedule(QFile::decodeName(model->source.c_str()), schedule);
}

void OpenArea::tellModel()
{
    if (const ModelPtr &model = next().model()) {
        const auto warnings =
            std::count_if(model->report.notes.begin(), model->report.notes.end(),
                          [](const ImportNote &note) { return note.severity == ImportNote::Severity::Warning; });
        const bool isGuessed = tellOpenSizes(); // what follows from a guess matters less
        if (!model->costs.isComplete() && !isGuessed)
            messages().show(MessageBar::Kind::Warning, QStringLiteral("%1: %2. Simulated latencies are lower bounds.")
                                                           .arg(QString::fromStdString(model->name),
                                                                QString::fromStdString(missingCostText(model->costs))));
        else if (warnings > 0 && !isGuessed)
            messages().show(MessageBar::Kind::Info,
                            QStringLiteral("%1 was imported with %2: see the Inspector.")
                                .arg(QString::fromStdString(model->name), plural(warnings, "warning")));
    }
}

// A guess is never made in silence. False: the file leaves nothing open.
bool OpenArea::tellOpenSizes()
{
    const ModelPtr &model = next().model();
    QStringList guessed;
    for (const OpenInput &input : model->report.openInputs) {
        if (!input.isChosen)
            guessed << QStringLiteral("%1 as %2")
                           .arg(QString::fromStdString(input.name),
                                QString::fromStdString(toString(Shape{input.sizes})));
    }
    if (guessed.isEmpty())
        return false;
    messages().show(MessageBar::Kind::Warning,
                    QStringLiteral("%1 leaves sizes of its inputs open. Taken are some that fit: %2.")
                        .arg(QString::fromStdString(model->name), guessed.join(QStringLiteral(", "))),
                    QStringLiteral("Choose sizes..."), [this] { actions()["reading"]->trigger(); });
    return true;
}

void OpenArea::chooseModelFile()
{
    if (const QStringList paths = askForModels(&window()); !paths.isEmpty())
        openPaths(paths);
}

void OpenArea::chooseScheduleFile()
{
    if (const QString path = askForSchedule(&window()); !path.isEmpty())
        readSchedule(path);
}

void OpenArea::readAgain(OpenRequest request, const SchedulePtr &carried, const QString &name)
{
    const QString file = shortSpec(QString::fromStdString(request.spec));
    tell(QStringLiteral("Opening %1 ...").arg(file));
    if (!request.reading.sizes.empty()) // chosen sizes have their batch
        request.batch = 0;
    read(request, {next().model(), carried, name});
    emit readingAgain(QStringLiteral("Reading %1 again ...").arg(file));
}

void OpenArea::offerReading(const QString &path, const Error &error, const Reading &reading)
{
    messages().show(MessageBar::Kind::Error, QString::fromStdString(errorText(error)),
                    QStringLiteral("Read it like that"), [this, path, reading] {
                        const ModelPtr model = next().model();
                        if (!model)
                            return;
                        OpenRequest request = sameReading(*model, model->graph->batch());
                        request.reading = reading;
                        m_toOpen.push_back({{path}});
                        readAgain(std::move(request));
                    });
}

// A file that is refused at the sizes that were tried.
void OpenArea::offerSizes(const QString &spec, const Error &error, const std::vector<OpenInput> &open)
{
    ImportReport report;
    report.openInputs = open;
    messages().show(
        MessageBar::Kind::Error, QString::fromStdString(errorText(error)), QStringLiteral("Choose sizes..."),
        [this, report, spec] { emit sizesWanted(QFileInfo(spec).completeBaseName(), {spec.toStdString()}, report); });
}

void OpenArea::fillSamples(QMenu *menu)
{
    for (const BuiltInModel &model : builtInModels()) {
        const QString name = QString::fromStdString(model.name);
        if (!model.parameters.empty()) // File > Network with sizes
            continue;
        menu->addAction(QString::fromStdString(model.title), this, [this, name] { openModel(name); });
    }
}

void OpenArea::fillRecent(QMenu *menu)
{
    const QStringList files = recentFiles();
    if (files.isEmpty())
        menu->addAction(QStringLiteral("Nothing opened yet"))->setEnabled(false);
    for (const QString &spec : files) {
        QAction *action = menu->addAction(shortSpec(spec), this, [this, spec] { openPath(spec); });
        action->setToolTip(spec);
    }
    if (!files.isEmpty()) {
        menu->addSeparator();
        menu->addAction(QStringLiteral("Clear this list"), this, [] { clearRecentFiles(); });
    }
}

} // namespace stagecraft
