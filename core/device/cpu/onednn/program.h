#pragma once

// Stages made ready to run: primitives created for the widths of their lanes, memory planned, weights packed. A program
// of all stages of a schedule executes the model; a program of a single stage is used to measure that stage.
//
// Streams run in parts: launches that nothing runs beside, which take all cores, and between them those that may run
// side by side, which the lanes take as their streams and events allow (launch_queue.h). One of them that may run while
// nothing else may takes all cores, too.

#include "device/cpu/lane_team.h"
#include "device/cpu/onednn/emitter.h"
#include "operators/values/narrow_floats.h"
#include "schedule/schedule.h"

#include <chrono>
#include <memory>
#include <optional>

namespace stagecraft::cpu {

// Real numbers of up to 32 bits are held as floats, other values as they are.
[[nodiscard]] constexpr bool isHeldAsFloats(DataType type)
{
    return type == DataType::Float32 || isNarrowFloat(type);
}

// What ran when and on which lane; times count from the start of the run.
struct TraceSpan {
    const OperatorSteps *steps = nullptr; // valid as long as the program
    std::optional<std::size_t> stage = 0; // of streams: none
    std::size_t group = 0;                // index in the stage; of streams: the stream
    std::size_t thread = 0; // the first of its lane; lanes have the threads after those of the lanes before
    int width = 1;          // threads of the lane
    double share = 1;       // of the work of its operators
    std::chrono::nanoseconds start{};
    std::chrono::nanoseconds end{};
    std::uint32_t rOperator = 0; // of a fused stage
};

struct Trace {
    std::vector<TraceSpan> spans; // by lane
    std::vector<std::pair<std::chrono::nanoseconds, std::chrono::nanoseconds>> stages;
    std::vector<std::pair<std::size_t, const RProgram *>> fused; // fused stages; valid as long as the program
    std::chrono::nanoseconds duration{};
};

class Program {
public:
    // Of a legal schedule. Errors name the operator.
    [[nodiscard]] static Result<std::unique_ptr<Program>> compile(EmitContext &context, const Schedule &schedule,
                                                                  int cores);
    ~Program();

    // Scratch memory of the kernels, by stage (or launch) and group.
    [[nodiscard]] std::vector<std::vector<std::size_t>> workspaceBytes() const;

    // Compiled for values (EmitContext), it keeps what is no number as such; for timing, the library's kernels may make
    // a number of it.
    [[nodiscard]] Result<void> run(LaneTeam &team);
    // From now on, a buffer that nobody needs any more is filled with NaN: a tensor that lives too short shows.
    void poisonFreed();
    [[nodiscard]] Trace trace(LaneTeam &team);

    // Tensors that the stages read but do not produce: write them before the first run.
    [[nodiscard]] std::span<const TensorId> outside() const;
    void write(TensorId tensor, std::span<const float> values); // row-major
    [[nodiscard]] std::vector<float> read(TensorId tensor) const;
    // Of other types than real numbers of up to 32 bits: values as in memory, row-major.
    void write(TensorId tensor, std::span<const std::byte> bytes);
    [[nodiscard]] std::vector<std::byte> readBytes(TensorId tensor) const;
    // After a run: where values decide the sizes, the actual ones.
    [[nodiscard]] std::vector<std::int64_t> dims(TensorId tensor) const;

private:
    Program();

    struct State;
    std::unique_ptr<State> m_state;
};

} // namespace stagecraft::cpu
