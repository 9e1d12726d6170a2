#pragma once

// What holds for the tensors of a graph on a backend whatever the schedule, so that a stage costs the same in every
// schedule: layouts, and which tensors are written straight into the tensor that joins them.

#include "graph/graph.h"
#include "plan/view.h"

#include <optional>
#include <span>
#include <vector>

namespace stagecraft::plan {

// What a backend needs of memory, and which parts of a larger tensor its kernels read and write in place.
struct MemoryRules {
    enum class Strided { // channels of a larger tensor that lie apart in memory
        Never,
        ReadByJoins, // of tensors with their channels last
        Always,
    };

    std::size_t alignment = 1;     // of buffers and temporaries, bytes
    std::int64_t elementBytes = 4; // of every tensor
    Strided strided = Strided::Never;
    // Bounds of channels that are written straight into a joined tensor with its channels last are multiples of this
    // many bytes.
    std::int64_t strideBytes = 1;
    // Tensors from outside live through all stages: the next run reads them again.
    bool keepsOutside = true;
};

// A tensor that one join reads, and its first channel in the joined tensor.
struct ConcatAlias {
    TensorId joined;
    std::int64_t channel = 0;

    friend bool operator==(const ConcatAlias &, const ConcatAlias &) = default;
};

// One channel of every image of a tensor.
struct Plane {
    TensorId tensor;
    std::int64_t channel = 0;

    friend bool operator==(const Plane &, const Plane &) = default;
};

// A tensor that is never written: its readers take planes of other tensors, which hold the values.
struct Planes {
    std::vector<Plane> all;        // in the order of the tensor's own; empty: the tensor holds its values
    std::vector<TensorId> holders; // each once

    friend bool operator==(const Planes &, const Planes &) = default;
};

struct TensorPlan {
    MemoryRules rules;
    std::vector<TensorLayout> layouts;               // by TensorId
    std::vector<std::optional<ConcatAlias>> aliases; // by TensorId
    std::vector<bool> onlyJoined;                    // by TensorId: all its readers are joins
    std::vector<std::int64_t> elementBytes = {};     // by TensorId; empty: those of the rules, for all
    std::vector<Planes> planes = {};                 // by TensorId; empty: all tensors hold their values

    [[nodiscard]] bool isHeld(TensorId tensor) const { return planes.empty() || planes[tensor.index()].all.empty(); }
    // Those that hold the values of a tensor: itself, or others.
    template <typename Visit>
    void forHolders(TensorId tensor, const Visit &visit) const
    {
        if (isHeld(tensor))
            return visit(tensor);
        for (const TensorId holder : planes[tensor.index()].holders)
            visit(holder);
    }

    [[nodiscard]] std::size_t bytesOf(TensorId tensor, const Extent &dims, TensorLayout layout) const
    {
        const std::int64_t each = elementBytes.empty() ? rules.elementBytes : elementBytes[tensor.index()];
        return static_cast<std::size_t>(storedElements(dims, layout) * each);
    }
    [[nodiscard]] std::size_t bytesOf(const Extent &dims, TensorLayout layout) const
    {
        return static_cast<std::size_t>(storedElements(dims, layout) * rules.elementBytes);
    }
};

// `planes`: of a backend whose tasks read them.
[[nodiscard]] TensorPlan planTensors(const Graph &graph, std::vector<TensorLayout> layouts, const MemoryRules &rules,
                                     std::vector<Planes> planes = {});

// Layout of several tensors as one: theirs where they agree, otherwise row-major.
[[nodiscard]] TensorLayout jointLayout(std::span<const TensorLayout> layouts, std::span<const TensorId> tensors);
[[nodiscard]] TensorLayout jointLayout(std::span<const TensorLayout> layouts, const InputExpression &inputs);

// The shape of an input expression as one tensor: parts joined along channels.
[[nodiscard]] Extent jointDims(const Graph &graph, const InputExpression &inputs);

} // namespace stagecraft::plan
