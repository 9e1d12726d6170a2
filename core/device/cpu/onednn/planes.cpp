#include "device/cpu/onednn/planes.h"

#include "device/cpu/executable.h"
#include "device/cpu/onednn/axis_maps.h"
#include "operators/generic_operands.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace stagecraft::cpu {
namespace {

using plan::Extent;
using plan::Plane;
using plan::Planes;

// The planes of a tensor in row-major order, behind the batch and before the pixels.
struct Arrangement {
    std::vector<Plane> planes;
    std::int64_t batch = 1;
    std::int64_t pixels = 1;
};
using Arranged = std::optional<Arrangement>;

std::int64_t product(const Extent &dims, std::size_t begin, std::size_t end)
{
    return std::accumulate(dims.begin() + static_cast<std::ptrdiff_t>(begin),
                           dims.begin() + static_cast<std::ptrdiff_t>(end), std::int64_t{1}, std::multiplies<>());
}

bool isReshape(const Operator &op)
{
    return op.type == "Reshape" || op.type == "Flatten" || op.type == "Squeeze" || op.type == "Unsqueeze";
}

// One tensor, and constants; or several that are joined.
bool mayArrange(const Graph &graph, const Operator &op)
{
    if (needsEvaluation(graph, op) || std::ranges::any_of(op.inputs, [](const auto &part) { return part.size() != 1; }))
        return false;
    if (op.kind == OperatorKind::Join)
        return op.inputs.size() > 1;
    const bool isKnown =
        isReshape(op) || op.type == "Transpose" || op.type == "Slice" || op.type == "Split" || op.type == "Gather";
    if (!isKnown || !isKept(op) || op.kind == OperatorKind::Unknown || op.inputs.size() != 1)
        return false;
    const auto operands = generic::operandsOf(op);
    return !operands.empty() && operands[0] && operands[0]->tensor.isValid();
}

Arranged ownPlanes(const Graph &graph, TensorId tensor)
{
    const Extent &dims = graph.tensor(tensor).shape.dims;
    if (dims.size() < 2)
        return std::nullopt;
    Arrangement own{{}, dims[0], product(dims, 2, dims.size())};
    for (std::int64_t channel = 0; channel < dims[1]; ++channel)
        own.planes.push_back({tensor, channel});
    return own;
}

// The indices that an operator takes of each axis.
std::optional<std::vector<Extent>> axisMaps(const Graph &graph, const Operator &op, const Extent &in,
                                            std::size_t output)
{
    Result<std::vector<Extent>> maps = wholeAxes(in);
    if (op.type == "Split") {
        const std::size_t axis = generic::axisIn(generic::integer(op, "axis"), in.size());
        std::int64_t start = 0;
        for (std::size_t i = 0; i < output; ++i)
            start += graph.tensor(op.outputs[i]).shape.dims[axis];
        (*maps)[axis] = indices(start, graph.tensor(op.outputs[output]).shape.dims[axis]);
    } else {
        maps =
            op.type == "Gather" ? gatherMaps(op, in) : sliceMaps(op, in, graph.tensor(op.outputs[output]).shape.dims);
    }
    if (!maps)
        return std::nullopt;
    for (std::size_t axis = 0; axis < in.size(); ++axis) {
        if (std::ranges::any_of((*maps)[axis], [&](std::int64_t i) { return i < 0 || i >= in[axis]; }))
            return std::nullopt;
    }
    return std::move(*maps);
}

// The axes between the batch and the pixels, [1, end), if the others are kept whole.
std::optional<std::size_t> endOfPlanes(const Extent &dims, const Arrangement &from,
                                       const std::function<bool(std::size_t)> &isWhole)
{
    if (dims.empty() || dims[0] != from.batch || !isWhole(0))
        return std::nullopt;
    for (std::size_t end = dims.size(); end >= 1; --end) {
        if (product(dims, end, dims.size()) == from.pixels)
            return end;
        if (!isWhole(end - 1))
            break;
    }
    return std::nullopt;
}

Arranged taken(const Graph &graph, const Operator &op, const Arrangement &from, std::size_t output)
{
    const Extent &in = graph.tensor(op.inputs[0][0]).shape.dims;
    const auto maps = axisMaps(graph, op, in, output);
    if (!maps)
        return std::nullopt;
    const auto end = endOfPlanes(in, from, [&](std::size_t axis) { return (*maps)[axis] == wholeAxes(in)[axis]; });
    if (!end)
        return std::nullopt;
    std::vector<std::int64_t> places{0};
    for (std::size_t axis = 1; axis < *end; ++axis) {
        std::vector<std::int64_t> further;
        for (const std::int64_t index : places) {
            for (const std::int64_t i : (*maps)[axis])
                further.push_back(index * in[axis] + i);
        }
        places = std::move(further);
    }
    Arrangement made{{}, from.batch, from.pixels};
    for (const std::int64_t index : places)
        made.planes.push_back(from.planes[static_cast<std::size_t>(index)]);
    return made;
}

Arranged transposed(const Graph &graph, const Operator &op, const Arrangement &from)
{
    const Extent &in = graph.tensor(op.inputs[0][0]).shape.dims;
    const auto rank = static_cast<std::int64_t>(in.size());
    const Extent order = generic::integers(op, "perm").value_or(indices(rank - 1, rank, -1));
    if (order.size() != in.size() || order.empty() || order[0] != 0)
        return std::nullopt;
    const auto end = endOfPlanes(
        in, from, [&](std::size_t axis) { return order[axis] == static_cast<std::int64_t>(axis) || in[axis] == 1; });
    if (!end || std::any_of(order.begin() + static_cast<std::ptrdiff_t>(*end), order.end(),
                            [&](std::int64_t axis) { return axis < static_cast<std::int64_t>(*end); }))
        return std::nullopt;
    Arrangement made{{}, from.batch, from.pixels};
    Extent at(*end, 0); // by axis of the output
    for (std::size_t i = 0; i < from.planes.size(); ++i) {
        Extent index(*end, 0);
        for (std::size_t axis = 1; axis < *end; ++axis)
            index[static_cast<std::size_t>(order[axis])] = at[axis];
        std::int64_t flat = 0;
        for (std::size_t axis = 1; axis < *end; ++axis)
            flat = flat * in[axis] + index[axis];
        made.planes.push_back(from.planes[static_cast<std::size_t>(flat)]);
        for (std::size_t axis = *end; axis-- > 1;) {
            if (++at[axis] < in[static_cast<std::size_t>(order[axis])])
                break;
            at[axis] = 0;
        }
    }
    return made;
}

// `of`: the planes of a tensor.
template <typename Of>
Arranged joined(const Graph &graph, const Operator &op, const Of &of)
{
    Arrangement made;
    for (const auto &part : op.inputs) {
        const Arranged from = of(part.front());
        const Extent &dims = graph.tensor(part.front()).shape.dims;
        if (!from || dims.size() < 2 || dims[0] != from->batch || product(dims, 2, dims.size()) % from->pixels != 0 ||
            (!made.planes.empty() && from->pixels != made.pixels))
            return std::nullopt;
        made.batch = from->batch;
        made.pixels = from->pixels;
        made.planes.insert(made.planes.end(), from->planes.begin(), from->planes.end());
    }
    return made;
}

template <typename Of>
Arranged arrangedOutput(const Graph &graph, const Operator &op, std::size_t output, const Of &of)
{
    if (op.kind == OperatorKind::Join)
        return joined(graph, op, of);
    const Arranged from = of(op.inputs[0][0]);
    if (!from || from->planes.empty())
        return std::nullopt;
    Arranged made = isReshape(op)            ? from
                    : op.type == "Transpose" ? transposed(graph, op, *from)
                                             : taken(graph, op, *from, output);
    if (!made)
        return std::nullopt;
    const std::int64_t elements = static_cast<std::int64_t>(made->planes.size()) * made->batch * made->pixels;
    return elements == graph.tensor(op.outputs[output]).shape.elements() ? made : std::nullopt;
}

// Starts from the most that may be left out, and holds what turns out to be needed until nothing more does.
class PlaneSearch {
public:
    explicit PlaneSearch(const Graph &graph)
        : m_graph(graph), m_isHeld(graph.tensors().size(), true), m_arranged(graph.tensors().size())
    {
    }

