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
#include <mutex>
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

// What stays known of a place that was opened.
struct StudiedPlace {
    std::shared_ptr<const Model> model;
    DeviceInfo device;
};

// Called on the threads of the study, several at a time.
struct SpecializationCallbacks {
    std::function<void(const RunPlace &, const StudiedPlace &)> opened{}; // once or twice
    std::function<void(const RunPlace &, const SearchProgress &)> searching{};
    std::function<void(const RunPlace &, const FoundSchedule &)> made{};
    std::function<void(const RunPlace &on, const RunPlace &madeFor, const TimedSchedule &)> measured{};
};

class Specialization {
public:
    // Called on several threads at a time.
    using Open = std::function<Result<OpenedPlace>(const RunPlace &)>;

    explicit Specialization(Open open) : m_open(std::move(open)) {}

    // Searches IOS-Both for each place, then measures each of these schedules on each place; places that do not disturb
    // each other (flow/study/side_by_side.h) at the same time, each such lane on a thread. Errors: those of `open` and
    // findSchedule, which end the study, and Cancelled; what was found until then stays known.
    [[nodiscard]] Result<void> study(std::span<const RunPlace> places, const SpecializationCallbacks &told,
                                     const std::stop_token &stop);

    // Null: not known yet. They stay where they are.
    [[nodiscard]] const StudiedPlace *opened(const RunPlace &place) const;
    [[nodiscard]] const TimedSchedule *measured(const RunPlace &on, const RunPlace &madeFor) const;

private:
    // Places that wait for each other; the last one opened stays open.
    struct Lane {
        std::vector<RunPlace> places;
        RunPlace place{};
        OpenedPlace opened{};
    };
    using Work = std::function<Result<void>(Lane &, const RunPlace &, const std::stop_token &)>;

    [[nodiscard]] static Result<void> onEach(std::vector<Lane> &lanes, const Work &work, const std::stop_token &stop);
    [[nodiscard]] Result<void> open(Lane &lane, const RunPlace &place, const SpecializationCallbacks &told);
    [[nodiscard]] Result<void> make(Lane &lane, const RunPlace &place, const SpecializationCallbacks &told,
                                    const std::stop_token &stop);
    [[nodiscard]] Result<void> measure(Lane &lane, const RunPlace &on, const RunPlace &madeFor,
                                       const SpecializationCallbacks &told, const std::stop_token &stop);
    [[nodiscard]] const FoundSchedule *made(const RunPlace &place) const;

    Open m_open;
    mutable std::mutex m_mutex; // protects the maps; what they hold never changes
    std::map<RunPlace, StudiedPlace> m_opened;
    std::map<RunPlace, FoundSchedule> m_made;
    std::map<std::pair<RunPlace, RunPlace>, TimedSchedule> m_measured; // by (on, made for)
};

} // namespace stagecraft
