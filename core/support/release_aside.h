#pragma once

// Frees what takes long to free while the program goes on.

#include <memory>
#include <system_error>
#include <thread>
#include <utility>

namespace stagecraft {

// Gives `held` up on a thread of its own, which has ended when the result is destroyed. Null where no thread can be
// started: it is freed at once.
template <typename Held>
[[nodiscard]] std::shared_ptr<void> releaseAside(std::shared_ptr<Held> held)
{
    try {
        return std::make_shared<std::jthread>([moved = std::move(held)]() mutable { moved.reset(); });
    } catch (const std::system_error &) {
        return nullptr;
    }
}

} // namespace stagecraft
