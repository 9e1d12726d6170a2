#include "wiring/cuda_export.h"

#include "gpu/plan/program_plan.h"

#include <cstddef>

namespace stagecraft {

Result<void> checkOnCuda(const Graph &graph, const Schedule &schedule)
{
    for (std::size_t id = 0; id < graph.size(); ++id) {
        TRY(gpu::inputFormOf(graph, OperatorId::fromIndex(id)));
    }
    const gpu::GpuOptions options;
    TRY(gpu::planProgram(graph, gpu::planTensors(graph, options), schedule, options,
                         [](const gpu::ConvTask &) -> Result<std::size_t> { return std::size_t{0}; }));
    return {};
}

} // namespace stagecraft
