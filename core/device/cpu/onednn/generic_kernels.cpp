#include "device/cpu/onednn/generic_kernels.h"

#include "device/cpu/onednn/flat_kernels.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace stagecraft::cpu {
namespace {

Dims rowMajorStrides(const Dims &dims)
{
    Dims strides(dims.size(), 1);
    for (std::size_t axis = dims.size(); axis-- > 1;)
        strides[axis - 1] = strides[axis] * dims[axis];
    return strides;
}

// Steps to the next index, the last axis fastest; false at the end.
bool next(Dims &index, const Dims &dims)
{
    for (std::size_t axis = dims.size(); axis-- > 0;) {
        if (++index[axis] < dims[axis])
            return true;
        index[axis] = 0;
    }
    return false;
}

bool isKeptWhole(const Dims &map, std::int64_t size)
{
    if (static_cast<std::int64_t>(map.size()) != size)
        return false;
    for (std::size_t i = 0; i < map.size(); ++i) {
        if (map[i] != static_cast<std::int64_t>(i))
            return false;
    }
    return true;
}

// Sources that follow one another, or places of the fill value.
struct Run {
    std::int64_t first = 0; // -1: the fill value
    std::int64_t count = 0;
};

std::vector<Run> runsOf(const Dims &map)
{
    std::vector<Run> runs;
    for (const std::int64_t source : map) {
        const bool continues =
            !runs.empty() && (source < 0 ? runs.back().first < 0
                                         : runs.back().first >= 0 && source == runs.back().first + runs.back().count);
        if (continues)
            ++runs.back().count;
        else
            runs.push_back({source, 1});
    }
    return runs;
}

// The elements of an array after a reduction over some axes: `at` maps an index to the element it is reduced into.
struct Cells {
    Cells(const Dims &dims, const std::vector<bool> &reduced)
    {
        Dims kept = dims;
        for (std::size_t axis = 0; axis < dims.size(); ++axis) {
            if (reduced[axis]) {
                kept[axis] = 1;
                size *= dims[axis];
            }
        }
        count = elementsOf(kept);
        strides = rowMajorStrides(kept);
        for (std::size_t axis = 0; axis < dims.size(); ++axis) {
            if (reduced[axis])
                strides[axis] = 0;
        }
    }

    [[nodiscard]] std::int64_t at(const Dims &index) const
    {
        return std::inner_product(index.begin(), index.end(), strides.begin(), std::int64_t{0});
    }

    std::int64_t count = 0;
    std::int64_t size = 1; // values reduced into each
    Dims strides;
};

} // namespace

std::int64_t elementsOf(const Dims &dims)
{
    return std::accumulate(dims.begin(), dims.end(), std::int64_t{1}, std::multiplies<>());
}

void mapAxes(const float *from, const Dims &fromDims, float *to, const std::vector<Dims> &maps, float fill)
{
    const Dims strides = rowMajorStrides(fromDims);
    // Axes at the end that are kept whole are adjacent: they are copied in one go.
    std::size_t axes = maps.size();
    std::int64_t kept = 1;
    while (axes > 0 && isKeptWhole(maps[axes - 1], fromDims[axes - 1]))
        kept *= fromDims[--axes];
    const std::vector<Run> runs = axes == 0 ? std::vector{Run{0, 1}} : runsOf(maps[axes - 1]);
    Dims outer;
    for (std::size_t axis = 0; axis + 1 < axes; ++axis)
        outer.push_back(static_cast<std::int64_t>(maps[axis].size()));
    Dims index(outer.size(), 0);
    do {
        std::int64_t base = 0;
        bool inside = true;
        for (std::size_t axis = 0; axis < outer.size(); ++axis) {
            const std::int64_t source = maps[axis][static_cast<std::size_t>(index[axis])];
            inside = inside && source >= 0;
            base += source * strides[axis];
        }
        for (const Run &run : runs) {
            const std::int64_t count = run.count * kept;
            if (!inside || run.first < 0)
                std::fill_n(to, count, fill);
            else if (count == 1)
                *to = from[base + run.first];
            else
                sumRuns(std::array{from + base + run.first * kept}, to, static_cast<std::size_t>(count), false);
            to += count;
        }
    } while (next(index, outer));
}

bool broadcasts(const Dims &from, const Dims &to)
{
    return from.size() <= to.size() && std::equal(from.rbegin(), from.rend(), to.rbegin(),
                                                  [](auto own, auto wanted) { return own == 1 || own == wanted; });
}

