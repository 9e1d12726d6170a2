#pragma once

// What-if questions: the device editor in a separate window, for the chosen simulated device, with how it computes and
// launches (device/simulated/simulated_options.h). Requests the changed device by its id; opens no device itself.

#include "desktop/work/job_lane.h"
#include "device/device.h"
#include "device/simulated/device_description.h"
#include "device/simulated/simulated_options.h"
#include "model/model.h"

#include <QDialog>
#include <QString>

#include <memory>
#include <string>

class QComboBox;
class QLabel;
class QPushButton;

namespace stagecraft {

class DeviceEditor;

// Why the numbers of this device cannot be changed; empty if they can.
[[nodiscard]] QString whyNoWhatIf(const DeviceInfo &device);

class WhatIfWindow : public QDialog {
    Q_OBJECT

public:
    explicit WhatIfWindow(QWidget *parent = nullptr);

    void setDevice(const DeviceInfo &device);
    void setModel(std::shared_ptr<const Model> model); // the open model, whose files are not overwritten; may be null

    [[nodiscard]] DeviceEditor *editor() const { return m_editor; }

    // Saves the device with the current changes, applied or not, as a description file; shows the outcome.
    void save(const QString &path);

    [[nodiscard]] bool isBusy() const { return m_reading.isBusy() || m_writing.isBusy(); }

signals:
    void deviceWanted(const QString &id);
    void busyChanged();

private:
    // A device and what it was changed from.
    struct Described {
        std::string originalName;
        DeviceDescription original;
        DeviceDescription changed;
        SimulatedOptions options;
    };

    [[nodiscard]] static Result<Described> describe(const std::string &name);
    void showNumbers(const Described &device);
    void showOptions(const Described &device);
    [[nodiscard]] SimulatedOptions chosenOptions() const;
    [[nodiscard]] std::string changedName() const;
    void chooseFile();

    QLabel *m_calibration; // the basis of the original numbers
    QComboBox *m_precision;
    QComboBox *m_launches;
    DeviceEditor *m_editor;
    QPushButton *m_save;
    QLabel *m_saved;        // the outcome of saving
    std::string m_original; // built-in name or path, with its options
    DeviceDescription m_description;
    std::shared_ptr<const Model> m_model;
    JobLane m_reading; // the description of the device
    JobLane m_writing; // a file, which another device does not stop
};

} // namespace stagecraft
