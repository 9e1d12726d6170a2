#include "desktop/dialogs/what_if_window.h"

#include "desktop/dialogs/dialog_folder.h"
#include "flow/open_model.h"
#include "support/error_text.h"
#include "support/text_file.h"
#include "widgets/device_editor/device_editor.h"

#include <QComboBox>
#include <QFile>
#include <QFileDialog>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>
#include <QStandardItemModel>
#include <QVBoxLayout>

#include <functional>
#include <initializer_list>
#include <optional>
#include <utility>
#include <vector>

namespace stagecraft {
namespace {

constexpr std::string_view kSimulated = "sim:";

QString text(std::string_view latin)
{
    return QString::fromUtf8(latin);
}

// As in the other views; files use only ASCII.
QString unitText(std::string_view unit)
{
    return unit == "us" ? QStringLiteral("µs") : text(unit);
}

constexpr int kUnlessTold = -1;

void addChoice(QComboBox *box, std::string_view title, int value)
{
    box->addItem(text(title), value);
}

// Empty: left to the device.
template <typename Enum>
std::optional<Enum> chosenIn(const QComboBox *box)
{
    const int value = box->currentData().toInt();
    return value == kUnlessTold ? std::nullopt : std::optional(static_cast<Enum>(value));
}

// Each choice that the device lacks says why. `with`: the options with this choice.
template <typename Enum>
void showChoices(QComboBox *box, std::optional<Enum> chosen, const DeviceDescription &device,
                 const std::function<SimulatedOptions(std::optional<Enum>)> &with)
{
    const QSignalBlocker blocked(box);
    const auto *items = qobject_cast<const QStandardItemModel *>(box->model());
    for (int i = 0; i < box->count(); ++i) {
        const int value = box->itemData(i).toInt();
        const auto run =
            runOf(device, with(value == kUnlessTold ? std::nullopt : std::optional(static_cast<Enum>(value))));
        items->item(i)->setEnabled(run.has_value());
        items->item(i)->setToolTip(run ? QString() : QString::fromStdString(errorText(run.error())));
    }
    box->setCurrentIndex(box->findData(chosen ? static_cast<int>(*chosen) : kUnlessTold));
}

} // namespace

QString whyNoWhatIf(const DeviceInfo &device)
{
    return device.id.starts_with(kSimulated) ? QString()
                                             : QStringLiteral("only the numbers of a simulated device can be changed");
}

WhatIfWindow::WhatIfWindow(QWidget *parent)
    : QDialog(parent), m_calibration(new QLabel(this)), m_precision(new QComboBox(this)),
      m_launches(new QComboBox(this)), m_editor(new DeviceEditor(this)),
      m_save(new QPushButton(QStringLiteral("&Save as a file..."), this)), m_saved(new QLabel(this))
{
    setWindowTitle(QStringLiteral("What if ..."));
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    m_calibration->setWordWrap(true);
    m_calibration->setContentsMargins(12, 10, 12, 0);
    m_calibration->setForegroundRole(QPalette::PlaceholderText);
    column->addWidget(m_calibration);
    addChoice(m_precision, "the device's own", kUnlessTold);
    for (const auto precision : {SimulatedPrecision::Fp32, SimulatedPrecision::Tf32, SimulatedPrecision::Fp16})
        addChoice(m_precision, toString(precision), static_cast<int>(precision));
    addChoice(m_launches, "the device's own", kUnlessTold);
    for (const Launches launches : {Launches::Host, Launches::Graph})
        addChoice(m_launches, toString(launches), static_cast<int>(launches));
    auto *form = new QFormLayout;
    form->setContentsMargins(12, 8, 12, 0);
    form->addRow(QStringLiteral("&Precision"), m_precision);
    form->addRow(QStringLiteral("&Launches"), m_launches);
    column->addLayout(form);
    for (QComboBox *box : {m_precision, m_launches}) {
        box->setToolTip(QStringLiteral("Compares the schedules on the device as it then is"));
        connect(box, &QComboBox::activated, m_editor,
                [this] { emit deviceWanted(text(kSimulated) + QString::fromStdString(changedName())); });
    }
    m_precision->setAccessibleName(QStringLiteral("Precision"));
    m_precision->setObjectName(QStringLiteral("precision"));
    m_launches->setAccessibleName(QStringLiteral("Launches"));
    m_launches->setObjectName(QStringLiteral("launches"));
    column->addWidget(m_editor, 1);
    m_save->setAutoDefault(false);
    m_save->setToolTip(QStringLiteral("A device description of your own: File > Device from file opens it again"));
    m_saved->setWordWrap(true);
    auto *foot = new QHBoxLayout;
    foot->setContentsMargins(12, 0, 12, 10);
    foot->addWidget(m_saved, 1);
    foot->addWidget(m_save);
    column->addLayout(foot);
    resize(620, 720);
    connect(m_save, &QPushButton::clicked, this, &WhatIfWindow::chooseFile);
    connect(m_editor, &DeviceEditor::applyRequested, this,
            [this] { emit deviceWanted(text(kSimulated) + QString::fromStdString(changedName())); });
    // Until then its numbers are those of the device before.
    connect(&m_reading, &JobLane::busyChanged, m_editor, [this](bool busy) {
        for (QWidget *part : std::initializer_list<QWidget *>{m_precision, m_launches, m_editor})
            part->setEnabled(!busy);
    });
    for (JobLane *lane : {&m_reading, &m_writing}) {
        connect(lane, &JobLane::busyChanged, this, &WhatIfWindow::busyChanged);
        connect(lane, &JobLane::workFailed, m_saved, &QLabel::setText);
    }
}

std::string WhatIfWindow::changedName() const
{
    SimulatedName original = simulatedName(m_original);
    original.options.clear();
    WhatIf whatIf{nameWith(original, chosenOptions(), m_description), {}};
    for (const auto &[key, value] : m_editor->changes())
        whatIf.changes.emplace_back(key.toStdString(), value);
    return whatIfName(whatIf);
}

SimulatedOptions WhatIfWindow::chosenOptions() const
{
    return {chosenIn<SimulatedPrecision>(m_precision), chosenIn<Launches>(m_launches)};
}

void WhatIfWindow::chooseFile()
{
    const QString path = QFileDialog::getSaveFileName(this, QStringLiteral("Save the device"),
                                                      dialogFolder() + QStringLiteral("/my-device.json"),
                                                      QStringLiteral("Device descriptions (*.json)"));
    if (!path.isEmpty())
        save(path);
}

void WhatIfWindow::save(const QString &path)
{
    const std::string file = QFile::encodeName(path).toStdString();
    m_writing.start([this, path, file, model = m_model, name = changedName()](const JobLane::Context &) {
        const auto written = (model ? refuseOverwritingModel(file, *model) : Result<void>{})
                                 .and_then([&] { return findDeviceDescription(name); })
                                 .and_then([&](const DeviceDescription &device) {
                                     return writeTextFile(file, deviceFileText(device, file));
                                 });
        const QString outcome =
            written ? QStringLiteral("Saved %1").arg(path) : QString::fromStdString(errorText(written.error()));
        return [this, outcome] { m_saved->setText(outcome); };
    });
}

void WhatIfWindow::setModel(std::shared_ptr<const Model> model)
{
    m_model = std::move(model);
}

void WhatIfWindow::setDevice(const DeviceInfo &device)
{
    m_reading.cancel();
    m_calibration->hide();
    m_save->setEnabled(false);
    m_saved->clear();
    if (const QString reason = whyNoWhatIf(device); !reason.isEmpty()) {
        m_precision->setEnabled(false);
        m_launches->setEnabled(false);
        m_editor->setUnavailable(QStringLiteral("%1: %2. Choose a simulated device first.")
                                     .arg(QString::fromStdString(device.title), reason));
        return;
    }
    m_reading.start([this, name = device.id.substr(kSimulated.size())](const JobLane::Context &) -> JobLane::Delivery {
        const auto described = describe(name);
        if (!described)
            return [this, reason = errorText(described.error())] {
                m_editor->setUnavailable(QString::fromStdString(reason));
            };
        return [this, device = *described] { showNumbers(device); };
    });
}

Result<WhatIfWindow::Described> WhatIfWindow::describe(const std::string &name)
{
    TRY_AS(auto whatIf, readWhatIfName(name));
    TRY_AS(auto original, findDeviceDescription(whatIf.original));
    TRY_AS(auto changed, findDeviceDescription(name));
    TRY_AS(const auto options, simulatedOptions(name));
    return Described{std::move(whatIf.original), std::move(original), std::move(changed), options};
}

void WhatIfWindow::showNumbers(const Described &device)
{
    m_original = device.originalName;
    m_description = device.original;
    showOptions(device);
    m_calibration->setText(QStringLiteral("Calibrated on: %1. Nobody has measured a changed device.")
                               .arg(QString::fromStdString(device.original.calibration)));
    m_calibration->show();
    std::vector<EditableNumber> numbers;
    for (const DeviceNumber &number : deviceNumbers())
        numbers.push_back({text(number.key), text(number.label), unitText(number.unit), number.minimum, number.maximum,
                           number.whole, device.original.*number.member, device.changed.*number.member});
    m_editor->setDevice(QString::fromStdString(device.original.title), numbers);
    m_save->setEnabled(true);
}

void WhatIfWindow::showOptions(const Described &device)
{
    const SimulatedOptions &now = device.options;
    showChoices<SimulatedPrecision>(m_precision, now.precision, device.original, [&](auto precision) {
        return SimulatedOptions{precision, now.launches};
    });
    showChoices<Launches>(m_launches, now.launches, device.original, [&](auto launches) {
        return SimulatedOptions{now.precision, launches};
    });
}

} // namespace stagecraft
