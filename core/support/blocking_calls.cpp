#include "support/blocking_calls.h"

#include <atomic>

namespace stagecraft {
namespace {

thread_local bool isCounted = false;
std::atomic<std::int64_t> calls = 0;

} // namespace

void countBlockingCalls()
{
    isCounted = true;
}

std::int64_t blockingCalls()
{
    return calls;
}

void noteBlockingCall()
{
    if (isCounted)
        ++calls;
}

} // namespace stagecraft
