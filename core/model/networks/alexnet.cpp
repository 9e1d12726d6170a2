// AlexNet in its form for one GPU (Krizhevsky 2014, arXiv 1404.5997), as torchvision has it.

#include "model/networks/network_writer.h"
#include "model/networks/networks.h"

namespace stagecraft {
namespace {

constexpr NetworkWriter::PoolShape kOverlapping{PoolAttributes::Mode::Max, 3, 2, 0};

} // namespace

Result<SourceGraph> alexNet(std::int64_t batch)
{
    NetworkWriter net("alexnet", batch);
    TensorId x = net.input(3, 224);
    net.beginBlock();
    x = net.convRelu("conv1", x, {64, {11, 11}, 4, {2, 2}});
    x = net.pool("maxpool1", x, kOverlapping);
    x = net.convRelu("conv2", x, {192, {5, 5}, 1, {2, 2}});
    x = net.pool("maxpool2", x, kOverlapping);
    x = net.convRelu("conv3", x, {384, {3, 3}, 1, {1, 1}});
    x = net.convRelu("conv4", x, {256, {3, 3}, 1, {1, 1}});
    x = net.convRelu("conv5", x, {256, {3, 3}, 1, {1, 1}});
    x = net.pool("maxpool5", x, kOverlapping);
    net.beginBlock();
    x = net.reshape("flatten", x, {0, std::int64_t{256} * 6 * 6});
    x = net.linearRelu("fc6", x, 4096);
    x = net.linearRelu("fc7", x, 4096);
    net.linear("fc8", x, 1000);
    return net.finish();
}

} // namespace stagecraft
