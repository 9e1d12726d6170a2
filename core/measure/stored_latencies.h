#pragma once

// Looks stages up in the latency store, without a session of the device. Waits for the file, so not for the UI thread;
// used by one thread.

#include "device/device.h"
#include "measure/store/latency_store.h"
#include "schedule/stage_signature.h"

#include <memory>
#include <optional>
#include <string>

namespace stagecraft {

class Graph;

class StoredLatencies {
public:
    // An empty path, or one without a file: nothing is known.
    explicit StoredLatencies(std::string path);
    ~StoredLatencies();

    // The stage is legal. Empty if the device stores nothing, the store does not have it, or cannot be read.
    [[nodiscard]] std::optional<double> us(const std::shared_ptr<const Graph> &graph, const DeviceInfo &device,
                                           const Stage &stage);

private:
    std::string m_path;
    std::optional<LatencyStore> m_store;
    std::shared_ptr<const Graph> m_graph; // of the signer
    std::optional<StageSigner> m_signer;
};

} // namespace stagecraft
