#include "desktop/areas/device_area.h"

#include "desktop/dialogs/devices_dialog.h"
#include "desktop/dialogs/dialog_folder.h"
#include "desktop/dialogs/what_if_window.h"
#include "desktop/document/document.h"
#include "desktop/kept/own_devices.h"
#include "desktop/work/services.h"
#include "device/device_file.h"
#include "device/simulated/option_choices.h"
#include "support/error_text.h"
#include "support/input_file.h"
#include "support/sha256.h"
#include "widgets/search/device_options_button.h"
#include "wiring/device_catalog.h"

#include <QFileDialog>
#include <QKeySequence>

#include <algorithm>
#include <utility>

namespace stagecraft {
namespace {

constexpr std::string_view kSimulated = "sim:";
constexpr std::uintmax_t kLargestDeviceFile = std::uintmax_t{1} << 30;

Result<DeviceInfo> infoOf(const Services &services, const std::string &id)
{
    TRY_AS(const auto device, services.findDevice(id));
    DeviceInfo info = device->info();
    info.id = id;
    const auto file = deviceFile(id);
    if (!file.empty()) {
        TRY_AS(const auto text, readInputFile(file, kLargestDeviceFile));
        info.fileHash = sha256(text);
    }
    return info;
}

// PyTorch is not loaded for a list: its devices tell what they are, and what latencies they have, when they are chosen.
bool wasAsked(const DeviceInfo &info)
{
    return !info.available || !info.facts.empty() || info.provenance != Provenance::Measured;
}

// Empty if they can be chosen.
QString whyNoOptions(const DeviceInfo &device)
{
    if (!device.id.starts_with(kSimulated))
        return QStringLiteral("only simulated devices have these choices");
    return device.countsAs.empty() ? QString() : QStringLiteral("each device of a pool is listed with its own");
}

ShownOptions::Group groupOf(const OptionGroup &group)
{
    ShownOptions::Group shown{QString::fromStdString(group.title), {}};
    for (const OptionChoice &choice : group.choices)
        shown.choices.push_back({QString::fromStdString(choice.title), QString::fromStdString(choice.id),
                                 choice.isChosen, QString::fromStdString(choice.whyNot)});
    return shown;
}

ShownOptions optionsOf(const std::string &id)
{
    const auto choices = optionChoices(id.substr(kSimulated.size()));
    if (!choices)
        return {{}, {}, QString::fromStdString(errorText(choices.error()))};
    return {QString::fromStdString(choices->told), {groupOf(choices->precision), groupOf(choices->launches)}, {}};
}

} // namespace

DeviceArea::DeviceArea(const AreaContext &context)
    : Area(context), m_whatIf(new WhatIfWindow(&window())), m_elsewhere(new DevicesDialog(&window()))
{
    actions().add("device", QStringLiteral("&Device from file..."), QStringLiteral("Ctrl+D"), [this] { loadFile(); });
    actions().add("devices_elsewhere", QStringLiteral("Devices e&lsewhere..."), QStringLiteral("Ctrl+Shift+D"),
                  [this] { showElsewhere(); });
    actions().add("what_if", {}, QStringLiteral("F7"), [this] { showWhatIf(); });
    actions().add("device_options", {}, QStringLiteral("Shift+F7"), [this] { emit optionsWanted(); });
    connect(m_whatIf, &WhatIfWindow::deviceWanted, this, &DeviceArea::compareOn);
    connect(m_whatIf, &WhatIfWindow::busyChanged, this, &DeviceArea::busyChanged);
    connect(&next(), &NextSearch::modelChanged, this, [this] { m_whatIf->setModel(next().model()); });
    connect(&next(), &NextSearch::deviceChanged, this, [this] {
        m_whatIf->setDevice(next().device());
        showOptions();
        showChosen();
    });
    connect(m_elsewhere, &DevicesDialog::testWanted, this, &DeviceArea::testPlace);
    connect(m_elsewhere, &DevicesDialog::testStopped, &m_testing, &JobLane::cancel);
    connect(m_elsewhere, &DevicesDialog::deviceWanted, this, &DeviceArea::switchTo);
    for (const JobLane *lane : {&m_listing, &m_finding, &m_describing, &m_testing})
        connect(lane, &JobLane::busyChanged, this, &DeviceArea::busyChanged);
    connect(&m_finding, &JobLane::workFailed, this, [this](const QString &reason) {
        refuseDevice({ErrorCode::DeviceFailed, reason.toStdString(), {}, {}});
    });
}

// Listing takes a while: a program is started for it.
void DeviceArea::begin()
{
    DeviceInfo first;
    first.id = first.title = services().defaultDevice;
    const bool isSimulated = first.id.starts_with("sim:"); // known without asking anybody
    if (const auto device = isSimulated ? services().findDevice(first.id) : nullptr; device && *device)
        first = (*device)->info();
    m_devices = {first};
    next().setDevice(first);
    showDevices();
    m_listing.start([this, own = ownDevices(), services = services()](const JobLane::Context &) -> JobLane::Delivery {
        std::vector<DeviceInfo> devices = services.listDevices();
        for (const QString &id : own) {
            if (auto device = infoOf(services, id.toStdString())) // not if its file is gone
                devices.push_back(std::move(*device));
        }
        return [this, devices = std::move(devices)] { offer(devices); };
    });
}

DeviceArea::~DeviceArea() = default;

bool DeviceArea::isBusy() const
{
    return m_listing.isBusy() || m_finding.isBusy() || m_describing.isBusy() || m_testing.isBusy() ||
           m_whatIf->isBusy();
}

void DeviceArea::refresh()
{
    const QString why = whyNoWhatIf(next().device());
    actions()["what_if"]->setEnabled(why.isEmpty());
    actions()["what_if"]->setText(why.isEmpty() ? QStringLiteral("What &if... change the device")
                                                : QStringLiteral("What &if... (%1)").arg(why));
    const QString whyNone = whyNoOptions(next().device());
    actions()["device_options"]->setEnabled(whyNone.isEmpty());
    actions()["device_options"]->setText(whyNone.isEmpty()
                                             ? QStringLiteral("P&recision and launches...")
                                             : QStringLiteral("P&recision and launches (%1)").arg(whyNone));
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
    if (info.simulationErrors)
        lines << QStringLiteral("Latencies are %1").arg(QString::fromStdString(simulatedText(*info.simulationErrors)));
    return lines.join(QLatin1Char('\n'));
}

void DeviceArea::offer(std::vector<DeviceInfo> devices)
{
    std::swap(m_devices, devices);
    for (DeviceInfo &other : devices) { // of a file or session, that were chosen meanwhile
        if (std::ranges::find(m_devices, other.id, &DeviceInfo::id) == m_devices.end())
            m_devices.push_back(std::move(other));
    }
    const std::string &inUse = next().device().id;
    const RunContext before = next().settings();
    if (const auto listed = std::ranges::find(m_devices, inUse, &DeviceInfo::id); listed != m_devices.end())
        next().setDevice(*listed);
    showDevices();
    if (next().settings() != before) // its version was not known
        emit switched();
}

void DeviceArea::take(const DeviceInfo &device)
{
    const auto known = std::ranges::find(m_devices, device.id, &DeviceInfo::id);
    (known == m_devices.end() ? m_devices.emplace_back() : *known) = device;
    keepOwnDevice(QString::fromStdString(device.id));
    next().setDevice(device);
    showDevices();
    if (const auto then = std::exchange(m_onFound, {}))
        then(true);
}

void DeviceArea::choose(const QString &id, Chosen then)
{
    const auto known = std::ranges::find(m_devices, id.toStdString(), &DeviceInfo::id);
    const bool isListed = known != m_devices.end() && known->fileHash.empty(); // a file may have changed
    if (!isListed || !wasAsked(*known)) {
        m_onFound = std::move(then);
        find(id);
        return;
    }
    m_onFound = {};
    next().setDevice(*known);
    showDevices();
    if (then)
        then(true);
}

void DeviceArea::find(const QString &id)
{
    m_finding.start([this, id](const JobLane::Context &) { return found(id.toStdString()); });
}

JobLane::Delivery DeviceArea::found(const std::string &id)
{
    auto device = infoOf(services(), id);
    if (!device)
        return [this, error = device.error()] { refuseDevice(error); };
    return [this, device = std::move(*device)] { take(device); };
}

void DeviceArea::refuseDevice(const Error &error)
{
    refuse(error);
    showDevices();
    showOptions();
    if (const auto then = std::exchange(m_onFound, {}))
        then(false);
}

DeviceArea::Chosen DeviceArea::thenMeasure()
{
    return [this](bool isChosen) {
        if (!isChosen)
            return;
        emit leaving();
        emit switched();
    };
}

void DeviceArea::switchTo(const QString &id)
{
    choose(id, thenMeasure());
}

void DeviceArea::open(const QString &path)
{
    m_onFound = thenMeasure();
    m_finding.start([this, path](const JobLane::Context &) -> JobLane::Delivery {
        if (const std::string id = deviceIn(path.toStdString()); !id.empty())
            return found(id);
        return [this, path] {
            m_onFound = {};
            emit somethingElse(path);
        };
    });
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
    const bool isRecording = path.endsWith(QStringLiteral(".jsonl"), Qt::CaseInsensitive);
    switchTo((isRecording ? QStringLiteral("rec:") : QStringLiteral("sim:")) + path);
}

// The device of the result shown may be none that is offered: of a session, or a file that is gone.
void DeviceArea::showChosen()
{
    const DeviceInfo &device = next().device();
    if (std::ranges::find(m_devices, device.id, &DeviceInfo::id) != m_devices.end())
        return;
    m_devices.push_back(device);
    showDevices();
}

void DeviceArea::showDevices()
{
    emit devicesChanged(m_devices);
}

// Those of a file are read from it. Until then the choices would be those of the device before.
void DeviceArea::showOptions()
{
    m_describing.cancel();
    const DeviceInfo &device = next().device();
    if (const QString whyNone = whyNoOptions(device); !whyNone.isEmpty()) {
        emit optionsChanged({{}, {}, whyNone});
    } else if (device.fileHash.empty()) {
        emit optionsChanged(optionsOf(device.id));
    } else {
        emit optionsChanged({{}, {}, QStringLiteral("reading the device ...")});
        m_describing.start([this, id = device.id](const JobLane::Context &) -> JobLane::Delivery {
            return [this, options = optionsOf(id)] { emit optionsChanged(options); };
        });
    }
}

void DeviceArea::showWhatIf()
{
    m_whatIf->show();
    m_whatIf->raise();
    m_whatIf->activateWindow();
}

void DeviceArea::showElsewhere()
{
    m_elsewhere->show();
    m_elsewhere->raise();
    m_elsewhere->activateWindow();
}

void DeviceArea::showMembers(const std::vector<MemberCounts> &members)
{
    m_elsewhere->showMembers(members);
}

void DeviceArea::testPlace(const QString &place)
{
    m_elsewhere->setTesting(place);
    m_testing.start([this, place, services = services()](const JobLane::Context &context) -> JobLane::Delivery {
        return [this, place, devices = services.listDevicesOf(place.toStdString(), context.stop)] {
            m_elsewhere->showDevices(place, devices);
        };
    });
}

// Makes the five schedules for the device and also measures the previous device's fastest schedule on it.
void DeviceArea::compareOn(const QString &id)
{
    emit leaving();
    const ResultId best = results().newest(ScheduleKind::IosBoth);
    const std::string before = next().device().id;
    choose(id, [this, best, before](bool isChosen) {
        if (isChosen && next().model())
            compareWith(best, before);
    });
}

void DeviceArea::compareWith(ResultId best, const std::string &before)
{
    if (const ScheduleResult *result = results().shelf().find(best); result && next().device().id != before) {
        const SchedulePtr schedule = result->schedule;
        const QString title = QStringLiteral("%1 made for %2")
                                  .arg(QString::fromStdString(result->shownName()),
                                       QString::fromStdString(before).section(QLatin1Char(':'), 1));
        emit measureWanted(added().addFromOtherDevice(title, best, QString::fromStdString(before)), schedule);
    }
    emit comparisonWanted();
}

} // namespace stagecraft
