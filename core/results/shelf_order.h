#pragma once

// The shelf as a list: filtered, grouped by model, device and batch, in the requested order.

#include "results/shelf.h"

#include <string_view>
#include <vector>

namespace stagecraft {

enum class ShelfOrder { AsMade, Newest, Fastest, Name };

struct ShelfGroup {
    RunContext settings;
    std::vector<ResultId> results; // pinned ones first
};

// Groups of one model stay together; groups and models are always in the order of their first result. A result passes
// the filter if every word is found, ignoring case, in its name, title, note, origin, model or device.
[[nodiscard]] std::vector<ShelfGroup> grouped(const Shelf &shelf, ShelfOrder order, std::string_view filter);

} // namespace stagecraft
