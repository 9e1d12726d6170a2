#pragma once

// What was wrong with a JSON file where the library, not a reader of ours, found it out: in our words.

#include <nlohmann/json.hpp>
#include <string>

namespace stagecraft {

// "a number in it is too large"; without a full stop.
[[nodiscard]] inline std::string jsonFault(const nlohmann::detail::exception &fault)
{
    constexpr int kMissingKey = 403;
    constexpr int kLargeNumber = 406;
    if (dynamic_cast<const nlohmann::detail::parse_error *>(&fault))
        return "it is not JSON, or it is cut short";
    if (fault.id == kLargeNumber)
        return "a number in it is too large";
    return fault.id == kMissingKey ? "an entry that it needs is missing"
                                   : "an entry has another kind of value than it should have";
}

} // namespace stagecraft
