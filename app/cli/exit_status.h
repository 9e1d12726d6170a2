#pragma once

// The exit status of the program, for scripts.

#include "support/result.h"

namespace stagecraft {

inline constexpr int kCancelledStatus = 130;
inline constexpr int kProgramFailedStatus = 5; // no memory, an answer that could not be written, a bug of ours

[[nodiscard]] constexpr int exitStatus(ErrorCode code)
{
    switch (code) {
    case ErrorCode::WrongUse: return 2;
    case ErrorCode::InvalidInput: return 3;
    case ErrorCode::DeviceFailed: return 4;
    case ErrorCode::Cancelled: return kCancelledStatus;
    }
    return kProgramFailedStatus;
}

} // namespace stagecraft
