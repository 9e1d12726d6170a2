#pragma once

namespace stagecraft {

// What the colour of an operator in the graph view says.
enum class Colouring {
    Stage, // of the schedule in front
    Heat,  // latency
    Type,  // of the operator
};

} // namespace stagecraft
