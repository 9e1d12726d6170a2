// Multi-head latent attention (DeepSeek-V2, Liu et al. 2024, section 2.1): queries, keys and values go through narrow
// latent products; positions are rotated into a part of each query and into one key that all heads share.

#include "model/networks/networks.h"
#include "model/networks/tensor_parts.h"

#include <cmath>
#include <fmt/format.h>

namespace stagecraft {
namespace {

// x * cos + (-x2, x1) * sin, of x = (x1, x2), with the angles of each token (Su et al. 2021). [batch, heads, tokens,
// size]
TensorId rotated(NetworkWriter &net, const std::string &name, TensorId input)
{
    const Shape shape = net.shape(input);
    if (!shape.known)
        return {};
    const std::int64_t tokens = shape.dims[2];
    const std::int64_t size = shape.dims[3];
    std::vector<float> cosines;
    std::vector<float> sines;
    for (std::int64_t token = 0; token < tokens; ++token) {
        for (std::int64_t i = 0; i < size; ++i) {
            const double share = 2.0 * static_cast<double>(i % (size / 2)) / static_cast<double>(size);
            const double angle = static_cast<double>(token) / std::pow(10'000.0, share);
            cosines.push_back(static_cast<float>(std::cos(angle)));
            sines.push_back(static_cast<float>(std::sin(angle)));
        }
    }
    const auto times = [&](const std::string &of, TensorId tensor, std::vector<float> values) {
        return net.add(parts::node(of, OperatorKind::Elementwise, "Mul", {tensor}, {},
                                   {parts::constant(of, 1, {1, 1, tokens, size}, std::move(values))}));
    };
    const auto halves = parts::splitLast(net, name + "/halves", input, {size / 2, size / 2});
    const TensorId turned = parts::joinedLast(
        net, name + "/turned",
        {net.add(parts::node(name + "/negate", OperatorKind::Elementwise, "Neg", {halves[1]})), halves[0]});
    return parts::sum(net, name + "/rotate", times(name + "/cosine", input, std::move(cosines)),
                      times(name + "/sine", turned, std::move(sines)));
}

struct Sizes {
    std::int64_t heads, head, rotary, value;
};

// [batch, heads, tokens, head + rotary]
TensorId queries(NetworkWriter &net, const std::string &name, TensorId latent, const Sizes &sizes)
{
    const TensorId all = parts::heads(
        net, name, net.linear(name + "/up", latent, sizes.heads * (sizes.head + sizes.rotary)), sizes.heads);
    const auto apart = parts::splitLast(net, name + "/split", all, {sizes.head, sizes.rotary});
    return parts::joinedLast(net, name + "/join", {apart[0], rotated(net, name, apart[1])});
}

// The rotated key of all heads, repeated for each: [batch, heads, tokens, rotary].
TensorId sharedKeys(NetworkWriter &net, const std::string &name, TensorId key, const Sizes &sizes)
{
    const Shape shape = net.shape(key);
    if (!shape.known)
        return {};
    const TensorId turned = rotated(net, name, parts::heads(net, name, key, 1));
    const std::string expand = name + "/expand";
    return net.add(
        parts::node(expand, OperatorKind::Resize, "Expand", {turned}, {},
                    {parts::constant(expand, 1, {shape.dims[0], sizes.heads, shape.dims[1], sizes.rotary})}));
}

TensorId latentAttention(NetworkWriter &net, const std::string &name, TensorId input, const GeneratorValues &of)
{
    const Sizes sizes{of["heads"], of["head"], of["rotary"], of["value"]};
    const TensorId queryLatent = net.linear(name + "/query/down", input, of["query-rank"]);
    const auto keyLatent =
        parts::splitLast(net, name + "/latent", net.linear(name + "/key/down", input, of["latent"] + sizes.rotary),
                         {of["latent"], sizes.rotary});
    const TensorId query =
        queries(net, name + "/query", parts::layerNorm(net, name + "/query/norm", queryLatent), sizes);
    const TensorId up = net.linear(name + "/key/up", parts::layerNorm(net, name + "/key/norm", keyLatent[0]),
                                   sizes.heads * (sizes.head + sizes.value));
    const auto keyAndValue = parts::splitLast(
        net, name + "/key/split", parts::heads(net, name + "/key", up, sizes.heads), {sizes.head, sizes.value});
    TensorId key = parts::joinedLast(net, name + "/key/join",
                                     {keyAndValue[0], sharedKeys(net, name + "/rotary", keyLatent[1], sizes)});
    key = net.transpose(name + "/key/turn", key, {0, 1, 3, 2});
    return net.linear(name + "/output", parts::attention(net, name, query, key, keyAndValue[1]), of["width"]);
}

} // namespace

Result<SourceGraph> multiHeadLatentAttention(const GeneratorValues &of, std::int64_t batch)
{
    if (of["rotary"] % 2 != 0)
        return fail(ErrorCode::WrongUse, fmt::format("rotary={} has no halves", of["rotary"]),
                    "Choose an even number for rotary");
    NetworkWriter net("mla", batch);
    TensorId x = net.input("tokens", {batch, of["tokens"], of["width"]});
    for (std::int64_t layer = 0; layer < of["layers"]; ++layer) {
        const std::string name = fmt::format("layer{}", layer);
        net.beginBlock();
        const TensorId normed = parts::layerNorm(net, name + "/norm", x);
        x = parts::sum(net, name + "/add", x, latentAttention(net, name, normed, of));
    }
    return net.finish();
}

} // namespace stagecraft
