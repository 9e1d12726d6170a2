#include "device/cpu/onednn/layout.h"

namespace stagecraft::cpu {
namespace {

using dnnl::memory;

constexpr auto kFloat = memory::data_type::f32;

} // namespace

memory::dims dimsOf(const Shape &shape)
{
    return shape.dims.empty() ? memory::dims{1} : memory::dims(shape.dims.begin(), shape.dims.end());
}

Desc plainDesc(const memory::dims &dims)
{
    memory::dims strides(dims.size(), 1);
    for (std::size_t axis = dims.size() - 1; axis > 0; --axis)
        strides[axis - 1] = strides[axis] * dims[axis];
    return {dims, kFloat, strides};
}

Desc anyDesc(const memory::dims &dims)
{
    return {dims, kFloat, memory::format_tag::any};
}

Desc channelsLast(const memory::dims &dims, std::int64_t pitch)
{
    return {dims, kFloat, memory::dims{dims[2] * dims[3] * pitch, 1, dims[3] * pitch, pitch}};
}

Desc arranged(const memory::dims &dims, TensorLayout layout)
{
    if (dims.size() != 4)
        return plainDesc(dims);
    switch (layout) {
    case TensorLayout::RowMajor: break;
    case TensorLayout::ChannelsLast: return {dims, kFloat, memory::format_tag::nhwc};
    case TensorLayout::Blocked8: return {dims, kFloat, memory::format_tag::nChw8c};
    case TensorLayout::Blocked16: return {dims, kFloat, memory::format_tag::nChw16c};
    }
    return plainDesc(dims);
}

std::optional<TensorLayout> layoutOf(const Desc &desc)
{
    const memory::dims dims = desc.dims();
    for (const TensorLayout layout :
         {TensorLayout::RowMajor, TensorLayout::Blocked16, TensorLayout::Blocked8, TensorLayout::ChannelsLast}) {
        if (desc == arranged(dims, layout))
            return layout;
    }
    return std::nullopt;
}

Desc descOf(const plan::View &view)
{
    if (view.dims.empty())
        return plainDesc({1}); // oneDNN knows no scalars
    for (const TensorLayout layout : kTensorLayouts) {
        if (view.block > 1 && view.block == plan::channelBlock(layout))
            return arranged(view.dims, layout);
    }
    return {view.dims, kFloat, view.strides};
}

std::optional<ChannelLayout> channelLayoutOf(const Desc &desc)
{
    const memory::dims dims = desc.dims();
    if (dims.size() < 2)
        return std::nullopt;
    const auto order = layoutOf(desc);
    if (!order)
        return std::nullopt;
    const std::int64_t block = *order == TensorLayout::ChannelsLast ? dims[1] : plan::channelBlock(*order);
    ChannelLayout layout{dims[0], dims[1], block, 1};
    for (std::size_t axis = 2; axis < dims.size(); ++axis)
        layout.pixels *= dims[axis];
    return layout;
}

std::optional<std::int64_t> pixelPitch(const Desc &desc)
{
    const memory::dims dims = desc.dims();
    if (dims.size() != 4 || desc.data.format_kind != dnnl_blocked || desc.data.format_desc.blocking.inner_nblks != 0)
        return std::nullopt;
    const std::int64_t pitch = desc.data.format_desc.blocking.strides[3];
    if (pitch < dims[1] || desc != channelsLast(dims, pitch))
        return std::nullopt;
    return pitch;
}

} // namespace stagecraft::cpu
