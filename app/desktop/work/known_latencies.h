#pragma once

// Looks stages up in the latency store, for views that state what is known before anything is measured. The store is
// read on a thread of its own, for the model and device asked about last: looking a stage up waits for no file. Lives
// on the UI thread.

#include "desktop/work/job_lane.h"
#include "device/device.h"
#include "schedule/stage_signature.h"
#include "timing/timing.h"

#include <QElapsedTimer>
#include <QObject>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

namespace stagecraft {

class KnownLatencies : public QObject {
    Q_OBJECT

public:
    // An empty path, or one without a file: nothing is known.
    explicit KnownLatencies(std::string path, QObject *parent = nullptr);
    ~KnownLatencies() override;

    // The stage is legal. Empty if the device stores nothing, or the store did not have it when it was read. Where that
    // is a while ago, it is read again; changed() says when there is more.
    [[nodiscard]] std::optional<double> us(const std::shared_ptr<const Graph> &graph, const DeviceInfo &device,
                                           const Stage &stage);

signals:
    void changed(); // more is known

private:
    struct Subject {
        std::string fingerprint;
        std::string device;
        std::int64_t batch = 0;

        friend bool operator==(const Subject &, const Subject &) = default;
    };
    using Latencies = std::unordered_map<std::string, Timing>; // by signature

    void read();

    std::string m_path;
    Subject m_subject;
    std::shared_ptr<const Graph> m_graph; // of the signer
    std::optional<StageSigner> m_signer;
    Latencies m_known;
    std::string m_readState; // of the file, when it was read; empty: not yet
    QElapsedTimer m_sinceRead;
    JobLane m_lane; // last member: its work uses the others
};

} // namespace stagecraft
