#include "gpu/plan/view.h"

#include <functional>
#include <numeric>

namespace stagecraft::gpu {

std::int64_t elementsOf(const Extent &dims)
{
    return std::accumulate(dims.begin(), dims.end(), std::int64_t{1}, std::multiplies<>());
}

std::int64_t View::elements() const
{
    return elementsOf(dims);
}

std::int64_t View::span() const
{
    std::int64_t last = 0;
    for (std::size_t axis = 0; axis < dims.size(); ++axis)
        last += (dims[axis] - 1) * strides[axis];
    return last + 1;
}

Extent rowMajorStrides(const Extent &dims)
{
    Extent strides(dims.size(), 1);
    for (std::size_t axis = dims.size(); axis-- > 1;)
        strides[axis - 1] = strides[axis] * dims[axis];
    return strides;
}

Extent denseStrides(const Extent &dims, Layout layout)
{
    if (layout == Layout::Nchw || dims.size() != 4)
        return rowMajorStrides(dims);
    const std::int64_t c = dims[1];
    const std::int64_t w = dims[3];
    return {dims[2] * w * c, 1, w * c, c};
}

bool isDense(const View &view, Layout layout)
{
    const Extent dense = denseStrides(view.dims, layout);
    for (std::size_t axis = 0; axis < view.dims.size(); ++axis) {
        if (view.dims[axis] > 1 && view.strides[axis] != dense[axis])
            return false;
    }
    return true;
}

View sliced(View view, std::size_t axis, std::int64_t begin, std::int64_t count, std::int64_t step)
{
    view.offset += begin * view.strides[axis];
    view.strides[axis] *= step;
    view.dims[axis] = count;
    return view;
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

} // namespace stagecraft::gpu
