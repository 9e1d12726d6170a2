#include "gpu/device/gpu_context.h"

#include "gpu/device/host_values.h"

#include <cudnn.h>

#include <algorithm>
#include <chrono>

namespace stagecraft::gpu {
GpuContext::GpuContext(std::shared_ptr<const Graph> graph, const GpuOptions &options,
                       std::shared_ptr<ConvMemory> memory)
    : m_graph(std::move(graph)), m_options(options), m_tensors(planTensors(*m_graph, options)),
      m_memory(std::move(memory))
{
    requireCuda(cudaSetDevice(options.device), "choosing the GPU");
    cudaDeviceProp properties{};
    requireCuda(cudaGetDeviceProperties(&properties, options.device), "reading the GPU's properties");
    m_l2Bytes = static_cast<std::size_t>(std::max(properties.l2CacheSize, 0));
    m_kernels = std::make_unique<KernelLibrary>(
        "sm_" + std::to_string(properties.major) + std::to_string(properties.minor), options.precision);
    m_tuner.emplace(*this);
    requireCudnn(cudnnCreate(&m_cudnn), "starting cuDNN");
}

GpuContext::~GpuContext()
{
    m_choices.clear(); // plans created with the handle are destroyed first
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
    // In streams mode the host's work here is part of the time.
    if (stream != m_cudnnStream)
        requireCudnn(cudnnSetStream(m_cudnn, stream), "setting cuDNN's stream");
    m_cudnnStream = stream;
    step.library(m_cudnn);
}

std::shared_ptr<DeviceMemory> GpuContext::upload(const Constant &constant)
{
    // Shape and layout distinguish uses of the same values.
    std::string key = constant.key;
    for (const std::int64_t size : constant.dims)
        key += ' ' + std::to_string(size);
    for (const std::int64_t stride : constant.strides)
        key += ',' + std::to_string(stride);
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
    if (found != m_choices.end())
        return found->second;
    std::vector<ConvChoice> choices = remembered(key, conv);
    if (choices.empty())
        choices = tuned(key, conv);
    return m_choices.emplace(key, std::move(choices)).first->second;
}

// Empty if they are not known, or cuDNN no longer has one of them.
std::vector<ConvChoice> GpuContext::remembered(const std::string &key, const ConvTask &conv)
{
    const TunedConv *known = m_memory ? m_memory->find(key) : nullptr;
    std::vector<ConvChoice> choices;
    for (const TunedConv::Choice &values : known ? known->choices : std::vector<TunedConv::Choice>()) {
        auto choice = choiceOf(values, {m_cudnn, {}}, conv, m_options);
        if (!choice)
            return {};
        choices.push_back(*std::move(choice));
    }
    return choices;
}

std::vector<ConvChoice> GpuContext::tuned(const std::string &key, const ConvTask &conv)
{
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    TunedConv found;
    const std::vector<ConvChoice> offered = convChoices({m_cudnn, {}}, conv, m_options, &found.compiled);
    std::vector<ConvChoice> choices = m_tuner->fastest(offered, conv);
    if (m_memory) {
        found.tried = static_cast<int>(offered.size());
        found.seconds = std::chrono::duration<double>(Clock::now() - start).count();
        for (const ConvChoice &choice : choices)
            found.choices.push_back(valuesOf(choice));
        m_memory->add(key, std::move(found));
    }
    return choices;
}

void GpuContext::flushL2()
{
    m_flush.reserve(std::max(2 * m_l2Bytes, std::size_t{1} << 20U));
    requireCuda(cudaMemsetAsync(m_flush.data(), 0, m_flush.bytes(), stream(0)), "flushing the L2 cache");
    // A graph waits for stream 0; direct launches on other streams do not.
    if (m_options.mode == Mode::Streams)
        requireCuda(cudaStreamSynchronize(stream(0)), "flushing the L2 cache");
}

} // namespace stagecraft::gpu
