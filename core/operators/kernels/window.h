#pragma once

// A window that slides over an image of any number of dimensions.

#include "operators/kernels/typed.h"

namespace stagecraft::kernels {

struct WindowLoop {
    Dims in;
    Dims out;
    Dims kernel;
    Dims stride;
    Dims dilation;
    Dims before; // padding
    Dims after;

    // Calls visit(index, first position of the window in the input) for each position.
    template <typename Visit>
    void forPlaces(const Visit &visit) const
    {
        Dims at(out.size());
        const Dims strides = stridesOf(out);
        for (std::int64_t place = 0; place < productOf(out); ++place) {
            for (std::size_t axis = 0; axis < out.size(); ++axis)
                at[axis] = place / strides[axis] % out[axis] * stride[axis] - before[axis];
            visit(place, at);
        }
    }

    // Calls visit(index in the kernel, index in the input) for what lies within the input.
    template <typename Visit>
    void forTaps(const Dims &at, const Visit &visit) const
    {
        const Dims strides = stridesOf(in);
        const Dims steps = stridesOf(kernel);
        for (std::int64_t tap = 0; tap < productOf(kernel); ++tap) {
            std::int64_t element = 0;
            bool isInside = true;
            for (std::size_t axis = 0; axis < in.size(); ++axis) {
                const std::int64_t place = at[axis] + tap / steps[axis] % kernel[axis] * dilation[axis];
                isInside = isInside && place >= 0 && place < in[axis];
                element += place * strides[axis];
            }
            if (isInside)
                visit(tap, element);
        }
    }

    // How much of the window lies within the input and its padding.
    [[nodiscard]] std::int64_t paddedTaps(const Dims &at) const
    {
        std::int64_t count = 1;
        for (std::size_t axis = 0; axis < in.size(); ++axis) {
            std::int64_t inside = 0;
            for (std::int64_t k = 0; k < kernel[axis]; ++k)
                inside += at[axis] + k * dilation[axis] < in[axis] + after[axis] ? 1 : 0;
            count *= inside;
        }
        return count;
    }
};

[[nodiscard]] Result<WindowLoop> windowLoop(const NodeFacts &node, const Dims &kernel, const Dims &in, const Dims &out);

} // namespace stagecraft::kernels
