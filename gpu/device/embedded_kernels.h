#pragma once

// The source files of gpu/kernels, embedded at build time.

#include <span>
#include <string_view>
#include <utility>

namespace stagecraft::gpu {

// File name and text.
[[nodiscard]] std::span<const std::pair<std::string_view, std::string_view>> embeddedKernels();

} // namespace stagecraft::gpu
