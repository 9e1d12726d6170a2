#pragma once

// Opening models, schedules, devices and sessions, and how a model file is read: chosen in a dialog, kept for the file,
// said where the file leaves sizes open, and shown in the panel of passes.

#include "desktop/areas/area.h"
#include "desktop/work/job_lane.h"
#include "results/schedule_result.h"

#include <QStringList>

#include <cstdint>
#include <memory>
#include <vector>

namespace stagecraft {

class DeviceArea;
class PassesPanel;
class SessionArea;
struct ImportReport;
struct Model;
struct OpenInput;
struct OpenRequest;
struct OpenedSchedule;

class OpenArea : public Area {
    Q_OBJECT

public:
    OpenArea(const AreaContext &context, SessionArea &session, const DeviceArea &devices);

    // Takes a built-in name or a path, like the command line. The open model stays until the new one is read.
    void openModel(const QString &spec);
    void openPath(const QString &path);   // a model, a session, a schedule for the open model, or a device
    void openPaths(QStringList paths);    // one after the other, schedules last
    void openAtBatch(std::int64_t batch); // the open model, read as it is
    void stopOpening();
    void tellModel(); // what its import and costs leave open

    [[nodiscard]] std::vector<Dock> docks() const override;
    void docked() override;
    void refresh() override;
    [[nodiscard]] bool isBusy() const override;

signals:
    void leaving();                                        // for the model that has been read
    void opened(const stagecraft::ModelReference &before); // it is shown
    void failed();                                         // what is open stays
    void openingChanged(bool isOpening);                   // or a device is looked for
    void deviceWanted(const QString &path);                // if the file is one

private:
    void addActions();
    void connectPasses();
    void connectOpening();
    [[nodiscard]] bool isOpening() const;
    void read(const OpenRequest &request);
    void showModel(const QString &spec, const std::shared_ptr<const Model> &model,
                   const std::shared_ptr<const TimedSchedule> &embedded);
    void refuseModel(const QString &spec, Error error, const std::vector<OpenInput> &open);
    // For the settings of the next search: from a file, or `embedded`, which is part of the model's file.
    void readSchedule(const QString &path, const std::shared_ptr<const TimedSchedule> &embedded = {});
    void showSchedule(const QString &path, const RunContext &settings, const OpenedSchedule &opened);
    void findSteps(const QString &pass);
    void openNext();
    void openEmbedded(const std::shared_ptr<const TimedSchedule> &schedule); // of the model's file, once
    void chooseModelFile();
    void chooseScheduleFile();
    void fillSamples(QMenu *menu);
    void fillRecent(QMenu *menu);
    void showFront();
    bool tellOpenSizes();
    void chooseReading();
    void showReading(const QString &name, const OpenRequest &request, const ImportReport &report);
    void readAgain(OpenRequest request);
    void offerSizes(const QString &spec, const Error &error, const std::vector<OpenInput> &open);
    void switchPass(const QString &pass, bool on);

    SessionArea &m_session;
    const DeviceArea &m_devices;
    PassesPanel *m_passes;
    std::shared_ptr<const Model> m_model; // in the passes
    QStringList m_paths;
    bool m_areSeveral = false; // what one of them is refused for stays to be read
    JobLane m_opening;
    JobLane m_stepping; // through passes
};

} // namespace stagecraft
