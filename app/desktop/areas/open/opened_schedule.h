#pragma once

// A schedule of a file for a model on a device. Its latencies may be for another device or batch: it is measured here.

#include "desktop/work/target.h"
#include "measure/measurers.h"
#include "support/result.h"

#include <QString>

#include <optional>
#include <stop_token>

namespace stagecraft {

struct OpenedSchedule {
    TimedSchedule measured;
    TimedSchedule file; // with the device, batch and precision it was made for
};

// From the file, or `embedded`, which is part of the model's file at that path. Errors name the path.
[[nodiscard]] Result<OpenedSchedule> openSchedule(const Target &target, const QString &path,
                                                  const SchedulePtr &embedded, Measurers &measurers,
                                                  const std::stop_token &stop);

// How the model of a schedule file was read. Empty: it is no schedule.
[[nodiscard]] std::optional<Reading> readingOfFile(const QString &path);

// The settings it was made for, if they differ from those it is measured with: "sim:k80, batch 32, not 1".
[[nodiscard]] QString originText(const OpenedSchedule &opened);

} // namespace stagecraft
