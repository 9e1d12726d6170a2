// Mixture-of-experts layers with shared experts beside routed ones, as in DeepSeek-V2 and Qwen2-MoE: gated feed-forward
// parts, the shared experts as one of `shared` times the hidden width.
//
// Which tokens an expert gets is decided by the values; schedules need sizes that are known. So the work is that of
// balanced routing: of `experts` experts, those that at least one token would reach if each token chose `active` of
// them at random take part (all of them, from some tokens on), each with an equal number of tokens, rounded up. Which
// tokens an expert gets is still decided by the router, from the values: each expert takes the tokens that score
// highest with it (Zhou et al. 2022). The routed experts are one grouped product each for gate, up and down, as in the
// fused kernels of inference servers. Experts that no token reaches are neither read nor part of the graph, and what
// unbalanced routing costs is not in it.

#include "model/networks/networks.h"
#include "model/networks/tensor_parts.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace stagecraft {
namespace {

struct Routing {
    std::int64_t experts = 0; // that tokens reach
    std::int64_t tokens = 0;  // of each of them
};

Routing balanced(std::int64_t tokens, std::int64_t experts, std::int64_t active)
{
    const double missed = std::pow(1.0 - static_cast<double>(active) / static_cast<double>(experts), tokens);
    const auto reached = static_cast<std::int64_t>(std::llround(static_cast<double>(experts) * (1.0 - missed)));
    Routing routing{std::clamp(reached, active, experts), 0};
    routing.tokens = std::min(tokens, (tokens * active + routing.experts - 1) / routing.experts);
    return routing;
}

struct Chosen {
    TensorId scores; // [experts, tokens]
    TensorId tokens; // their numbers, in the same order
};

Chosen chosenTokens(NetworkWriter &net, const std::string &name, TensorId tokens, std::int64_t experts,
                    const Routing &routing)
{
    TensorId scores = parts::softmax(net, name + "/softmax", net.linear(name + "/gate", tokens, experts));
    if (routing.experts < experts)
        scores = net.channels(name + "/reached", scores, 0, routing.experts);
    scores = net.transpose(name + "/by_expert", scores, {1, 0});
    const Shape shape{{routing.experts, routing.tokens}};
    const std::string topK = name + "/topk";
    const auto outputs =
        net.add(parts::node(topK, OperatorKind::Unknown, "TopK", {scores}, {{"axis", std::int64_t{-1}}},
                            {parts::constant(topK, 1, {routing.tokens})}),
                {{topK + "/scores", shape, DataType::Float32, {}}, {topK + "/tokens", shape, DataType::Int64, {}}});
    return {outputs[0], outputs[1]};
}

// What the routed experts make of `normed`, added to the rows of `to`.
TensorId routed(NetworkWriter &net, const std::string &name, TensorId to, TensorId normed, std::int64_t width,
                const GeneratorValues &of, const Routing &routing)
{
    const Chosen chosen = chosenTokens(net, name + "/router", normed, of["experts"], routing);
    const TensorId rows = parts::gatherRows(net, name + "/dispatch", normed, chosen.tokens);
    const TensorId gate = parts::activation(
        net, name + "/silu", parts::groupedProduct(net, name + "/gate", rows, of["hidden"]), ActivationKind::Silu);
    const TensorId up = parts::groupedProduct(net, name + "/up", rows, of["hidden"]);
    const TensorId made =
        parts::groupedProduct(net, name + "/down", parts::arithmetic(net, name + "/multiply", "Mul", gate, up), width);
    const TensorId weights = net.reshape(name + "/weights", chosen.scores, {routing.experts, routing.tokens, 1});
    const TensorId weighted = parts::arithmetic(net, name + "/weigh", "Mul", made, weights);
    const TensorId places = net.reshape(name + "/places", chosen.tokens, {routing.experts, routing.tokens, 1});
    return net.add(parts::node(name + "/combine", OperatorKind::Unknown, "ScatterND", {to, places, weighted},
                               {{"reduction", std::string("add")}}));
}

} // namespace

Result<SourceGraph> mixtureOfExperts(const GeneratorValues &of, std::int64_t batch)
{
    if (of["active"] > of["experts"])
        return fail(ErrorCode::WrongUse, fmt::format("{} of {} experts cannot be active", of["active"], of["experts"]),
                    "Choose active up to experts");
    const std::int64_t tokens = batch * of["tokens"];
    const std::int64_t width = of["width"];
    const Routing routing = balanced(tokens, of["experts"], of["active"]);
    NetworkWriter net("moe", batch);
    TensorId x = net.input("tokens", {batch, of["tokens"], width});
    net.beginBlock();
    x = net.reshape("rows", x, {tokens, width});
    for (std::int64_t layer = 0; layer < of["layers"]; ++layer) {
        const std::string name = fmt::format("layer{}", layer);
        if (layer > 0)
            net.beginBlock();
        const TensorId normed = parts::layerNorm(net, name + "/norm", x);
        x = routed(net, name + "/routed", x, normed, width, of, routing);
        if (of["shared"] > 0)
            x = parts::sum(net, name + "/add", x,
                           parts::gatedFeedForward(net, name + "/shared", normed, of["shared"] * of["hidden"]));
    }
    net.reshape("output", x, {batch, of["tokens"], width});
    return net.finish();
}

} // namespace stagecraft
