// A convolution that reads each element of its window at a place of its own.

#include "operators/kernels/kernels.h"
#include "operators/kernels/window.h"

namespace stagecraft::kernels {
namespace {

// Between four pixels; beyond the image there are zeros.
template <typename T>
double readBetween(const T *plane, double y, double x, std::int64_t height, std::int64_t width)
{
    if (!(y > -1 && y < static_cast<double>(height) && x > -1 && x < static_cast<double>(width)))
        return 0; // no number, too
    const auto top = static_cast<std::int64_t>(std::floor(y));
    const auto left = static_cast<std::int64_t>(std::floor(x));
    double sum = 0;
    for (std::int64_t k = 0; k < 4; ++k) {
        const std::int64_t row = top + k / 2;
        const std::int64_t column = left + k % 2;
        if (row < 0 || row >= height || column < 0 || column >= width)
            continue;
        sum += static_cast<double>(plane[row * width + column]) * (1 - std::abs(y - static_cast<double>(row))) *
               (1 - std::abs(x - static_cast<double>(column)));
    }
    return sum;
}

} // namespace

// x, weight, offsets (batch x groups * taps * 2 x image), bias, mask (batch x groups * taps x image)
Result<void> deformableConvolution(KernelCall &call)
{
    const TensorView &from = call.in(0);
    const TensorView &weight = call.in(1);
    const TensorView &offsets = call.in(2);
    const TensorView &to = call.out();
    if (weight.type != from.type)
        return noTypes(call);
    if (from.dims.size() != 4)
        return refuse("it needs an image");
    TRY_AS(const auto loop, windowLoop(call.node, {weight.dims.begin() + 2, weight.dims.end()}, from.dims, to.dims));
    const std::int64_t groups = call.node.integer("group");
    const std::int64_t offsetGroups = call.node.integer("offset_group");
    if (groups < 1 || to.dims[1] % groups != 0 || from.dims[1] != groups * weight.dims[1])
        return refuse("its channels do not fall into its groups");
    if (offsetGroups < 1 || from.dims[1] % offsetGroups != 0)
        return refuse("its channels do not fall into its offset_group");
    const std::int64_t shifts = to.dims[0] * offsetGroups * productOf(loop.kernel) * productOf(loop.out);
    if (auto fits = needsElements(call, 2, "offset", 2 * shifts); !fits)
        return fits;
    if (auto fits = needsElements(call, 3, "B", to.dims[1]); !fits)
        return fits;
    if (auto fits = needsElements(call, 4, "mask", shifts); !fits)
        return fits;
    const std::int64_t height = from.dims[2];
    const std::int64_t width = from.dims[3];
    const std::int64_t channels = from.dims[1];
    const std::int64_t reads = weight.dims[1];
    const std::int64_t each = to.dims[1] / groups;
    const std::int64_t taps = productOf(loop.kernel);
    const std::int64_t made = productOf(loop.out);
    const bool known = forReal(from.type, [&]<typename T>() {
        for (std::int64_t image = 0; image < to.dims[0]; ++image) {
            loop.forPlaces([&](std::int64_t place, const Dims &at) {
                for (std::int64_t c = 0; c < to.dims[1]; ++c) {
                    double sum = call.has(3) ? realAt(call.in(3), c) : 0;
                    for (std::int64_t k = 0; k < reads; ++k) {
                        const std::int64_t channel = c / each * reads + k;
                        const std::int64_t group = image * offsetGroups + channel / (channels / offsetGroups);
                        for (std::int64_t tap = 0; tap < taps; ++tap) {
                            const std::int64_t shift = (group * taps + tap) * 2 * made + place;
                            const std::int64_t row = tap / loop.kernel[1];
                            const double y =
                                static_cast<double>(at[0] + row * loop.dilation[0]) + realAt(offsets, shift);
                            const double x = static_cast<double>(at[1] + tap % loop.kernel[1] * loop.dilation[1]) +
                                             realAt(offsets, shift + made);
                            const double mask =
                                call.has(4) ? realAt(call.in(4), (group * taps + tap) * made + place) : 1;
                            const T *plane = from.as<T>().data() + (image * channels + channel) * height * width;
                            sum += mask *
                                   static_cast<double>(
                                       weight.as<T>()[static_cast<std::size_t>((c * reads + k) * taps + tap)]) *
                                   readBetween(plane, y, x, height, width);
                        }
                    }
                    to.as<T>()[static_cast<std::size_t>((image * to.dims[1] + c) * made + place)] = static_cast<T>(sum);
                }
            });
        }
    });
    return known ? Result<void>() : noTypes(call);
}

} // namespace stagecraft::kernels
