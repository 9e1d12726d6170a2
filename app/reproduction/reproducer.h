#pragma once

// The implementation of reproduction/reproduce.h, one member function per group of figures; private to this folder.

#include "device/device.h"
#include "flow/find_schedule.h"
#include "model/model.h"
#include "reproduction/published_schedules.h"
#include "reproduction/reproduce.h"

#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stagecraft {

// A model on a device.
struct ModelOnDevice {
    Model model;
    std::unique_ptr<DeviceSession> session;
};

[[nodiscard]] Figure newFigure(std::string id, std::string title, std::string unit, std::string rowsAre);

inline constexpr std::string_view kPublishedDevice = "sim:v100"; // simulates the device that was measured

class Reproducer {
public:
    Reproducer(std::unique_ptr<Device> device, const ReproduceProgress &progress, std::stop_token stop)
        : m_device(std::move(device)), m_info(m_device->info()), m_progress(progress), m_stop(std::move(stop))
    {
    }

    Result<Reproduction> all();

private:
    using Step = Result<void> (Reproducer::*)();

    [[nodiscard]] Result<ModelOnDevice> open(const std::string &model, std::int64_t batch, const Device &device) const;
    [[nodiscard]] Result<FoundSchedule> make(ModelOnDevice &on, ScheduleKind kind) const; // r = 3, s = 8
    [[nodiscard]] Result<FoundSchedule> make(ModelOnDevice &on, ScheduleKind kind, int r, int s, bool exhaustive) const;
    [[nodiscard]] Result<double> measureMs(ModelOnDevice &on, const Schedule &schedule) const;
    [[nodiscard]] Result<std::vector<double>>
    measurePublished(ModelOnDevice &on,
                     std::span<const published::PublishedSchedule *const> schedules) const; // ms each

    Result<void> networks();
    Result<void> searchSpaces();
    Result<void> schedules();
    Result<void> sample();
    Result<void> activeWarps();
    Result<void> pruning();
    Result<void> wholeSearches();
    Result<void> blocks();
    Result<void> batches();
    Result<void> devices();
    Result<void> publishedSchedules();
    Result<void> layoutStudy();
    Result<void> layoutExample();
    Result<void> layoutNetworks();

    void claim(std::string text, bool holds, std::string numbers)
    {
        m_result.claims.push_back({std::move(text), holds, std::move(numbers)});
    }

    std::unique_ptr<Device> m_device;
    DeviceInfo m_info;
    const ReproduceProgress &m_progress;
    std::stop_token m_stop;
    Reproduction m_result;
};

} // namespace stagecraft
