#pragma once

// The shelf as a list: what a filter leaves of it, by model, device and batch, in the order that was asked for.

#include "shelf/shelf.h"

#include <string_view>
#include <vector>

namespace stagecraft {

enum class ShelfOrder { AsMade, Newest, Fastest, Name };

struct ShelfGroup {
    MeasurementSettings settings;
    std::vector<ResultId> results; // pinned ones first
};

// Groups of one model stay together; groups and models stand as their first result came, in every order. The filter is
// of words that all have to be found, in any case, in a result's name, title, note, what made it, model or device.
[[nodiscard]] std::vector<ShelfGroup> grouped(const Shelf &shelf, ShelfOrder order, std::string_view filter);

} // namespace stagecraft
