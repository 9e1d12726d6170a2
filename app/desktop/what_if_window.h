#pragma once

// What if the device were different: the device editor in a window of its own, on the simulated device that is chosen.
// Asks for the changed device by its id (simulate/device_description.h: whatIfName); opens no device itself.

#include "device/device.h"
#include "model/model.h"

#include <QDialog>
#include <QString>

#include <memory>
#include <string>

class QLabel;
class QPushButton;

namespace stagecraft {

class DeviceEditor;

// Why the numbers of this device cannot be changed; empty where they can.
[[nodiscard]] QString whyNoWhatIf(const DeviceInfo &device);

class WhatIfWindow : public QDialog {
    Q_OBJECT

public:
    explicit WhatIfWindow(QWidget *parent = nullptr);

    void setDevice(const DeviceInfo &device);
    void setModel(std::shared_ptr<const Model> model); // that is open: its files are not written over; may be null

    [[nodiscard]] DeviceEditor *editor() const { return m_editor; }

    // The device with what is changed now, applied or not, as a description file; what came of it is shown.
    void save(const QString &path);

signals:
    void deviceWanted(const QString &id);

private:
    [[nodiscard]] std::string changedName() const;
    void chooseFile();

    QLabel *m_calibration; // what the numbers rest on before they are changed
    DeviceEditor *m_editor;
    QPushButton *m_save;
    QLabel *m_saved;        // what came of it
    std::string m_original; // built-in name or path
    std::shared_ptr<const Model> m_model;
};

} // namespace stagecraft
