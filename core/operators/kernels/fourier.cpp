// Discrete Fourier transforms, by their definition.

#include "operators/kernels/kernels.h"
#include "operators/kernels/typed.h"

#include <complex>
#include <numbers>

namespace stagecraft::kernels {
namespace {

using Complex = std::complex<double>;

Complex turned(std::int64_t k, std::int64_t size, bool isInverse)
{
    const double angle = 2 * std::numbers::pi * static_cast<double>(k % size) / static_cast<double>(size);
    return {std::cos(angle), isInverse ? std::sin(angle) : -std::sin(angle)};
}

// Numbers of one or two parts, in the last axis.
Complex numberAt(const TensorView &tensor, std::int64_t i)
{
    return tensor.dims.back() == 2 ? Complex(realAt(tensor, 2 * i), realAt(tensor, 2 * i + 1))
                                   : Complex(realAt(tensor, i));
}

void setNumber(const TensorView &tensor, std::int64_t i, Complex value)
{
    const bool isPair = tensor.dims.back() == 2;
    setReal(tensor, isPair ? 2 * i : i, value.real());
    if (isPair)
        setReal(tensor, 2 * i + 1, value.imag());
}

Result<void> transform(KernelCall &call)
{
    const TensorView &from = call.in(0);
    const TensorView &to = call.out();
    const Dims numbers(from.dims.begin(), from.dims.end() - 1);
    const Dims made(to.dims.begin(), to.dims.end() - 1);
    const bool isOld = call.node.opset != 0 && call.node.opset < 20;
    const std::int64_t wanted = isOld         ? (call.node.gives("axis") ? call.node.integer("axis") : 1)
                                : call.has(2) ? (call.in(2).size() > 0 ? integersIn(call.in(2)).front() : 0)
                                              : -2;
    const auto axis = axisOf(wanted, from.dims.size());
    if (!axis || *axis >= numbers.size())
        return refuse("its axis is out of range");
    const bool isInverse = call.node.integer("inverse") != 0;
    const bool isHalf = call.node.integer("onesided") != 0;
    const AxisParts parts = partsOf(numbers, *axis);
    const AxisParts results = partsOf(made, *axis);
    const std::int64_t size = call.has(1) && call.in(1).size() > 0 ? integersIn(call.in(1)).front()
                              : isHalf && isInverse                ? results.size
                                                                   : parts.size;
    for (std::int64_t i = 0; i < results.outer * results.inner; ++i) {
        const std::int64_t row = i / results.inner;
        const std::int64_t column = i % results.inner;
        for (std::int64_t k = 0; k < results.size; ++k) {
            Complex sum = 0;
            for (std::int64_t n = 0; n < size; ++n) {
                const bool isMirrored = isHalf && isInverse && n >= parts.size; // the half that is left out
                const std::int64_t source = isMirrored ? size - n : n;
                if (source < 0 || source >= parts.size)
                    continue;
                const Complex x = numberAt(from, (row * parts.size + source) * parts.inner + column);
                sum += (isMirrored ? std::conj(x) : x) * turned(k * n, size, isInverse);
            }
            setNumber(to, (row * results.size + k) * results.inner + column,
                      isInverse ? sum / static_cast<double>(size) : sum);
        }
    }
    return {};
}

// signal, frame step, window, frame length; batch x frames x frequencies x 2
Result<void> transformFrames(KernelCall &call)
{
    const TensorView &signal = call.in(0);
    const TensorView &to = call.out();
    const std::int64_t step = integersIn(call.in(1)).front();
    const bool hasWindow = call.has(2) && call.in(2).size() > 0;
    const std::int64_t length =
        call.has(3) && call.in(3).size() > 0 ? integersIn(call.in(3)).front() : call.in(2).size();
    if (auto fits = needsElements(call, 2, "window", length, true); !fits)
        return fits;
    for (std::int64_t i = 0; i < to.dims[0] * to.dims[1] * to.dims[2]; ++i) {
        const std::int64_t k = i % to.dims[2];
        const std::int64_t frame = i / to.dims[2] % to.dims[1];
        const std::int64_t begin = i / to.dims[2] / to.dims[1] * signal.dims[1] + frame * step;
        Complex sum = 0;
        for (std::int64_t n = 0; n < length; ++n)
            sum +=
                numberAt(signal, begin + n) * (hasWindow ? realAt(call.in(2), n) : 1.0) * turned(k * n, length, false);
        setNumber(to, i, sum);
    }
    return {};
}

} // namespace

Result<void> fourier(KernelCall &call)
{
    if (call.in(0).dims.size() < 2 || (call.in(0).type != DataType::Float32 && call.in(0).type != DataType::Float64))
        return noTypes(call);
    return call.node.type == "DFT" ? transform(call) : transformFrames(call);
}

} // namespace stagecraft::kernels
