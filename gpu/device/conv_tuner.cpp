#include "gpu/device/conv_tuner.h"

#include "gpu/device/gpu_context.h"
#include "gpu/plan/quick_choice.h"
#include "timing/statistics/means.h"

namespace stagecraft::gpu {
namespace {

constexpr int kRepeatsInGraph = 10;
constexpr std::chrono::milliseconds kWakeUp{30}; // engines differ by more than the last bit of clock speed

} // namespace

std::vector<ConvChoice> ConvTuner::fastest(const std::vector<ConvChoice> &choices, const ConvTask &conv)
{
    std::string lastRefusal;
    const auto unlessRefused = [&](const auto &time) -> std::optional<double> {
        try {
            return time();
        } catch (const Failure &failure) {
            // An engine that cannot do what it promised is dropped; a broken GPU is a fatal error.
            if (failure.fatal)
                throw;
            lastRefusal = failure.error.message;
            return std::nullopt;
        }
    };
    CandidateTimes times;
    times.directUs = [&](std::size_t index) {
        return unlessRefused([&] { return directUs(bound(choices[index], conv)); });
    };
    times.replayedUs = [&](std::size_t index, int replays) {
        return unlessRefused([&] { return replayedUs(bound(choices[index], conv), replays); });
    };
    std::vector<ConvChoice> fastest;
    for (const TimedCandidate &timed : fastestOf(choices.size(), times)) {
        fastest.push_back(choices[timed.index]);
        fastest.back().aloneUs = timed.timeUs;
    }
    if (fastest.empty())
        throw Failure{{ErrorCode::DeviceFailed,
                       "no engine or kernel computes the convolution; the last one: " + lastRefusal,
                       {},
                       {}},
                      false};
    m_context.warmup().worked();
    return fastest;
}

std::vector<ConvStep> ConvTuner::bound(const ConvChoice &choice, const ConvTask &conv)
{
    const GpuOptions &options = m_context.options();
    const auto bytesOf = [&](std::int64_t elements) {
        return arenaAligned(static_cast<std::size_t>(elements * elementBytes(options.precision)));
    };
    // The views keep their offset from an aligned address.
    const std::size_t gap = kArenaAlignment;
    const auto offsetOf = [&](const View &view) {
        return static_cast<std::size_t>(view.offset * elementBytes(options.precision)) % kArenaAlignment;
    };
    const std::size_t xBytes = bytesOf(conv.x.span()) + gap;
    const std::size_t yBytes = bytesOf(conv.y.span()) + gap;
    const std::size_t wBytes = bytesOf(conv.w.elements());
    const std::size_t biasBytes = conv.bias ? bytesOf(conv.bias->elements()) : 0;
    m_memory.reserve(xBytes + yBytes + wBytes + biasBytes + choice.workspaceBytes + gap);
    std::byte *x = m_memory.data();
    std::byte *y = x + xBytes;
    std::byte *w = y + yBytes;
    std::byte *bias = w + wBytes;
    std::byte *workspace = bias + biasBytes;
    const auto filled =
        static_cast<std::int64_t>(xBytes + yBytes + wBytes + biasBytes) / elementBytes(options.precision);
    m_context.launch(fillLaunch(m_memory.data(), filled, 1), m_context.stream(0));
    const auto address = [&](const View &view) -> void * {
        if (view.memory == View::Memory::Constant)
            return view.dims == conv.w.dims && view.index == conv.w.index ? w : bias;
        return view == conv.x ? x + offsetOf(view) : y + offsetOf(view);
    };
    return stepsOf(choice, conv, options, address, workspace);
}

void ConvTuner::run(const std::vector<ConvStep> &steps)
{
    for (const ConvStep &step : steps)
        m_context.run(step, m_context.stream(0));
}

double ConvTuner::directUs(const std::vector<ConvStep> &steps)
{
    cudaStream_t stream = m_context.stream(0);
    const auto runAndWait = [&] {
        run(steps);
        requireCuda(cudaStreamSynchronize(stream), "a convolution");
    };
    // Libraries load code at the first call, which may be forbidden during a capture; an engine that cannot do what it
    // promised fails here.
    runAndWait();
    m_context.warmup().wake(kWakeUp, runAndWait);
    run(steps); // meanwhile the host submits the timed ones
    m_timer.start(stream);
    run(steps);
    return m_timer.stopUs(stream);
}

double ConvTuner::replayedUs(const std::vector<ConvStep> &steps, int replays)
{
    cudaStream_t stream = m_context.stream(0);
    // Launched one by one, small kernels would be limited by the host.
    const CudaGraphExec graph = instantiated(captured(stream, [&] {
        for (int i = 0; i < kRepeatsInGraph; ++i)
            run(steps);
    }));
    std::vector<double> times;
    for (int i = 0; i < replays; ++i)
        times.push_back(m_timer.replaysUs(graph, stream, 1));
    return medianOf(std::move(times)) / kRepeatsInGraph;
}

} // namespace stagecraft::gpu