    std::vector<Planes> search()
    {
        bool any = false;
        for (const Operator &op : m_graph.operators()) {
            if (!mayArrange(m_graph, op))
                continue;
            for (const TensorId tensor : op.outputs) {
                const bool isOutput = std::ranges::find(m_graph.outputs(), tensor) != m_graph.outputs().end();
                const bool mayBeLeftOut =
                    !isOutput && m_graph.isUsed(tensor) && !m_graph.tensor(tensor).layout.has_value();
                m_isHeld[tensor.index()] = !mayBeLeftOut;
                any = any || mayBeLeftOut;
            }
        }
        if (!any)
            return {};
        do {
            m_hasChanged = false;
            for (const Operator &op : m_graph.operators())
                visit(op);
        } while (m_hasChanged);
        return found();
    }

private:
    void visit(const Operator &op)
    {
        bool takesPlanes = mayArrange(m_graph, op);
        for (std::size_t i = 0; i < op.outputs.size() && takesPlanes; ++i) {
            const std::size_t output = op.outputs[i].index();
            m_arranged[output] = arrangedOutput(m_graph, op, i, [&](TensorId id) { return arrangementOf(id); });
            takesPlanes = m_arranged[output].has_value() && (op.kind != OperatorKind::Join || !m_isHeld[output]);
        }
        if (takesPlanes)
            return;
        for (const TensorId tensor : op.outputs)
            hold(tensor);
        for (const auto &part : op.inputs) {
            for (const TensorId tensor : part)
                hold(tensor);
        }
    }

