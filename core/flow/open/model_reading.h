#pragma once

// What a person chose when a model file was opened - units, passes left out, sizes of inputs - as sessions keep it, and
// as a part of what a model is: readings of one file have different graphs, so their results are not compared.

#include "model/model.h"
#include "model/model_reader.h"
#include "results/files/session.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace stagecraft {

// "1x3x224x224"; empty if it is something else.
[[nodiscard]] std::optional<std::vector<std::int64_t>> sizesFromText(std::string_view text);

[[nodiscard]] SessionReading readingOf(const Model &model);
[[nodiscard]] ModelReadOptions readOptions(const SessionReading &reading, std::int64_t batch);

// To open the model again, read in the same way, at another batch.
[[nodiscard]] ModelReadOptions sameReading(const Model &model, std::int64_t batch);

// Name and hash of the file, with the reading where it is not the usual one.
[[nodiscard]] ModelReference referenceOf(const Model &model);

} // namespace stagecraft
