#pragma once

// How long a search may still take, from how it went in the last seconds. Nothing is said where nothing is known: at
// first, and where nothing moved. Two things are known: how fast the gap closes, which says "about", and how fast the
// stages become fewer that could still be asked for, which says "at most".

#include "search/progress.h"

#include <QString>

#include <deque>
#include <optional>

namespace stagecraft {

class TimeLeft {
public:
    void start() { m_samples.clear(); }
    void add(const SearchProgress &progress);

    struct Estimate {
        double seconds = 0;
        bool isBound = false; // it may well be less
    };
    [[nodiscard]] std::optional<Estimate> estimate() const;
    [[nodiscard]] QString text() const; // "about 12 s left", "at most 3 min left"; empty: not known

private:
    struct Sample {
        double seconds = 0;
        double gapUs = 0;
        double unknown = 0; // stages
    };

    std::deque<Sample> m_samples;
};

} // namespace stagecraft
