#pragma once

// Devices: the list, the user's own devices, devices from files, and what-if questions.

#include "desktop/areas/area.h"
#include "device/device.h"

#include <vector>

namespace stagecraft {

class WhatIfWindow;

class DeviceArea : public Area {
    Q_OBJECT

public:
    explicit DeviceArea(const AreaContext &context);

    bool choose(const QString &id);    // false, with a message, if there is no such device
    void switchTo(const QString &id);  // the same, and its baselines are measured
    void compareOn(const QString &id); // every kind of schedule, also with the fastest one of the device before
    void showWhatIf();

    void refresh() override;
    void changePalette() override;

signals:
    void devicesChanged(const std::vector<stagecraft::DeviceInfo> &devices);
    void leaving();  // for another device
    void switched(); // to it
    void comparisonWanted();

private:
    void addOwnDevices();
    void loadFile();
    void showChosen();
    void showDevices();

    WhatIfWindow *m_whatIf;
    std::vector<DeviceInfo> m_devices;
};

[[nodiscard]] QString deviceDetail(const DeviceInfo &info);
// The id of the device that a file describes or was recorded on; empty if the file is something else.
[[nodiscard]] QString deviceIn(const QString &path);

} // namespace stagecraft
