// A UNet as in latent diffusion (Rombach et al. 2022): residual parts that take in the time embedding, attention to the
// image's own pixels and to a text, and skip connections from the way down to the way up. One residual part and one
// attention part at each level; channels grow by the level, as 1, 2, 4, 4 times those of the first.

#include "model/networks/networks.h"
#include "model/networks/tensor_parts.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace stagecraft {
namespace {

constexpr std::int64_t kGroups = 32; // of a group norm
constexpr std::int64_t kLatentChannels = 4;

class UNetWriter {
public:
    UNetWriter(const GeneratorValues &of, std::int64_t batch);

    [[nodiscard]] Result<SourceGraph> write();

private:
    TensorId groupNorm(const std::string &name, TensorId image);
    TensorId residual(const std::string &name, TensorId image, std::int64_t channels);
    TensorId attention(const std::string &name, TensorId image);
    TensorId conv3x3(const std::string &name, TensorId image, std::int64_t channels, std::int64_t stride = 1);
    [[nodiscard]] std::int64_t channelsAt(std::int64_t level) const;
    TensorId level(const std::string &name, TensorId image, std::int64_t channels);

    const GeneratorValues &m_of;
    NetworkWriter m_net;
    TensorId m_image;
    TensorId m_time;
    TensorId m_text;
};

UNetWriter::UNetWriter(const GeneratorValues &of, std::int64_t batch) : m_of(of), m_net("unet", batch)
{
    m_image = m_net.input("latent", {batch, kLatentChannels, of["image"], of["image"]});
    m_time = m_net.input("time", {batch, of["channels"]});
    m_text = m_net.input("text", {batch, of["text"], of["text-width"]});
}

std::int64_t UNetWriter::channelsAt(std::int64_t level) const
{
    return m_of["channels"] << std::min<std::int64_t>(level, 2);
}

TensorId UNetWriter::conv3x3(const std::string &name, TensorId image, std::int64_t channels, std::int64_t stride)
{
    return m_net.conv(name, image, {channels, {3, 3}, stride, {1, 1}});
}

// As exporters write it for opset 17: an instance norm of groups of channels, then a scale and an offset per channel.
TensorId UNetWriter::groupNorm(const std::string &name, TensorId image)
{
    const Shape shape = m_net.shape(image);
    if (!shape.known)
        return {};
    const auto all = [](std::int64_t count, float value) {
        return std::vector<float>(static_cast<std::size_t>(count), value);
    };
    const auto perChannel = [&](const std::string &of, const std::string &type, TensorId tensor, Parameter values) {
        return m_net.add(parts::node(of, OperatorKind::Elementwise, type, {tensor}, {}, {std::move(values)}));
    };
    const std::int64_t channels = shape.channels();
    const std::string norm = name + "/norm";
    TensorId x = m_net.reshape(name + "/groups", image, {0, kGroups, -1});
    x = m_net.add(parts::node(
        norm, OperatorKind::Normalize, "InstanceNormalization", {x}, {{"epsilon", 1e-5F}},
        {parts::constant(norm, 1, {kGroups}, all(kGroups, 1)), parts::constant(norm, 2, {kGroups}, all(kGroups, 0))}));
    x = m_net.reshape(name + "/image", x, {0, channels, shape.height(), shape.width()});
    const std::string scale = name + "/scale";
    const std::string offset = name + "/offset";
    x = perChannel(scale, "Mul", x, parts::constant(scale, 1, {channels, 1, 1}, all(channels, 1)));
    return perChannel(offset, "Add", x, parts::constant(offset, 1, {channels, 1, 1}, all(channels, 0)));
}

TensorId UNetWriter::residual(const std::string &name, TensorId image, std::int64_t channels)
{
    m_net.beginBlock();
    const auto activated = [&](const std::string &of, TensorId tensor) {
        return parts::activation(m_net, of + "/silu", tensor, ActivationKind::Silu);
    };
    const Shape shape = m_net.shape(image);
    TensorId x = conv3x3(name + "/conv1", activated(name + "/in", groupNorm(name + "/in", image)), channels);
    const TensorId time = m_net.linear(name + "/time", m_time, channels);
    x = parts::arithmetic(m_net, name + "/add_time", "Add", x,
                          m_net.reshape(name + "/time/reshape", time, {0, channels, 1, 1}));
    x = conv3x3(name + "/conv2", activated(name + "/out", groupNorm(name + "/out", x)), channels);
    const bool isSame = shape.known && shape.channels() == channels;
    return parts::sum(m_net, name + "/add", isSame ? image : m_net.conv(name + "/shortcut", image, {channels}), x);
}

TensorId UNetWriter::attention(const std::string &name, TensorId image)
{
    const Shape shape = m_net.shape(image);
    if (!shape.known)
        return {};
    const std::int64_t channels = shape.channels();
    const std::int64_t heads = m_of["heads"];
    m_net.beginBlock();
    TensorId x = m_net.conv(name + "/in", groupNorm(name + "/in", image), {channels});
    x = m_net.reshape(name + "/pixels", x, {0, channels, -1});
    x = m_net.transpose(name + "/tokens", x, {0, 2, 1});
    const auto norm = [&](const char *part) { return parts::layerNorm(m_net, name + part, x); };
    TensorId normed = norm("/self/norm");
    x = parts::sum(m_net, name + "/self/add", x,
                   parts::multiHeadAttention(m_net, name + "/self", normed, normed, heads, channels / heads));
    m_net.beginBlock();
    normed = norm("/cross/norm");
    x = parts::sum(m_net, name + "/cross/add", x,
                   parts::multiHeadAttention(m_net, name + "/cross", normed, m_text, heads, channels / heads));
    m_net.beginBlock();
    normed = norm("/ff/norm");
    x = parts::sum(m_net, name + "/ff/add", x,
                   parts::feedForward(m_net, name + "/ff", normed, 4 * channels, ActivationKind::Gelu));
    x = m_net.transpose(name + "/channels", x, {0, 2, 1});
    x = m_net.reshape(name + "/image", x, {0, channels, shape.height(), shape.width()});
    return parts::sum(m_net, name + "/add", image, m_net.conv(name + "/out", x, {channels}));
}

TensorId UNetWriter::level(const std::string &name, TensorId image, std::int64_t channels)
{
    return attention(name + "/attention", residual(name + "/residual", image, channels));
}

Result<SourceGraph> UNetWriter::write()
{
    const std::int64_t levels = m_of["levels"];
    const auto silu = [&](const char *name, TensorId x) {
        return parts::activation(m_net, name, x, ActivationKind::Silu);
    };
    m_net.beginBlock();
    m_time = silu("time/silu1", m_net.linear("time/linear1", m_time, 4 * m_of["channels"]));
    m_time = silu("time/silu2", m_net.linear("time/linear2", m_time, 4 * m_of["channels"]));
    TensorId x = conv3x3("in", m_image, m_of["channels"]);
    std::vector<TensorId> skips;
    for (std::int64_t i = 0; i < levels; ++i) {
        x = level(fmt::format("down{}", i), x, channelsAt(i));
        skips.push_back(x);
        if (i + 1 < levels)
            x = conv3x3(fmt::format("down{}/downsample", i), x, channelsAt(i), 2);
    }
    x = level("middle", x, channelsAt(levels - 1));
    for (std::int64_t i = levels - 1; i >= 0; --i) {
        const std::string name = fmt::format("up{}", i);
        x = m_net.join(name + "/skip", {{x}, {skips[static_cast<std::size_t>(i)]}});
        x = level(name, x, channelsAt(i));
        if (i > 0)
            x = conv3x3(name + "/conv", parts::upsample(m_net, name + "/upsample", x), channelsAt(i));
    }
    m_net.beginBlock();
    x = silu("out/silu", groupNorm("out", x));
    conv3x3("out/conv", x, kLatentChannels);
    return m_net.finish();
}

} // namespace

Result<SourceGraph> unet(const GeneratorValues &of, std::int64_t batch)
{
    const std::int64_t scale = std::int64_t{1} << (of["levels"] - 1);
    if (of["image"] % scale != 0)
        return fail(ErrorCode::WrongUse,
                    fmt::format("image={} cannot be halved {} times", of["image"], of["levels"] - 1),
                    fmt::format("Choose a multiple of {}, or fewer levels", scale));
    if (of["channels"] % kGroups != 0 || of["channels"] % of["heads"] != 0)
        return fail(ErrorCode::WrongUse,
                    fmt::format("{} channels cannot be shared among {} groups of a norm and {} heads", of["channels"],
                                kGroups, of["heads"]),
                    "Choose channels that both divide");
    return UNetWriter(of, batch).write();
}

} // namespace stagecraft
