#pragma once

// Opening models, schedules, profiles, devices and sessions, and reading the open model again, as other areas want it.

#include "desktop/areas/area.h"
#include "desktop/work/job_lane.h"
#include "graph/model_reference.h"
#include "results/schedule_result.h"

#include <QStringList>

#include <cstdint>
#include <deque>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace stagecraft {

class DeviceArea;
class SessionArea;
struct ImportReport;
struct Model;
struct OpenInput;
struct OpenRequest;
struct OpenedProfile;
struct OpenedSchedule;

class OpenArea : public Area {
    Q_OBJECT

public:
    OpenArea(const AreaContext &context, SessionArea &session, const DeviceArea &devices);

    // Takes a built-in name or a path, like the command line. The open model stays until the new one is read.
    void openModel(const QString &spec);
    void open(const OpenRequest &request); // of models in a given reading
    void openPath(const QString &path);    // a model, a session, a schedule or profile of the open model, or a device
    void openPaths(QStringList paths);     // one after the other, then profiles, schedules last
    void openAtBatch(std::int64_t batch);  // the open model, read as it is
    void stopOpening();
    void chooseModelFile();
    // The open model, read otherwise. `carried`, if not null, is a schedule of it that comes along where it can, as a
    // result of this name; a message says why, where it cannot.
    void readAgain(OpenRequest request, const std::shared_ptr<const TimedSchedule> &carried = {},
                   const QString &name = {});
    void tellModel(); // what its import and costs leave open

    void refresh() override;
    [[nodiscard]] bool isBusy() const override;

signals:
    void leaving();                                        // for the model that has been read
    void opened(const stagecraft::ModelReference &before); // it is shown
    void failed();                                         // what is open stays
    void readingAgain(const QString &what);                // empty: no more
    void openingChanged(bool isOpening);                   // or a device is looked for
    void deviceWanted(const QString &path);                // if the file is one
    // Sizes for the inputs of a file that was refused at those that were tried.
    void sizesWanted(const QString &name, const stagecraft::OpenRequest &request,
                     const stagecraft::ImportReport &report);

private:
    struct ToOpen {
        QStringList paths; // several: profiles
        bool mayBeProfiles = false;
    };

    // A schedule of a model that is read again.
    struct Carried {
        std::shared_ptr<const Model> model; // as it was
        std::shared_ptr<const TimedSchedule> schedule;
        QString name; // of the result
    };

    void addActions();
    void connectOpening();
    [[nodiscard]] bool isOpening() const;
    void read(const OpenRequest &request, const Carried &carried = {});
    void showModel(const QString &spec, const std::shared_ptr<const Model> &model);
    void refuseModel(const QString &spec, Error error, const std::vector<OpenInput> &open);
    // For the settings of the next search: from a file, or `embedded`, which is part of the model's file.
    void readSchedule(const QString &path, const std::shared_ptr<const TimedSchedule> &embedded = {},
                      const QString &name = {});
    // Those among the files that are profiles; the others are opened as what else they are.
    void readProfiles(const QStringList &paths);
    [[nodiscard]] JobLane::Delivery foundProfiles(const std::shared_ptr<const Model> &model, const QStringList &paths,
                                                  const std::stop_token &stop);
    void openOthersFirst(const std::vector<std::string> &others, const QStringList &profiles);
    void showProfile(const std::shared_ptr<const Model> &model, const OpenedProfile &opened);
    void openOther(const QString &path); // that is no profile
    void showSchedule(const QString &path, const QString &name, const RunContext &settings,
                      const OpenedSchedule &opened);
    void openNext();
    void openEmbedded(const std::shared_ptr<const TimedSchedule> &schedule); // of the model's file, once
    void chooseScheduleFile();
    void fillSamples(QMenu *menu);
    void fillRecent(QMenu *menu);
    bool tellOpenSizes();
    // A schedule file of a model that was read otherwise than the open one.
    void offerReading(const QString &path, const Error &error, const Reading &reading);
    void offerSizes(const QString &spec, const Error &error, const std::vector<OpenInput> &open);
    SessionArea &m_session;
    const DeviceArea &m_devices;
    std::deque<ToOpen> m_toOpen;
    bool m_areSeveral = false; // what one of them is refused for stays to be read
    JobLane m_opening;
};

} // namespace stagecraft
