#include "accesses.h"

#include <algorithm>

namespace stagecraft::test {
namespace {

using namespace gpu;

template <typename... Functions>
struct Overloaded : Functions... {
    using Functions::operator()...;
};
template <typename... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;

std::vector<View> readsOf(const Task &task)
{
    return std::visit(Overloaded{[](const ConvTask &conv) { return std::vector<View>{conv.x}; },
                                 [](const DepthwiseTask &conv) { return conv.x; },
                                 [](const PoolTask &pool) { return std::vector<View>{pool.x}; },
                                 [](const ElementwiseTask &elementwise) { return elementwise.x; },
                                 [](const SoftmaxTask &softmax) { return std::vector<View>{softmax.x}; }},
                      task.work);
}

// Slices of channels of the same image are interleaved; everything else is compared by bytes.
bool overlap(const Access &a, const Access &b)
{
    if (a.end <= b.begin || b.end <= a.begin)
        return false;
    const View &x = a.view;
    const View &y = b.view;
    if (a.buffer != b.buffer || x.dims.size() != 4 || y.dims.size() != 4 || x.strides != y.strides ||
        x.dims[0] != y.dims[0] || x.dims[2] != y.dims[2] || x.dims[3] != y.dims[3])
        return true;
    const std::int64_t step = x.strides[1];
    const std::int64_t distance = y.offset - x.offset;
    if (step == 0 || distance % step != 0)
        return true;
    const std::int64_t channels = distance / step;
    return channels >= 0 ? channels < x.dims[1] : -channels < y.dims[1];
}

} // namespace

std::vector<Access> accessesOf(const Task &task, const plan::Plan &plan, Precision precision)
{
    std::vector<Access> accesses;
    const auto add = [&](const View &view, bool writes) {
        if (view.memory != View::Memory::Arena)
            return;
        const std::size_t begin =
            plan.arena.offsets[view.index] + static_cast<std::size_t>(view.offset * elementBytes(precision));
        const auto bytes = static_cast<std::size_t>(view.span() * elementBytes(precision));
        accesses.push_back({writes, view.index, begin, begin + bytes, view});
    };
    for (const View &view : readsOf(task))
        add(view, false);
    std::visit([&](const auto &work) { add(work.y, true); }, task.work);
    if (task.workspace.bytes > 0) {
        const std::size_t begin = plan.arena.offsets[task.workspace.buffer] + task.workspace.offsetBytes;
        accesses.push_back({true, task.workspace.buffer, begin, begin + task.workspace.bytes, {}});
    }
    return accesses;
}

bool conflict(std::span<const Access> a, std::span<const Access> b)
{
    return std::ranges::any_of(a, [&](const Access &one) {
        return std::ranges::any_of(
            b, [&](const Access &other) { return (one.writes || other.writes) && overlap(one, other); });
    });
}

} // namespace stagecraft::test
