#pragma once

// Counts the calls of one thread that may wait for a file, a store, a device or a process: a window's thread makes
// none. Tests read the count. Threads: any.

#include <cstdint>

namespace stagecraft {

void countBlockingCalls();                  // of this thread, from now on
[[nodiscard]] std::int64_t blockingCalls(); // of the threads that are counted
void noteBlockingCall();                    // by whatever opens or asks one

} // namespace stagecraft
