// The window's session: saving, opening, automatic saving, and finding missing models.

#include "desktop/areas/area.h"
#include "desktop/dialogs/dialog_folder.h"
#include "desktop/kept/autosave.h"
#include "desktop/kept/recent_files.h"
#include "desktop/main_window.h"
#include "desktop/pane_row.h"
#include "desktop/schedule_pane.h"
#include "results/files/session_json.h"
#include "support/error_text.h"
#include "support/output_file.h"
#include "widgets/base/format.h"
#include "widgets/graph/graph_view.h"
#include "widgets/graph/overlay/empty_state.h"
#include "widgets/search/search_panel.h"

#include <QAction>
#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QLocale>
#include <QMessageBox>
#include <QPushButton>
#include <QStatusBar>

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

void MainWindow::createSessionActions()
{
    m_actions.add("new_window", QStringLiteral("&New window"), QKeySequence::New, [this] { emit windowWanted({}); });
    m_actions.add("save", QStringLiteral("&Save session"), QKeySequence::Save, [this] { saveSession(); });
    m_actions["save"]->setIconText(QStringLiteral("Save"));
    m_actions["save"]->setToolTip(QStringLiteral("Save the session: models, results, names and notes (Ctrl+S)"));
    m_actions.add("save_as", QStringLiteral("Sa&ve session as..."), QStringLiteral("Ctrl+Shift+S"),
                  [this] { saveSessionAs(); });
    createReadingAction();
    m_actions.add("find_model", QStringLiteral("&Find missing model..."), QStringLiteral("Ctrl+Alt+F"),
                  [this] { findMissingModel(); });
}

void MainWindow::connectSession()
{
    m_session.lane = new JobLane(this);
    connect(m_session.lane, &JobLane::busyChanged, this, &MainWindow::checkSettled);
    connect(m_session.lane, &JobLane::busyChanged, this, &MainWindow::openNextPath, Qt::QueuedConnection);
    connect(m_session.lane, &JobLane::workFailed, this, [this](const QString &reason) {
        refuse({ErrorCode::InvalidInput, reason.toStdString(), {}, {}});
    });
    const auto touch = [this] { touchSession(); };
    connect(m_document, &Document::shelfChanged, this, touch);
    connect(m_document, &Document::frontChanged, this, touch);
    connect(m_document, &Document::modelChanged, this, touch);
    connect(m_document, &Document::deviceChanged, this, touch);
    connect(m_panes, &PaneRow::panesChanged, this, touch);
    connect(m_searchPanel, &SearchPanel::optionsChanged, this, touch);
    connect(m_graph, &GraphView::continueRequested, this, &MainWindow::continueWanted);
    connect(m_graph, &GraphView::recentRequested, this, &MainWindow::openPath);
    showRecent({});
    refreshSessionActions();
}

void MainWindow::touchSession()
{
    if (m_session.autosave)
        m_session.autosave->touch();
    refreshSessionActions();
}

void MainWindow::refreshSessionActions()
{
    m_actions["save"]->setEnabled(!isEmpty());
    m_actions["save_as"]->setEnabled(!isEmpty());
    m_actions["find_model"]->setEnabled(!m_document->missingModels().empty());
    refreshReadingAction();
}

bool MainWindow::isEmpty() const
{
    return !m_document->model() && m_document->shelf().results().empty() && !m_session.lane->isBusy();
}

bool MainWindow::isKept() const
{
    return m_session.autosave && m_session.autosave->isIdle();
}

Session MainWindow::sessionNow() const
{
    Session asked;
    for (const Area *area : m_areaList)
        area->store(asked);
    Session session = m_document->session(asked.studies);
    const SearchOptions options = m_searchPanel->options();
    SessionView &view = session.view;
    view.strategies = options.strategies;
    view.r = options.r;
    view.s = options.s;
    view.singleSource = options.singleSource;
    view.pruning = asked.view.pruning;
    view.batches = asked.view.batches;
    view.devices = asked.view.devices;
    for (std::size_t i = 0; i < m_panes->count(); ++i) {
        if (m_panes->pane(i)->result().isValid())
            view.panes.push_back(m_panes->pane(i)->result());
    }
    view.focused = std::min(m_panes->focused(), view.panes.size());
    return session;
}

