#pragma once

// Latencies of stages that do not exist yet, so that a drop says what it gains or costs before it is made: what is
// known of the device, measured now or stored (measure/measurers.h), and otherwise what a simulated device answers,
// which takes microseconds to milliseconds and disturbs nobody. The store is read and the device is asked in the
// background, for the model and device asked about last: nothing here waits. Lives on the UI thread.

#include "desktop/work/job_lane.h"
#include "device/device.h"
#include "measure/measurers.h"
#include "schedule/stage_signature.h"

#include <QElapsedTimer>
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
    explicit StagePreviews(std::shared_ptr<Measurers> measurers, QObject *parent = nullptr);
    ~StagePreviews() override;

    // The stage is legal. Empty: not known, which changed() may end.
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
    void readStore();
    void askNext();

    std::shared_ptr<Measurers> m_measurers;
    std::shared_ptr<const Graph> m_graph;
    std::optional<StageSigner> m_signer; // of the graph
    DeviceInfo m_device;
    QElapsedTimer m_sinceRead; // of the store
    std::deque<Answer> m_answers;
    std::vector<Stage> m_wanted;
    std::vector<Stage> m_asked; // being answered
    JobLane m_reading;          // the last members: their work uses the others
    JobLane m_asking;
};

} // namespace stagecraft
