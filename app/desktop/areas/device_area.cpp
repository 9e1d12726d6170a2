#include "desktop/areas/device_area.h"

#include "desktop/dialogs/dialog_folder.h"
#include "desktop/dialogs/what_if_window.h"
#include "desktop/document/document.h"
#include "desktop/kept/own_devices.h"
#include "desktop/work/device_sessions.h"
#include "desktop/work/jobs.h"

#include <QFile>
#include <QFileDialog>
#include <QKeySequence>

#include <algorithm>

namespace stagecraft {

DeviceArea::DeviceArea(const AreaContext &context) : Area(context), m_whatIf(new WhatIfWindow(&window()))
{
    m_devices = jobs().services().listDevices();
    addOwnDevices();
    actions().add("device", QStringLiteral("&Device from file..."), QStringLiteral("Ctrl+D"), [this] { loadFile(); });
    actions().add("what_if", {}, QStringLiteral("F7"), [this] { showWhatIf(); });
    connect(m_whatIf, &WhatIfWindow::deviceWanted, this, &DeviceArea::compareOn);
    connect(&document(), &Document::modelChanged, this, [this] { m_whatIf->setModel(document().model()); });
    connect(&document(), &Document::deviceChanged, this, [this] {
        m_whatIf->setDevice(document().device());
        showChosen();
    });
}

void DeviceArea::refresh()
{
    const QString why = whyNoWhatIf(document().device());
    actions()["what_if"]->setEnabled(why.isEmpty());
    actions()["what_if"]->setText(why.isEmpty() ? QStringLiteral("What &if... change the device")
                                                : QStringLiteral("What &if... (%1)").arg(why));
}

void DeviceArea::changePalette()
{
    showDevices();
}

QString deviceDetail(const DeviceInfo &info)
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

QString deviceIn(const QString &path)
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
void DeviceArea::addOwnDevices()
{
    for (const QString &id : ownDevices()) {
        if (auto device = jobs().services().findDevice(id.toStdString())) {
            m_devices.push_back((*device)->info());
            m_devices.back().id = id.toStdString();
        }
    }
}

bool DeviceArea::choose(const QString &id)
{
    const auto known = std::find_if(m_devices.begin(), m_devices.end(),
                                    [&](const DeviceInfo &info) { return info.id == id.toStdString(); });
    if (known == m_devices.end() || !deviceFile(known->id).empty()) { // the contents of the file may have changed
        auto device = jobs().services().findDevice(id.toStdString());
        if (!device) {
            refuse(device.error());
            showDevices();
            return false;
        }
        DeviceInfo &info = known == m_devices.end() ? m_devices.emplace_back() : *known;
        info = (*device)->info();
        info.id = id.toStdString();
        keepOwnDevice(id);
        document().setDevice(info);
    } else {
        document().setDevice(*known);
    }
    showDevices();
    return true;
}

void DeviceArea::switchTo(const QString &id)
{
    emit leaving();
    if (choose(id))
        emit switched();
}

void DeviceArea::loadFile()
{
    const QString path = QFileDialog::getOpenFileName(
        &window(), QStringLiteral("A device from a file"), dialogFolder(),
        QStringLiteral("Devices: descriptions and recorded latencies (*.json *.latencies.jsonl);;All files (*)"));
    if (path.isEmpty())
        return;
    keepDialogFolder(path);
    // Files of other kinds are reported when read as a description.
    const QString id = deviceIn(path);
    switchTo(id.isEmpty() ? QStringLiteral("sim:") + path : id);
}

// The device of the result shown may be none that is offered: of a session, or a file that is gone.
void DeviceArea::showChosen()
{
    const DeviceInfo &device = document().device();
    if (std::ranges::find(m_devices, device.id, &DeviceInfo::id) != m_devices.end())
        return;
    m_devices.push_back(device);
    showDevices();
}

void DeviceArea::showDevices()
{
    emit devicesChanged(m_devices);
}

void DeviceArea::showWhatIf()
{
    m_whatIf->show();
    m_whatIf->raise();
    m_whatIf->activateWindow();
}

// Makes the five schedules for the device and also measures the previous device's fastest schedule on it.
void DeviceArea::compareOn(const QString &id)
{
    emit leaving();
    const ResultId best = document().newest(ScheduleKind::IosBoth);
    const std::string before = document().device().id;
    if (!choose(id) || !document().model())
        return;
    if (const ScheduleResult *result = document().shelf().find(best); result && document().device().id != before) {
        const SchedulePtr schedule = result->schedule;
        const QString title = QStringLiteral("%1 made for %2")
                                  .arg(QString::fromStdString(result->shownName()),
                                       QString::fromStdString(before).section(QLatin1Char(':'), 1));
        jobs().measureAgain(document().target(),
                            document().addFromOtherDevice(title, best, QString::fromStdString(before)), schedule);
    }
    emit comparisonWanted();
}

} // namespace stagecraft
