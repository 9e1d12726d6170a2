// Devices: the list, the user's own devices, devices from files, and what-if questions.

#include "desktop/dialogs/dialog_folder.h"
#include "desktop/dialogs/what_if_window.h"
#include "desktop/kept/own_devices.h"
#include "desktop/main_window.h"
#include "desktop/work/device_sessions.h"
#include "widgets/search/search_panel.h"

#include <QFile>
#include <QFileDialog>

#include <algorithm>

namespace stagecraft {

QString MainWindow::deviceDetail(const DeviceInfo &info)
{
    QStringList lines;
    if (!info.available)
        lines << QString::fromStdString(info.unavailableReason);
    for (const auto &[name, value] : info.facts)
        lines << QStringLiteral("%1: %2").arg(QString::fromStdString(name), QString::fromStdString(value));
    if (!info.calibration.empty())
        lines << QString() << QStringLiteral("Calibrated on: %1").arg(QString::fromStdString(info.calibration));
    return lines.join(QLatin1Char('\n'));
}

// The id of the device that a file describes or was recorded on; empty if the file is something else.
QString MainWindow::deviceIn(const QString &path)
{
    constexpr qint64 kStart = 4096;
    if (path.endsWith(QStringLiteral(".latencies.jsonl"), Qt::CaseInsensitive))
        return QStringLiteral("rec:") + path;
    QFile file(path);
    const bool described = path.endsWith(QStringLiteral(".json"), Qt::CaseInsensitive) &&
                           file.open(QIODevice::ReadOnly) && file.read(kStart).contains("\"stagecraft-device\"");
    return described ? QStringLiteral("sim:") + path : QString();
}

// Devices whose file is gone are left out.
void MainWindow::addOwnDevices()
{
    for (const QString &id : ownDevices()) {
        if (auto device = m_jobs->services().findDevice(id.toStdString())) {
            m_devices.push_back((*device)->info());
            m_devices.back().id = id.toStdString();
        }
    }
}

bool MainWindow::chooseDevice(const QString &id)
{
    const auto known = std::find_if(m_devices.begin(), m_devices.end(),
                                    [&](const DeviceInfo &info) { return info.id == id.toStdString(); });
    if (known == m_devices.end() || !deviceFile(known->id).empty()) { // the contents of the file may have changed
        auto device = m_jobs->services().findDevice(id.toStdString());
        if (!device) {
            refuse(device.error());
            showDevices();
            return false;
        }
        DeviceInfo &info = known == m_devices.end() ? m_devices.emplace_back() : *known;
        info = (*device)->info();
        info.id = id.toStdString();
        keepOwnDevice(id);
        m_document->setDevice(info);
    } else {
        m_document->setDevice(*known);
    }
    showDevices();
    return true;
}

void MainWindow::switchDevice(const QString &id)
{
    dropBaselinesInLine();
    if (chooseDevice(id))
        measureBaselines();
}

// Measures the missing baselines of the model on the device.
void MainWindow::measureBaselines()
{
    if (!m_document->model())
        return;
    if (const std::vector<ResultToMake> missing = m_document->addBaselines(); !missing.empty())
        m_jobs->measureBaselines(m_document->target(), missing);
}

void MainWindow::loadDeviceFile()
{
    const QString path = QFileDialog::getOpenFileName(
        this, QStringLiteral("A device from a file"), dialogFolder(),
        QStringLiteral("Devices: descriptions and recorded latencies (*.json *.latencies.jsonl);;All files (*)"));
    if (path.isEmpty())
        return;
    keepDialogFolder(path);
    // Files of other kinds are reported when read as a description.
    const QString id = deviceIn(path);
    switchDevice(id.isEmpty() ? QStringLiteral("sim:") + path : id);
}

void MainWindow::showWhatIf()
{
    m_whatIf->show();
    m_whatIf->raise();
    m_whatIf->activateWindow();
}

// Makes the five schedules for the device and also measures the previous device's fastest schedule on it.
void MainWindow::compareOn(const QString &deviceId)
{
    dropBaselinesInLine();
    const ResultId best = m_document->newest(ScheduleKind::IosBoth);
    const std::string before = m_document->device().id;
    if (!chooseDevice(deviceId) || !m_document->model())
        return;
    if (const ScheduleResult *result = m_document->shelf().find(best); result && m_document->device().id != before) {
        const SchedulePtr schedule = result->schedule;
        const QString title = QStringLiteral("%1 made for %2")
                                  .arg(QString::fromStdString(result->shownName()),
                                       QString::fromStdString(before).section(QLatin1Char(':'), 1));
        m_jobs->measureAgain(m_document->target(),
                             m_document->addFromOtherDevice(title, best, QString::fromStdString(before)), schedule);
    }
    const std::size_t planned = m_plannedSearches.size();
    compareAll();
    if (!m_jobs->isSearching() && m_plannedSearches.size() == planned) // refused, with a message
        measureBaselines();
}

// The device of the result shown may be none that is offered: of a session, or a file that is gone.
void MainWindow::showChosenDevice()
{
    const DeviceInfo &device = m_document->device();
    if (std::ranges::find(m_devices, device.id, &DeviceInfo::id) == m_devices.end()) {
        m_devices.push_back(device);
        showDevices();
    } else {
        m_searchPanel->setDeviceId(QString::fromStdString(device.id));
    }
}

void MainWindow::showDevices()
{
    std::vector<DeviceChoice> choices;
    for (const DeviceInfo &info : m_devices)
        choices.push_back({QString::fromStdString(info.id), QString::fromStdString(info.title), deviceDetail(info),
                           info.available, info.provenance, QString::fromStdString(info.unavailableReason)});
    m_searchPanel->setDevices(choices, QString::fromStdString(m_document->device().id));
    offerStudyDevices();
}

} // namespace stagecraft
