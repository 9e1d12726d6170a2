#pragma once

// Kernels that others measured one by one on a device, each with its time: convolutions and matrix products.
//
// Files of comma-separated values have a line of headings, in any order: kind (conv or gemm), n_or_m, c_or_n, h_or_k,
// w, k, kh, kw, pad_h, pad_w, stride_h, stride_w, trans_a, trans_b, time_us, algorithm; transposes and algorithm may be
// left out, and what only convolutions have where there are none. conv: n images of c channels, h x w pixels, k filters
// of kh x kw. gemm: a matrix of m x k times one of k x n, as DeepBench counts them: m outputs, n rows of activations.

#include "support/result.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft {

enum class KernelKind { Convolution, Product };

struct MeasuredKernel {
    KernelKind kind = KernelKind::Convolution;
    // Of a convolution.
    std::int64_t batch = 1;
    std::int64_t channels = 1;
    std::array<std::int64_t, 2> image{1, 1}; // height, width
    std::int64_t filters = 1;
    std::array<std::int64_t, 2> window{1, 1};
    std::array<std::int64_t, 2> padding{0, 0};
    std::array<std::int64_t, 2> stride{1, 1};
    // Of a product: rows x inner times inner x columns; the latter matrix is the weight.
    std::int64_t rows = 1;
    std::int64_t columns = 1;
    std::int64_t inner = 1;
    std::string transposed = {}; // "NT" as the library was called; empty: not told

    double us = 0;           // on the device, one after the other on a stream
    std::string algorithm;   // as the file names it; empty: it does not
    std::string source = {}; // "v100_fp32.csv:12", "aten::cudnn_convolution"

    [[nodiscard]] bool isConvolution() const { return kind == KernelKind::Convolution; }
};

// Errors (InvalidInput) name the line, the column and the reason; the caller adds the file. `name`: of the file, for
// `source`.
[[nodiscard]] Result<std::vector<MeasuredKernel>> measuredKernelsFromCsv(std::string_view text, std::string_view name);

// "conv 16x512x7x7, 512 of 3x3, pad 1", "product 16x1760x1760 NT": rows x inner x columns.
[[nodiscard]] std::string kernelText(const MeasuredKernel &kernel);

// What it was computed with: the names that cuDNN has for its algorithms; "other" for a name that is not one of them,
// "not told" where the file names none, "product" for products.
[[nodiscard]] std::string algorithmOf(const MeasuredKernel &kernel);

// What kernels are judged by together: "conv WINOGRAD_NONFUSED", "product, 5 to 64 rows".
[[nodiscard]] std::string familyOf(const MeasuredKernel &kernel);

// "under 100 us", "100 us to 1 ms", "1 ms and more": by the measured time.
[[nodiscard]] std::string sizeClassOf(const MeasuredKernel &kernel);

} // namespace stagecraft
