#pragma once

// For loops that wait for another thread: leaves the core to what shares it.

namespace stagecraft::cpu {

inline void spinPause()
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

} // namespace stagecraft::cpu
