// GoogLeNet (Szegedy et al. 2015) in the form of torchvision: batch normalisation, folded here, instead of LRN, 3x3
// where the paper has 5x5, no auxiliary classifiers. The classifier is a 1x1 convolution of the pooled image.

#include "model/networks/network_writer.h"
#include "model/networks/networks.h"

namespace stagecraft {
namespace {

struct Widths {
    std::int64_t direct, reduce3x3, conv3x3, reduceSecond, convSecond, pooled;
};

TensorId inception(NetworkWriter &net, const std::string &name, TensorId input, const Widths &widths)
{
    const TensorId direct = net.convRelu(name + "/branch1", input, {widths.direct});
    TensorId second = net.convRelu(name + "/branch2/reduce", input, {widths.reduce3x3});
    second = net.convRelu(name + "/branch2/conv", second, {widths.conv3x3, {3, 3}, 1, {1, 1}});
    TensorId third = net.convRelu(name + "/branch3/reduce", input, {widths.reduceSecond});
    third = net.convRelu(name + "/branch3/conv", third, {widths.convSecond, {3, 3}, 1, {1, 1}});
    TensorId pooled = net.pool(name + "/branch4/pool", input, {PoolAttributes::Mode::Max, 3, 1, 1});
    pooled = net.convRelu(name + "/branch4/conv", pooled, {widths.pooled});
    return net.join(name + "/concat", {{direct}, {second}, {third}, {pooled}});
}

} // namespace

Result<SourceGraph> googLeNet(std::int64_t batch)
{
    constexpr NetworkWriter::PoolShape kHalve{PoolAttributes::Mode::Max, 3, 2, 0, true};
    NetworkWriter net("googlenet", batch);
    TensorId x = net.input(3, 224);
    net.beginBlock();
    x = net.convRelu("conv1", x, {64, {7, 7}, 2, {3, 3}});
    x = net.pool("maxpool1", x, kHalve);
    x = net.convRelu("conv2", x, {64});
    x = net.convRelu("conv3", x, {192, {3, 3}, 1, {1, 1}});
    net.beginBlock();
    x = net.pool("maxpool2", x, kHalve);
    x = inception(net, "inception3a", x, {64, 96, 128, 16, 32, 32});
    net.beginBlock();
    x = inception(net, "inception3b", x, {128, 128, 192, 32, 96, 64});
    net.beginBlock();
    x = net.pool("maxpool3", x, kHalve);
    x = inception(net, "inception4a", x, {192, 96, 208, 16, 48, 64});
    net.beginBlock();
    x = inception(net, "inception4b", x, {160, 112, 224, 24, 64, 64});
    net.beginBlock();
    x = inception(net, "inception4c", x, {128, 128, 256, 24, 64, 64});
    net.beginBlock();
    x = inception(net, "inception4d", x, {112, 144, 288, 32, 64, 64});
    net.beginBlock();
    x = inception(net, "inception4e", x, {256, 160, 320, 32, 128, 128});
    net.beginBlock();
    x = net.pool("maxpool4", x, {PoolAttributes::Mode::Max, 2, 2, 0, true});
    x = inception(net, "inception5a", x, {256, 160, 320, 32, 128, 128});
    net.beginBlock();
    x = inception(net, "inception5b", x, {384, 192, 384, 48, 128, 128});
    net.beginBlock();
    x = net.globalAveragePool("avgpool", x);
    net.conv("fc", x, {1000});
    return net.finish();
}

} // namespace stagecraft
