#pragma once

// Which search the tool bar shows while none runs, and what else it says of it.

#include "results/schedule_result.h"

#include <QString>

namespace stagecraft {

class Document;

// The result that is shown, if it was searched for, or else the newest search that fits; null: there is none.
[[nodiscard]] const ScheduleResult *searchToShow(const Document &document);

// A baseline that is faster than the result; empty: none is.
[[nodiscard]] QString fasterBaseline(const Document &document, ResultId id);

} // namespace stagecraft
