// Results that are not searched: published schedules and stated latencies. Also clears stored latencies.

#include "desktop/main_window.h"

#include "desktop/dialogs/stated_dialog.h"
#include "measure/store/latency_store.h"
#include "reproduction/published_schedules.h"
#include "widgets/base/format.h"
#include "widgets/shelf/shelf_view.h"

#include <QAction>
#include <QMenu>
#include <QMessageBox>
#include <QPushButton>
#include <QStatusBar>

#include <array>
#include <filesystem>

namespace stagecraft {
namespace {

struct PublishedResult {
    const published::PublishedSchedule *schedule;
    const char *source;
};

constexpr std::array kPublished{PublishedResult{&published::kForV100, "V100, batch 1"},
                                PublishedResult{&published::kForK80, "K80, batch 1"},
                                PublishedResult{&published::kForBatch32, "V100, batch 32"},
                                PublishedResult{&published::kForBatch128, "V100, batch 128"}};

QString latenciesText(std::int64_t count)
{
    return countText(count) + (count == 1 ? QStringLiteral(" stored latency") : QStringLiteral(" stored latencies"));
}

} // namespace

void MainWindow::createResultActions()
{
    m_actions.add("published", QStringLiteral("P&ublished schedules"), QStringLiteral("Ctrl+Shift+P"),
                  [this] { openPublished(); });
    m_actions.add("today", QStringLiteral("What I run to&day..."), QStringLiteral("Ctrl+Shift+B"),
                  [this] { stateLatency(); });
    m_actions.add("forget_device", {}, QStringLiteral("Ctrl+Alt+D"), [this] {
        const DeviceInfo &device = m_document->device();
        forgetLatencies({device.fingerprint, device.id, 0, {}}, QString::fromStdString(device.title));
    });
    m_actions.add("forget_model", {}, QStringLiteral("Ctrl+Alt+M"), [this] {
        const std::string name = m_document->model()->graph->name();
        forgetLatencies({{}, {}, 0, name}, QString::fromStdString(name));
    });
}

void MainWindow::refreshResultActions()
{
    const ModelPtr &model = m_document->model();
    const bool isPublished = model && model->name == "inception_v3";
    m_actions["published"]->setEnabled(isPublished);
    m_actions["published"]->setText(isPublished ? QStringLiteral("P&ublished schedules")
                                                : QStringLiteral("P&ublished schedules (of inception_v3 only)"));
    m_actions["today"]->setEnabled(model != nullptr);
    const bool keeps = !m_document->device().fingerprint.empty();
    m_actions["forget_device"]->setEnabled(keeps);
    m_actions["forget_device"]->setText(keeps ? QStringLiteral("For&get latencies of the device...")
                                              : QStringLiteral("For&get latencies of the device (none are stored)"));
    m_actions["forget_model"]->setEnabled(model != nullptr);
    m_actions["forget_model"]->setText(QStringLiteral("Forget latencies of the m&odel..."));
}

// Each becomes a result that is measured here.
void MainWindow::openPublished()
{
    const Target target = m_document->target();
    if (!target.model)
        return;
    for (const PublishedResult &each : kPublished) {
        auto schedule = publishedSchedule(*each.schedule, *target.model->graph, target.model->blocks);
        if (!schedule) {
            refuse(schedule.error());
            return;
        }
        schedule->batch = target.model->graph->batch();
        const QString source = QLatin1String(each.source);
        const ResultId id = m_document->addPublished(QStringLiteral("IOS for %1").arg(source), source);
        m_jobs->measureAgain(target, id, std::make_shared<const Schedule>(std::move(*schedule)));
    }
}

// Adds the latency to the shelf and, if wanted, makes it the baseline.
void MainWindow::stateLatency()
{
    auto *dialog = new StatedDialog(this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &StatedDialog::stated, this, [this](const StatedLatency &stated) {
        const ResultId id = m_document->addStated(stated.name, stated.us, stated.file);
        if (stated.isBaseline)
            m_document->chooseBaseline(id);
        m_shelf->choose(id);
    });
    dialog->open();
}

void MainWindow::forgetLatencies(const StoredSelection &meant, const QString &whose)
{
    const std::string &path = m_jobs->services().latencyStore;
    std::error_code error;
    const bool isThere = !path.empty() && std::filesystem::exists(path, error);
    auto store = isThere ? LatencyStore::open(path) : Result<LatencyStore>(LatencyStore::inMemory());
    const auto count = store.and_then([&](LatencyStore &opened) { return opened.count(meant); });
    if (!count) {
        refuse(count.error());
        return;
    }
    if (*count == 0) {
        statusBar()->showMessage(QStringLiteral("No latencies of %1 are stored.").arg(whose), 8000);
        return;
    }
    auto *box = new QMessageBox(QMessageBox::Question, QStringLiteral("Forget stored latencies"),
                                QStringLiteral("Forget %1 of %2, for good?").arg(latenciesText(*count), whose),
                                QMessageBox::Cancel, this);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setInformativeText(QStringLiteral("They are measured again when they are needed. Results stay on the shelf."));
    const QPushButton *forget = box->addButton(QStringLiteral("&Forget"), QMessageBox::DestructiveRole);
    box->setDefaultButton(QMessageBox::Cancel);
    connect(forget, &QPushButton::clicked, this, [this, meant, whose, path] {
        auto opened = LatencyStore::open(path);
        const auto gone = opened.and_then([&](LatencyStore &kept) { return kept.clear(meant); });
        if (!gone)
            refuse(gone.error());
        else
            statusBar()->showMessage(QStringLiteral("%1 of %2 forgotten").arg(latenciesText(*gone), whose), 8000);
    });
    box->open();
}

} // namespace stagecraft
