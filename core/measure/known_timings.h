#pragma once

// Timings of stages that are known for one graph on one device, by signature: of this run, and read from the latency
// store. Threads: any.

#include "schedule/stage_signature.h"
#include "timing/timing.h"

#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

namespace stagecraft {

class KnownTimings {
public:
    using Stored = std::unordered_map<std::string, Timing>; // by signature, in hex

    // Of this run. A disturbed one is forgotten instead, so that the stage is asked for again.
    void add(const StageSignature &signature, const Timing &timing);
    void setStored(Stored stored); // newer than what is known
    void clear();

    [[nodiscard]] std::optional<Timing> ofThisRun(const StageSignature &signature) const;
    [[nodiscard]] std::optional<Timing> find(const StageSignature &signature) const; // of this run, else stored

private:
    mutable std::mutex m_mutex; // protects what follows
    std::unordered_map<StageSignature, Timing> m_ofThisRun;
    Stored m_stored;
};

} // namespace stagecraft
