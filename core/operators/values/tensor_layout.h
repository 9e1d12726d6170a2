#pragma once

// The order of a tensor's values in memory. Layouts are those of images (batch, channels, height, width); tensors of
// any other rank are row-major.

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
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

// As in files and answers: "NCHW", "NHWC", "nChw8c", "nChw16c".
[[nodiscard]] constexpr std::string_view nameOf(TensorLayout layout)
{
    return layout == TensorLayout::RowMajor ? "NCHW" : layout == TensorLayout::ChannelsLast ? "NHWC" : toString(layout);
}

// Upper and lower case are the same. Empty: no device executes a layout of this name.
[[nodiscard]] constexpr std::optional<TensorLayout> tensorLayoutOf(std::string_view name)
{
    const auto lower = [](char letter) {
        return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
    };
    for (const TensorLayout layout : kTensorLayouts) {
        if (std::ranges::equal(toString(layout), name, {}, lower, lower))
            return layout;
    }
    return std::nullopt;
}

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
