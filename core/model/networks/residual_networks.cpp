// ResNet-50 and -101 (He et al. 2016, with the stride in the 3x3 convolution, as torchvision has them) and MobileNetV2
// (Sandler et al. 2018). Classifiers are 1x1 convolutions of the pooled image: the same arithmetic and weights.

#include "model/networks/network_writer.h"
#include "model/networks/networks.h"

#include <fmt/format.h>

namespace stagecraft {
namespace {

constexpr std::int64_t kClasses = 1000;

// Three convolutions, and the input added: through a 1x1 convolution where size or channels change.
TensorId bottleneck(NetworkWriter &net, const std::string &name, TensorId input, std::int64_t channels,
                    std::int64_t stride, bool projects)
{
    net.beginBlock();
    TensorId x = net.convRelu(name + "/conv1", input, {channels});
    x = net.convRelu(name + "/conv2", x, {channels, {3, 3}, stride, {1, 1}});
    x = net.conv(name + "/conv3", x, {4 * channels});
    const TensorId bypass = projects ? net.conv(name + "/downsample", input, {4 * channels, {1, 1}, stride}) : input;
    return net.relu(name + "/relu", net.join(name + "/add", {{x, bypass}}));
}

Result<SourceGraph> resNet(const std::string &name, std::int64_t batch, const std::array<int, 4> &depths)
{
    NetworkWriter net(name, batch);
    TensorId x = net.input(3, 224);
    net.beginBlock();
    x = net.convRelu("conv1", x, {64, {7, 7}, 2, {3, 3}});
    x = net.pool("maxpool", x, {PoolAttributes::Mode::Max, 3, 2, 1});
    std::int64_t channels = 64;
    for (std::size_t layer = 0; layer < depths.size(); ++layer, channels *= 2) {
        for (int unit = 0; unit < depths[layer]; ++unit) {
            const std::string unitName = fmt::format("layer{}/{}", layer + 1, unit);
            x = bottleneck(net, unitName, x, channels, unit == 0 && layer > 0 ? 2 : 1, unit == 0);
        }
    }
    net.beginBlock();
    x = net.globalAveragePool("avgpool", x);
    net.conv("fc", x, {kClasses});
    return net.finish();
}

// Expands, filters each channel by itself, and projects to few channels; the input is added where the shape stays.
TensorId invertedResidual(NetworkWriter &net, const std::string &name, TensorId input, std::int64_t inChannels,
                          std::int64_t outChannels, std::int64_t stride, std::int64_t expansion)
{
    net.beginBlock();
    const std::int64_t wide = inChannels * expansion;
    TensorId x = expansion == 1 ? input : net.convRelu6(name + "/expand", input, {wide});
    x = net.convRelu6(name + "/depthwise", x, {wide, {3, 3}, stride, {1, 1}, wide});
    x = net.conv(name + "/project", x, {outChannels});
    return stride == 1 && inChannels == outChannels ? net.join(name + "/add", {{x, input}}) : x;
}

} // namespace

Result<SourceGraph> resNet50(std::int64_t batch)
{
    return resNet("resnet50", batch, {3, 4, 6, 3});
}

Result<SourceGraph> resNet101(std::int64_t batch)
{
    return resNet("resnet101", batch, {3, 4, 23, 3});
}

Result<SourceGraph> mobileNetV2(std::int64_t batch)
{
    struct Sequence {
        std::int64_t expansion, channels;
        int units;
        std::int64_t stride;
    };
    constexpr std::array<Sequence, 7> kSequences{
        {{1, 16, 1, 1}, {6, 24, 2, 2}, {6, 32, 3, 2}, {6, 64, 4, 2}, {6, 96, 3, 1}, {6, 160, 3, 2}, {6, 320, 1, 1}}};
    NetworkWriter net("mobilenet_v2", batch);
    TensorId x = net.input(3, 224);
    net.beginBlock();
    std::int64_t channels = 32;
    x = net.convRelu6("conv1", x, {channels, {3, 3}, 2, {1, 1}});
    int number = 1;
    for (const Sequence &sequence : kSequences) {
        for (int unit = 0; unit < sequence.units; ++unit, ++number) {
            x = invertedResidual(net, fmt::format("bottleneck{}", number), x, channels, sequence.channels,
                                 unit == 0 ? sequence.stride : 1, sequence.expansion);
            channels = sequence.channels;
        }
    }
    net.beginBlock();
    x = net.convRelu6("conv_last", x, {1280});
    x = net.globalAveragePool("avgpool", x);
    net.conv("fc", x, {kClasses});
    return net.finish();
}

} // namespace stagecraft
