#pragma once

// What a file is that a person opens, by its name or by what it holds.

#include <QString>

namespace stagecraft {

[[nodiscard]] bool isSchedule(const QString &path);

// Or a model; of what is no schedule.
[[nodiscard]] bool mayBeDevice(const QString &path);

// "my.net" of my.net.schedule.json; of other files, with their ending.
[[nodiscard]] QString scheduleName(const QString &path);

} // namespace stagecraft
