#include "device/cpu/onednn/careful.h"

#include "operators/kernels/scalar_functions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <string_view>

namespace stagecraft::cpu {
namespace {

using Sizes = dnnl::memory::dims;

std::int64_t productOf(Sizes::const_iterator begin, Sizes::const_iterator end)
{
    return std::accumulate(begin, end, std::int64_t{1}, std::multiplies<>());
}

// As eltwise() has it for the library.
std::function<float(float)> activationFunction(const Activation &activation)
{
    if (activation.kind == ActivationKind::Relu6)
        return [](float x) { return kernels::clipped(x, 0.0F, 6.0F); };
    const bool isSilu = activation.kind == ActivationKind::Silu;
    const std::string_view type = isSilu ? "Swish" : activationSchema(activation.kind).name;
    const kernels::FunctionConstants<float> constants{isSilu ? 1 : activation.alpha, activation.beta};
    return [=, function = kernels::functionIn(kernels::unaryFunctions<float>(), type)](float x) {
        return function(x, constants);
    };
}

// Calls kernel(from, to) with both row-major.
template <typename Kernel>
void emitRowMajor(Emitter &emitter, const Place &from, const Place &to, Kernel kernel)
{
    const Place plainFrom = emitter.inLayout(from, plainDesc(from.desc.dims()));
    const Desc plain = plainDesc(to.desc.dims());
    const bool direct = to.desc == plain;
    const Place plainTo = direct ? to : emitter.scratch(plain);
    emitter.host([kernel](std::span<float *const> pointers) { kernel(pointers[0], pointers[1]); },
                 {plainFrom, plainTo});
    if (!direct)
        emitter.copy(plainTo, to);
}

struct Axis {
    std::int64_t in = 1;
    std::int64_t out = 1;
    std::int64_t kernel = 1;
    std::int64_t stride = 1;
    std::int64_t dilation = 1;
    std::int64_t before = 0;

    // Calls visit(place in the input) for the window of an output.
    template <typename Visit>
    void forTaps(std::int64_t at, const Visit &visit) const
    {
        for (std::int64_t k = 0; k < kernel; ++k) {
            const std::int64_t place = at * stride - before + k * dilation;
            if (place >= 0 && place < in)
                visit(place);
        }
    }
};

} // namespace

void emitActivationCarefully(Emitter &emitter, const Activation &activation, const Place &from, const Place &to)
{
    const Sizes dims = to.desc.dims();
    const auto count = static_cast<std::size_t>(productOf(dims.begin(), dims.end()));
    emitRowMajor(emitter, from, to, [=, function = activationFunction(activation)](const float *x, float *y) {
        std::transform(x, x + count, y, function);
    });
}

void emitLargestCarefully(Emitter &emitter, const PoolAttributes &pool, const Place &from, const Place &to)
{
    const Sizes in = from.desc.dims();
    const Sizes out = to.desc.dims();
    std::array<Axis, 2> axes;
    for (std::size_t i = 0; i < axes.size(); ++i) {
        const Window &window = pool.window;
        axes[i] = pool.global ? Axis{in[i + 2], 1, in[i + 2], 1, 1, 0}
                              : Axis{in[i + 2],        out[i + 2],         window.kernel[i],
                                     window.stride[i], window.dilation[i], window.padding[i]};
    }
    emitRowMajor(emitter, from, to, [=, planes = in[0] * in[1]](const float *x, float *y) {
        for (std::int64_t plane = 0; plane < planes; ++plane, x += axes[0].in * axes[1].in) {
            for (std::int64_t i = 0; i < axes[0].out * axes[1].out; ++i) {
                float largest = std::numeric_limits<float>::lowest();
                axes[0].forTaps(i / axes[1].out, [&](std::int64_t row) {
                    axes[1].forTaps(i % axes[1].out, [&](std::int64_t column) {
                        largest = kernels::larger(largest, x[row * axes[1].in + column]);
                    });
                });
                *y++ = largest;
            }
        }
    });
}

void emitSoftmaxCarefully(Emitter &emitter, const Place &from, const Place &to, std::size_t axis, bool logarithm)
{
    const Sizes dims = to.desc.dims();
    const std::int64_t size = dims[axis];
    const std::int64_t inner = productOf(dims.begin() + static_cast<std::ptrdiff_t>(axis) + 1, dims.end());
    emitRowMajor(emitter, from, to, [=, rows = productOf(dims.begin(), dims.end()) / size](const float *x, float *y) {
        for (std::int64_t row = 0; row < rows; ++row) {
            const std::int64_t first = row / inner * size * inner + row % inner;
            float largest = x[first];
            for (std::int64_t k = 1; k < size; ++k)
                largest = kernels::larger(largest, x[first + k * inner]);
            double sum = 0;
            for (std::int64_t k = 0; k < size; ++k)
                sum += std::exp(static_cast<double>(x[first + k * inner] - largest));
            for (std::int64_t k = 0; k < size; ++k) {
                const double above = x[first + k * inner] - largest;
                y[first + k * inner] = static_cast<float>(logarithm ? above - std::log(sum) : std::exp(above) / sum);
            }
        }
    });
}

} // namespace stagecraft::cpu
