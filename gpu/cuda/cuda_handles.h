#pragma once

// Owners of CUDA resources. Creating one throws Failure; destroying one never fails.

#include "gpu/cuda/failure.h"
#include "gpu/cuda/kernel_loading.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <span>

namespace stagecraft::gpu {

struct Release {
    void operator()(CUstream_st *stream) const { cudaStreamDestroy(stream); }
    void operator()(CUevent_st *event) const { cudaEventDestroy(event); }
    void operator()(CUgraph_st *graph) const { cudaGraphDestroy(graph); }
    void operator()(CUgraphExec_st *graph) const { cudaGraphExecDestroy(graph); }
    void operator()(CUlib_st *library) const { unloadKernels(library); }
};

using Stream = std::unique_ptr<CUstream_st, Release>;
using Event = std::unique_ptr<CUevent_st, Release>;
using CudaGraph = std::unique_ptr<CUgraph_st, Release>;
using CudaGraphExec = std::unique_ptr<CUgraphExec_st, Release>;
using CudaLibrary = std::unique_ptr<CUlib_st, Release>;

[[nodiscard]] Stream makeStream();
[[nodiscard]] Event makeEvent(bool timed);

// Captures as a graph what the body submits to the stream, and to streams that join it. Streams and events it uses must
// exist already.
[[nodiscard]] CudaGraph captured(cudaStream_t origin, const std::function<void()> &body);
[[nodiscard]] CudaGraphExec instantiated(const CudaGraph &graph);

// Both wait for completion: a copy from the host may return earlier, and our streams do not wait for it (CUDA runtime
// API, "API synchronization behavior").
void copyToDevice(std::byte *to, std::span<const std::byte> from);
void fillBytes(std::byte *to, int value, std::size_t bytes);

// Device memory. It grows by being replaced, which loses its contents.
class DeviceMemory {
public:
    DeviceMemory() = default;
    explicit DeviceMemory(std::size_t bytes) { reserve(bytes); }
    ~DeviceMemory();
    DeviceMemory(const DeviceMemory &) = delete;
    DeviceMemory &operator=(const DeviceMemory &) = delete;

    void reserve(std::size_t bytes);
    [[nodiscard]] std::byte *data() const { return m_data; }
    [[nodiscard]] std::size_t bytes() const { return m_bytes; }

private:
    std::byte *m_data = nullptr;
    std::size_t m_bytes = 0;
};

} // namespace stagecraft::gpu
