#include "model/networks/network_writer.h"
#include "model/networks/networks.h"

namespace stagecraft {

Result<SourceGraph> sampleNetwork(std::int64_t batch, std::int64_t channels)
{
    NetworkWriter net("sample", batch);
    const auto conv3x3 = [&](const char *name, TensorId from, std::int64_t outChannels) {
        return net.convRelu(name, from, {outChannels, {3, 3}, 1, {1, 1}});
    };
    const TensorId input = net.input(channels, 15);
    net.beginBlock();
    const TensorId conv1 = conv3x3("conv1", input, channels);
    const TensorId conv2 = conv3x3("conv2", input, 2 * channels);
    const TensorId conv3 = conv3x3("conv3", input, channels);
    const TensorId conv4 = conv3x3("conv4", conv1, 2 * channels);
    net.join("concat", {{conv4}, {conv2}, {conv3}});
    return net.finish();
}

} // namespace stagecraft
