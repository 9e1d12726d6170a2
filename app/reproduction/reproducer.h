#pragma once

// What the steps of a reproduction (reproduction_steps.h) share: the device, and what was found so far. Private to this
// folder.

#include "device/device.h"
#include "flow/find_schedule.h"
#include "model/model.h"
#include "reproduction/published_schedules.h"
#include "reproduction/reproduce.h"
#include "reproduction/reproduction.h"
#include "support/result.h"

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

class Reproducer {
public:
    Reproducer(std::unique_ptr<Device> device, std::stop_token stop);

    [[nodiscard]] const Device &device() const { return *m_device; }
    [[nodiscard]] const DeviceInfo &info() const { return m_info; }
    [[nodiscard]] const std::stop_token &stop() const { return m_stop; }

    [[nodiscard]] Result<ModelOnDevice> open(const std::string &model, std::int64_t batch, const Device &device) const;
    [[nodiscard]] Result<FoundSchedule> make(ModelOnDevice &on, ScheduleKind kind) const; // r = 3, s = 8
    [[nodiscard]] Result<FoundSchedule> make(ModelOnDevice &on, ScheduleKind kind, int r, int s, bool exhaustive) const;
    [[nodiscard]] Result<double> measureMs(ModelOnDevice &on, const TimedSchedule &schedule) const;
    [[nodiscard]] Result<std::vector<double>>
    measurePublished(ModelOnDevice &on,
                     std::span<const published::PublishedSchedule *const> schedules) const; // ms each

    void add(Figure figure) { m_result.figures.push_back(std::move(figure)); }
    void claim(std::string text, bool holds, std::string numbers)
    {
        m_result.claims.push_back({std::move(text), holds, std::move(numbers)});
    }
    void leaveOut(std::string why) { m_result.notReproduced.push_back(std::move(why)); }
    [[nodiscard]] Reproduction take() { return std::move(m_result); }

private:
    std::unique_ptr<Device> m_device;
    DeviceInfo m_info;
    std::stop_token m_stop;
    Reproduction m_result;
};

} // namespace stagecraft
