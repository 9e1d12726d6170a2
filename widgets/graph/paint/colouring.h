#pragma once

#include <array>
#include <cstddef>

namespace stagecraft {

// What the colour of operators in the graph view shows.
enum class Colouring {
    Stage,       // of the current schedule
    Heat,        // latency
    Type,        // of the operator
    Flops,       // arithmetic
    Bytes,       // read and written
    Utilisation, // arithmetic per time, against the device's peak
    Lost,        // time around the operator in which its row of the timeline is idle: launches and waits
    Moved,       // differences to another result: operators with another stage
    Layout,      // in which the schedule has the operator's output written
    Model,       // of several that are open as one
};

inline constexpr std::size_t kColourings = 10;

// A number per operator, on a scale from nothing to the most.
[[nodiscard]] constexpr bool isHeat(Colouring colouring)
{
    return colouring != Colouring::Stage && colouring != Colouring::Type && colouring != Colouring::Moved &&
           colouring != Colouring::Layout && colouring != Colouring::Model;
}

} // namespace stagecraft
