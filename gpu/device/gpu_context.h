#pragma once

// What the programs of a session share: the GPU, streams, cuDNN's handle, our kernels, weights, the arena, and the
// engine of each convolution. Threads: used by one thread.

#include "gpu/device/clock_warmup.h"
#include "gpu/device/conv_tuner.h"
#include "gpu/device/kernel_library.h"
#include "gpu/plan/program_plan.h"
#include "graph/graph.h"

#include <map>
#include <memory>
#include <optional>

namespace stagecraft::gpu {

class GpuContext {
public:
    // `memory`: remembers tuned convolutions beyond this context; may be null. Throws Failure.
    GpuContext(std::shared_ptr<const Graph> graph, const GpuOptions &options,
               std::shared_ptr<ConvMemory> memory = nullptr);
    ~GpuContext();
    GpuContext(const GpuContext &) = delete;
    GpuContext &operator=(const GpuContext &) = delete;

    [[nodiscard]] const Graph &graph() const { return *m_graph; }
    [[nodiscard]] const GpuOptions &options() const { return m_options; }
    [[nodiscard]] const plan::TensorPlan &tensors() const { return m_tensors; }

    [[nodiscard]] cudaStream_t stream(std::size_t index); // 0: the timed one
    [[nodiscard]] cudaEvent_t event(std::size_t index);   // for ordering, not for timing
    void prepare(std::size_t streams, std::size_t events);
    [[nodiscard]] DeviceMemory &arena() { return m_arena; }
    [[nodiscard]] ClockWarmup &warmup() { return m_warmup; }

    void launch(const KernelLaunch &launch, cudaStream_t stream) { m_kernels->launch(launch, stream); }
    void run(const ConvStep &step, cudaStream_t stream);

    // The fastest few ways to compute it, best first: remembered, or timed alone, in their own memory, the first time.
    [[nodiscard]] const std::vector<ConvChoice> &choicesFor(const ConvTask &conv);
    [[nodiscard]] std::shared_ptr<DeviceMemory> upload(const Constant &constant);

    // Flushes the L2 cache, on stream 0.
    void flushL2();

private:
    [[nodiscard]] std::vector<ConvChoice> remembered(const std::string &key, const ConvTask &conv);
    [[nodiscard]] std::vector<ConvChoice> tuned(const std::string &key, const ConvTask &conv);

    struct Weights {
        std::weak_ptr<DeviceMemory> memory;
        std::shared_ptr<DeviceMemory> kept;
    };

    std::shared_ptr<const Graph> m_graph;
    GpuOptions m_options;
    plan::TensorPlan m_tensors;
    std::vector<Stream> m_streams;
    std::vector<Event> m_events;
    cudnnContext *m_cudnn = nullptr;
    cudaStream_t m_cudnnStream = nullptr; // the stream set on the handle
    std::unique_ptr<KernelLibrary> m_kernels;
    DeviceMemory m_arena;
    DeviceMemory m_flush;
    std::size_t m_l2Bytes = 0;
    std::map<std::string, Weights> m_weights;
    ClockWarmup m_warmup;
    std::optional<ConvTuner> m_tuner; // created once the GPU is chosen
    std::map<std::string, std::vector<ConvChoice>> m_choices;
    std::shared_ptr<ConvMemory> m_memory; // may be null
};

} // namespace stagecraft::gpu
