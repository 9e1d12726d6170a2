#pragma once

// What a session says of itself once and for all: for sessions in front of others, which are asked from other threads.

#include "device/device.h"

#include <cstddef>

namespace stagecraft {

struct SessionTraits {
    BoundaryCost boundary;
    bool isTable = false;
    bool isNoisy = false;
    bool chainsAddUp = false;
    bool measuresStages = true;
    std::size_t atATime = 1;
    bool executes = false;
    bool hasWorkspace = false;
    bool hasDisturbed = false;
};

[[nodiscard]] inline SessionTraits traitsOf(DeviceSession &session)
{
    return {session.boundaryCost(),
            session.isTable(),
            session.isNoisy(),
            session.chainsAddUp(),
            session.measuresStages(),
            session.atATime(),
            session.executor() != nullptr,
            session.workspace() != nullptr,
            session.disturbed() != nullptr};
}

} // namespace stagecraft