// Includes what the next start needs to know.
Session MainWindow::sessionToKeep(bool isClosed) const
{
    Session session = sessionNow();
    const QString name = m_session.path.isEmpty() ? QString() : QFileInfo(m_session.path).completeBaseName();
    const std::string model = m_document->model()      ? m_document->model()->name
                              : session.models.empty() ? std::string()
                                                       : session.models.front()->reference.name;
    session.autosave =
        AutosaveNote{name.isEmpty() ? model : name.toStdString(), m_session.path.toStdString(), m_session.savedDigest,
                     QDateTime::currentSecsSinceEpoch(),          session.results.size(),       isClosed};
    return session;
}

void MainWindow::keepIn(std::unique_ptr<AutosaveFile> file)
{
    delete std::exchange(m_session.autosave, new Autosave(
                                                 std::move(file), [this] { return sessionToKeep(false); }, this));
    connect(m_session.autosave, &Autosave::written, this, [this](const std::string &digest) {
        setWindowModified(!m_session.path.isEmpty() && digest != m_session.savedDigest);
        checkSettled();
    });
    connect(m_session.autosave, &Autosave::failed, this, [this](const Error &error) {
        if (std::exchange(m_session.hasFailed, true)) // report only once
            return;
        Error told = error;
        told.message = "what this window holds cannot be kept, and would be lost with the program: " + told.message;
        told.remedy = "Save the session elsewhere";
        refuse(told);
    });
    m_session.autosave->touch();
}

void MainWindow::continueFrom(std::unique_ptr<AutosaveFile> file)
{
    if (m_session.autosave) // only for empty windows
        m_session.autosave->discard();
    delete std::exchange(m_session.autosave, nullptr);
    const QString path = QFile::decodeName(file->path().c_str());
    m_session.continued = std::move(file); // not written to before it is read
    readSession(path);
}

void MainWindow::openSession(const QString &path)
{
    if (isEmpty())
        readSession(path);
    else
        emit windowWanted(path);
}

void MainWindow::readSession(const QString &path)
{
    statusBar()->showMessage(QStringLiteral("Opening %1 ...").arg(QFileInfo(path).fileName()));
    m_session.lane->start([this, path, services = m_jobs->services()](const JobLane::Context &) -> JobLane::Delivery {
        auto opened =
            stagecraft::openSession(QFile::encodeName(path).toStdString(), {services.openModel, services.findDevice});
        if (!opened)
            return [this, path, error = opened.error()] { refuseSession(path, error); };
        return [this, path, shared = std::make_shared<const OpenedSession>(std::move(*opened))] {
            showSession(path, *shared);
        };
    });
}

// An unreadable autosave file is set aside, not overwritten.
void MainWindow::refuseSession(const QString &path, Error error)
{
    statusBar()->clearMessage();
    if (!m_session.continued) {
        refuse(error);
        return;
    }
    const QString aside = path + QStringLiteral(".damaged");
    QFile::rename(path, aside);
    error.context = {aside.toStdString()};
    error.message = "what a window held before cannot be read: " + error.message;
    error.remedy = "The file was set aside under this name";
    refuse(error);
    keepIn(std::move(m_session.continued));
}

void MainWindow::showSession(const QString &path, const OpenedSession &opened)
{
    statusBar()->clearMessage();
    m_messages->dismiss();
    const SessionView &view = opened.session.view;
    if (!view.device.empty())
        chooseDevice(QString::fromStdString(view.device)); // reports a device that no longer exists
    SearchOptions options = m_searchPanel->options();
    options.strategies = view.strategies;
    options.r = view.r;
    options.s = view.s;
    options.singleSource = view.singleSource;
    m_searchPanel->setOptions(options);
    m_document->restore(opened);
    tellModel();
    for (Area *area : m_areaList)
        area->restore(opened.session);
    showPanes(view);
    const auto &note = opened.session.autosave;
    const bool isContinued = m_session.continued != nullptr;
    m_session.path = isContinued ? QString::fromStdString(note ? note->file : std::string()) : path;
    m_session.savedDigest = isContinued ? (note ? note->savedDigest : std::string()) : digestOf(toJson(sessionNow()));
    if (isContinued)
        keepIn(std::move(m_session.continued));
    else
        addRecentFile(path);
    showTitle();
    tellOpened(opened, isContinued && note && !note->isClosed);
    touchSession();
    measureLeftEdits();
    measureBaselines();
}

