#pragma once

// What verifying a plan found (flow/verify_plan.h), whatever kind of file it was.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft {

enum class PlanKind {
    Schedule,           // of this program or the IOS project
    Launches,           // flow/verify/launches_file.h
    OnnxRuntimeStreams, // flow/verify/onnxruntime_streams.h
    CudaGraph,          // flow/verify/cuda_graph_dot.h
    Profile,            // that another program recorded
};

[[nodiscard]] std::string_view toString(PlanKind kind); // "schedule", as --json has it
[[nodiscard]] std::string_view wordsFor(PlanKind kind); // "a schedule"

// Names are as the file has them.
struct PlanFault {
    std::string kind;                       // "tensor race"
    std::string reason;                     // one sentence without a full stop
    std::string remedy;                     // likewise; may be empty
    std::vector<std::string> launches = {}; // that it is about, the earlier one first
    std::vector<std::string> memory = {};
};

struct VerifiedPlan {
    PlanKind kind = PlanKind::Schedule;
    // Empty: the file does not show them.
    std::optional<std::size_t> launches = {};
    std::optional<std::size_t> streams = {};
    std::optional<std::size_t> events = {}; // waits for them
    std::optional<std::size_t> barriers = {};
    std::optional<std::size_t> buffers = {};
    std::optional<std::size_t> sharingPairs = {}; // of buffers that share bytes
    // Of the model, where kernels were bound to it by name or order.
    std::optional<std::size_t> mappedOperators = {};
    std::optional<std::size_t> edges = {};  // between them, along which the order was checked
    std::vector<PlanFault> faults = {};     // none: it passed
    std::vector<std::string> notShown = {}; // what the file does not say, and was not checked
};

} // namespace stagecraft
