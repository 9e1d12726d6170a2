#pragma once

// How a GPU device executes, as its id says: gpu:<n>, then any of
//   precision  fp32 (strict, the default), tf32, fp16
//   mode       graph (one CUDA graph, the default), streams (device synchronisation between stages)
//   layout     nchw (the default of fp32), nhwc (the default of tf32 and fp16)
//   flush      the L2 cache is flushed before every timed run
//   instage    engines of convolutions are timed within their stage, not alone
//   quick      few engines are tried for a convolution: ready in seconds, but not the fastest
//   sweep      every setting of an engine's knobs (tiles, split of the reduction) is tried, not only those that cuDNN
//              proposes: not with quick
//   compiled   engines that cuDNN compiles for this GPU are tried, too: more than a second each, once per convolution
// separated by colons: gpu:0, gpu:1:fp16, gpu:0:tf32:streams. Of precision, mode and layout, one word each. The id is
// part of the key of stored latencies.

#include "operators/values/tensor_layout.h"
#include "support/result.h"

#include <string>
#include <string_view>

namespace stagecraft {
struct OptionWords;
}

namespace stagecraft::gpu {

enum class Precision { Fp32, Tf32, Fp16 };
enum class Mode { Graph, Streams };
using stagecraft::TensorLayout;

struct GpuOptions {
    int device = 0;
    Precision precision = Precision::Fp32;
    Mode mode = Mode::Graph;
    TensorLayout layout = TensorLayout::RowMajor; // of images; or with their channels last
    bool flushL2 = false;
    bool tuneInStage = false;
    bool fewEngines = false;
    bool sweepsKnobs = false;
    bool compiledEngines = false;

    friend bool operator==(const GpuOptions &, const GpuOptions &) = default;
};

[[nodiscard]] std::string_view toString(Precision precision);
[[nodiscard]] std::string_view toString(Mode mode);

[[nodiscard]] OptionWords gpuOptionWords();

// WrongUse: not the id of a GPU, an unknown option or two that contradict each other, with the known
// ones as remedy.
[[nodiscard]] Result<GpuOptions> gpuOptionsFrom(std::string_view id);

// The shortest id with these options: defaults are left out.
[[nodiscard]] std::string toId(const GpuOptions &options);

[[nodiscard]] inline std::int64_t elementBytes(Precision precision)
{
    return precision == Precision::Fp16 ? 2 : 4;
}

} // namespace stagecraft::gpu
