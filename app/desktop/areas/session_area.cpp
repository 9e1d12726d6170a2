#include "desktop/areas/session_area.h"

#include "desktop/dialogs/dialog_folder.h"
#include "desktop/dialogs/export_dialog.h"
#include "desktop/document/document.h"
#include "desktop/frame/message_bar.h"
#include "desktop/kept/autosave.h"
#include "desktop/kept/autosave_file.h"
#include "desktop/kept/recent_files.h"
#include "desktop/work/job_lane.h"
#include "desktop/work/services.h"
#include "results/files/session_json.h"
#include "support/error_text.h"
#include "support/output_file.h"
#include "widgets/base/format.h"

#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QKeySequence>
#include <QLocale>
#include <QMessageBox>
#include <QPushButton>

#include <algorithm>
#include <utility>

namespace stagecraft {
namespace {

const QString &extension()
{
    static const QString kText =
        QString::fromLatin1(kSessionExtension.data(), static_cast<qsizetype>(kSessionExtension.size()));
    return kText;
}

QString momentText(std::int64_t atSeconds)
{
    const QDateTime moment = QDateTime::fromSecsSinceEpoch(atSeconds);
    return moment.date() == QDate::currentDate() ? QLocale().toString(moment.time(), QStringLiteral("HH:mm:ss"))
                                                 : QLocale().toString(moment, QStringLiteral("d MMM yyyy, HH:mm"));
}

// Baselines are measured again whenever a model is opened.
bool isWork(const ScheduleResult &result)
{
    return result.origin != Origin::Baseline || !result.name.empty() || !result.note.empty() || result.isPinned;
}

bool mayReplace(const QString &path, QWidget *parent)
{
    return QMessageBox::question(parent, QStringLiteral("Replace a file"),
                                 QStringLiteral("Replace %1? What is there is lost.").arg(QFileInfo(path).fileName()),
                                 QMessageBox::Yes | QMessageBox::Cancel, QMessageBox::Cancel) == QMessageBox::Yes;
}

} // namespace

bool isSessionFile(const QString &path)
{
    return path.endsWith(extension(), Qt::CaseInsensitive);
}

SessionArea::SessionArea(const AreaContext &context, const std::vector<Area *> &areas)
    : Area(context), m_areas(areas), m_lane(new JobLane(this))
{
    actions().add("new_window", QStringLiteral("&New window"), QKeySequence::New, [this] { emit windowWanted({}); });
    QAction *save =
        actions().add("save", QStringLiteral("&Save session"), QKeySequence::Save, [this] { this->save(); });
    save->setIconText(QStringLiteral("Save"));
    save->setToolTip(QStringLiteral("Save the session: models, results, names and notes (Ctrl+S)"));
    actions().add("save_as", QStringLiteral("Sa&ve session as..."), QStringLiteral("Ctrl+Shift+S"),
                  [this] { saveAs(); });
    actions().add("find_model", QStringLiteral("&Find missing model..."), QStringLiteral("Ctrl+Alt+F"),
                  [this] { findMissingModel(); });
    connect(m_lane, &JobLane::busyChanged, this, &SessionArea::busyChanged);
    connect(m_lane, &JobLane::workFailed, this, [this](const QString &reason) {
        Area::refuse({ErrorCode::InvalidInput, reason.toStdString(), {}, {}});
    });
    connect(&next(), &NextSearch::modelChanged, this, &SessionArea::showTitle);
    connect(&results(), &Results::shelfChanged, this, &SessionArea::touch);
    connect(&results(), &Results::frontChanged, this, &SessionArea::touch);
    connect(&next(), &NextSearch::modelChanged, this, &SessionArea::touch);
    connect(&next(), &NextSearch::deviceChanged, this, &SessionArea::touch);
    showTitle();
}

SessionArea::~SessionArea() = default;

void SessionArea::refresh()
{
    actions()["save"]->setEnabled(!isEmpty());
    actions()["save_as"]->setEnabled(!isEmpty());
    actions()["find_model"]->setEnabled(!document().places().missing().empty());
}

bool SessionArea::isBusy() const
{
    return m_lane->isBusy();
}

void SessionArea::touch()
{
    if (m_autosave)
        m_autosave->touch();
    refresh();
}

bool SessionArea::isEmpty() const
{
    return !next().model() && results().shelf().results().empty() && !m_lane->isBusy();
}

bool SessionArea::isKept() const
{
    return m_autosave && m_autosave->isIdle();
}

Session SessionArea::now() const
{
    Session stored;
    for (const Area *area : m_areas)
        area->store(stored);
    Session session = results().session(stored.studies);
    stored.view.model = session.view.model;
    stored.view.device = session.view.device;
    session.view = stored.view;
    return session;
}

// Includes what the next start needs to know.
Session SessionArea::toKeep(bool isClosed) const
{
    Session session = now();
    const QString name = m_path.isEmpty() ? QString() : QFileInfo(m_path).completeBaseName();
    const std::string model = next().model()           ? next().model()->name
                              : session.models.empty() ? std::string()
                                                       : session.models.front()->reference.name;
    session.autosave = AutosaveNote{name.isEmpty() ? model : name.toStdString(), m_path.toStdString(),   m_savedDigest,
                                    QDateTime::currentSecsSinceEpoch(),          session.results.size(), isClosed};
    return session;
}

void SessionArea::keepIn(std::unique_ptr<AutosaveFile> file)
{
    delete std::exchange(m_autosave, new Autosave(
                                         std::move(file), [this] { return toKeep(false); }, this));
    connect(m_autosave, &Autosave::written, this, [this](const std::string &digest) {
        window().setWindowModified(!m_path.isEmpty() && digest != m_savedDigest);
        emit kept();
    });
    connect(m_autosave, &Autosave::failed, this, [this](const Error &error) {
        if (std::exchange(m_hasFailed, true)) // report only once
            return;
        Error told = error;
        told.message = "what this window holds cannot be kept, and would be lost with the program: " + told.message;
        told.remedy = "Save the session elsewhere";
        refuse(told);
    });
    m_autosave->touch();
}

void SessionArea::continueFrom(std::unique_ptr<AutosaveFile> file)
{
    if (m_autosave) // only for empty windows
        m_autosave->discard();
    delete std::exchange(m_autosave, nullptr);
    const QString path = QFile::decodeName(file->path().c_str());
    m_continued = std::move(file); // not written to before it is read
    read(path);
}

void SessionArea::open(const QString &path)
{
    if (isEmpty())
        read(path);
    else
        emit windowWanted(path);
}

void SessionArea::read(const QString &path)
{
    tell(QStringLiteral("Opening %1 ...").arg(QFileInfo(path).fileName()));
    m_lane->start([this, path, services = services()](const JobLane::Context &) -> JobLane::Delivery {
        auto opened = openSession(QFile::encodeName(path).toStdString(), {services.openModel, services.findDevice});
        if (!opened)
            return [this, path, error = opened.error()] { refuseFile(path, error); };
        return [this, path, shared = std::make_shared<const OpenedSession>(std::move(*opened))] {
            const auto showIt = [this, path, shared](bool) { show(path, *shared); };
            if (const std::string &device = shared->session.view.device; device.empty())
                showIt(false);
            else
                emit deviceWanted(QString::fromStdString(device), showIt); // reports one that no longer exists
        };
    });
}

// An unreadable autosave file is set aside, not overwritten.
void SessionArea::refuseFile(const QString &path, Error error)
{
    tell({});
    if (!m_continued) {
        refuse(error);
        return;
    }
    const QString aside = path + QStringLiteral(".damaged");
    QFile::rename(path, aside);
    error.context = {aside.toStdString()};
    error.message = "what a window held before cannot be read: " + error.message;
    error.remedy = "The file was set aside under this name";
    refuse(error);
    keepIn(std::move(m_continued));
}

void SessionArea::show(const QString &path, const OpenedSession &opened)
{
    tell({});
    messages().dismiss();
    results().restore(opened);
    emit restored();
    for (Area *area : m_areas)
        area->restore(opened.session);
    const auto &note = opened.session.autosave;
    const bool isContinued = m_continued != nullptr;
    m_path = isContinued ? QString::fromStdString(note ? note->file : std::string()) : path;
    m_savedDigest = isContinued ? (note ? note->savedDigest : std::string()) : digestOf(toJson(now()));
    if (isContinued)
        keepIn(std::move(m_continued));
    else
        addRecentFile(path);
    showTitle();
    tellOpened(opened, isContinued && note && !note->isClosed);
    touch();
    emit shown();
}

// After a crash: when it was saved and what was running; also the missing models.
void SessionArea::tellOpened(const OpenedSession &opened, bool wasInterrupted)
{
    QStringList lines;
    if (wasInterrupted)
        lines << QStringLiteral("Stagecraft ended unexpectedly. The window is restored as of %1.")
                     .arg(momentText(opened.session.autosave->atSeconds));
    if (opened.interrupted > 0)
        lines << QStringLiteral("%1 unfinished. Search again: the latencies measured so far are stored.")
                     .arg(opened.interrupted == 1 ? QStringLiteral("One search was")
                                                  : QStringLiteral("%1 searches were").arg(opened.interrupted));
    const auto &missing = document().places().missing();
    if (missing.empty()) {
        if (!lines.isEmpty())
            messages().show(MessageBar::Kind::Info, lines.join(QLatin1Char(' ')));
        return;
    }
    lines << missing.front().why;
    if (missing.size() > 1)
        lines << QStringLiteral("Also missing or changed: %1.")
                     .arg(plural(static_cast<std::int64_t>(missing.size()) - 1, "more model"));
    lines << QStringLiteral("Its results stay on the shelf and can be read and exported.");
    messages().show(MessageBar::Kind::Warning, lines.join(QLatin1Char(' ')), QStringLiteral("Find it..."),
                    [this] { findMissingModel(); });
}

void SessionArea::findMissingModel()
{
    if (document().places().missing().empty())
        return;
    const SessionModelPtr wanted = document().places().missing().front().model;
    const QString was = QString::fromStdString(wanted->source);
    const QString path = QFileDialog::getOpenFileName(
        &window(), QStringLiteral("Find %1").arg(QFileInfo(was).fileName()), QFileInfo(was).absolutePath(),
        QStringLiteral("Models (%1);;All files (*)").arg(modelPatterns()));
    if (!path.isEmpty())
        findMissingModelsIn(path);
}

// The first model in that file, the others next to it: they often move together.
void SessionArea::findMissingModelsIn(const QString &path)
{
    std::vector<SessionModelPtr> wanted;
    for (const MissingModel &missing : document().places().missing())
        wanted.push_back(missing.model);
    tell(QStringLiteral("Opening %1 ...").arg(QFileInfo(path).fileName()));
    m_lane->start([this, path, wanted, services = services()](const JobLane::Context &) -> JobLane::Delivery {
        std::vector<ModelPtr> found;
        std::optional<Error> why;
        for (const SessionModelPtr &model : wanted) {
            const bool isFirst = model->source == wanted.front()->source;
            const QString beside =
                QFileInfo(path).dir().filePath(QFileInfo(QString::fromStdString(model->source)).fileName());
            auto opened = findModelIn(QFile::encodeName(isFirst ? path : beside).toStdString(), *model,
                                      {services.openModel, services.findDevice});
            if (opened)
                found.push_back(std::move(*opened));
            else if (isFirst && !why)
                why = opened.error();
        }
        return [this, found, why] { showFound(found, why); };
    });
}

void SessionArea::showFound(const std::vector<ModelPtr> &found, const std::optional<Error> &why)
{
    tell({});
    std::optional<Error> refused = why;
    std::size_t count = 0;
    for (const ModelPtr &model : found) {
        if (const auto fits = results().setFound(model); !fits)
            refused = fits.error();
        for (const ScheduleResult &result : results().shelf().results())
            count += results().targetOf(result.id).model == model ? 1 : 0;
    }
    refresh();
    if (refused) {
        messages().show(MessageBar::Kind::Error, QString::fromStdString(errorText(*refused)),
                        QStringLiteral("Find it..."), [this] { findMissingModel(); });
        return;
    }
    messages().dismiss();
    tell(QStringLiteral("Found: %1 can be drawn and measured again")
             .arg(plural(static_cast<std::int64_t>(count), "result")),
         8000);
    if (!next().model() && !found.empty())
        next().setModel(found.front());
    emit shown();
}

bool SessionArea::save()
{
    return m_path.isEmpty() ? saveAs() : write(m_path);
}

bool SessionArea::saveAs()
{
    const QString folder = dialogFolder();
    const QString name = next().model() ? QString::fromStdString(next().model()->name) : QStringLiteral("session");
    const QString suggested = m_path.isEmpty() ? QStringLiteral("%1/%2%3").arg(folder, name, extension()) : m_path;
    QString path = QFileDialog::getSaveFileName(&window(), QStringLiteral("Save the session"), suggested,
                                                QStringLiteral("Sessions (*%1)").arg(extension()));
    if (path.isEmpty())
        return false;
    if (!isSessionFile(path)) {
        path += extension();
        if (QFileInfo::exists(path) && !mayReplace(path, &window())) // the file dialog asked about another name
            return false;
    }
    keepDialogFolder(path);
    return write(path);
}

bool SessionArea::write(const QString &path)
{
    const std::string text = toJson(now());
    if (const auto saved = writeFile(QFile::encodeName(path).toStdString(), text); !saved) {
        refuse(saved.error());
        return false;
    }
    m_path = path;
    m_savedDigest = digestOf(text);
    addRecentFile(path);
    showTitle();
    window().setWindowModified(false);
    touch();
    tell(QStringLiteral("Saved %1").arg(path), 5000);
    return true;
}

void SessionArea::showTitle()
{
    QStringList parts;
    if (!m_path.isEmpty())
        parts << QStringLiteral("%1[*]").arg(QFileInfo(m_path).completeBaseName());
    if (const std::string &model = next().settings().model.name; !model.empty())
        parts << QString::fromStdString(model);
    parts << QStringLiteral("Stagecraft");
    window().setWindowTitle(parts.join(QStringLiteral(" - ")));
}

bool SessionArea::isModified() const
{
    return !m_path.isEmpty() && digestOf(toJson(now())) != m_savedDigest;
}

// Asks about unsaved changes only if the session has its own file; other sessions are kept and offered at the next
// start.
bool SessionArea::mayClose()
{
    if (!isModified())
        return true;
    QMessageBox box(QMessageBox::Question, QStringLiteral("Stagecraft"),
                    QStringLiteral("Save the changes to %1?").arg(QFileInfo(m_path).fileName()),
                    QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel, &window());
    box.setInformativeText(QStringLiteral("Without saving, the file stays as it was and the changes are gone."));
    box.setDefaultButton(QMessageBox::Save);
    box.button(QMessageBox::Discard)->setText(QStringLiteral("&Don't save"));
    switch (box.exec()) {
    case QMessageBox::Save: return save();
    case QMessageBox::Discard: return true;
    default: return false;
    }
}

void SessionArea::end()
{
    m_lane->cancel();
    if (!m_autosave)
        return;
    const bool isKept =
        m_path.isEmpty() && (std::ranges::any_of(results().shelf().results(), isWork) || !now().studies.empty());
    if (isKept)
        m_autosave->finish(toKeep(true));
    else
        m_autosave->discard();
}

void SessionArea::showRecent(const std::vector<KeptSession> &left)
{
    std::vector<StartEntry> leftEntries;
    for (const KeptSession &kept : left)
        leftEntries.push_back(
            {QString::fromStdString(kept.note.title),
             QStringLiteral("%1, %2").arg(plural(static_cast<std::int64_t>(kept.note.results), "result"),
                                          momentText(kept.note.atSeconds)),
             QFile::decodeName(kept.path.c_str())});
    std::vector<StartEntry> recent;
    for (const QString &spec : recentFiles()) {
        const QFileInfo file(spec);
        recent.push_back({shortSpec(spec), file.isAbsolute() ? file.dir().dirName() : QString(), spec});
    }
    emit startEntriesChanged(leftEntries, recent);
}

void SessionArea::addTo(ExportSubject &subject) const
{
    subject.shelf = std::make_shared<const OpenedSession>(document().places().opened(now()));
}

} // namespace stagecraft
