#pragma once

// What a simulated device may be asked for behind its name, as lists to choose from: each choice is the device again,
// with its other options and its changed numbers.

#include "support/result.h"

#include <string>
#include <vector>

namespace stagecraft {

struct OptionChoice {
    std::string title; // "fp16", "from the host"
    std::string id;    // "sim:a100:fp16*sm_count=54"
    bool isChosen = false;
    std::string whyNot; // empty: the device can
};

struct OptionGroup {
    std::string title;
    std::vector<OptionChoice> choices; // one of them is chosen
};

struct OptionChoices {
    std::string told; // "fp16, host"; empty: all is left to the device
    OptionGroup precision;
    OptionGroup launches;
};

// Errors: those of finding the description.
[[nodiscard]] Result<OptionChoices> optionChoices(const std::string &nameOrPath);

} // namespace stagecraft
