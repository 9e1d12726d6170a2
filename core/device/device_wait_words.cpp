#include "device/device_wait_words.h"

#include <cstdint>
#include <fmt/format.h>

namespace stagecraft {
namespace {

constexpr double kFirstStep = 10; // seconds; each step is twice the one before
constexpr std::int64_t kMinute = 60;

// The last step that is over; 0: none.
double stepOf(double seconds)
{
    double next = kFirstStep;
    while (next <= seconds)
        next *= 2;
    return next > kFirstStep ? next / 2 : 0;
}

} // namespace

std::string holderText(const DeviceWait &wait)
{
    if (!wait.reason.empty())
        return wait.reason;
    if (wait.isOwn)
        return "another measurement of this program";
    return wait.holder.empty() ? "another program" : wait.holder;
}

std::string waitedText(double seconds)
{
    const auto whole = static_cast<std::int64_t>(seconds);
    return whole < 2 * kMinute ? fmt::format("{} s", whole) : fmt::format("{} min", whole / kMinute);
}

std::string waitText(const DeviceWait &wait)
{
    const double step = stepOf(wait.seconds);
    const std::string waited = step > 0 ? fmt::format(", {} so far", waitedText(step)) : "";
    return fmt::format("waiting for {}{}: {}{}", wait.device, waited, holderText(wait),
                       wait.reason.empty() ? " measures on it" : "");
}

} // namespace stagecraft
