#pragma once

// The parts of the worker for PyTorch, in their order.

#include <span>
#include <string_view>

namespace stagecraft {

struct PytorchPart {
    std::string_view path;
    std::string_view text;
};

[[nodiscard]] std::span<const PytorchPart> pytorchParts();

} // namespace stagecraft