// Edits that were not measured when the session was left.
void MainWindow::measureLeftEdits()
{
    for (const ResultId id : m_document->unmeasuredEdits()) {
        const auto edit = m_document->toMeasure(id);
        m_document->setWaiting(id);
        m_jobs->measureEdit(*edit);
    }
}

void MainWindow::showPanes(const SessionView &view)
{
    std::vector<ResultId> shown = view.panes;
    std::erase_if(shown, [this](ResultId id) { return !m_document->shelf().find(id); });
    if (shown.empty())
        return;
    m_document->setCurrent(shown.front());
    for (std::size_t i = 1; i < shown.size(); ++i)
        m_panes->openBeside(shown[i]);
    if (shown.size() == view.panes.size())
        m_panes->focus(view.focused);
}

// After a crash: when it was saved and what was running; also the missing models.
void MainWindow::tellOpened(const OpenedSession &opened, bool wasInterrupted)
{
    QStringList lines;
    if (wasInterrupted)
        lines << QStringLiteral("Stagecraft ended unexpectedly. The window is restored as of %1.")
                     .arg(momentText(opened.session.autosave->atSeconds));
    if (opened.interrupted > 0)
        lines << QStringLiteral("%1 unfinished. Search again: the latencies measured so far are stored.")
                     .arg(opened.interrupted == 1 ? QStringLiteral("One search was")
                                                  : QStringLiteral("%1 searches were").arg(opened.interrupted));
    const auto &missing = m_document->missingModels();
    if (missing.empty()) {
        if (!lines.isEmpty())
            m_messages->show(MessageBar::Kind::Info, lines.join(QLatin1Char(' ')));
        return;
    }
    lines << missing.front().why;
    if (missing.size() > 1)
        lines << QStringLiteral("Also missing or changed: %1.")
                     .arg(plural(static_cast<std::int64_t>(missing.size()) - 1, "more model"));
    lines << QStringLiteral("Its results stay on the shelf and can be read and exported.");
    m_messages->show(MessageBar::Kind::Warning, lines.join(QLatin1Char(' ')), QStringLiteral("Find it..."),
                     [this] { findMissingModel(); });
}

void MainWindow::findMissingModel()
{
    if (m_document->missingModels().empty())
        return;
    const SessionModelPtr wanted = m_document->missingModels().front().model;
    const QString was = QString::fromStdString(wanted->source);
    const QString path = QFileDialog::getOpenFileName(this, QStringLiteral("Find %1").arg(QFileInfo(was).fileName()),
                                                      QFileInfo(was).absolutePath(),
                                                      QStringLiteral("Models (*.onnx *.json);;All files (*)"));
    if (!path.isEmpty())
        findMissingModelsIn(path);
}

