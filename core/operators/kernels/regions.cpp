// Regions of an image, each to the same size.

#include "operators/kernels/regions.h"

#include "operators/kernels/kernels.h"
#include "operators/kernels/typed.h"

#include <array>
#include <fmt/format.h>

namespace stagecraft::kernels {
namespace {

struct Corner {
    std::int64_t index = 0;
    double weight = 0;
};

// The four pixels around a place; those of a place beyond the image count as 0.
std::optional<std::array<Corner, 4>> cornersOf(double y, double x, std::int64_t height, std::int64_t width)
{
    const bool isInside = y >= -1 && y <= static_cast<double>(height) && x >= -1 && x <= static_cast<double>(width);
    if (!isInside || height < 1 || width < 1)
        return std::nullopt;
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
    return std::array<Corner, 4>{{{top * width + left, (1 - down) * (1 - across)},
                                  {top * width + right, (1 - down) * across},
                                  {bottom * width + left, down * (1 - across)},
                                  {bottom * width + right, down * across}}};
}

// There are as many edges as the regions need, and they are places that can be computed with.
Result<void> checkRegions(KernelCall &call, std::int64_t each)
{
    const std::int64_t regions = call.out().dims[0];
    if (auto fits = needsElements(call, 1, "rois", regions * each); !fits)
        return fits;
    constexpr double kFarthest = 1e12;
    const double scale = call.node.real("spatial_scale");
    for (std::int64_t i = 0; i < regions * each; ++i) {
        if (!(std::abs(realAt(call.in(1), i) * scale) < kFarthest)) // no number, too
            return refuse("its operand rois has edges that are no numbers or absurdly far away");
    }
    return {};
}

Result<void> checkImage(const KernelCall &call, std::int64_t region, std::int64_t image)
{
    if (image >= 0 && image < call.in(0).dims[0])
        return {};
    return refuse(
        fmt::format("region {} is of image {}, which is not in the batch of {}", region, image, call.in(0).dims[0]));
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

Samples samplesOf(const NodeFacts &node, const TensorView &rois, std::int64_t region)
{
    const double scale = node.real("spatial_scale");
    // Before opset 16 there was no shift by half a pixel.
    const bool isOld = node.opset != 0 && node.opset < 16;
    const bool shifts = !isOld && node.text("coordinate_transformation_mode") == "half_pixel";
    const auto edge = [&](std::int64_t k) { return realAt(rois, region * 4 + k) * scale - (shifts ? 0.5 : 0); };
    const double least = shifts ? std::numeric_limits<double>::lowest() : 1.0;
    const auto binOf = [&](std::int64_t first, const char *bins) {
        return std::max(edge(first + 2) - edge(first), least) / static_cast<double>(node.integer(bins));
    };
    Samples samples{edge(1), edge(0), binOf(1, "output_height"), binOf(0, "output_width")};
    const std::int64_t ratio = node.integer("sampling_ratio");
    constexpr double kMost = 1e9; // more than is read of any region
    const auto number = [&](double size) {
        if (ratio > 0)
            return ratio;
        return size > 0 ? static_cast<std::int64_t>(std::min(std::ceil(size), kMost)) : 0; // no number, too
    };
    samples.down = number(samples.binHeight);
    samples.across = number(samples.binWidth);
    return samples;
}

// A bin of one region, for all channels.
template <typename T>
class Bin {
public:
    Bin(std::int64_t channels, bool isMax) : m_values(static_cast<std::size_t>(channels)), m_isMax(isMax) {}

    void begin()
    {
        std::ranges::fill(m_values, 0.0);
        m_count = 0;
    }
    // `planes`: of the image, each of `area` elements.
    void add(const T *planes, std::int64_t area, const std::optional<std::array<Corner, 4>> &corners)
    {
        for (std::size_t c = 0; c < m_values.size(); ++c) {
            const T *plane = planes + static_cast<std::int64_t>(c) * area;
            const auto part = [&](std::size_t i) {
                const Corner &corner = (*corners)[i];
                return corner.weight * static_cast<double>(plane[corner.index]);
            };
            double &value = m_values[c];
            if (!m_isMax) {
                value += corners ? part(0) + part(1) + part(2) + part(3) : 0;
                continue;
            }
            const double largest = corners ? std::max({part(0), part(1), part(2), part(3)}) : 0;
            value = m_count == 0 ? largest : std::max(value, largest);
        }
        ++m_count;
    }
    [[nodiscard]] double result(std::int64_t channel) const
    {
        const double value = m_values[static_cast<std::size_t>(channel)];
        return m_isMax ? value : value / static_cast<double>(std::max<std::int64_t>(m_count, 1));
    }

private:
    std::vector<double> m_values;
    std::int64_t m_count = 0;
    bool m_isMax;
};

} // namespace

double samplesOfRegions(const NodeFacts &node, const TensorView &rois)
{
    const auto bins =
        static_cast<double>(node.integer("output_height")) * static_cast<double>(node.integer("output_width"));
    double count = 0;
    for (std::int64_t region = 0; region < rois.size() / 4; ++region) {
        const Samples samples = samplesOf(node, rois, region);
        count += bins * static_cast<double>(samples.down) * static_cast<double>(samples.across);
    }
    return count;
}

Result<void> regionsAligned(KernelCall &call)
{
    const TensorView &image = call.in(0);
    const TensorView &to = call.out();
    if (auto fits = checkRegions(call, 4); !fits)
        return fits;
    if (auto fits = needsElements(call, 2, "batch_indices", to.dims[0]); !fits)
        return fits;
    const Dims images = integersIn(call.in(2));
    for (std::size_t region = 0; region < images.size(); ++region) {
        if (auto fits = checkImage(call, static_cast<std::int64_t>(region), images[region]); !fits)
            return fits;
    }
    if (to.size() == 0)
        return {};
    constexpr double kMostSamples = 1 << 28;
    if (!(samplesOfRegions(call.node, call.in(1)) <= kMostSamples))
        return refuse(fmt::format("its operand rois has absurdly large regions: they have more than {:.0f} samples",
                                  kMostSamples));
    const std::int64_t channels = image.dims[1];
    const std::int64_t height = image.dims[2];
    const std::int64_t width = image.dims[3];
    const std::int64_t columns = to.dims[3];
    const std::int64_t bins = to.dims[2] * columns;
    const bool known = forReal(image.type, [&]<typename T>() {
        Bin<T> bin(channels, call.node.text("mode") == "max");
        for (std::int64_t region = 0; region < to.dims[0]; ++region) {
            const Samples samples = samplesOf(call.node, call.in(1), region);
            const T *planes =
                image.as<T>().data() + images[static_cast<std::size_t>(region)] * channels * height * width;
            for (std::int64_t at = 0; at < bins; ++at) {
                bin.begin();
                for (std::int64_t k = 0; k < samples.down * samples.across; ++k) {
                    const double y = samples.row(at / columns, k / samples.across);
                    const double x = samples.column(at % columns, k % samples.across);
                    bin.add(planes, height * width, cornersOf(y, x, height, width));
                }
                for (std::int64_t c = 0; c < channels; ++c)
                    to.as<T>()[static_cast<std::size_t>((region * channels + c) * bins + at)] =
                        static_cast<T>(bin.result(c));
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
    const auto imageOf = [&](std::int64_t region) { return numberAs<std::int64_t>(realAt(call.in(1), region * 5)); };
    for (std::int64_t region = 0; region < to.dims[0]; ++region) {
        if (auto fits = checkImage(call, region, imageOf(region)); !fits)
            return fits;
    }
    const double scale = call.node.real("spatial_scale");
    const std::array<std::int64_t, 2> size{image.dims[2], image.dims[3]};
    const bool known = forReal(image.type, [&]<typename T>() {
        for (std::int64_t i = 0; i < to.size(); ++i) {
            const std::int64_t region = i / (to.dims[1] * to.dims[2] * to.dims[3]);
            const std::int64_t c = i / (to.dims[2] * to.dims[3]) % to.dims[1];
            const std::array<std::int64_t, 2> bin{i / to.dims[3] % to.dims[2], i % to.dims[3]};
            const auto at = [&](std::int64_t k) { return std::round(realAt(call.in(1), region * 5 + k) * scale); };
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
            const T *plane = image.as<T>().data() + (imageOf(region) * image.dims[1] + c) * size[0] * size[1];
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
