#pragma once

// A convolution with bias and activation as one of cuDNN's operation graphs. Private to the cuDNN files of this folder.

#include "gpu/device/cudnn_conv.h"
#include "gpu/device/cudnn_descriptor.h"

#include <optional>
#include <vector>

namespace stagecraft::gpu {

// What the tensors that have memory are called in a graph.
enum ConvUid : std::int64_t { kX = 'x', kW = 'w', kBias = 'b', kY = 'y' };

// All descriptors a graph points to live as long as it does.
struct ConvGraph {
    std::vector<std::unique_ptr<Descriptor>> parts;
    std::unique_ptr<Descriptor> graph;

    Descriptor &keep(Descriptor descriptor)
    {
        return *parts.emplace_back(std::make_unique<Descriptor>(std::move(descriptor)));
    }
};

// None where cuDNN does not know such a graph. `fused`: with the task's bias and activation.
[[nodiscard]] std::optional<ConvGraph> convGraph(const CudnnTarget &target, const ConvTask &conv, Precision precision,
                                                 bool fused);

} // namespace stagecraft::gpu
