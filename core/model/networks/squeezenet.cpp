#include "model/networks/network_writer.h"
#include "model/networks/networks.h"

namespace stagecraft {
namespace {

constexpr NetworkWriter::PoolShape kHalve{PoolAttributes::Mode::Max, 3, 2, 0};

// Squeezes to a few channels, expands by 3x3 and 1x1 to `expand` channels each, and adds the input: through a 1x1
// convolution if the number of channels changes (complex bypass).
TensorId fire(NetworkWriter &net, const std::string &name, TensorId input, std::int64_t squeeze, std::int64_t expand,
              bool bypassConv)
{
    net.beginBlock();
    const TensorId squeezed = net.convRelu(name + "/squeeze", input, {squeeze});
    const TensorId expand3x3 = net.convRelu(name + "/expand3x3", squeezed, {expand, {3, 3}, 1, {1, 1}});
    const TensorId expand1x1 = net.convRelu(name + "/expand1x1", squeezed, {expand});
    const TensorId joined = net.join(name + "/concat", {{expand3x3}, {expand1x1}});
    const TensorId bypass = bypassConv ? net.convRelu(name + "/bypass", input, {2 * expand}) : input;
    return net.join(name + "/add", {{joined, bypass}});
}

} // namespace

Result<SourceGraph> squeezeNet(std::int64_t batch)
{
    NetworkWriter net("squeezenet", batch);
    TensorId x = net.input(3, 224);
    net.beginBlock();
    x = net.convRelu("conv1", x, {96, {7, 7}, 2, {3, 3}});
    x = net.pool("maxpool1", x, kHalve);
    x = fire(net, "fire2", x, 16, 64, true);
    x = fire(net, "fire3", x, 16, 64, false);
    x = fire(net, "fire4", x, 32, 128, true);
    net.beginBlock();
    x = net.pool("maxpool4", x, kHalve);
    x = fire(net, "fire5", x, 32, 128, false);
    x = fire(net, "fire6", x, 48, 192, true);
    x = fire(net, "fire7", x, 48, 192, false);
    x = fire(net, "fire8", x, 64, 256, true);
    net.beginBlock();
    x = net.pool("maxpool8", x, kHalve);
    x = fire(net, "fire9", x, 64, 256, false);
    net.beginBlock();
    x = net.convRelu("conv10", x, {1000});
    net.globalAveragePool("avgpool10", x);
    return net.finish();
}

} // namespace stagecraft
