#pragma once

// The work of the GPU: library calls and kernels of our own over views. Tasks of a group run one after another.

#include "gpu/plan/gpu_options.h"
#include "operators/operator.h"
#include "plan/view.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace stagecraft::gpu {

using plan::denseStrides;
using plan::elementsOf;
using plan::Extent;
using plan::kChannelAxis;
using plan::rowMajorStrides;
using plan::View;

// y = after(conv(x, w) + bias). x, y: images; w: [out, in / groups, height, width]; bias: [1, out, 1, 1].
struct ConvTask {
    View x;
    View w;
    std::optional<View> bias;
    View y;
    Window window;
    std::int64_t groups = 1;
    Activation after;
};

// One filter per channel, over the sum of x with an activation before: y = after(conv(before(sum x), w) + bias).
struct DepthwiseTask {
    std::vector<View> x; // 1 to kMaxDepthwiseInputs, of the same dims
    View w;              // [1, channels, height, width]
    std::optional<View> bias;
    View y;
    Window window;
    Activation before;
    Activation after;
};
inline constexpr std::size_t kMaxDepthwiseInputs = 4;

struct PoolTask {
    View x;
    View y;
    PoolAttributes pool;
};

// Element by element: y = after(function(x0, x1, ...)).
struct ElementwiseTask {
    enum class Function { Sum, Mul, Sub, Div, Max, Min, Pow, PRelu, ScaleShift };

    Function function = Function::Sum; // one x: a copy
    std::vector<View> x;               // 1 to kMaxElementwiseInputs, of y's dims
    View y;
    Activation after;
};
inline constexpr std::size_t kMaxElementwiseInputs = 8;

// Over row-major views.
struct SoftmaxTask {
    View x;
    View y;
    std::size_t axis = 0;
    bool logarithm = false;
};

using Work = std::variant<ConvTask, DepthwiseTask, PoolTask, ElementwiseTask, SoftmaxTask>;

// Bytes of the group's scratch buffer that are exclusive to the task while it runs.
struct Workspace {
    std::size_t buffer = 0;
    std::size_t offsetBytes = 0;
    std::size_t bytes = 0;
};

struct Task {
    Work work;
    std::vector<OperatorId> operators; // several for a merged convolution
    std::size_t stage = 0;
    std::size_t group = 0;
    std::optional<std::size_t> turn = {}; // of its operator in the launch order that the stage states
    Workspace workspace;                  // for convolutions
};

// Values that are uploaded once. `key` names them, so that programs of a session share them.
struct Constant {
    std::string key;
    Extent dims;
    Extent strides;
    bool keep = true; // for the whole session; otherwise as long as a program holds it
    std::function<std::shared_ptr<const std::vector<float>>()> values; // row-major
};

} // namespace stagecraft::gpu
