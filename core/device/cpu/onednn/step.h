#pragma once

// What the tasks of a group become: a list of steps, each a oneDNN primitive or a kernel of our own, over places in the
// arena.

#include "device/cpu/onednn/layout.h"
#include "support/ids.h"

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace stagecraft::cpu {

inline constexpr std::size_t kBufferAlignment = 64;

struct Place {
    std::size_t buffer = 0;
    std::size_t offsetBytes = 0;
    Desc desc;
};

[[nodiscard]] inline Place placeOf(const plan::View &view)
{
    return {view.index, static_cast<std::size_t>(view.offset) * sizeof(float), descOf(view)};
}

// A constant (weights, bias) if `constant` is set, otherwise a place in the arena.
struct Argument {
    int index = 0;
    Place place;
    std::shared_ptr<dnnl::memory> constant;
};

// Gets one pointer per argument, in order. Runs with the calling thread's OpenMP width.
using HostKernel = std::function<void(std::span<float *const>)>;

using MakePrimitive = std::function<dnnl::primitive()>;

struct Step {
    dnnl::primitive primitive; // empty if `host` or `later` is set
    HostKernel host;
    std::vector<Argument> arguments;
    MakePrimitive later = {}; // makes the primitive when it first runs
};

struct OperatorSteps {
    std::vector<OperatorId> operators; // several for a merged convolution
    std::vector<Step> steps;
    // In place of them where one of the values is no number, which they may lose; empty: they do not.
    std::vector<Step> careful = {};
};

struct GroupSteps {
    std::vector<OperatorSteps> operators;
    double flops = 0;
};

} // namespace stagecraft::cpu
