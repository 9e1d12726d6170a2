#pragma once

// Kernels over row-major tensors, written for every rank and every axis rather than for speed.

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace stagecraft::cpu {

using Dims = std::vector<std::int64_t>;

[[nodiscard]] std::int64_t elementsOf(const Dims &dims);

// to[i, j, ...] = from[maps[0][i], maps[1][j], ...], or `fill` where a map is -1. One map per axis.
void mapAxes(const float *from, const Dims &fromDims, float *to, const std::vector<Dims> &maps, float fill);

// to = function over the operands, which are broadcast to `dims` as ONNX has it.
struct Broadcast {
    std::vector<Dims> operandDims;
    Dims dims;
};
[[nodiscard]] bool broadcasts(const Dims &from, const Dims &to);
void combine(std::span<const float *const> operands, const Broadcast &shapes, float *to,
             const std::function<float(std::span<const float>)> &function);

// Reduces the axes for which `reduced` is true; the result has the other axes in order.
struct Reduction {
    float start = 0;
    std::function<float(float, float)> step;
    std::function<float(float, std::int64_t)> finish; // gets the value and the number of elements reduced
};
void reduce(const float *from, const Dims &dims, const std::vector<bool> &reduced, float *to,
            const Reduction &reduction);

// to[i] = function(from[i], moments of all values that differ from it only in the reduced axes).
struct Moments {
    double sum = 0;
    double magnitudes = 0;
    double squares = 0;
    std::int64_t count = 0;
};
void mapByMoments(const float *from, const Dims &dims, const std::vector<bool> &reduced, float *to,
                  const std::function<float(float, const Moments &)> &function);

// Linear interpolation along each axis: the result at index i lies between lower[i] and its successor.
struct Interpolation {
    Dims lower;
    std::vector<float> weight; // of the successor; 0 at the border
};
void interpolate(const float *from, const Dims &fromDims, float *to, const std::vector<Interpolation> &axes);

// Normalises rows of `length` values: (x - mean) / sqrt(variance + epsilon), then scale and bias by (row, index in the
// row).
using ScaleAndBias = std::function<std::pair<float, float>(std::int64_t, std::int64_t)>;
void normalizeRows(const float *from, float *to, std::int64_t rows, std::int64_t length, float epsilon,
                   const ScaleAndBias &affine);

} // namespace stagecraft::cpu
