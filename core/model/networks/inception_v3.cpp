#include "model/networks/network_writer.h"
#include "model/networks/networks.h"

#include <vector>

namespace stagecraft {
namespace {

using Mode = PoolAttributes::Mode;

// One module; its operators are named after it.
class Module {
public:
    Module(NetworkWriter &net, std::string name, TensorId input) : m_net(net), m_name(std::move(name)), m_input(input)
    {
        m_net.beginBlock();
    }

    [[nodiscard]] TensorId input() const { return m_input; }

    // Kernel height x width, padded to keep the size.
    TensorId conv(const std::string &name, TensorId from, std::int64_t channels, std::int64_t height = 1,
                  std::int64_t width = 1)
    {
        return m_net.convRelu(m_name + "/" + name, from, {channels, {height, width}, 1, {height / 2, width / 2}});
    }
    // 3x3 without padding, stride 2.
    TensorId halve(const std::string &name, TensorId from, std::int64_t channels)
    {
        return m_net.convRelu(m_name + "/" + name, from, {channels, {3, 3}, 2, {0, 0}});
    }
    TensorId averagePool() { return m_net.pool(m_name + "/avgpool", m_input, {Mode::Average, 3, 1, 1}); }
    TensorId maxPool() { return m_net.pool(m_name + "/maxpool", m_input, {Mode::Max, 3, 2, 0}); }

    TensorId concat(const std::vector<TensorId> &branches)
    {
        InputExpression parts;
        for (const TensorId branch : branches)
            parts.push_back({branch});
        return m_net.join(m_name + "/concat", std::move(parts));
    }

private:
    NetworkWriter &m_net;
    std::string m_name;
    TensorId m_input;
};

TensorId stem(NetworkWriter &net, TensorId x)
{
    net.beginBlock();
    x = net.convRelu("stem/conv1_3x3", x, {32, {3, 3}, 2, {0, 0}});
    x = net.convRelu("stem/conv2_3x3", x, {32, {3, 3}, 1, {0, 0}});
    x = net.convRelu("stem/conv3_3x3", x, {64, {3, 3}, 1, {1, 1}});
    x = net.pool("stem/maxpool1", x, {Mode::Max, 3, 2, 0});
    x = net.convRelu("stem/conv4_1x1", x, {80});
    x = net.convRelu("stem/conv5_3x3", x, {192, {3, 3}, 1, {0, 0}});
    return net.pool("stem/maxpool2", x, {Mode::Max, 3, 2, 0});
}

TensorId moduleA(Module m, std::int64_t poolChannels)
{
    const TensorId branch1x1 = m.conv("branch1x1", m.input(), 64);
    const TensorId branch5x5 = m.conv("branch5x5_2", m.conv("branch5x5_1", m.input(), 48), 64, 5, 5);
    const TensorId double1 = m.conv("branch3x3dbl_1", m.input(), 64);
    const TensorId double2 = m.conv("branch3x3dbl_2", double1, 96, 3, 3);
    const TensorId double3 = m.conv("branch3x3dbl_3", double2, 96, 3, 3);
    const TensorId pool = m.conv("branch_pool", m.averagePool(), poolChannels);
    return m.concat({branch1x1, branch5x5, double3, pool});
}

TensorId moduleB(Module m)
{
    const TensorId branch3x3 = m.halve("branch3x3", m.input(), 384);
    const TensorId double1 = m.conv("branch3x3dbl_1", m.input(), 64);
    const TensorId double2 = m.conv("branch3x3dbl_2", double1, 96, 3, 3);
    const TensorId double3 = m.halve("branch3x3dbl_3", double2, 96);
    return m.concat({branch3x3, double3, m.maxPool()});
}

TensorId moduleC(Module m, std::int64_t channels)
{
    const TensorId branch1x1 = m.conv("branch1x1", m.input(), 192);
    TensorId seven = m.conv("branch7x7_1", m.input(), channels);
    seven = m.conv("branch7x7_2", seven, channels, 1, 7);
    seven = m.conv("branch7x7_3", seven, 192, 7, 1);
    TensorId twice = m.conv("branch7x7dbl_1", m.input(), channels);
    twice = m.conv("branch7x7dbl_2", twice, channels, 7, 1);
    twice = m.conv("branch7x7dbl_3", twice, channels, 1, 7);
    twice = m.conv("branch7x7dbl_4", twice, channels, 7, 1);
    twice = m.conv("branch7x7dbl_5", twice, 192, 1, 7);
    const TensorId pool = m.conv("branch_pool", m.averagePool(), 192);
    return m.concat({branch1x1, seven, twice, pool});
}

TensorId moduleD(Module m)
{
    const TensorId branch3x3 = m.halve("branch3x3_2", m.conv("branch3x3_1", m.input(), 192), 320);
    TensorId seven = m.conv("branch7x7x3_1", m.input(), 192);
    seven = m.conv("branch7x7x3_2", seven, 192, 1, 7);
    seven = m.conv("branch7x7x3_3", seven, 192, 7, 1);
    seven = m.halve("branch7x7x3_4", seven, 192);
    return m.concat({branch3x3, seven, m.maxPool()});
}

TensorId moduleE(Module m)
{
    const TensorId branch1x1 = m.conv("branch1x1", m.input(), 320);
    const TensorId three = m.conv("branch3x3_1", m.input(), 384);
    const TensorId threeA = m.conv("branch3x3_2a", three, 384, 1, 3);
    const TensorId threeB = m.conv("branch3x3_2b", three, 384, 3, 1);
    const TensorId twice = m.conv("branch3x3dbl_2", m.conv("branch3x3dbl_1", m.input(), 448), 384, 3, 3);
    const TensorId twiceA = m.conv("branch3x3dbl_3a", twice, 384, 1, 3);
    const TensorId twiceB = m.conv("branch3x3dbl_3b", twice, 384, 3, 1);
    const TensorId pool = m.conv("branch_pool", m.averagePool(), 192);
    return m.concat({branch1x1, threeA, threeB, twiceA, twiceB, pool});
}

} // namespace

Result<SourceGraph> inceptionV3(std::int64_t batch)
{
    NetworkWriter net("inception_v3", batch);
    TensorId x = stem(net, net.input(3, 299));
    x = moduleA({net, "mixed_5b", x}, 32);
    x = moduleA({net, "mixed_5c", x}, 64);
    x = moduleA({net, "mixed_5d", x}, 64);
    x = moduleB({net, "mixed_6a", x});
    x = moduleC({net, "mixed_6b", x}, 128);
    x = moduleC({net, "mixed_6c", x}, 160);
    x = moduleC({net, "mixed_6d", x}, 160);
    x = moduleC({net, "mixed_6e", x}, 192);
    x = moduleD({net, "mixed_7a", x});
    x = moduleE({net, "mixed_7b", x});
    x = moduleE({net, "mixed_7c", x});
    net.beginBlock();
    net.globalAveragePool("avgpool", x);
    return net.finish();
}

} // namespace stagecraft
