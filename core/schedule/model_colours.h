#pragma once

// How several models of one schedule are told apart in every view and export: a bar at the edge of an operator, in a
// colour (0xrrggbb) and with gaps of its own, so that nobody needs the colour. Cyclically, by the place of the model.

#include <array>
#include <cstddef>

namespace stagecraft {

inline constexpr std::array kModelLight{0x0b6bcb, 0xa65500, 0x8e3b86, 0x64707d};
inline constexpr std::array kModelDark{0x4aa8ff, 0xf2a65a, 0xd79bd1, 0x96a2b0};

struct ModelBar {
    double line; // pixels; 0: all of it
    double gap;
    const char *words; // "no gaps"
};
inline constexpr std::array kModelBars{ModelBar{0, 0, "no gaps"}, ModelBar{7, 4, "gaps"}, ModelBar{3, 3, "dots"},
                                       ModelBar{14, 2, "few gaps"}};

} // namespace stagecraft
