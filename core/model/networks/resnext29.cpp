// ResNeXt-29 16x64d for CIFAR (Xie et al. 2017, form b of figure 3: branches that are concatenated), as Rammer
// schedules it: 16 branches of their own in each residual unit, of 64, 128 and 256 channels.

#include "model/networks/network_writer.h"
#include "model/networks/networks.h"

#include <fmt/format.h>

namespace stagecraft {
namespace {

constexpr int kBranches = 16;

TensorId residual(NetworkWriter &net, const std::string &name, TensorId input, std::int64_t channels,
                  std::int64_t stride, bool projects)
{
    net.beginBlock();
    InputExpression branches;
    for (int branch = 0; branch < kBranches; ++branch) {
        const std::string branchName = fmt::format("{}/branch{}", name, branch);
        const TensorId reduced = net.convRelu(branchName + "/conv1", input, {channels});
        branches.push_back({net.convRelu(branchName + "/conv2", reduced, {channels, {3, 3}, stride, {1, 1}})});
    }
    const TensorId joined = net.join(name + "/concat", std::move(branches));
    const TensorId expanded = net.conv(name + "/conv3", joined, {4 * channels});
    const TensorId bypass = projects ? net.conv(name + "/downsample", input, {4 * channels, {1, 1}, stride}) : input;
    return net.relu(name + "/relu", net.join(name + "/add", {{expanded, bypass}}));
}

} // namespace

Result<SourceGraph> resNeXt29(std::int64_t batch)
{
    NetworkWriter net("resnext29", batch);
    TensorId x = net.input(3, 32);
    net.beginBlock();
    x = net.convRelu("conv1", x, {64, {3, 3}, 1, {1, 1}});
    for (int layer = 0; layer < 3; ++layer) {
        for (int unit = 0; unit < 3; ++unit) {
            const std::int64_t stride = layer > 0 && unit == 0 ? 2 : 1;
            x = residual(net, fmt::format("layer{}/{}", layer + 1, unit), x, std::int64_t{64} << layer, stride,
                         unit == 0);
        }
    }
    net.beginBlock();
    x = net.globalAveragePool("avgpool", x);
    net.conv("fc", x, {10});
    return net.finish();
}

} // namespace stagecraft
