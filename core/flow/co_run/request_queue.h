#pragma once

// Requests to two models that share a device, in a simulated queue. The device is a server that serves one thing at a
// time and is not interrupted; how long it takes are latencies that somebody measured or simulated, and the answer
// rests on these and on the arrivals, not on real requests.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace stagecraft {

// How long the device takes, in microseconds.
struct QueueService {
    std::array<double, 2> aloneUs{}; // each model alone
    struct Together {
        double us = 0;                  // both
        std::array<double, 2> endsUs{}; // when each model has its result
    };
    // Where both models have a request that waits, one of each is served together. Empty: requests are served one
    // after another, in the order of arrival.
    std::optional<Together> together = {};
};

// Each model's requests arrive at random and independently (Poisson), so many a second on average, greater than zero.
struct QueueArrivals {
    std::array<double, 2> perSecond{};
    std::uint64_t seed = 1;
    std::size_t requests = 20'000; // of the model with more of them; the other's are those of the same time
};

// From the arrival of a request until its result, in microseconds.
struct TailLatency {
    std::size_t requests = 0;
    double p50Us = 0;
    double p99Us = 0;
};

struct QueueAnswer {
    std::array<TailLatency, 2> models{};
    double busyShare = 0;      // of the time in which requests arrive or wait
    bool isOverloaded = false; // requests arrive faster than they are served: the longer it goes on, the longer they
                               // wait, and percentiles say nothing
};

// The same arguments give the same answer, on any machine.
[[nodiscard]] QueueAnswer simulateQueue(const QueueService &service, const QueueArrivals &arrivals);

} // namespace stagecraft
