#include "cpu/onednn/layout.h"

namespace stagecraft::cpu {
namespace {

using dnnl::memory;

constexpr auto kFloat = memory::data_type::f32;

std::int64_t channelBlock(Arrangement arrangement, std::int64_t channels)
{
    switch (arrangement) {
    case Arrangement::Plain: return 1;
    case Arrangement::Blocked8: return 8;
    case Arrangement::Blocked16: return 16;
    case Arrangement::ChannelsLast: return channels;
    case Arrangement::Other: break;
    }
    return 0;
}

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

Desc arranged(const memory::dims &dims, Arrangement arrangement)
{
    if (dims.size() != 4)
        return plainDesc(dims);
    switch (arrangement) {
    case Arrangement::Blocked8: return {dims, kFloat, memory::format_tag::nChw8c};
    case Arrangement::Blocked16: return {dims, kFloat, memory::format_tag::nChw16c};
    case Arrangement::ChannelsLast: return {dims, kFloat, memory::format_tag::nhwc};
    default: return plainDesc(dims);
    }
}

Arrangement arrangementOf(const Desc &desc)
{
    const memory::dims dims = desc.dims();
    if (desc == plainDesc(dims))
        return Arrangement::Plain;
    if (dims.size() == 4) {
        for (const Arrangement arrangement :
             {Arrangement::Blocked16, Arrangement::Blocked8, Arrangement::ChannelsLast}) {
            if (desc == arranged(dims, arrangement))
                return arrangement;
        }
    }
    return Arrangement::Other;
}

std::optional<ChannelLayout> channelLayoutOf(const Desc &desc)
{
    const memory::dims dims = desc.dims();
    if (dims.size() < 2)
        return std::nullopt;
    const std::int64_t block = channelBlock(arrangementOf(desc), dims[1]);
    if (block == 0)
        return std::nullopt;
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

std::optional<std::size_t> sliceOffsetBytes(const Desc &whole, std::int64_t offset, const Desc &slice)
{
    const auto wholeLayout = channelLayoutOf(whole);
    const auto sliceLayout = channelLayoutOf(slice);
    if (!wholeLayout || !sliceLayout || wholeLayout->batch != 1 || wholeLayout->block != sliceLayout->block ||
        offset % wholeLayout->block != 0 || sliceLayout->channels % sliceLayout->block != 0)
        return std::nullopt;
    return static_cast<std::size_t>(wholeLayout->offset(0, offset)) * sizeof(float);
}

} // namespace stagecraft::cpu
