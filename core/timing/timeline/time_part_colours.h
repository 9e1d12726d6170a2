#pragma once

// The fills of the parts of a time, as 0xrrggbb, in every view: blue for work at a peak, green for waiting, warm
// colours for what is lost, grey for what nothing explains. Distinct for normal and colour-blind sight (Okabe and Ito).

#include "timing/timeline/time_parts.h"

#include <array>

namespace stagecraft {

inline constexpr std::array<int, kTimeParts> kTimePartColours{0x0072b2, 0x56b4e9, 0x009e73, 0xe69f00,
                                                              0xd55e00, 0xcc79a7, 0xb9c4cf};

[[nodiscard]] constexpr int timePartFill(TimePart part)
{
    return kTimePartColours[static_cast<std::size_t>(part)];
}

} // namespace stagecraft
