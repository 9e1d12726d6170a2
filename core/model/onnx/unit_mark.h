#pragma once

namespace stagecraft {

// A node with this doc_string is a schedule unit of its own: the exporter writes it where the structure alone would not
// tell.
inline constexpr const char *kUnitMark = "stagecraft: unit";

} // namespace stagecraft
