#pragma once

// One convolution primitive with its weights: what plain, separable, merged and transposed convolutions are made of.

#include "device/cpu/onednn/emitter.h"
#include "device/cpu/onednn/primitives.h"

#include <functional>
#include <string>

namespace stagecraft::cpu {

// The constant of one role, or the values of it for the channels that are emitted.
struct SlicedValues {
    std::string key; // see WeightStore::packed
    std::function<Values()> values;
};
[[nodiscard]] SlicedValues slicedValues(const Emitter &emitter, const Operator &op, const Parameter &parameter);

// What a separable convolution has between its two, as the library would have it before an output like `to`.
[[nodiscard]] Desc betweenDesc(const dnnl::engine &engine, const Operator &op, const Desc &from, const Desc &to);

void emitConvolution(Emitter &emitter, ConvShape shape, const LayerWeights &weights, const Activation &after,
                     const Operator &owner, const Place &from, const Place &to);

// A transposed convolution whose windows neither overlap nor leave gaps: every pixel becomes a patch. It runs as a 1x1
// convolution that writes whole patches, which are then put in order; oneDNN's own takes several times as long.
[[nodiscard]] bool isPatchwise(const Operator &op, const dnnl::memory::dims &in, const dnnl::memory::dims &out);

} // namespace stagecraft::cpu
