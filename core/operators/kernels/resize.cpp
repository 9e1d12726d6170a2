// Images read at places between their pixels: resized, or sampled on a grid.

#include "operators/kernels/kernels.h"
#include "operators/kernels/typed.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace stagecraft::kernels {
namespace {

// Where along an axis an output comes from.
struct Tap {
    std::int64_t index = 0;
    double weight = 0;
};
struct AxisTaps {
    std::vector<std::vector<Tap>> outputs; // by position
    std::vector<bool> isOutside;           // beyond the region of interest
    bool isSame = false;                   // every output is the input at its place
};

struct AxisSizes {
    std::int64_t in = 1;
    std::int64_t out = 1;
    double scale = 1;
    double begin = 0; // of the region of interest, as parts of the input
    double end = 1;
};

// Upsample, and Resize before opset 11: places are plain ratios.
bool isFirstForm(const NodeFacts &node)
{
    return node.type == "Upsample" || (node.opset != 0 && node.opset < 11);
}

// Regions and grids come at run time: a place that is no number, or beyond every image, is one far outside.
double withinReach(double place)
{
    constexpr double kFar = 1e12;
    return std::isnan(place) ? -kFar : std::clamp(place, -kFar, kFar);
}

double cubicWeight(double distance, double a)
{
    const double x = std::abs(distance);
    if (x <= 1)
        return ((a + 2) * x - (a + 3)) * x * x + 1;
    return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}

double sourcePlace(const std::string &mode, const AxisSizes &sizes, double at)
{
    const auto in = static_cast<double>(sizes.in);
    const auto out = static_cast<double>(sizes.out);
    if (mode == "align_corners")
        return sizes.out != 1 ? at * (in - 1) / (out - 1) : 0;
    if (mode == "asymmetric")
        return at / sizes.scale;
    if (mode == "tf_half_pixel_for_nn")
        return (at + 0.5) / sizes.scale;
    if (mode == "pytorch_half_pixel" && sizes.out == 1)
        return 0;
    if (mode == "tf_crop_and_resize")
        return sizes.out > 1 ? sizes.begin * (in - 1) + at * (sizes.end - sizes.begin) * (in - 1) / (out - 1)
                             : 0.5 * (sizes.begin + sizes.end) * (in - 1);
    const double half = (at + 0.5) / sizes.scale - 0.5;
    if (mode == "half_pixel_symmetric")
        return in / 2 * (1 - out / (in * sizes.scale)) + half;
    return half;
}

std::int64_t nearestPlace(const std::string &mode, double place)
{
    place = withinReach(place);
    if (mode == "floor")
        return static_cast<std::int64_t>(std::floor(place));
    if (mode == "ceil")
        return static_cast<std::int64_t>(std::ceil(place));
    return static_cast<std::int64_t>(mode == "round_prefer_ceil" ? std::floor(place + 0.5) : std::ceil(place - 0.5));
}

// Weights of the neighbours of a place. A filter that smooths is wider where the image shrinks.
std::vector<Tap> neighbours(const NodeFacts &node, const AxisSizes &sizes, double place)
{
    const bool isCubic = node.text("mode") == "cubic";
    const bool isFirst = isFirstForm(node);
    const double stretch = !isFirst && node.integer("antialias") != 0 ? std::min(sizes.scale, 1.0) : 1.0;
    const double reach = (isCubic ? 2 : 1) / stretch;
    const double base = std::ceil(withinReach(place)) - 1;
    const auto start = static_cast<std::int64_t>(std::floor(-reach)) + 1;
    std::vector<Tap> taps;
    double sum = 0;
    const double a = isFirst ? -0.75 : node.real("cubic_coeff_a");
    for (std::int64_t i = start; i <= 1 - start; ++i) {
        const double distance = (static_cast<double>(i) + base - place) * stretch;
        double weight = isCubic ? cubicWeight(distance, a) : std::clamp(1 - std::abs(distance), 0.0, 1.0);
        const std::int64_t index = static_cast<std::int64_t>(base) + i;
        const bool isInside = index >= 0 && index < sizes.in;
        if (!isInside && !isFirst && node.integer("exclude_outside") != 0)
            weight = 0;
        sum += weight;
        taps.push_back({std::clamp<std::int64_t>(index, 0, sizes.in - 1), weight});
    }
    for (Tap &tap : taps)
        tap.weight /= sum == 0 ? 1 : sum;
    return taps;
}

AxisTaps tapsOf(const NodeFacts &node, const AxisSizes &sizes)
{
    const std::string coordinates = isFirstForm(node) ? "asymmetric" : node.text("coordinate_transformation_mode");
    const bool isBehind = node.type == "Resize" && sizes.scale < 1; // the nearest element, in the first form
    const std::string nearest = !isFirstForm(node) ? node.text("nearest_mode") : isBehind ? "ceil" : "floor";
    const bool crops = coordinates == "tf_crop_and_resize";
    AxisTaps taps;
    taps.isSame = sizes.in == sizes.out && sizes.scale == 1 && !crops;
    for (std::int64_t i = 0; i < sizes.out; ++i) {
        const double place = sourcePlace(coordinates, sizes, static_cast<double>(i));
        taps.isOutside.push_back(crops && (place < 0 || place > static_cast<double>(sizes.in - 1)));
        if (node.text("mode") == "nearest")
            taps.outputs.push_back({{std::clamp<std::int64_t>(nearestPlace(nearest, place), 0, sizes.in - 1), 1.0}});
        else
            taps.outputs.push_back(neighbours(node, sizes, place));
    }
    return taps;
}

std::vector<double> alongAxis(const std::vector<double> &from, const Dims &dims, std::size_t axis, const AxisTaps &taps)
{
    const AxisParts parts = partsOf(dims, axis);
    std::vector<double> to;
    to.reserve(from.size() / static_cast<std::size_t>(std::max<std::int64_t>(parts.size, 1)) * taps.outputs.size());
    for (std::int64_t row = 0; row < parts.outer; ++row) {
        for (const auto &output : taps.outputs) {
            for (std::int64_t k = 0; k < parts.inner; ++k) {
                double sum = 0;
                for (const Tap &tap : output)
                    sum +=
                        tap.weight * from[static_cast<std::size_t>((row * parts.size + tap.index) * parts.inner + k)];
                to.push_back(sum);
            }
        }
    }
    return to;
}

std::vector<AxisSizes> axisSizes(const KernelCall &call)
{
    const Dims &in = call.in(0).dims;
    const Dims &out = call.outputs[0]->dims;
    std::vector<AxisSizes> sizes(in.size());
    Dims axes = call.node.integers("axes");
    if (axes.empty()) {
        axes.resize(in.size());
        std::iota(axes.begin(), axes.end(), std::int64_t{0});
    }
    for (std::size_t i = 0; i < in.size(); ++i)
        sizes[i] = {in[i], out[i], static_cast<double>(out[i]) / static_cast<double>(in[i])};
    const std::size_t scalesAt = isFirstForm(call.node) ? 1 : 2;
    std::vector<double> scales;
    if (call.has(scalesAt))
        scales = realsIn(call.in(scalesAt));
    else
        for (const float scale : call.node.reals("scales"))
            scales.push_back(scale);
    const std::vector<double> region = scalesAt == 2 && call.has(1) ? realsIn(call.in(1)) : std::vector<double>();
    const Dims wanted = scalesAt == 2 && call.has(3) ? integersIn(call.in(3)) : Dims();
    const std::string policy = isFirstForm(call.node) ? "stretch" : call.node.text("keep_aspect_ratio_policy");
    std::optional<double> common; // one scale for all axes
    for (std::size_t i = 0; i < wanted.size() && policy != "stretch" && !policy.empty(); ++i) {
        const double scale = static_cast<double>(wanted[i]) / static_cast<double>(in[*axisWithin(axes[i], in.size())]);
        common = !common ? scale : policy == "not_larger" ? std::min(*common, scale) : std::max(*common, scale);
    }
    for (std::size_t i = 0; i < axes.size(); ++i) {
        AxisSizes &size = sizes[*axisWithin(axes[i], in.size())];
        if (scales.size() == axes.size())
            size.scale = scales[i];
        else if (common)
            size.scale = *common;
        if (region.size() == 2 * axes.size()) {
            size.begin = region[i];
            size.end = region[i + axes.size()];
        }
    }
    return sizes;
}

// The place that a coordinate between -1 and 1 means, as the padding has it.
double gridPlace(double at, std::int64_t size, bool aligned, const std::string &padding)
{
    const auto extent = static_cast<double>(size);
    double place = aligned ? (at + 1) / 2 * (extent - 1) : ((at + 1) * extent - 1) / 2;
    if (padding == "border")
        return std::clamp(place, 0.0, extent - 1);
    if (padding != "reflection")
        return place;
    const double low = aligned ? 0 : -0.5;
    const double high = aligned ? extent - 1 : extent - 0.5;
    const double range = high - low;
    if (range <= 0)
        return 0;
    const double period = std::fmod(std::abs(place - low), 2 * range);
    place = low + (period > range ? 2 * range - period : period);
    return std::clamp(place, 0.0, extent - 1);
}

std::int64_t paddedIndex(std::int64_t index, std::int64_t size, bool aligned, const std::string &padding)
{
    if (index >= 0 && index < size)
        return index;
    if (padding == "border")
        return std::clamp<std::int64_t>(index, 0, size - 1);
    if (padding != "reflection")
        return -1;
    const auto low = aligned ? 0.0 : -0.5;
    const double range = static_cast<double>(size) - (aligned ? 1 : 0);
    if (range <= 0)
        return 0;
    const double period = std::fmod(std::abs(static_cast<double>(index) - low), 2 * range);
    const double place = low + (period > range ? 2 * range - period : period);
    return std::clamp<std::int64_t>(static_cast<std::int64_t>(std::nearbyint(place)), 0, size - 1);
}

std::vector<Tap> gridTaps(const NodeFacts &node, double at, std::int64_t size)
{
    const std::string mode = node.text("mode");
    const std::string padding = node.text("padding_mode");
    const bool aligned = node.integer("align_corners") != 0;
    const bool isCubic = mode == "cubic" || mode == "bicubic";
    const double place = gridPlace(at, size, aligned, isCubic ? "zeros" : padding);
    if (mode == "nearest")
        return {
            {paddedIndex(static_cast<std::int64_t>(std::nearbyint(withinReach(place))), size, aligned, padding), 1.0}};
    const auto base = static_cast<std::int64_t>(std::floor(withinReach(place)));
    constexpr double kA = -0.75;
    std::vector<Tap> taps;
    for (std::int64_t i = isCubic ? -1 : 0; i <= (isCubic ? 2 : 1); ++i) {
        const double distance = place - static_cast<double>(base + i);
        taps.push_back({paddedIndex(base + i, size, aligned, padding),
                        isCubic ? cubicWeight(distance, kA) : 1 - std::abs(distance)});
    }
    return taps;
}

} // namespace

