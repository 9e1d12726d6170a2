// Regions of an image, each to the same size.

#include "operators/kernels/kernels.h"
#include "operators/kernels/typed.h"

#include <array>

namespace stagecraft::kernels {
namespace {

struct Corner {
    std::int64_t index = 0;
    double weight = 0;
};

// The four pixels around a place; none if it lies beyond the image.
std::vector<Corner> cornersOf(double y, double x, std::int64_t height, std::int64_t width)
{
    if (y < -1 || y > static_cast<double>(height) || x < -1 || x > static_cast<double>(width))
        return {};
    y = std::max(y, 0.0);
    x = std::max(x, 0.0);
    const auto bounded = [](double &at, std::int64_t size) {
        auto low = static_cast<std::int64_t>(at);
        if (low >= size - 1) {
            low = size - 1;
            at = static_cast<double>(low);
        }
        return low;
    };
    const std::int64_t top = bounded(y, height);
    const std::int64_t left = bounded(x, width);
    const std::int64_t bottom = std::min(top + 1, height - 1);
    const std::int64_t right = std::min(left + 1, width - 1);
    const double down = y - static_cast<double>(top);
    const double across = x - static_cast<double>(left);
    return {{top * width + left, (1 - down) * (1 - across)},
            {top * width + right, (1 - down) * across},
            {bottom * width + left, down * (1 - across)},
            {bottom * width + right, down * across}};
}

} // namespace

Result<void> regionsAligned(KernelCall &call)
{
    const TensorView &image = call.in(0);
    const TensorView &to = call.out();
    const std::int64_t height = image.dims[2];
    const std::int64_t width = image.dims[3];
    const std::int64_t rows = to.dims[2];
    const std::int64_t columns = to.dims[3];
    const double scale = call.node.real("spatial_scale");
    // Before opset 16 there was no shift by half a pixel.
    const bool isOld = call.node.opset != 0 && call.node.opset < 16;
    const bool shifts = !isOld && call.node.text("coordinate_transformation_mode") == "half_pixel";
    const bool isMax = call.node.text("mode") == "max";
    const std::int64_t ratio = call.node.integer("sampling_ratio");
    const Dims images = integersIn(call.in(2));
    const bool known = forReal(image.type, [&]<typename T>() {
        for (std::int64_t region = 0; region < to.dims[0]; ++region) {
            const auto edge = [&](std::int64_t k) {
                return realAt(call.in(1), region * 4 + k) * scale - (shifts ? 0.5 : 0);
            };
            double regionWidth = edge(2) - edge(0);
            double regionHeight = edge(3) - edge(1);
            if (!shifts) {
                regionWidth = std::max(regionWidth, 1.0);
                regionHeight = std::max(regionHeight, 1.0);
            }
            const double binHeight = regionHeight / static_cast<double>(rows);
            const double binWidth = regionWidth / static_cast<double>(columns);
            const auto down =
                ratio > 0 ? ratio : std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(binHeight)));
            const auto across =
                ratio > 0 ? ratio : std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(binWidth)));
            for (std::int64_t bin = 0; bin < rows * columns; ++bin) {
                std::vector<std::vector<Corner>> samples;
                const std::int64_t row = bin / columns;
                for (std::int64_t k = 0; k < down * across; ++k) {
                    const std::int64_t line = k / across;
                    const double y = edge(1) + (static_cast<double>(row) +
                                                (static_cast<double>(line) + 0.5) / static_cast<double>(down)) *
                                                   binHeight;
                    const double x = edge(0) + (static_cast<double>(bin % columns) +
                                                (static_cast<double>(k % across) + 0.5) / static_cast<double>(across)) *
                                                   binWidth;
                    samples.push_back(cornersOf(y, x, height, width));
                }
                for (std::int64_t c = 0; c < image.dims[1]; ++c) {
                    const T *plane = image.as<T>().data() +
                                     (images[static_cast<std::size_t>(region)] * image.dims[1] + c) * height * width;
                    double sum = 0;
                    std::optional<double> best;
                    for (const auto &corners : samples) {
                        for (const Corner &corner : corners) {
                            const double x = corner.weight * static_cast<double>(plane[corner.index]);
                            sum += x;
                            best = best ? std::max(*best, x) : x;
                        }
                    }
                    const double result = isMax ? best.value_or(0) : sum / static_cast<double>(down * across);
                    to.as<T>()[static_cast<std::size_t>((region * image.dims[1] + c) * rows * columns + bin)] =
                        static_cast<T>(result);
                }
            }
        }
    });
    return known ? Result<void>() : noTypes(call);
}

Result<void> regionsPooled(KernelCall &call)
{
    const TensorView &image = call.in(0);
    const TensorView &to = call.out();
    const double scale = call.node.real("spatial_scale");
    const std::array<std::int64_t, 2> size{image.dims[2], image.dims[3]};
    const bool known = forReal(image.type, [&]<typename T>() {
        for (std::int64_t i = 0; i < to.size(); ++i) {
            const std::int64_t region = i / (to.dims[1] * to.dims[2] * to.dims[3]);
            const std::int64_t c = i / (to.dims[2] * to.dims[3]) % to.dims[1];
            const std::array<std::int64_t, 2> bin{i / to.dims[3] % to.dims[2], i % to.dims[3]};
            const auto at = [&](std::int64_t k) {
                return std::round(realAt(call.in(1), region * 5 + k) * (k > 0 ? scale : 1));
            };
            std::array<std::int64_t, 2> begin{};
            std::array<std::int64_t, 2> end{};
            for (std::size_t axis = 0; axis < 2; ++axis) { // rows from 2 and 4, columns from 1 and 3
                const auto first = at(axis == 0 ? 2 : 1);
                const double extent =
                    std::max(at(axis == 0 ? 4 : 3) - first + 1, 1.0) / static_cast<double>(to.dims[axis + 2]);
                const auto step = static_cast<double>(bin[axis]);
                begin[axis] = std::clamp<std::int64_t>(static_cast<std::int64_t>(first + std::floor(step * extent)), 0,
                                                       size[axis]);
                end[axis] = std::clamp<std::int64_t>(static_cast<std::int64_t>(first + std::ceil((step + 1) * extent)),
                                                     0, size[axis]);
            }
            const T *plane =
                image.as<T>().data() + (static_cast<std::int64_t>(at(0)) * image.dims[1] + c) * size[0] * size[1];
            std::optional<T> best;
            for (std::int64_t y = begin[0]; y < end[0]; ++y) {
                for (std::int64_t x = begin[1]; x < end[1]; ++x)
                    best = best ? std::max(*best, plane[y * size[1] + x]) : plane[y * size[1] + x];
            }
            to.as<T>()[static_cast<std::size_t>(i)] = best.value_or(T{});
        }
    });
    return known ? Result<void>() : noTypes(call);
}

} // namespace stagecraft::kernels
