#pragma once

// Estimates the remaining time of a search from its progress over the last seconds. There is no estimate at first or
// without progress. Two rates are used: how fast the gap closes, which gives "about", and how fast the number of stages
// that may still be measured falls, which gives "at most".

#include "search/progress.h"

#include <QString>

#include <deque>
#include <optional>

namespace stagecraft {

// "about 12 s left"; empty for 0: unknown.
[[nodiscard]] QString secondsLeftText(double seconds);

class TimeLeft {
public:
    void start() { m_samples.clear(); }
    void add(const SearchProgress &progress);

    struct Estimate {
        double seconds = 0;
        bool isBound = false; // an upper bound
    };
    [[nodiscard]] std::optional<Estimate> estimate() const;
    [[nodiscard]] QString text() const; // "about 12 s left", "at most 3 min left"; empty: unknown

private:
    struct Sample {
        double seconds = 0;
        double gapUs = 0;
        double unknown = 0; // stages not yet measured
    };

    std::deque<Sample> m_samples;
};

} // namespace stagecraft
