#pragma once

// The devices that a program has open: one session for each graph and device, shared by searches, edits, studies and
// timelines (measure/measuring_session.h), so that each runs in one worker process and what one has measured the
// others know. Devices whose answers are exact have a session for each thread instead. A device from a file is read
// again when the file changes. Threads: any.

#include "device/device.h"
#include "measure/measuring_session.h"
#include "measure/store/latency_store.h"
#include "support/result.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace stagecraft {

class Measurer;

using DeviceFinder = std::function<Result<std::unique_ptr<Device>>(const std::string &id)>;

class Measurers {
public:
    // `store`: the file that found devices store their latencies in; empty: none.
    explicit Measurers(DeviceFinder find, std::string store = {});
    ~Measurers();
    Measurers(const Measurers &) = delete;
    Measurers &operator=(const Measurers &) = delete;

    struct Opened {
        DeviceInfo device;
        std::unique_ptr<MeasuringSession> session;
    };

    // Opens the device unless it is open, and so may take long. It stays open until three others were asked for.
    // `told`: as Device::onWaiting; `file`: as Device::setModelFile. Errors: those of the finder and of Device::open.
    [[nodiscard]] Result<Opened> open(const std::shared_ptr<const Graph> &graph, const std::string &deviceId,
                                      Urgency urgency, Device::Waiting told = {},
                                      const std::optional<ModelFile> &file = {});

    // What is known of the stage without asking: no file, no wait.
    [[nodiscard]] std::optional<Timing> known(const Graph *graph, const std::string &deviceId,
                                              const StageSignature &signature) const;
    // Reads what the store knows of the device, if its file has changed since it was read; waits for the file. True: it
    // was read.
    bool readStore(const std::shared_ptr<const Graph> &graph, const DeviceInfo &device);

    // Latencies in the store. Errors: the store's.
    [[nodiscard]] Result<std::int64_t> countStored(const StoredSelection &meant) const;
    // Returns how many were removed. Nothing measured is known any more.
    [[nodiscard]] Result<std::int64_t> forgetStored(const StoredSelection &meant);

private:
    [[nodiscard]] std::shared_ptr<Measurer> measurer(const std::shared_ptr<const Graph> &graph,
                                                     const std::string &deviceId);
    [[nodiscard]] Result<LatencyStore> openStore() const;

    DeviceFinder m_find;
    std::string m_store;
    std::shared_ptr<Turns> m_turns;
    mutable std::mutex m_mutex;                         // protects m_measurers
    std::vector<std::shared_ptr<Measurer>> m_measurers; // the one asked for last at the end
};

} // namespace stagecraft
