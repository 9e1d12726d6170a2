#pragma once

namespace stagecraft {

// What the colour of operators in the graph view shows.
enum class Colouring {
    Stage, // of the current schedule
    Heat,  // latency
    Type,  // of the operator
};

} // namespace stagecraft
