#pragma once

// What all reports have around their content: the style and the program of resources/html_report. A browser that obeys
// the page's policy loads nothing from anywhere.

#include <string>
#include <string_view>

namespace stagecraft {

// `title`: escaped. `style`: more rules.
[[nodiscard]] std::string pageBegin(const std::string &title, std::string_view style);
[[nodiscard]] std::string pageEnd();

} // namespace stagecraft
