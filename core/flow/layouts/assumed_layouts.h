#pragma once

// Layout latencies of a simulated V100, as far as published figures support them. Assumed, not simulated: the simulator
// knows no layouts. It rests on two figures of the layout study (V100, fp16, cuDNN): a convolution 1x3x224x224 *
// 64x3x7x7 takes 0.29 ms in NHWC and 0.058 ms in NCHW, 1x128x28x28 * 128x128x3x3 takes 0.045 and 0.091 ms. Convolutions
// of fewer than eight input channels (of a group) are taken to behave like the first, the others like the second, and
// everything else to be as fast in both layouts. NCHW and conversions take what the simulator says.

#include "device/device.h"
#include "model/model.h"
#include "search/layouts/layout_costs.h"
#include "support/result.h"

#include <stop_token>
#include <string>

namespace stagecraft {

// A convolution of batch 1 in both layouts, in milliseconds.
struct PublishedConvolution {
    int inChannels;
    int size; // height and width of its input
    int outChannels;
    int kernel;
    double nchwMs;
    double nhwcMs;
};
inline constexpr PublishedConvolution kFewChannels{3, 224, 64, 7, 0.058, 0.29};
inline constexpr PublishedConvolution kManyChannels{128, 28, 128, 3, 0.091, 0.045};

// Whether the figures are about the device of this id. WrongUse: they are not.
[[nodiscard]] Result<void> canAssumeLayouts(const std::string &deviceId);

// Errors: those of canAssumeLayouts and of the device.
[[nodiscard]] Result<LayoutCosts> assumedLayouts(const Model &model, const Device &device, const std::stop_token &stop);

} // namespace stagecraft
