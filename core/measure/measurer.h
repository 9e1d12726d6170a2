#pragma once

// A device opened on one graph (measure/measurers.h). Threads: any.

#include "device/device.h"
#include "measure/measurers.h"

#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace stagecraft {

class Measurer : public std::enable_shared_from_this<Measurer> {
public:
    using FileTime = std::optional<std::filesystem::file_time_type>;

    // `changed`: when the device's file was changed, if it has one.
    Measurer(std::shared_ptr<const Graph> graph, std::string deviceId, FileTime changed, std::shared_ptr<Turns> turns);

    [[nodiscard]] bool isOf(const Graph *graph, const std::string &deviceId) const;
    [[nodiscard]] FileTime changed() const { return m_changed; }

    // As Measurers::open.
    [[nodiscard]] Result<Measurers::Opened> open(const DeviceFinder &find, Urgency urgency, Device::Waiting told,
                                                 const std::optional<ModelFile> &file);
    // As Measurers::readStore.
    bool readStore(const std::string &path, const DeviceInfo &device);
    [[nodiscard]] KnownTimings &known() { return *m_known; }

private:
    [[nodiscard]] Result<std::shared_ptr<SharedSession>> openSession(const Device::Waiting &told);
    void giveBack(std::shared_ptr<SharedSession> session);

    std::shared_ptr<const Graph> m_graph;
    std::string m_deviceId;
    FileTime m_changed;
    std::shared_ptr<Turns> m_turns;
    std::shared_ptr<KnownTimings> m_known = std::make_shared<KnownTimings>();
    std::mutex m_reading;    // protects m_readState
    std::string m_readState; // of the store's file when it was read; empty: not yet
    std::mutex m_mutex;      // protects what follows
    std::shared_ptr<Device> m_device;
    std::shared_ptr<SharedSession> m_shared;              // of a device whose answers carry noise
    std::vector<std::shared_ptr<SharedSession>> m_unused; // of any other, for the next thread that asks
};

} // namespace stagecraft
