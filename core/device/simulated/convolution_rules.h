#pragma once

// Convolutions as cuDNN 7 runs them: of the algorithms that could, the one that is fastest when it runs alone, as
// cudnnFindConvolutionForwardAlgorithm chooses.
//
//   implicit product   one kernel; on tensor cores, where a number of channels is no multiple of 8, between two kernels
//                      that change the layout and pad
//   fused Winograd     3x3, stride 1, float32: one kernel
//   Winograd           3x3 and 5x5, stride 1, float32: three transformations and a batch of products
//   FFT                stride 1, float32: the same, in tiles of 32x32

#include "device/simulated/product_rules.h"
#include "operators/operator.h"
#include "operators/values/tensor.h"

#include <cstdint>
#include <string>
#include <vector>

namespace stagecraft {

class ConvolutionRules {
public:
    // `rules` outlives it.
    explicit ConvolutionRules(KernelRules &rules) : m_rules(rules), m_products(rules) {}

    // In launch order: one call into cuDNN, which launches the first. Empty if no block fits an SM.
    [[nodiscard]] std::vector<Kernel> convolution(const std::string &name, const Shape &input, const Shape &output,
                                                  const Window &window, std::int64_t groups);

private:
    struct Task;
    struct Transformed;
    [[nodiscard]] std::vector<Kernel> implicitProduct(const Task &task);
    [[nodiscard]] Kernel fusedWinograd(const Task &task) const;
    [[nodiscard]] std::vector<Kernel> winograd(const Task &task, std::int64_t tile);
    [[nodiscard]] std::vector<Kernel> fourier(const Task &task);
    [[nodiscard]] std::vector<Kernel> transformed(const Task &task, const Transformed &by);

    KernelRules &m_rules;
    ProductRules m_products;
};

} // namespace stagecraft
