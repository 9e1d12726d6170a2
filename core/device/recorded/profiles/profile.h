#pragma once

// What another program recorded while a model ran: kernels on streams, or layers and nodes with their times, before
// anything of it is bound to a graph (flow/import_profile.h). Times are whole nanoseconds, exactly as the file states
// them, on the file's own clock; what the file does not say is absent, with the reason in `missing`.

#include "timing/provenance.h"
#include "timing/recorded_profile.h"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace stagecraft {

enum class ProfiledKind {
    Kernel, // on a device
    Copy,   // between memories
    Fill,   // of memory with a value
    Node,   // an operator of a model, timed on the host
    Layer,  // of a compiled model: one or several operators
};

using ProfiledFact = std::variant<std::string, std::int64_t, double>;
using ProfiledShape = std::vector<std::int64_t>;

inline constexpr std::uint32_t kNoPlace = 0xffffffff;

// A kernel, or in a profile without kernels a layer or node.
struct ProfiledKernel {
    std::string name;
    ProfiledKind kind = ProfiledKind::Kernel;
    std::optional<std::int64_t> startNs{}; // layers have none
    std::int64_t durationNs = 0;
    std::uint32_t stream = kNoPlace;       // of Profile::streams
    std::uint32_t hostOperator = kNoPlace; // of Profile::hostOperators: what launched it
    std::uint32_t iteration = kNoPlace;    // of Profile::iterations
    std::optional<std::int64_t> correlation{};
    std::optional<std::int64_t> graphNode{};  // of a CUDA graph
    std::optional<std::int64_t> launchedNs{}; // on the host
    std::array<std::int64_t, 3> grid{0, 0, 0};
    std::array<std::int64_t, 3> block{0, 0, 0};
    std::int64_t registersPerThread = 0;
    std::int64_t sharedBytes = 0;
    std::string type{};                 // of a node or layer: "Conv", "CaskConvolution"
    std::vector<std::string> outputs{}; // tensors that a layer makes
    std::vector<ProfiledShape> inputShapes{};
    std::vector<ProfiledShape> outputShapes{};
    std::string precision{}; // of what it makes, or of what PyTorch gave it, as the file names it; empty: not said
    std::string layout{};    // the same
    std::vector<std::pair<std::string, ProfiledFact>> facts{}; // what else a trace of this program says

    [[nodiscard]] std::optional<std::int64_t> endNs() const
    {
        return startNs ? std::optional(*startNs + durationNs) : std::nullopt;
    }
};

struct ProfiledStream {
    std::string name; // "stream 7", as the file numbers it
    std::int64_t device = 0;
};

// An operator of the program that launched kernels, on the host: "aten::cudnn_convolution".
struct HostOperator {
    std::string name;
    std::int64_t startNs = 0;
    std::int64_t durationNs = 0;
    std::vector<ProfiledShape> inputShapes{};
    std::string precision{}; // of its first input, as PyTorch names it
    std::string layout{};    // the same: "NCHW", "NHWC"
};

// One run of the model, as the file marks it on the host.
struct ProfiledIteration {
    std::string name; // "ProfilerStep#5"
    std::int64_t startNs = 0;
    std::int64_t endNs = 0;
};

// A stream that waits for what another one had been given before.
struct ProfiledWait {
    std::uint32_t stream = kNoPlace;
    std::uint32_t waitsFor = kNoPlace; // a stream
    std::int64_t recordedNs = 0;       // on the host: what was launched there before this is waited for
    std::int64_t waitedNs = 0;         // on the host: what is launched later waits
};

// A latency of the whole that the file states besides its kernels, in microseconds.
struct LatencyInFile {
    std::string source; // "GPU Compute Time"
    double medianUs = 0;
    std::optional<double> minUs{}, maxUs{}, meanUs{};
    std::vector<double> runsUs{}; // each run, where they are listed
};

// A stage of a schedule, and a counter over time, as traces of this program have them.
struct ProfiledStage {
    std::string name;
    std::int64_t startNs = 0;
    std::int64_t endNs = 0;
    std::vector<std::pair<std::string, ProfiledFact>> facts{};
};
struct ProfiledCounter {
    std::string name; // "active warps (simulated)"
    std::string unit;
    std::vector<std::int64_t> timesNs{};
    std::vector<double> values{};
};

struct Profile {
    std::string format; // "pytorch", as profileReaders() names it
    std::vector<ProfileSource> files{};
    std::string title{};                          // what the trace calls what ran; empty: it does not
    std::string program{};                        // that wrote it: "PyTorch profiler"
    std::string version{};                        // of the program; empty: unknown
    std::string device{};                         // as the file names it; empty: unknown
    Provenance provenance = Provenance::Recorded; // or Simulated or Assumed, as traces of this program say
    std::vector<ProfiledStream> streams{};
    std::vector<HostOperator> hostOperators{};
    std::vector<ProfiledKernel> kernels{}; // ascending by start, or in the file's order where there are no starts
    std::vector<ProfiledIteration> iterations{};
    std::vector<ProfiledWait> waits{};
    std::vector<ProfiledStage> stages{};
    std::vector<ProfiledCounter> counters{};
    std::optional<LatencyInFile> stated{};
    std::int64_t launchesWithoutKernel = 0;       // launched within the trace, but no kernel of theirs is in it
    bool isHostTimeOfDevice = false;              // durations are those of calls on the host, kernels ran on a device
    std::vector<std::string> notes{};             // what to know about the trace as a whole
    std::map<std::string, std::string> missing{}; // what it does not say: the reason
};

} // namespace stagecraft
