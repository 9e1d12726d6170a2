#pragma once

// The sources that an exported project takes over: templates from resources/cpp_project, and
// files of the devices.

#include <span>
#include <string_view>

namespace stagecraft {

struct EmbeddedSource {
    std::string_view path; // in the project's folder; behind "cpu:" or "cuda:" if only that target needs it
    std::string_view text;
};

[[nodiscard]] std::span<const EmbeddedSource> embeddedSources();

} // namespace stagecraft
