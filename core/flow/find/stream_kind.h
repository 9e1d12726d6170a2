#pragma once

// Where stream schedules come from.

#include <array>
#include <optional>
#include <string_view>

namespace stagecraft {

enum class StreamKind { Nimble, Opara, ByDepth, List, RoundRobin, IosRelaxed, Searched };

inline constexpr std::array kStreamKinds{StreamKind::Nimble,  StreamKind::Opara,      StreamKind::ByDepth,
                                         StreamKind::List,    StreamKind::RoundRobin, StreamKind::IosRelaxed,
                                         StreamKind::Searched};

[[nodiscard]] std::string_view
toString(StreamKind kind); // "nimble", "opara", "by-depth", "list", "round-robin", "ios-relaxed", "streams"
[[nodiscard]] std::string_view title(StreamKind kind); // "Nimble", "Streams", ...
[[nodiscard]] std::optional<StreamKind> streamKindFromString(std::string_view text);

} // namespace stagecraft
