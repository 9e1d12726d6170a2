#pragma once

// How a device of PyTorch runs, as its id says: pytorch:cpu, then the number of threads, or pytorch:cuda:NUMBER, then
// any of
//   tf32           of a GPU: convolutions and products in TF32
//   channels-last  images are NHWC in memory
// separated by colons: pytorch:cpu, pytorch:cpu:4, pytorch:cuda:0:tf32:channels-last.

#include "support/result.h"

#include <string>
#include <string_view>

namespace stagecraft {

struct OptionWords;

struct PytorchOptions {
    bool isCuda = false;
    int number = 0; // of the GPU; else threads, 0: all processors that the program may use
    bool isTf32 = false;
    bool isChannelsLast = false;

    friend bool operator==(const PytorchOptions &, const PytorchOptions &) = default;
};

[[nodiscard]] bool isPytorch(std::string_view id);
[[nodiscard]] OptionWords pytorchOptionWords();

// WrongUse: not the id of such a device, or an unknown option, with the known ones as remedy.
[[nodiscard]] Result<PytorchOptions> pytorchOptionsFrom(std::string_view id);

// The shortest id with these options.
[[nodiscard]] std::string toId(const PytorchOptions &options);

} // namespace stagecraft
