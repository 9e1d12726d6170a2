#pragma once

// Times a convolution with the library's kernel and with one of our own, in rounds of both, on the same random values.

#include "device/cpu/onednn/tuned_convolution.h"
#include "support/result.h"

#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace stagecraft::cpu {

class ConvolutionTrials {
public:
    // May throw dnnl::error. The calling thread's OpenMP width must be that of the case, here and in attempt().
    ConvolutionTrials(const dnnl::engine &engine, ConvolutionCase what);
    ~ConvolutionTrials();

    [[nodiscard]] const std::string &key() const;
    // InvalidInput: outputs differ by more than rounding. Cancelled.
    [[nodiscard]] Result<KernelTrial> attempt(const ConvolutionTiles &tiles, int rounds, const std::stop_token &stop);

private:
    struct State;
    std::unique_ptr<State> m_state;
};

} // namespace stagecraft::cpu
