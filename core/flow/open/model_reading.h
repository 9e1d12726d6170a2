#pragma once

// How a model is opened again.

#include "model/model.h"
#include "model/model_reader.h"

#include <cstdint>

namespace stagecraft {

[[nodiscard]] ModelReadOptions readOptions(const Reading &reading, std::int64_t batch);

// To open the model again, read in the same way, at another batch.
[[nodiscard]] ModelReadOptions sameReading(const Model &model, std::int64_t batch);

} // namespace stagecraft