void combine(std::span<const float *const> operands, const Broadcast &shapes, float *to,
             const std::function<float(std::span<const float>)> &function)
{
    const std::size_t rank = shapes.dims.size();
    std::vector<Dims> strides;
    for (const Dims &dims : shapes.operandDims) {
        const Dims own = rowMajorStrides(dims);
        Dims &padded = strides.emplace_back(rank, 0);
        for (std::size_t axis = 0; axis < dims.size(); ++axis)
            padded[rank - dims.size() + axis] = dims[axis] == 1 ? 0 : own[axis];
    }
    std::vector<float> values(operands.size());
    Dims index(rank, 0);
    do {
        for (std::size_t k = 0; k < operands.size(); ++k)
            values[k] =
                operands[k][std::inner_product(index.begin(), index.end(), strides[k].begin(), std::int64_t{0})];
        *to++ = function(values);
    } while (next(index, shapes.dims));
}

void reduce(const float *from, const Dims &dims, const std::vector<bool> &reduced, float *to,
            const Reduction &reduction)
{
    const Cells cells(dims, reduced);
    std::fill_n(to, cells.count, reduction.start);
    Dims index(dims.size(), 0);
    do {
        float &result = to[cells.at(index)];
        result = reduction.step(result, *from++);
    } while (next(index, dims));
    for (std::int64_t i = 0; i < cells.count; ++i)
        to[i] = reduction.finish(to[i], cells.size);
}

void mapByMoments(const float *from, const Dims &dims, const std::vector<bool> &reduced, float *to,
                  const std::function<float(float, const Moments &)> &function)
{
    const Cells cells(dims, reduced);
    std::vector<Moments> moments(static_cast<std::size_t>(cells.count), Moments{0, 0, 0, cells.size});
    const float *value = from;
    Dims index(dims.size(), 0);
    do {
        Moments &cell = moments[static_cast<std::size_t>(cells.at(index))];
        const double x = *value++;
        cell.sum += x;
        cell.magnitudes += std::abs(x);
        cell.squares += x * x;
    } while (next(index, dims));
    do {
        *to++ = function(*from++, moments[static_cast<std::size_t>(cells.at(index))]);
    } while (next(index, dims));
}

void interpolate(const float *from, const Dims &fromDims, float *to, const std::vector<Interpolation> &axes)
{
    std::vector<float> current(from, from + elementsOf(fromDims));
    Dims dims = fromDims;
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
        const Interpolation &along = axes[axis];
        const std::int64_t inner = std::accumulate(dims.begin() + static_cast<std::ptrdiff_t>(axis) + 1, dims.end(),
                                                   std::int64_t{1}, std::multiplies<>());
        const std::int64_t outer = elementsOf(dims) / (inner * dims[axis]);
        std::vector<float> result;
        result.reserve(static_cast<std::size_t>(outer * inner) * along.lower.size());
        for (std::int64_t block = 0; block < outer; ++block) {
            for (std::size_t i = 0; i < along.lower.size(); ++i) {
                const float *low = current.data() + (block * dims[axis] + along.lower[i]) * inner;
                const float *high = along.weight[i] > 0 ? low + inner : low;
                for (std::int64_t k = 0; k < inner; ++k)
                    result.push_back(low[k] * (1 - along.weight[i]) + high[k] * along.weight[i]);
            }
        }
        dims[axis] = static_cast<std::int64_t>(along.lower.size());
        current = std::move(result);
    }
    std::ranges::copy(current, to);
}

void normalizeRows(const float *from, float *to, std::int64_t rows, std::int64_t length, float epsilon,
                   const ScaleAndBias &affine)
{
    for (std::int64_t row = 0; row < rows; ++row, from += length, to += length) {
        const double mean = std::accumulate(from, from + length, 0.0) / static_cast<double>(length);
        double squares = 0;
        for (std::int64_t i = 0; i < length; ++i)
            squares += (from[i] - mean) * (from[i] - mean);
        const double factor = 1 / std::sqrt(squares / static_cast<double>(length) + epsilon);
        for (std::int64_t i = 0; i < length; ++i) {
            const auto [scale, bias] = affine(row, i);
            to[i] = static_cast<float>((from[i] - mean) * factor) * scale + bias;
        }
    }
}

} // namespace stagecraft::cpu
