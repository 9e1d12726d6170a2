#include "device/cpu/onednn/axis_maps.h"

#include "operators/generic_operands.h"

#include <algorithm>

namespace stagecraft::cpu {

using namespace generic;

plan::Extent indices(std::int64_t start, std::int64_t count, std::int64_t step)
{
    plan::Extent values;
    for (std::int64_t i = 0; i < count; ++i)
        values.push_back(start + i * step);
    return values;
}

std::vector<plan::Extent> wholeAxes(const plan::Extent &dims)
{
    std::vector<plan::Extent> maps;
    for (const std::int64_t dim : dims)
        maps.push_back(indices(0, dim));
    return maps;
}

Result<std::vector<plan::Extent>> sliceMaps(const Operator &op, const plan::Extent &in, const plan::Extent &out)
{
    const auto starts = integers(op, "starts", 1);
    auto axes = integers(op, "axes", 3);
    const auto steps = integers(op, "steps", 4);
    if (!starts)
        return fail(ErrorCode::InvalidInput, "cpu has no kernel for a Slice whose bounds are computed");
    if (!axes)
        axes = indices(0, static_cast<std::int64_t>(starts->size()));
    if (axes->size() != starts->size() || (steps && steps->size() != starts->size()))
        return fail(ErrorCode::InvalidInput, "its axes and bounds differ in number", "export the model again");
    std::vector<plan::Extent> maps = wholeAxes(in);
    for (std::size_t i = 0; i < axes->size(); ++i) {
        const std::size_t axis = axisIn((*axes)[i], in.size());
        const std::int64_t step = steps ? (*steps)[i] : 1;
        std::int64_t start = (*starts)[i];
        start = std::clamp<std::int64_t>(start < 0 ? start + in[axis] : start, 0, step < 0 ? in[axis] - 1 : in[axis]);
        maps[axis] = indices(start, out[axis], step);
    }
    return maps;
}

Result<std::vector<plan::Extent>> gatherMaps(const Operator &op, const plan::Extent &in)
{
    const auto chosen = integersAt(op, 1);
    if (!chosen)
        return fail(ErrorCode::InvalidInput, "cpu has no kernel for a Gather whose indices are computed");
    std::vector<plan::Extent> maps = wholeAxes(in);
    const std::size_t axis = axisIn(integer(op, "axis"), in.size());
    maps[axis].clear();
    for (const std::int64_t index : *chosen)
        maps[axis].push_back(index < 0 ? index + in[axis] : index);
    if (std::ranges::any_of(maps[axis], [](std::int64_t index) { return index < 0; }))
        return fail(ErrorCode::InvalidInput, "it reads outside its input", "export the model again");
    return maps;
}

} // namespace stagecraft::cpu
