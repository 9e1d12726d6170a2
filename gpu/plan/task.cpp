#include "gpu/plan/task.h"

namespace stagecraft::gpu {
namespace {

template <typename... Functions>
struct Overloaded : Functions... {
    using Functions::operator()...;
};

} // namespace

std::vector<View> readsOf(const Task &task)
{
    const auto withConstants = [](std::vector<View> views, const View &w, const std::optional<View> &bias) {
        views.push_back(w);
        if (bias)
            views.push_back(*bias);
        return views;
    };
    return std::visit(Overloaded{[&](const ConvTask &conv) { return withConstants({conv.x}, conv.w, conv.bias); },
                                 [&](const DepthwiseTask &conv) { return withConstants(conv.x, conv.w, conv.bias); },
                                 [](const PoolTask &pool) { return std::vector<View>{pool.x}; },
                                 [](const ElementwiseTask &elementwise) { return elementwise.x; },
                                 [](const SoftmaxTask &softmax) { return std::vector<View>{softmax.x}; }},
                      task.work);
}

const View &writeOf(const Task &task)
{
    return std::visit([](const auto &work) -> const View & { return work.y; }, task.work);
}

std::string kindOf(const Task &task)
{
    return std::visit(Overloaded{[](const ConvTask &) { return "convolution"; },
                                 [](const DepthwiseTask &) { return "depthwise convolution"; },
                                 [](const PoolTask &) { return "pool"; },
                                 [](const ElementwiseTask &) { return "elementwise"; },
                                 [](const SoftmaxTask &) { return "softmax"; }},
                      task.work);
}

} // namespace stagecraft::gpu
