#pragma once

// How times of spans and blocks differ between schedules that are compared: the same in a pane's headers, in the gutter
// beside it and in the status bar.

#include "widgets/base/time_change.h"

#include <QString>
#include <QStringList>

#include <cstddef>
#include <optional>

namespace stagecraft {

class ComparedSchedules;

// Of a span (ComparedSchedules::spanUs). Empty if a side is not measured.
[[nodiscard]] std::optional<TimeChange> spanChange(const ComparedSchedules &compared, std::size_t span,
                                                   std::size_t sideA, std::size_t sideB);
// Of a block with the barriers between its stages, against the first side.
[[nodiscard]] TimeChange blockChange(const ComparedSchedules &compared, const LatencyParts &first,
                                     const LatencyParts &other, std::size_t side);

// Why: the parts of its time that change most (widgets/base/time_part_look.h). Empty: it is not known where the time
// of both goes.
[[nodiscard]] QString spanReasons(const ComparedSchedules &compared, std::size_t span, std::size_t sideA,
                                  std::size_t sideB);

// "224 → 158 µs, −29.5 %; barriers 1 → 2; idle SMs −80.1 µs", for the span in one schedule and another; with several
// others each is named. Letters are those of the panes, by side.
[[nodiscard]] QString spanText(const ComparedSchedules &compared, std::size_t span, const QStringList &letters);

} // namespace stagecraft
