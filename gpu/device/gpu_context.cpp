#include "gpu/device/gpu_context.h"

#include "gpu/device/host_values.h"

#include <cudnn.h>

#include <algorithm>

namespace stagecraft::gpu {
namespace {

// A choice between engines is worth this many replays of each: a first look, then the best few again.
constexpr int kFirstReplays = 2;
constexpr int kFinalReplays = 9;
constexpr int kRepeatsInGraph = 10;
constexpr std::size_t kFinalists = 3;

std::size_t aligned(std::size_t bytes)
{
    return (bytes + kArenaAlignment - 1) / kArenaAlignment * kArenaAlignment;
}

} // namespace

GpuContext::GpuContext(std::shared_ptr<const Graph> graph, const GpuOptions &options)
    : m_graph(std::move(graph)), m_options(options), m_homes(chooseHomes(*m_graph, options))
{
    requireCuda(cudaSetDevice(options.device), "choosing the GPU");
    cudaDeviceProp properties{};
    requireCuda(cudaGetDeviceProperties(&properties, options.device), "asking the GPU what it is");
    m_l2Bytes = static_cast<std::size_t>(std::max(properties.l2CacheSize, 0));
    m_kernels = std::make_unique<KernelLibrary>(
        "sm_" + std::to_string(properties.major) + std::to_string(properties.minor), options.precision);
    m_timer.emplace();
    requireCudnn(cudnnCreate(&m_cudnn), "starting cuDNN");
}

GpuContext::~GpuContext()
{
    m_choices.clear(); // plans made with the handle go before it
    cudnnDestroy(m_cudnn);
}

cudaStream_t GpuContext::stream(std::size_t index)
{
    prepare(index + 1, 0);
    return m_streams[index].get();
}

cudaEvent_t GpuContext::event(std::size_t index)
{
    prepare(0, index + 1);
    return m_events[index].get();
}

void GpuContext::prepare(std::size_t streams, std::size_t events)
{
    while (m_streams.size() < streams)
        m_streams.push_back(makeStream());
    while (m_events.size() < events)
        m_events.push_back(makeEvent(false));
}

void GpuContext::run(const ConvStep &step, cudaStream_t stream)
{
    if (step.launch) {
        launch(*step.launch, stream);
        return;
    }
    // In streams mode what the host does here is part of the time.
    if (stream != m_cudnnStream)
        requireCudnn(cudnnSetStream(m_cudnn, stream), "giving cuDNN a stream");
    m_cudnnStream = stream;
    step.library(m_cudnn);
}

std::shared_ptr<DeviceMemory> GpuContext::upload(const Constant &constant)
{
    // The layout is the session's; the shape tells apart what the same values are for.
    std::string key = constant.key;
    for (const std::int64_t size : constant.dims)
        key += ' ' + std::to_string(size);
    Weights &weights = m_weights[key];
    if (auto known = weights.memory.lock())
        return known;
    const std::vector<std::byte> bytes =
        packed(*constant.values(), constant.dims, constant.strides, m_options.precision);
    auto memory = std::make_shared<DeviceMemory>(bytes.size());
    copyToDevice(memory->data(), bytes);
    weights = {memory, constant.keep ? memory : nullptr};
    return memory;
}

const std::vector<ConvChoice> &GpuContext::choicesFor(const ConvTask &conv)
{
    const std::string key = keyOf(conv, m_options);
    const auto found = m_choices.find(key);
    return found != m_choices.end() ? found->second : m_choices.emplace(key, chosenByTime(conv)).first->second;
}

std::vector<ConvChoice> GpuContext::chosenByTime(const ConvTask &conv)
{
    std::vector<ConvChoice> choices = convChoices({m_cudnn, {}}, conv, m_options);
    std::vector<ConvChoice> timed;
    std::string lastRefusal;
    for (ConvChoice &choice : choices) {
        try {
            choice.aloneUs = timeAlone(choice, conv, kFirstReplays);
            timed.push_back(std::move(choice));
        } catch (const Failure &failure) {
            // An engine that promised more than it can do is none; a broken GPU is another matter.
            if (failure.fatal)
                throw;
            lastRefusal = failure.error.message;
        }
    }
    if (timed.empty())
        throw Failure{
            {ErrorCode::DeviceFailed, "no way to compute the convolution works; the last one: " + lastRefusal, {}, {}},
            false};
    std::ranges::stable_sort(timed, {}, &ConvChoice::aloneUs);
    if (timed.size() > kFinalists)
        timed.erase(timed.begin() + kFinalists, timed.end());
    for (ConvChoice &choice : timed)
        choice.aloneUs = timeAlone(choice, conv, kFinalReplays);
    std::ranges::stable_sort(timed, {}, &ConvChoice::aloneUs);
    return timed;
}

// Median of replays.
double GpuContext::timeAlone(const ConvChoice &choice, const ConvTask &conv, int replays)
{
    const auto bytesOf = [&](std::int64_t elements) {
        return aligned(static_cast<std::size_t>(elements * elementBytes(m_options.precision)));
    };
    // The views keep their distance from an aligned address.
    const std::size_t gap = kArenaAlignment;
    const auto offsetOf = [&](const View &view) {
        return static_cast<std::size_t>(view.offset * elementBytes(m_options.precision)) % kArenaAlignment;
    };
    const std::size_t xBytes = bytesOf(conv.x.span()) + gap;
    const std::size_t yBytes = bytesOf(conv.y.span()) + gap;
    const std::size_t wBytes = bytesOf(conv.w.elements());
    const std::size_t biasBytes = conv.bias ? bytesOf(conv.bias->elements()) : 0;
    m_tuning.reserve(xBytes + yBytes + wBytes + biasBytes + choice.workspaceBytes + gap);
    std::byte *x = m_tuning.data();
    std::byte *y = x + xBytes;
    std::byte *w = y + yBytes;
    std::byte *bias = w + wBytes;
    std::byte *workspace = bias + biasBytes;
    const auto filled =
        static_cast<std::int64_t>(xBytes + yBytes + wBytes + biasBytes) / elementBytes(m_options.precision);
    cudaStream_t stream0 = stream(0);
    launch(fillLaunch(m_tuning.data(), filled, 1), stream0);
    const auto address = [&](const View &view) -> void * {
        if (view.memory == View::Memory::Constant)
            return view.dims == conv.w.dims && view.index == conv.w.index ? w : bias;
        return view == conv.x ? x + offsetOf(view) : y + offsetOf(view);
    };
    const std::vector<ConvStep> steps = stepsOf(choice, conv, m_options, address, workspace);
    // Once directly: libraries load code at the first call, which a capture may forbid, and an engine that cannot do
    // what it promised fails here.
    for (const ConvStep &step : steps)
        run(step, stream0);
    requireCuda(cudaStreamSynchronize(stream0), "a convolution");
    // Replays of a graph: launched one by one, small kernels would be as slow as the host.
    const CudaGraphExec graph = instantiated(captured(stream0, [&] {
        for (int i = 0; i < kRepeatsInGraph; ++i) {
            for (const ConvStep &step : steps)
                run(step, stream0);
        }
    }));
    std::vector<double> times;
    for (int i = 0; i < replays; ++i)
        times.push_back(m_timer->replaysUs(graph, stream0, 1));
    const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
    std::ranges::nth_element(times, middle);
    return *middle / kRepeatsInGraph;
}

void GpuContext::flushL2()
{
    m_flush.reserve(std::max(2 * m_l2Bytes, std::size_t{1} << 20U));
    requireCuda(cudaMemsetAsync(m_flush.data(), 0, m_flush.bytes(), stream(0)), "emptying the L2 cache");
    // A graph waits for stream 0; what goes to other streams directly does not.
    if (m_options.mode == Mode::Streams)
        requireCuda(cudaStreamSynchronize(stream(0)), "emptying the L2 cache");
}

} // namespace stagecraft::gpu