// The first model in that file, the others next to it: they often move together.
void MainWindow::findMissingModelsIn(const QString &path)
{
    std::vector<SessionModelPtr> wanted;
    for (const MissingModel &missing : m_document->missingModels())
        wanted.push_back(missing.model);
    statusBar()->showMessage(QStringLiteral("Opening %1 ...").arg(QFileInfo(path).fileName()));
    m_session.lane->start(
        [this, path, wanted, services = m_jobs->services()](const JobLane::Context &) -> JobLane::Delivery {
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

void MainWindow::showFound(const std::vector<ModelPtr> &found, const std::optional<Error> &why)
{
    statusBar()->clearMessage();
    std::optional<Error> refused = why;
    std::size_t results = 0;
    for (const ModelPtr &model : found) {
        if (const auto fits = m_document->setFound(model); !fits)
            refused = fits.error();
        for (const ScheduleResult &result : m_document->shelf().results())
            results += m_document->targetOf(result.id).model == model ? 1 : 0;
    }
    refreshSessionActions();
    if (refused) {
        m_messages->show(MessageBar::Kind::Error, QString::fromStdString(errorText(*refused)),
                         QStringLiteral("Find it..."), [this] { findMissingModel(); });
        return;
    }
    m_messages->dismiss();
    statusBar()->showMessage(QStringLiteral("Found: %1 can be drawn and measured again")
                                 .arg(plural(static_cast<std::int64_t>(results), "result")),
                             8000);
    measureLeftEdits();
    if (!m_document->model() && !found.empty())
        m_document->setModel(found.front());
    measureBaselines();
}

bool MainWindow::saveSession()
{
    return m_session.path.isEmpty() ? saveSessionAs() : writeSession(m_session.path);
}

bool MainWindow::saveSessionAs()
{
    const QString folder = dialogFolder();
    const QString name =
        m_document->model() ? QString::fromStdString(m_document->model()->name) : QStringLiteral("session");
    const QString suggested =
        m_session.path.isEmpty() ? QStringLiteral("%1/%2%3").arg(folder, name, extension()) : m_session.path;
    QString path = QFileDialog::getSaveFileName(this, QStringLiteral("Save the session"), suggested,
                                                QStringLiteral("Sessions (*%1)").arg(extension()));
    if (path.isEmpty())
        return false;
    if (!isSessionFile(path)) {
        path += extension();
        if (QFileInfo::exists(path) && !mayReplace(path, this)) // the file dialog asked about another name
            return false;
    }
    keepDialogFolder(path);
    return writeSession(path);
}

bool MainWindow::writeSession(const QString &path)
{
    const std::string text = toJson(sessionNow());
    if (const auto saved = writeFile(QFile::encodeName(path).toStdString(), text); !saved) {
        refuse(saved.error());
        return false;
    }
    m_session.path = path;
    m_session.savedDigest = digestOf(text);
    addRecentFile(path);
    showTitle();
    setWindowModified(false);
    touchSession();
    statusBar()->showMessage(QStringLiteral("Saved %1").arg(path), 5000);
    return true;
}

void MainWindow::showTitle()
{
    QStringList parts;
    if (!m_session.path.isEmpty())
        parts << QStringLiteral("%1[*]").arg(QFileInfo(m_session.path).completeBaseName());
    if (const std::string &model = m_document->settings().model.name; !model.empty())
        parts << QString::fromStdString(model);
    parts << QStringLiteral("Stagecraft");
    setWindowTitle(parts.join(QStringLiteral(" - ")));
}

bool MainWindow::isModified() const
{
    return !m_session.path.isEmpty() && digestOf(toJson(sessionNow())) != m_session.savedDigest;
}

// Asks about unsaved changes only if the session has its own file; other sessions are kept and offered at the next
// start.
bool MainWindow::mayClose()
{
    if (!isModified())
        return true;
    QMessageBox box(QMessageBox::Question, QStringLiteral("Stagecraft"),
                    QStringLiteral("Save the changes to %1?").arg(QFileInfo(m_session.path).fileName()),
                    QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel, this);
    box.setInformativeText(QStringLiteral("Without saving, the file stays as it was and the changes are gone."));
    box.setDefaultButton(QMessageBox::Save);
    box.button(QMessageBox::Discard)->setText(QStringLiteral("&Don't save"));
    switch (box.exec()) {
    case QMessageBox::Save: return saveSession();
    case QMessageBox::Discard: return true;
    default: return false;
    }
}

void MainWindow::endSession()
{
    m_session.lane->cancel();
    if (!m_session.autosave)
        return;
    Session asked;
    for (const Area *area : m_areaList)
        area->store(asked);
    const bool isKept = m_session.path.isEmpty() &&
                        (std::ranges::any_of(m_document->shelf().results(), isWork) || !asked.studies.empty());
    if (isKept)
        m_session.autosave->finish(sessionToKeep(true));
    else
        m_session.autosave->discard();
}

void MainWindow::showRecent(const std::vector<KeptSession> &left)
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
        recent.push_back({file.fileName(), file.isAbsolute() ? file.dir().dirName() : QString(), spec});
    }
    m_graph->setStartEntries(leftEntries, recent);
}

} // namespace stagecraft
