#include "gpu/plan/tuned_conv.h"

namespace stagecraft::gpu {
namespace {

std::string text(const Extent &values)
{
    std::string result;
    for (const std::int64_t value : values)
        result += std::to_string(value) + ',';
    return result + ';';
}

} // namespace

std::string keyOf(const ConvTask &conv, const GpuOptions &options)
{
    // Alignments matter, addresses do not.
    const auto place = [&](const View &view) {
        return text(view.dims) + text(view.strides) +
               std::to_string(view.offset * elementBytes(options.precision) % 16) + ';';
    };
    const Window &window = conv.window;
    std::string key = place(conv.x) + place(conv.y) + text(conv.w.dims);
    for (const auto value : {window.stride[0], window.stride[1], window.dilation[0], window.dilation[1],
                             window.padding[0], window.padding[1], window.padding[2], window.padding[3], conv.groups})
        key += std::to_string(value) + ',';
    key += conv.bias ? "bias," : "";
    key += std::string(toString(conv.after.kind)) + ',' + std::to_string(conv.after.alpha) + ',' +
           std::to_string(conv.after.beta);
    return key;
}

} // namespace stagecraft::gpu
