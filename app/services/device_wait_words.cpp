#include "services/device_wait_words.h"

#include <cstdint>

namespace stagecraft {
namespace {

constexpr double kFirstStep = 10; // seconds; each step is twice the one before
constexpr int kMinute = 60;

// The last step that is over; 0: none.
double stepOf(double seconds)
{
    double step = 0;
    for (double next = kFirstStep; next <= seconds; next *= 2)
        step = next;
    return step;
}

} // namespace

std::string holderText(const DeviceWait &wait)
{
    if (wait.isOwn)
        return "another measurement of this program";
    return wait.holder.empty() ? "another program" : wait.holder;
}

std::string waitedText(double seconds)
{
    const auto whole = static_cast<std::int64_t>(seconds);
    return whole < 2 * kMinute ? std::to_string(whole) + " s" : std::to_string(whole / kMinute) + " min";
}

std::string waitText(const DeviceWait &wait)
{
    const double step = stepOf(wait.seconds);
    return "waiting for " + wait.device + (step > 0 ? ", " + waitedText(step) + " so far" : "") + ": " +
           holderText(wait) + " measures on it";
}

} // namespace stagecraft
