#pragma once

// The recording that a kit made, for the search after it.

#include "device/recorded/recorded_latencies.h"
#include "model/model.h"
#include "support/result.h"

#include <string>

namespace stagecraft {

// `deviceId`: "rec:FILE". Errors: WrongUse (another device, a recording of another model or batch), InvalidInput (the
// file cannot be read, or is refused; named).
[[nodiscard]] Result<RecordedLatencies> readKitRecording(const std::string &deviceId, const Model &model);

} // namespace stagecraft