    void hold(TensorId tensor)
    {
        m_hasChanged = m_hasChanged || !m_isHeld[tensor.index()];
        m_isHeld[tensor.index()] = true;
    }

    [[nodiscard]] Arranged arrangementOf(TensorId tensor) const
    {
        return m_isHeld[tensor.index()] ? ownPlanes(m_graph, tensor) : m_arranged[tensor.index()];
    }

    [[nodiscard]] std::vector<Planes> found() const
    {
        std::vector<Planes> planes(m_graph.tensors().size());
        for (std::size_t i = 0; i < planes.size(); ++i) {
            if (m_isHeld[i])
                continue;
            planes[i].all = m_arranged[i]->planes;
            for (const Plane &plane : planes[i].all) {
                if (std::ranges::find(planes[i].holders, plane.tensor) == planes[i].holders.end())
                    planes[i].holders.push_back(plane.tensor);
            }
        }
        return planes;
    }

    const Graph &m_graph;
    std::vector<bool> m_isHeld; // by TensorId
    std::vector<Arranged> m_arranged;
    bool m_hasChanged = false;
};

} // namespace

std::vector<Planes> findPlanes(const Graph &graph)
{
    return PlaneSearch(graph).search();
}

std::optional<std::vector<Plane>> copiedPlanes(const Graph &graph, const std::vector<Planes> &planes,
                                               const Operator &op, std::size_t output)
{
    if (!mayArrange(graph, op) || op.kind == OperatorKind::Join)
        return std::nullopt;
    const auto isHeld = [&](TensorId tensor) { return planes.empty() || planes[tensor.index()].all.empty(); };
    if (isReshape(op) && isHeld(op.inputs[0][0]))
        return std::nullopt;
    const Arranged made = arrangedOutput(graph, op, output, [&](TensorId tensor) -> Arranged {
        if (isHeld(tensor))
            return ownPlanes(graph, tensor);
        const std::vector<Plane> &all = planes[tensor.index()].all;
        const Extent &of = graph.tensor(all.front().tensor).shape.dims;
        return Arrangement{all, of[0], product(of, 2, of.size())};
    });
    return made ? std::optional(made->planes) : std::nullopt;
}

} // namespace stagecraft::cpu
