// A detector of one pass, as RetinaNet (Lin et al. 2017) and FCOS (Tian et al. 2019): a plain backbone, feature levels
// joined from the coarsest down (a feature pyramid), and for each level a tower of convolutions for classes and one for
// boxes, all of them side by side. Each tower has weights of its own; sharing them among levels, as RetinaNet does,
// does not change the work.

#include "model/networks/networks.h"
#include "model/networks/tensor_parts.h"

#include <fmt/format.h>
#include <vector>

namespace stagecraft {
namespace {

TensorId conv3x3(NetworkWriter &net, const std::string &name, TensorId image, std::int64_t channels,
                 std::int64_t stride = 1)
{
    return net.convRelu(name, image, {channels, {3, 3}, stride, {1, 1}});
}

// Feature levels, the finest, an eighth of the image, first.
std::vector<TensorId> backbone(NetworkWriter &net, const GeneratorValues &of, std::int64_t batch)
{
    constexpr std::int64_t kStemChannels = 32;
    TensorId x = net.input("image", {batch, 3, of["image"], of["image"]});
    net.beginBlock();
    x = conv3x3(net, "stem/conv1", x, kStemChannels, 2);
    x = conv3x3(net, "stem/conv2", x, 2 * kStemChannels, 2);
    std::vector<TensorId> levels;
    for (std::int64_t level = 0; level < of["levels"]; ++level) {
        const std::string name = fmt::format("backbone/level{}", level);
        x = conv3x3(net, name + "/conv1", x, of["channels"], 2);
        x = conv3x3(net, name + "/conv2", x, of["channels"]);
        levels.push_back(x);
    }
    return levels;
}

std::vector<TensorId> pyramid(NetworkWriter &net, const std::vector<TensorId> &levels, std::int64_t channels)
{
    net.beginBlock();
    std::vector<TensorId> joined;
    for (std::size_t level = 0; level < levels.size(); ++level)
        joined.push_back(net.conv(fmt::format("pyramid/level{}/lateral", level), levels[level], {channels}));
    for (std::size_t level = joined.size() - 1; level-- > 0;) {
        const std::string name = fmt::format("pyramid/level{}", level);
        joined[level] =
            parts::sum(net, name + "/add", joined[level], parts::upsample(net, name + "/upsample", joined[level + 1]));
    }
    for (std::size_t level = 0; level < joined.size(); ++level)
        joined[level] =
            net.conv(fmt::format("pyramid/level{}/output", level), joined[level], {channels, {3, 3}, 1, {1, 1}});
    return joined;
}

} // namespace

Result<SourceGraph> detectionHeads(const GeneratorValues &of, std::int64_t batch)
{
    const std::int64_t reduction = std::int64_t{4} << of["levels"];
    if (of["image"] % reduction != 0)
        return fail(ErrorCode::WrongUse,
                    fmt::format("image={} cannot be halved {} times", of["image"], of["levels"] + 2),
                    fmt::format("Choose a multiple of {}, or fewer levels", reduction));
    constexpr std::int64_t kBoxNumbers = 4;
    NetworkWriter net("heads", batch);
    const std::vector<TensorId> levels = pyramid(net, backbone(net, of, batch), of["channels"]);
    std::vector<TensorId> classes = levels;
    std::vector<TensorId> boxes = levels;
    for (std::int64_t conv = 0; conv <= of["convs"]; ++conv) {
        net.beginBlock();
        const bool isLast = conv == of["convs"];
        const auto next = [&](const std::string &name, TensorId x, std::int64_t channels) {
            return isLast ? net.conv(name + "/output", x, {channels, {3, 3}, 1, {1, 1}})
                          : conv3x3(net, fmt::format("{}/conv{}", name, conv), x, of["channels"]);
        };
        for (std::size_t level = 0; level < levels.size(); ++level) {
            classes[level] = next(fmt::format("classes/level{}", level), classes[level], of["anchors"] * of["classes"]);
            boxes[level] = next(fmt::format("boxes/level{}", level), boxes[level], of["anchors"] * kBoxNumbers);
        }
    }
    return net.finish();
}

} // namespace stagecraft
