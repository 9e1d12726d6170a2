#pragma once

// Which launches of a stream schedule have ended before others begin: those before them on their stream, those that
// they wait for by events, and those before these.

#include "schedule/streams/streams.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace stagecraft {

class LaunchOrder {
public:
    // For launches that are appended in launch order.
    explicit LaunchOrder(std::size_t launches);
    // Of a whole schedule, whose waits are earlier launches and whose streams are below its count.
    explicit LaunchOrder(const Streams &streams);

    // The next launch ends after `last`, the one before it on its stream, if any, and after `waits`.
    void append(std::size_t last, const std::vector<std::uint32_t> &waits);
    static constexpr std::size_t kFirst = static_cast<std::size_t>(-1); // on its stream

    // Whether `a` has ended before `b` begins.
    [[nodiscard]] bool isBefore(std::size_t a, std::size_t b) const;

private:
    void addAllBefore(std::size_t launch); // and itself, to the one that is appended

    std::size_t m_words;                 // of a row
    std::vector<std::uint64_t> m_before; // by launch: a bit for each launch
    std::size_t m_size = 0;
};

} // namespace stagecraft
