#pragma once

// A time, its parts and how it differs from another, in words.

#include <QString>

#include <cstddef>

namespace stagecraft {

struct LatencyParts;

// Of the same work; per image if the schedules have different batches.
struct TimeChange {
    double fromUs = 0;
    double toUs = 0;
    bool isPerImage = false;

    [[nodiscard]] double us() const { return toUs - fromUs; }
    [[nodiscard]] double share() const { return fromUs > 0 ? us() / fromUs : 0; }
    [[nodiscard]] bool isNone() const; // as it is shown

    friend bool operator==(const TimeChange &, const TimeChange &) = default;
};

[[nodiscard]] QString changeText(const TimeChange &change); // "224 → 158 µs, −29.5 %"

// Of exact latencies: "+4.1 µs, slower", "no difference".
[[nodiscard]] QString changeWords(double us);
// "+4.1 µs, slower: stages +1.0 µs, barriers +3.1 µs": parts only if both change.
[[nodiscard]] QString changeInParts(double stagesUs, double barriersUs);
[[nodiscard]] QString partsOfChange(double stagesUs, double barriersUs); // empty: stages alone

[[nodiscard]] QString partsText(const LatencyParts &parts); // "4 stages 124 µs, 3 barriers 25.0 µs"
// A sentence on what is between the stages: why there is no barrier, or what one waits for.
[[nodiscard]] QString aboutBarriers(std::size_t barriers);

} // namespace stagecraft