Result<void> resized(KernelCall &call)
{
    if (call.in(0).size() == 0 && call.out().size() > 0)
        return refuse("it makes elements of an input that has none");
    const std::vector<AxisSizes> sizes = axisSizes(call);
    const bool isAligned =
        !isFirstForm(call.node) && call.node.text("coordinate_transformation_mode") == "align_corners";
    const auto isFractional = [](const AxisSizes &axis) {
        return std::abs(axis.scale * static_cast<double>(axis.in) - static_cast<double>(axis.out)) > 1e-6;
    };
    if (isAligned && std::ranges::any_of(sizes, isFractional))
        return fail(ErrorCode::InvalidInput,
                    "Resize with align_corners to a size that its scales do not give exactly: ONNX and ONNX Runtime "
                    "differ in what it is",
                    "give it sizes instead of scales");
    std::vector<double> values = realsIn(call.in(0));
    Dims dims = call.in(0).dims;
    std::vector<AxisTaps> taps;
    for (std::size_t axis = 0; axis < sizes.size(); ++axis) {
        taps.push_back(tapsOf(call.node, sizes[axis]));
        if (taps.back().isSame)
            continue;
        values = alongAxis(values, dims, axis, taps.back());
        dims[axis] = sizes[axis].out;
    }
    const Dims strides = stridesOf(dims);
    const double outside = isFirstForm(call.node) ? 0 : call.node.real("extrapolation_value");
    for (std::int64_t i = 0; i < call.out().size(); ++i) {
        bool isOutside = false;
        for (std::size_t axis = 0; axis < dims.size(); ++axis)
            isOutside = isOutside || taps[axis].isOutside[static_cast<std::size_t>(i / strides[axis] % dims[axis])];
        setReal(call.out(), i, isOutside ? outside : values[static_cast<std::size_t>(i)]);
    }
    return {};
}

