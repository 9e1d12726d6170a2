#pragma once

// The order of a tensor's values in memory. Layouts are those of images (batch, channels, height, width); tensors of
// any other rank are row-major.

#include <array>
#include <cstdint>
#include <string_view>

namespace stagecraft {

enum class TensorLayout {
    RowMajor,     // nchw
    ChannelsLast, // nhwc
    Blocked8,     // nChw8c: blocks of eight adjacent channels, the last one padded with zeros
    Blocked16,    // nChw16c
};

[[nodiscard]] constexpr std::string_view toString(TensorLayout layout)
{
    switch (layout) {
    case TensorLayout::RowMajor: return "nchw";
    case TensorLayout::ChannelsLast: return "nhwc";
    case TensorLayout::Blocked8: return "nChw8c";
    case TensorLayout::Blocked16: return "nChw16c";
    }
    return "";
}

inline constexpr std::array kTensorLayouts{TensorLayout::RowMajor, TensorLayout::ChannelsLast, TensorLayout::Blocked8,
                                           TensorLayout::Blocked16};

// Adjacent channels of a blocked layout; 1 for the others.
[[nodiscard]] constexpr std::int64_t channelBlock(TensorLayout layout)
{
    switch (layout) {
    case TensorLayout::Blocked8: return 8;
    case TensorLayout::Blocked16: return 16;
    case TensorLayout::RowMajor:
    case TensorLayout::ChannelsLast: break;
    }
    return 1;
}

} // namespace stagecraft
