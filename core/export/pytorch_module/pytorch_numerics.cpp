#include "export/pytorch_module/pytorch_numerics.h"

#include <algorithm>
#include <fmt/format.h>
#include <ranges>

namespace stagecraft {
namespace {

std::string_view tf32Of(const RunContext &context)
{
    if (context.device.empty())
        return {};
    if (context.precision == "fp32")
        return "none";
    if (context.precision == "fp32 with tf32 convolutions")
        return "convolutions";
    return context.precision == "tf32" ? "all" : "";
}

// By the words behind the number: gpu:0:tf32 computes with channels last unless told (gpu/plan/gpu_options.h).
bool isGpuWithChannelsLast(std::string_view device)
{
    device.remove_prefix(device.find('/') + 1); // of a machine elsewhere: ssh:HOST/gpu:0
    if (!device.starts_with("gpu:"))
        return false;
    bool isLast = false;
    for (const auto part : device | std::views::split(':')) {
        const std::string_view word(part.begin(), part.end());
        if (word == "nhwc" || word == "nchw")
            return word == "nhwc";
        isLast = isLast || word == "tf32" || word == "fp16";
    }
    return isLast;
}

bool hasMostImagesChannelsLast(const Graph &graph, const StatedLayouts &layouts)
{
    const auto images = std::ranges::count_if(
        graph.tensors(), [](const Tensor &tensor) { return tensor.producer.isValid() && isImage(tensor); });
    const auto last =
        std::ranges::count(layouts.tensors, TensorLayout::ChannelsLast, &std::pair<std::string, TensorLayout>::second);
    return 2 * last > images;
}

} // namespace

PytorchNumerics pytorchNumerics(const Graph &graph, const TimedSchedule &schedule)
{
    return {tf32Of(schedule.context), schedule.layouts.empty() ? isGpuWithChannelsLast(schedule.context.device)
                                                               : hasMostImagesChannelsLast(graph, schedule.layouts)};
}

std::string toText(const PytorchNumerics &numerics)
{
    const std::string_view tf32 = numerics.tf32.empty()     ? "as PyTorch is set"
                                  : numerics.tf32 == "none" ? "not used"
                                  : numerics.tf32 == "all"  ? "used for convolutions and products"
                                                            : "used for convolutions";
    return fmt::format(
        "TF32 is {} on GPUs that have it, and images have their channels {} in memory, as the schedule was\n"
        "chosen for; Network(tf32=..., channels_last=...) chooses otherwise.",
        tf32, numerics.channelsLast ? "last" : "first");
}

} // namespace stagecraft
