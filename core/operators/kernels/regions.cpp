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

// Regions are numbers that there are, `each` a region; a region's image is one of the batch.
Result<void> checkRegions(KernelCall &call, std::int64_t each)
{
    const std::int64_t regions = call.out().dims[0];
    if (call.in(0).dims.size() != 4)
        return refuse("it needs images");
    if (auto fits = needsElements(call, 1, "rois", regions * each); !fits)
        return fits;
    for (std::int64_t i = 0; i < regions * each; ++i) {
        if (!std::isfinite(realAt(call.in(1), i)))
            return refuse("a region has edges that are no numbers");
    }
    return {};
}

Result<void> checkImage(const KernelCall &call, std::int64_t region, double image)
{
    if (image >= 0 && image < static_cast<double>(call.in(0).dims[0]))
        return {};
    return refuse("region " + std::to_string(region) + " is of an image that is not in the batch of " +
                  std::to_string(call.in(0).dims[0]));
}

// A region of an image, as the samples that its bins are made of.
struct Samples {
    double top = 0;
    double left = 0;
    double binHeight = 0;
    double binWidth = 0;
    std::int64_t down = 0; // in a bin
    std::int64_t across = 0;

    [[nodiscard]] double row(std::int64_t bin, std::int64_t line) const
    {
        return top +
               (static_cast<double>(bin) + (static_cast<double>(line) + 0.5) / static_cast<double>(down)) * binHeight;
    }
    [[nodiscard]] double column(std::int64_t bin, std::int64_t place) const
    {
        return left +
               (static_cast<double>(bin) + (static_cast<double>(place) + 0.5) / static_cast<double>(across)) * binWidth;
    }
};

Samples samplesOf(KernelCall &call, std::int64_t region)
{
    const double scale = call.node.real("spatial_scale");
    // Before opset 16 there was no shift by half a pixel.
    const bool isOld = call.node.opset != 0 && call.node.opset < 16;
    const bool shifts = !isOld && call.node.text("coordinate_transformation_mode") == "half_pixel";
    const auto edge = [&](std::int64_t k) { return realAt(call.in(1), region * 4 + k) * scale - (shifts ? 0.5 : 0); };
    const double least = shifts ? std::numeric_limits<double>::lowest() : 1.0;
    Samples samples{edge(1), edge(0), std::max(edge(3) - edge(1), least) / static_cast<double>(call.out().dims[2]),
                    std::max(edge(2) - edge(0), least) / static_cast<double>(call.out().dims[3])};
    const std::int64_t ratio = call.node.integer("sampling_ratio");
    constexpr double kMost = 1e6;
    const auto number = [&](double size) {
        return ratio > 0 ? ratio : static_cast<std::int64_t>(std::clamp(std::ceil(size), 0.0, kMost));
    };
    samples.down = number(samples.binHeight);
    samples.across = number(samples.binWidth);
    return samples;
}

} // namespace

Result<void> regionsAligned(KernelCall &call)
{
    const TensorView &image = call.in(0);
    const TensorView &to = call.out();
    if (auto fits = checkRegions(call, 4); !fits)
        return fits;
    if (auto fits = needsElements(call, 2, "batch_indices", to.dims[0]); !fits)
        return fits;
    const std::int64_t channels = image.dims[1];
    const std::int64_t height = image.dims[2];
    const std::int64_t width = image.dims[3];
    const std::int64_t columns = to.dims[3];
    const std::int64_t bins = to.dims[2] * columns;
    const bool isMax = call.node.text("mode") == "max";
    const Dims images = integersIn(call.in(2));
    constexpr double kMostVisits = 2e9; // pixels of channels
    double visits = 0;
    for (std::int64_t region = 0; region < to.dims[0]; ++region) {
        if (auto fits = checkImage(call, region, static_cast<double>(images[static_cast<std::size_t>(region)])); !fits)
            return fits;
        const Samples samples = samplesOf(call, region);
        visits += static_cast<double>(samples.down) * static_cast<double>(samples.across) *
                  static_cast<double>(bins * channels);
    }
    if (visits > kMostVisits)
        return refuse("its regions are absurdly large: they have more than 2e9 samples");
    const bool known = forReal(image.type, [&]<typename T>() {
        for (std::int64_t region = 0; region < to.dims[0]; ++region) {
            const Samples samples = samplesOf(call, region);
            const std::int64_t count = samples.down * samples.across;
            const T *planes =
                image.as<T>().data() + images[static_cast<std::size_t>(region)] * channels * height * width;
            for (std::int64_t bin = 0; bin < bins; ++bin) {
                std::vector<double> sums(static_cast<std::size_t>(channels));
                std::vector<std::optional<double>> best(static_cast<std::size_t>(isMax ? channels : 0));
                for (std::int64_t k = 0; k < count; ++k) {
                    const double y = samples.row(bin / columns, k / samples.across);
                    const double x = samples.column(bin % columns, k % samples.across);
                    for (const Corner &corner : cornersOf(y, x, height, width)) {
                        for (std::size_t c = 0; c < sums.size(); ++c) {
                            const double value =
                                corner.weight *
                                static_cast<double>(
                                    planes[static_cast<std::int64_t>(c) * height * width + corner.index]);
                            sums[c] += value;
                            if (isMax)
                                best[c] = best[c] ? std::max(*best[c], value) : value;
                        }
                    }
                }
                for (std::size_t c = 0; c < sums.size(); ++c) {
                    const double result =
                        isMax ? best[c].value_or(0) : sums[c] / static_cast<double>(std::max<std::int64_t>(1, count));
                    const std::int64_t at = (region * channels + static_cast<std::int64_t>(c)) * bins + bin;
                    to.as<T>()[static_cast<std::size_t>(at)] = static_cast<T>(result);
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
    if (auto fits = checkRegions(call, 5); !fits)
        return fits;
    for (std::int64_t region = 0; region < to.dims[0]; ++region) {
        if (auto fits = checkImage(call, region, realAt(call.in(1), region * 5)); !fits)
            return fits;
    }
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
                const auto bounded = [&](double place) {
                    return static_cast<std::int64_t>(std::clamp(place, 0.0, static_cast<double>(size[axis])));
                };
                begin[axis] = bounded(first + std::floor(step * extent));
                end[axis] = bounded(first + std::ceil((step + 1) * extent));
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
