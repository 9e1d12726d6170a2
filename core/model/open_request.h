#pragma once

// What a model is opened with.

#include "model/model.h"
#include "model/opening_budget.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace stagecraft {

struct OpenRequest {
    std::string spec = {};                 // a built-in name or a path
    std::int64_t batch = 0;                // 0: the model's own, or 1 if it leaves it open
    Reading reading = {};                  // of a model file; other models consist of units and know their sizes
    std::optional<GivenInputs> given = {}; // if it is executed: then one of constants alone is read, too
    bool keepSource = false;               // for exportOnnx, which copies from it; needs memory
    bool keepFolded = false;               // nodes of a model file that become constants, to be looked at
    // What opening may take, and whether it is to stop (Cancelled); null: the usual one. Of one opening.
    std::shared_ptr<WorkBudget> budget = {};
};

// To open the model again, read in the same way, at another batch.
[[nodiscard]] OpenRequest sameReading(const Model &model, std::int64_t batch);

} // namespace stagecraft
