#include "flow/fit/profile_kernels.h"

#include "timing/statistics/means.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

namespace stagecraft {

namespace {

constexpr std::size_t kImageDims = 4;

// What a host operator launched.
struct Launched {
    std::int64_t ns = 0;
    std::int64_t longestNs = 0;
    const ProfiledKernel *longest = nullptr;
    bool transforms = false; // kernels of a non-fused Winograd
};

std::vector<Launched> launchedBy(const Profile &profile)
{
    std::vector<Launched> launched(profile.hostOperators.size());
    for (const ProfiledKernel &kernel : profile.kernels) {
        if (kernel.kind != ProfiledKind::Kernel || kernel.hostOperator >= launched.size())
            continue;
        Launched &by = launched[kernel.hostOperator];
        by.ns += kernel.durationNs;
        by.transforms = by.transforms || kernel.name.find("winograd_nonfused") != std::string::npos;
        if (!by.longest || kernel.durationNs > by.longestNs) {
            by.longest = &kernel;
            by.longestNs = kernel.durationNs;
        }
    }
    return launched;
}

// From the names that cuDNN gives its kernels.
std::string algorithmOf(const Launched &launched)
{
    const std::string_view name = launched.longest->name;
    const auto has = [&](std::string_view part) { return name.find(part) != std::string_view::npos; };
    if (launched.transforms)
        return "WINOGRAD_NONFUSED";
    if (has("winograd"))
        return "WINOGRAD";
    if (has("fft"))
        return "FFT";
    if (has("scudnn") || has("precomputed"))
        return "IMPLICIT_PRECOMP_GEMM";
    if (has("implicit_convolve"))
        return "IMPLICIT_GEMM";
    return {};
}

struct Placing {
    std::int64_t padding = 0;
    std::int64_t stride = 1;
};

// The usual padding first, which keeps the size of an image.
std::optional<Placing> placingOf(std::int64_t image, std::int64_t window, std::int64_t result)
{
    constexpr std::int64_t kLargestStride = 8;
    std::vector<std::int64_t> paddings(static_cast<std::size_t>(window));
    std::iota(paddings.begin(), paddings.end(), 0);
    std::ranges::stable_sort(paddings, {}, [&](std::int64_t padding) { return padding != (window - 1) / 2; });
    for (const std::int64_t padding : paddings) {
        for (std::int64_t stride = 1; stride <= kLargestStride; ++stride) {
            const std::int64_t room = image + 2 * padding - window;
            if (room >= 0 && room / stride + 1 == result)
                return Placing{padding, stride};
        }
    }
    return std::nullopt;
}

bool isPlausible(const ProfiledShape &shape)
{
    constexpr std::int64_t kLargestSize = std::int64_t{1} << 24;
    return std::ranges::all_of(shape, [](std::int64_t size) { return size > 0 && size <= kLargestSize; });
}

// `after`: what ran next on the host.
std::optional<MeasuredKernel> convolution(const HostOperator &op, std::span<const HostOperator *const> after)
{
    constexpr std::int64_t kLargestWindow = 64;
    if (op.inputShapes.size() < 2)
        return std::nullopt;
    const ProfiledShape &input = op.inputShapes[0];
    const ProfiledShape &weight = op.inputShapes[1];
    if (input.size() != kImageDims || weight.size() != kImageDims || !isPlausible(input) || !isPlausible(weight) ||
        input[1] != weight[1] || std::max(weight[2], weight[3]) > kLargestWindow)
        return std::nullopt;
    MeasuredKernel kernel;
    kernel.batch = input[0];
    kernel.channels = input[1];
    kernel.image = {input[2], input[3]};
    kernel.filters = weight[0];
    kernel.window = {weight[2], weight[3]};
    for (const HostOperator *reader : after) {
        const ProfiledShape *result = reader->inputShapes.empty() ? nullptr : &reader->inputShapes.front();
        if (!result || result->size() != kImageDims || (*result)[0] != kernel.batch || (*result)[1] != kernel.filters)
            continue;
        const auto height = placingOf(kernel.image[0], kernel.window[0], (*result)[2]);
        const auto width = placingOf(kernel.image[1], kernel.window[1], (*result)[3]);
        if (!height || !width)
            continue;
        kernel.padding = {height->padding, width->padding};
        kernel.stride = {height->stride, width->stride};
        return kernel;
    }
    return std::nullopt;
}

std::optional<MeasuredKernel> product(const HostOperator &op)
{
    const std::size_t first = op.name == "aten::addmm" ? 1 : 0; // behind what is added
    if (op.inputShapes.size() < first + 2)
        return std::nullopt;
    const ProfiledShape &left = op.inputShapes[first];
    const ProfiledShape &right = op.inputShapes[first + 1];
    if (left.size() != 2 || right.size() != 2 || left[1] != right[0] || !isPlausible(left) || !isPlausible(right))
        return std::nullopt;
    MeasuredKernel kernel;
    kernel.kind = KernelKind::Product;
    kernel.rows = left[0];
    kernel.inner = left[1];
    kernel.columns = right[1];
    return kernel;
}

} // namespace

std::vector<MeasuredKernel> kernelsOf(const Profile &profile)
{
    constexpr std::size_t kReadersLookedAt = 3;
    const auto launched = launchedBy(profile);
    std::vector<const HostOperator *> inOrder;
    for (const HostOperator &op : profile.hostOperators)
        inOrder.push_back(&op);
    std::ranges::stable_sort(inOrder, {}, [](const HostOperator *op) { return op->startNs; });
    std::vector<MeasuredKernel> kernels;
    std::vector<std::vector<double>> times; // by kernel
    std::map<std::string, std::size_t> placeOf;
    for (std::size_t i = 0; i < inOrder.size(); ++i) {
        const HostOperator &op = *inOrder[i];
        const Launched &by = launched[static_cast<std::size_t>(&op - profile.hostOperators.data())];
        if (by.ns <= 0)
            continue;
        std::optional<MeasuredKernel> kernel;
        if (op.name == "aten::cudnn_convolution")
            kernel = convolution(
                op, std::span(inOrder).subspan(i + 1).first(std::min(kReadersLookedAt, inOrder.size() - i - 1)));
        else if (op.name == "aten::mm" || op.name == "aten::addmm")
            kernel = product(op);
        if (!kernel)
            continue;
        const auto [found, isNew] = placeOf.try_emplace(kernelText(*kernel), kernels.size());
        if (isNew) {
            kernel->source = op.name;
            if (kernel->isConvolution())
                kernel->algorithm = algorithmOf(by);
            kernels.push_back(*std::move(kernel));
            times.emplace_back();
        }
        constexpr double kNsPerUs = 1000;
        times[found->second].push_back(static_cast<double>(by.ns) / kNsPerUs);
    }
    for (std::size_t i = 0; i < kernels.size(); ++i)
        kernels[i].us = medianOf(std::move(times[i]));
    return kernels;
}

} // namespace stagecraft
