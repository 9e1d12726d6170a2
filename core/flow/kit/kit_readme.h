#pragma once

// The page that a kit brings with it.

#include "flow/kit/kit_folder.h"

#include <string>

namespace stagecraft {

[[nodiscard]] std::string kitReadme(const Model &model, const WrittenKit &kit, const std::string &device);

} // namespace stagecraft
