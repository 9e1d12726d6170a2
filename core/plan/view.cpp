#include "plan/view.h"

#include <functional>
#include <numeric>

namespace stagecraft::plan {
namespace {

bool isImage(const Extent &dims)
{
    return dims.size() == 4;
}

std::int64_t blocksOf(std::int64_t channels, std::int64_t block)
{
    return (channels + block - 1) / block;
}

} // namespace

std::int64_t elementsOf(const Extent &dims)
{
    return std::accumulate(dims.begin(), dims.end(), std::int64_t{1}, std::multiplies<>());
}

std::int64_t storedElements(const Extent &dims, TensorLayout layout)
{
    const std::int64_t block = channelBlock(layout);
    if (block == 1 || !isImage(dims))
        return elementsOf(dims);
    return dims[0] * blocksOf(dims[kChannelAxis], block) * block * dims[2] * dims[3];
}

std::int64_t View::elements() const
{
    return elementsOf(dims);
}

std::int64_t View::span() const
{
    std::int64_t last = 0;
    for (std::size_t axis = 0; axis < dims.size(); ++axis) {
        const bool inBlocks = axis == kChannelAxis && block > 1;
        last += ((inBlocks ? blocksOf(dims[axis], block) : dims[axis]) - 1) * strides[axis];
    }
    return last + block;
}

Extent rowMajorStrides(const Extent &dims)
{
    Extent strides(dims.size(), 1);
    for (std::size_t axis = dims.size(); axis-- > 1;)
        strides[axis - 1] = strides[axis] * dims[axis];
    return strides;
}

Extent denseStrides(const Extent &dims, TensorLayout layout)
{
    if (layout == TensorLayout::RowMajor || !isImage(dims))
        return rowMajorStrides(dims);
    const std::int64_t c = dims[1];
    const std::int64_t h = dims[2];
    const std::int64_t w = dims[3];
    if (layout == TensorLayout::ChannelsLast)
        return {h * w * c, 1, w * c, c};
    const std::int64_t block = channelBlock(layout);
    return {blocksOf(c, block) * h * w * block, h * w * block, w * block, block};
}

View denseView(std::size_t buffer, const Extent &dims, TensorLayout layout)
{
    return {View::Memory::Arena, buffer, 0, dims, denseStrides(dims, layout), isImage(dims) ? channelBlock(layout) : 1};
}

bool isDense(const View &view, TensorLayout layout)
{
    if (view.block != (isImage(view.dims) ? channelBlock(layout) : 1))
        return false;
    const Extent dense = denseStrides(view.dims, layout);
    for (std::size_t axis = 0; axis < view.dims.size(); ++axis) {
        const std::int64_t steps = axis == kChannelAxis ? blocksOf(view.dims[axis], view.block) : view.dims[axis];
        if (steps > 1 && view.strides[axis] != dense[axis])
            return false;
    }
    return true;
}

TensorLayout layoutOf(const View &view, TensorLayout otherwise)
{
    const bool fitsBoth = isDense(view, TensorLayout::RowMajor) && isDense(view, TensorLayout::ChannelsLast);
    if (!isImage(view.dims) || fitsBoth)
        return otherwise;
    if (view.dims[kChannelAxis] > 1)
        return view.strides[kChannelAxis] == 1 ? TensorLayout::ChannelsLast : TensorLayout::RowMajor;
    const std::int64_t nextPixel = view.dims[3] > 1 ? view.strides[3] : view.strides[2];
    return nextPixel == 1 ? TensorLayout::RowMajor : TensorLayout::ChannelsLast;
}

View sliced(View view, std::size_t axis, std::int64_t begin, std::int64_t count, std::int64_t step)
{
    view.offset += begin / (axis == kChannelAxis ? view.block : 1) * view.strides[axis];
    view.strides[axis] *= step;
    view.dims[axis] = count;
    return view;
}

View partOf(const View &whole, TensorLayout layout, std::size_t axis, std::int64_t begin, std::int64_t count)
{
    View view = sliced(whole, axis, begin, count);
    if (isDense(view, layout))
        view.strides = denseStrides(view.dims, layout);
    return view;
}

View channelsOf(const View &whole, TensorLayout layout, std::int64_t channel, std::int64_t channels)
{
    return partOf(whole, layout, kChannelAxis, channel, channels);
}

View broadcast(View view, const Extent &dims)
{
    const std::size_t missing = dims.size() - view.dims.size();
    view.strides.insert(view.strides.begin(), missing, 0);
    view.dims.insert(view.dims.begin(), missing, 1);
    for (std::size_t axis = 0; axis < dims.size(); ++axis) {
        if (view.dims[axis] == 1)
            view.strides[axis] = 0;
        view.dims[axis] = dims[axis];
    }
    return view;
}

} // namespace stagecraft::plan
