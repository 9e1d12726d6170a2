#include "desktop/what_if_window.h"

#include "engine/error_text.h"
#include "simulate/device_description.h"
#include "widgets/device_editor/device_editor.h"

#include <QLabel>
#include <QVBoxLayout>

#include <vector>

namespace stagecraft {
namespace {

constexpr std::string_view kSimulated = "sim:";

QString text(std::string_view latin)
{
    return QString::fromUtf8(latin.data(), static_cast<qsizetype>(latin.size()));
}

// As the other views write it; files keep to ASCII.
QString unitText(std::string_view unit)
{
    return unit == "us" ? QStringLiteral("µs") : text(unit);
}

} // namespace

QString whyNoWhatIf(const DeviceInfo &device)
{
    return device.id.starts_with(kSimulated)
               ? QString()
               : WhatIfWindow::tr("only the numbers of a simulated device can be changed");
}

WhatIfWindow::WhatIfWindow(QWidget *parent)
    : QDialog(parent), m_calibration(new QLabel(this)), m_editor(new DeviceEditor(this))
{
    setWindowTitle(tr("What if ..."));
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    m_calibration->setWordWrap(true);
    m_calibration->setContentsMargins(12, 10, 12, 0);
    m_calibration->setForegroundRole(QPalette::PlaceholderText);
    column->addWidget(m_calibration);
    column->addWidget(m_editor, 1);
    resize(620, 720);
    connect(m_editor, &DeviceEditor::applyRequested, this, [this](const std::vector<NumberChange> &changes) {
        WhatIf whatIf{m_original, {}};
        for (const auto &[key, value] : changes)
            whatIf.changes.emplace_back(key.toStdString(), value);
        emit deviceWanted(text(kSimulated) + QString::fromStdString(whatIfName(whatIf)));
    });
}

void WhatIfWindow::setDevice(const DeviceInfo &device)
{
    m_calibration->hide();
    if (const QString reason = whyNoWhatIf(device); !reason.isEmpty()) {
        m_editor->setUnavailable(
            tr("%1: %2. Choose a simulated device first.").arg(QString::fromStdString(device.title), reason));
        return;
    }
    const std::string name = device.id.substr(kSimulated.size());
    const auto whatIf = readWhatIfName(name);
    const auto original = whatIf ? findDeviceDescription(whatIf->original) : tl::unexpected(whatIf.error());
    const auto changed = original ? findDeviceDescription(name) : original;
    if (!changed) {
        m_editor->setUnavailable(QString::fromStdString(errorText(changed.error())));
        return;
    }
    m_original = whatIf->original;
    m_calibration->setText(tr("Calibrated on: %1. Nobody has measured a changed device.")
                               .arg(QString::fromStdString(original->calibration)));
    m_calibration->show();
    std::vector<EditableNumber> numbers;
    for (const DeviceNumber &number : deviceNumbers())
        numbers.push_back({text(number.key), text(number.label), unitText(number.unit), number.minimum, number.maximum,
                           number.whole, (*original).*number.member, (*changed).*number.member});
    m_editor->setDevice(QString::fromStdString(original->title), numbers);
}

} // namespace stagecraft
