#pragma once

// What timing the ways to compute a convolution found, as plain values: they can be kept from process to process.

#include "gpu/plan/task.h"

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace stagecraft::gpu {

// An engine of cuDNN by its numbers: with the same version of cuDNN they mean the same kernel.
struct EngineId {
    using Knob = std::pair<int, std::int64_t>; // type, value

    std::int64_t engine = -1;
    std::vector<Knob> knobs; // ascending
    bool fused = false;      // with bias and activation

    friend bool operator==(const EngineId &, const EngineId &) = default;
    friend bool operator<(const EngineId &a, const EngineId &b)
    {
        return std::tie(a.engine, a.knobs, a.fused) < std::tie(b.engine, b.knobs, b.fused);
    }
};

// Engines that cuDNN compiles when they are chosen.
struct CompiledEngines {
    int offered = 0;    // by cuDNN, tried or not
    int tried = 0;      // compiled, whether that worked or not
    double seconds = 0; // of compiling

    friend bool operator==(const CompiledEngines &, const CompiledEngines &) = default;
};

struct TunedConv {
    struct Choice {
        std::optional<EngineId> engine; // empty: a kernel of ours
        std::string kernel;
        bool packsX = false;
        bool packsY = false;
        double aloneUs = 0;

        friend bool operator==(const Choice &, const Choice &) = default;
    };

    std::vector<Choice> choices; // the fastest few, best first
    int tried = 0;               // choices that were timed
    double seconds = 0;          // of finding and timing them
    CompiledEngines compiled;

    friend bool operator==(const TunedConv &, const TunedConv &) = default;
};

// Equal for convolutions that may share a choice.
[[nodiscard]] std::string keyOf(const ConvTask &conv, const GpuOptions &options);

// Remembers tuned convolutions beyond one process.
class ConvMemory {
public:
    virtual ~ConvMemory() = default;

    // By keyOf(conv). Null if it is not known. Valid until the next call.
    [[nodiscard]] virtual const TunedConv *find(const std::string &key) = 0;
    virtual void add(const std::string &key, TunedConv tuned) = 0; // replaces what was known
};

} // namespace stagecraft::gpu
