#pragma once

// A convolution with bias and activation as one of cuDNN's operation graphs. Private to the cuDNN files of this folder.

#include "gpu/device/cudnn_conv.h"
#include "gpu/device/cudnn_descriptor.h"

#include <optional>
#include <vector>

namespace stagecraft::gpu {

// Ids of the tensors with memory.
enum ConvUid : std::int64_t { kX = 'x', kW = 'w', kBias = 'b', kY = 'y' };

// Owns all descriptors that the graph refers to.
struct ConvGraph {
    std::vector<std::unique_ptr<Descriptor>> parts;
    std::unique_ptr<Descriptor> graph;

    Descriptor &keep(Descriptor descriptor)
    {
        return *parts.emplace_back(std::make_unique<Descriptor>(std::move(descriptor)));
    }
};

// Empty if cuDNN does not support such a graph. `fused`: with the task's bias and activation.
[[nodiscard]] std::optional<ConvGraph> convGraph(const CudnnTarget &target, const ConvTask &conv, Precision precision,
                                                 bool fused);

} // namespace stagecraft::gpu
