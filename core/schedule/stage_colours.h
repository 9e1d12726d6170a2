#pragma once

// The fills of stages, as 0xrrggbb: a stage has the colour of its number, cyclically, in every view. Hues that are
// distinct for normal and colour-blind sight (after Okabe and Ito), softened for large areas.

#include <array>

namespace stagecraft {

inline constexpr std::array kStageLight{0x8ecae6, 0xf6c177, 0x8fd3b6, 0xf2a0a8, 0xb8b4f0, 0xe7e08b, 0xd9a9d6, 0xb9c4cf};
inline constexpr std::array kStageDark{0x2f7ea6, 0xb57a1f, 0x2c8a69, 0xb2505c, 0x6a64bd, 0x8f8a2b, 0x91568d, 0x5f6f7f};

} // namespace stagecraft
