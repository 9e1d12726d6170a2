#include "gpu/cuda/cuda_handles.h"

namespace stagecraft::gpu {

Stream makeStream()
{
    cudaStream_t stream = nullptr;
    requireCuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "creating a stream");
    return Stream(stream);
}

Event makeEvent(bool timed)
{
    cudaEvent_t event = nullptr;
    requireCuda(cudaEventCreateWithFlags(&event, timed ? cudaEventDefault : cudaEventDisableTiming),
                "creating an event");
    return Event(event);
}

CudaGraph captured(cudaStream_t origin, const std::function<void()> &body)
{
    requireCuda(cudaStreamBeginCapture(origin, cudaStreamCaptureModeThreadLocal), "beginning a graph");
    cudaGraph_t graph = nullptr;
    try {
        body();
    } catch (...) {
        // The stream has to end its capture before it can be used again.
        cudaStreamEndCapture(origin, &graph);
        cudaGetLastError();
        if (graph)
            cudaGraphDestroy(graph);
        throw;
    }
    requireCuda(cudaStreamEndCapture(origin, &graph), "ending a graph");
    return CudaGraph(graph);
}

CudaGraphExec instantiated(const CudaGraph &graph)
{
    cudaGraphExec_t exec = nullptr;
    requireCuda(cudaGraphInstantiate(&exec, graph.get(), 0), "instantiating a graph");
    return CudaGraphExec(exec);
}

void copyToDevice(std::byte *to, std::span<const std::byte> from)
{
    requireCuda(cudaMemcpy(to, from.data(), from.size(), cudaMemcpyHostToDevice), "writing to the GPU");
    requireCuda(cudaStreamSynchronize(cudaStreamLegacy), "writing to the GPU");
}

void fillBytes(std::byte *to, int value, std::size_t bytes)
{
    requireCuda(cudaMemset(to, value, bytes), "filling memory of the GPU");
    requireCuda(cudaStreamSynchronize(cudaStreamLegacy), "filling memory of the GPU");
}

DeviceMemory::~DeviceMemory()
{
    cudaFree(m_data);
}

void DeviceMemory::reserve(std::size_t bytes)
{
    if (bytes <= m_bytes)
        return;
    cudaFree(m_data);
    m_data = nullptr;
    m_bytes = 0;
    void *made = nullptr;
    const std::string what = "allocating " + std::to_string((bytes >> 20U) + 1) + " MiB on the GPU";
    requireCuda(cudaMalloc(&made, bytes), what.c_str());
    m_data = static_cast<std::byte *>(made);
    m_bytes = bytes;
}

} // namespace stagecraft::gpu