Result<void> sampledOnGrid(KernelCall &call)
{
    const TensorView &from = call.in(0);
    const TensorView &grid = call.in(1);
    const TensorView &to = call.out();
    const std::size_t rank = from.dims.size() - 2;
    const Dims image(from.dims.begin() + 2, from.dims.end());
    const Dims strides = stridesOf(image);
    const std::int64_t places = productOf(std::span(to.dims).subspan(2));
    const std::int64_t pixels = productOf(image);
    if (pixels == 0 && to.size() > 0)
        return refuse("it samples an image that has no pixels");
    const bool known = forReal(from.type, [&]<typename T>() {
        for (std::int64_t i = 0; i < to.dims[0] * places; ++i) {
            // All combinations of the neighbours of each axis; the grid has x first.
            std::vector<Tap> all{{0, 1.0}};
            for (std::size_t axis = 0; axis < rank; ++axis) {
                const double at =
                    realAt(grid, i * static_cast<std::int64_t>(rank) + static_cast<std::int64_t>(rank - 1 - axis));
                std::vector<Tap> next;
                for (const Tap &tap : gridTaps(call.node, at, image[axis])) {
                    for (const Tap &before : all)
                        next.push_back(
                            {tap.index < 0 || before.index < 0 ? -1 : before.index + tap.index * strides[axis],
                             tap.weight * before.weight});
                }
                all = std::move(next);
            }
            for (std::int64_t c = 0; c < to.dims[1]; ++c) {
                const std::int64_t plane = i / places * to.dims[1] + c;
                double sum = 0;
                for (const Tap &tap : all) {
                    if (tap.index >= 0)
                        sum += tap.weight *
                               static_cast<double>(from.as<T>()[static_cast<std::size_t>(plane * pixels + tap.index)]);
                }
                to.as<T>()[static_cast<std::size_t>(plane * places + i % places)] = static_cast<T>(sum);
            }
        }
    });
    return known ? Result<void>() : noTypes(call);
}

} // namespace stagecraft::kernels
