#pragma once

// Where a latency comes from. No latency is shown or written without it.

#include <optional>
#include <string_view>

namespace stagecraft {

enum class Provenance {
    Measured,  // on this device, now or stored
    Recorded,  // on another device or another day, replayed
    Simulated, // computed from a device description
    Assumed,   // worked out from published figures that nobody has tried on this device
};

[[nodiscard]] constexpr std::string_view toString(Provenance provenance)
{
    switch (provenance) {
    case Provenance::Measured: return "measured";
    case Provenance::Recorded: return "recorded";
    case Provenance::Simulated: return "simulated";
    case Provenance::Assumed: return "assumed";
    }
    return "";
}

[[nodiscard]] constexpr std::optional<Provenance> provenanceFromString(std::string_view text)
{
    for (const Provenance provenance :
         {Provenance::Measured, Provenance::Recorded, Provenance::Simulated, Provenance::Assumed}) {
        if (toString(provenance) == text)
            return provenance;
    }
    return std::nullopt;
}

} // namespace stagecraft
