#pragma once

// Devices: the list, the user's own devices, devices from files, and what-if questions.

#include "desktop/areas/area.h"
#include "desktop/work/job_lane.h"
#include "results/schedule_result.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace stagecraft {

class DevicesDialog;
class WhatIfWindow;
struct DeviceInfo;
struct ShownOptions;
struct MemberCounts;
struct TimedSchedule;

class DeviceArea : public Area {
    Q_OBJECT
    Q_MOC_INCLUDE("device/device.h")
    Q_MOC_INCLUDE("widgets/search/device_options_button.h")

public:
    explicit DeviceArea(const AreaContext &context);
    ~DeviceArea() override;

    // With the default device, until all are listed.
    void begin();
    using Chosen = std::function<void(bool isChosen)>;
    // At once if it is listed; otherwise it is found first. Where there is none, a message says so.
    void choose(const QString &id, Chosen then = {});
    void switchTo(const QString &id);  // the same, and its baselines are measured
    void open(const QString &path);    // the device in the file; somethingElse() if there is none
    void compareOn(const QString &id); // every kind of schedule, also with the fastest one of the device before
    void showWhatIf();
    void showElsewhere();                                       // devices of other machines
    void showMembers(const std::vector<MemberCounts> &members); // of a pool

    void refresh() override;
    void changePalette() override;
    [[nodiscard]] bool isBusy() const override;
    [[nodiscard]] bool isFinding() const { return m_finding.isBusy(); }

signals:
    void devicesChanged(const std::vector<stagecraft::DeviceInfo> &devices);
    void optionsChanged(const stagecraft::ShownOptions &options); // of the chosen one
    void optionsWanted();                                         // their menu
    void leaving();                                               // for another device
    void somethingElse(const QString &path);
    void switched(); // to it, or its version is known only now
    void comparisonWanted();
    void measureWanted(stagecraft::ResultId id, const std::shared_ptr<const stagecraft::TimedSchedule> &schedule);

private:
    void find(const QString &id); // one that is not listed, or from a file, which may have changed
    [[nodiscard]] JobLane::Delivery found(const std::string &id); // on a lane
    void refuseDevice(const Error &error);
    void offer(std::vector<DeviceInfo> devices);
    void take(const DeviceInfo &device);
    void compareWith(ResultId best, const std::string &before);
    [[nodiscard]] Chosen thenMeasure();
    void loadFile();
    void showChosen();
    void showDevices();
    void showOptions();
    void testPlace(const QString &place);

    WhatIfWindow *m_whatIf;
    DevicesDialog *m_elsewhere;
    std::vector<DeviceInfo> m_devices;
    Chosen m_onFound; // of the one that is looked for
    JobLane m_listing;
    JobLane m_finding;
    JobLane m_describing; // the options of the chosen one
    JobLane m_testing;
};

[[nodiscard]] QString deviceDetail(const DeviceInfo &info);

} // namespace stagecraft
