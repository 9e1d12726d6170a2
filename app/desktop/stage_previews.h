#pragma once

// Latencies of stages that do not exist yet, so that a drop says what it gains or costs before it is made. Asked for on
// simulated devices only: they answer in microseconds to milliseconds and disturb nobody. Asks in the background;
// answers are kept for the model and device asked about last. Lives on the UI thread.

#include "desktop/work/device_sessions.h"
#include "desktop/work/job_lane.h"
#include "device/device.h"

#include <QObject>

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace stagecraft {

class StagePreviews : public QObject {
    Q_OBJECT

public:
    explicit StagePreviews(DeviceFinder find, QObject *parent = nullptr);
    ~StagePreviews() override;

    // Empty: asked for now, which changed() ends; or the device does not answer, or is not simulated.
    [[nodiscard]] std::optional<double> us(const std::shared_ptr<const Graph> &graph, const DeviceInfo &device,
                                           const Stage &stage);

signals:
    void changed(); // answers have come

private:
    struct Answer {
        Stage stage;
        std::optional<double> us; // empty: the device has none
    };

    void turnTo(const std::shared_ptr<const Graph> &graph, const DeviceInfo &device);
    void askNext();

    std::shared_ptr<const Graph> m_graph;
    DeviceInfo m_device;
    std::deque<Answer> m_answers;
    std::vector<Stage> m_wanted;
    std::vector<Stage> m_asked;                 // being answered
    std::shared_ptr<DeviceSessions> m_sessions; // belongs to the lane's thread
    JobLane m_lane;                             // last member: its work uses the others
};

} // namespace stagecraft
