#pragma once

// Repeats as machines give them, the same in every run of a test: noise that is normal in logarithms and remembers a
// part of itself from run to run, a drift as machines warm up, and some runs that other programs disturbed.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <random>
#include <vector>

namespace stagecraft::test {

struct Noise {
    double spread = 0.05;    // standard deviation, as a share
    double memory = 0;       // correlation of a run with the next
    double drift = 0.02;     // the most by which the last run is slower than the first; evenly spread
    double disturbed = 0.05; // share of runs that take up to twice as long
};

class RepeatsMaker {
public:
    explicit RepeatsMaker(std::uint32_t seed) : m_random(seed) {}

    [[nodiscard]] std::vector<double> runsUs(std::size_t count, double latencyUs, const Noise &noise)
    {
        constexpr double kLeastDisturbed = 1.2;
        const double drift = noise.drift * share();
        std::vector<double> us;
        double state = normal();
        for (std::size_t i = 0; i < count; ++i) {
            double factor =
                std::exp(noise.spread * state) * (1 + drift * static_cast<double>(i) / static_cast<double>(count));
            if (share() < noise.disturbed)
                factor *= kLeastDisturbed + (2 - kLeastDisturbed) * share();
            us.push_back(latencyUs * factor);
            state = noise.memory * state + std::sqrt(1 - noise.memory * noise.memory) * normal();
        }
        return us;
    }

    [[nodiscard]] double share() { return (static_cast<double>(m_random()) + 0.5) / 4294967296.0; } // within 0 and 1
    [[nodiscard]] double normal()                                                                   // Box and Muller
    {
        const double radius = std::sqrt(-2 * std::log(share()));
        return radius * std::cos(2 * std::numbers::pi * share());
    }

private:
    std::mt19937 m_random;
};

} // namespace stagecraft::test
