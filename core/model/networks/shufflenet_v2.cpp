// ShuffleNetV2 1.0x (Ma et al. 2018), as torchvision has it. The classifier is a 1x1 convolution of the pooled image.

#include "model/networks/network_writer.h"
#include "model/networks/networks.h"

#include <fmt/format.h>

namespace stagecraft {
namespace {

TensorId filtered(NetworkWriter &net, const std::string &name, TensorId input, std::int64_t channels,
                  std::int64_t stride)
{
    return net.conv(name, input, {channels, {3, 3}, stride, {1, 1}, channels});
}

// The branch that both kinds of unit have: 1x1, depthwise, 1x1.
TensorId branch(NetworkWriter &net, const std::string &name, TensorId input, std::int64_t channels, std::int64_t stride)
{
    const TensorId x = net.convRelu(name + "/conv1", input, {channels});
    return net.convRelu(name + "/conv2", filtered(net, name + "/depthwise", x, channels, stride), {channels});
}

// Channels of the two halves in turn.
TensorId shuffled(NetworkWriter &net, const std::string &name, TensorId joined, std::int64_t channels,
                  std::int64_t size)
{
    TensorId x = net.reshape(name + "/groups", joined, {0, 2, channels / 2, size, size});
    x = net.transpose(name + "/shuffle", x, {0, 2, 1, 3, 4});
    return net.reshape(name + "/image", x, {0, channels, size, size});
}

// Halves the image, from `inChannels` to `channels`.
TensorId halving(NetworkWriter &net, const std::string &name, TensorId input, std::int64_t inChannels,
                 std::int64_t channels, std::int64_t size)
{
    net.beginBlock();
    const TensorId left = net.convRelu(name + "/left/conv",
                                       filtered(net, name + "/left/depthwise", input, inChannels, 2), {channels / 2});
    const TensorId right = branch(net, name + "/right", input, channels / 2, 2);
    return shuffled(net, name, net.join(name + "/concat", {{left}, {right}}), channels, size);
}

// Half of the channels stay as they are.
TensorId basic(NetworkWriter &net, const std::string &name, TensorId input, std::int64_t channels, std::int64_t size)
{
    net.beginBlock();
    const TensorId kept = net.channels(name + "/kept", input, 0, channels / 2);
    const TensorId other = net.channels(name + "/other", input, channels / 2, channels);
    const TensorId right = branch(net, name + "/right", other, channels / 2, 1);
    return shuffled(net, name, net.join(name + "/concat", {{kept}, {right}}), channels, size);
}

} // namespace

Result<SourceGraph> shuffleNetV2(std::int64_t batch)
{
    struct StageShape {
        std::int64_t channels;
        int units;
    };
    constexpr std::array<StageShape, 3> kStages{{{116, 4}, {232, 8}, {464, 4}}};
    NetworkWriter net("shufflenet_v2", batch);
    TensorId x = net.input(3, 224);
    net.beginBlock();
    std::int64_t channels = 24;
    x = net.convRelu("conv1", x, {channels, {3, 3}, 2, {1, 1}});
    x = net.pool("maxpool", x, {PoolAttributes::Mode::Max, 3, 2, 1});
    std::int64_t size = 56;
    for (std::size_t stage = 0; stage < kStages.size(); ++stage) {
        size /= 2;
        x = halving(net, fmt::format("stage{}/0", stage + 2), x, channels, kStages[stage].channels, size);
        channels = kStages[stage].channels;
        for (int unit = 1; unit < kStages[stage].units; ++unit)
            x = basic(net, fmt::format("stage{}/{}", stage + 2, unit), x, channels, size);
    }
    net.beginBlock();
    x = net.convRelu("conv5", x, {1024});
    x = net.globalAveragePool("avgpool", x);
    net.conv("fc", x, {1000});
    return net.finish();
}

} // namespace stagecraft
