#pragma once

// A stop for calls that may wait for long and take no token of their own: finding a device elsewhere and opening it. It
// holds on the thread of the object, while that lives; a thread that such a call starts takes it over by an object of
// its own.

#include <stop_token>

namespace stagecraft {

class StopHere {
public:
    explicit StopHere(std::stop_token stop);
    ~StopHere();
    StopHere(const StopHere &) = delete;
    StopHere &operator=(const StopHere &) = delete;

private:
    std::stop_token m_outer;
};

// Of the innermost object; where there is none, one that never stops.
[[nodiscard]] std::stop_token stopHere();

} // namespace stagecraft
