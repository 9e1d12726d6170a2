#include "flow/find/stream_kind.h"

#include <algorithm>

namespace stagecraft {

std::string_view toString(StreamKind kind)
{
    switch (kind) {
    case StreamKind::Nimble: return "nimble";
    case StreamKind::Opara: return "opara";
    case StreamKind::ByDepth: return "by-depth";
    case StreamKind::List: return "list";
    case StreamKind::RoundRobin: return "round-robin";
    case StreamKind::IosRelaxed: return "ios-relaxed";
    case StreamKind::Searched: return "streams";
    }
    return "";
}

std::string_view title(StreamKind kind)
{
    switch (kind) {
    case StreamKind::Nimble: return "Nimble";
    case StreamKind::Opara: return "Opara";
    case StreamKind::ByDepth: return "ONNX Runtime, by depth";
    case StreamKind::List: return "List";
    case StreamKind::RoundRobin: return "Round-robin";
    case StreamKind::IosRelaxed: return "IOS relaxed";
    case StreamKind::Searched: return "Streams";
    }
    return "";
}

std::optional<StreamKind> streamKindFromString(std::string_view text)
{
    const auto isIt = [&](StreamKind kind) { return toString(kind) == text; };
    const auto found = std::ranges::find_if(kStreamKinds, isIt);
    return found == kStreamKinds.end() ? std::nullopt : std::optional(*found);
}

} // namespace stagecraft
