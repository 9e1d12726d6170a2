#pragma once

// Specialisation (IOS, section 7.2): schedules made for one batch size or device, run on the others. Each schedule is
// searched once and each cell of the table measured once; what is known is not asked for again.

#include "device/device.h"
#include "flow/find_schedule.h"
#include "model/model.h"

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace stagecraft {

// A device and a batch size that a schedule is made for, or run on.
struct RunPlace {
    std::string device;
    std::int64_t batch = 0; // 0: that of the model

    friend auto operator<=>(const RunPlace &, const RunPlace &) = default;
};

// All devices at all batch sizes, each once: by device, then by batch. Without batches: the model's own.
[[nodiscard]] std::vector<RunPlace> placesOf(std::span<const std::string> devices,
                                             std::span<const std::int64_t> batches);

// A model at a batch size, on a device.
struct OpenedPlace {
    std::shared_ptr<const Model> model;
    DeviceInfo device;
    std::unique_ptr<DeviceSession> session;
};

class Specialization {
public:
    using Open = std::function<Result<OpenedPlace>(const RunPlace &)>;

    explicit Specialization(Open open) : m_open(std::move(open)) {}

    // IOS-Both for the place. Errors: those of `open` and findSchedule, and Cancelled if the search was stopped early.
    [[nodiscard]] Result<const FoundSchedule *> make(const RunPlace &place, const SearchProgressCallback &progress,
                                                     std::stop_token stop);
    // The schedule made for one place, measured on another; it was made before.
    [[nodiscard]] Result<const TimedSchedule *> measure(const RunPlace &on, const RunPlace &madeFor,
                                                        std::stop_token stop);
    // The model and device of the place. The last place stays open, until another is asked for.
    [[nodiscard]] Result<const OpenedPlace *> open(const RunPlace &place);

private:
    Open m_open;
    RunPlace m_place; // the one that is open
    OpenedPlace m_opened;
    std::map<RunPlace, FoundSchedule> m_made;
    std::map<std::pair<RunPlace, RunPlace>, TimedSchedule> m_measured; // by (on, made for)
};

} // namespace stagecraft
