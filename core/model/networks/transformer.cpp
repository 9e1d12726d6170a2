// Layers of a transformer (Vaswani et al. 2017; norms in front of each part, as in GPT-2) without embedding and head:
// tokens [batch, tokens, width] to the same.

#include "model/networks/networks.h"
#include "model/networks/tensor_parts.h"

#include <fmt/format.h>

namespace stagecraft {

Result<SourceGraph> transformer(const GeneratorValues &of, std::int64_t batch)
{
    NetworkWriter net("transformer", batch);
    TensorId x = net.input("tokens", {batch, of["tokens"], of["width"]});
    for (std::int64_t layer = 0; layer < of["layers"]; ++layer) {
        const std::string name = fmt::format("layer{}", layer);
        net.beginBlock();
        TensorId inner = parts::layerNorm(net, name + "/attention/norm", x);
        inner = parts::multiHeadAttention(net, name + "/attention", inner, inner, of["heads"], of["head"]);
        x = parts::sum(net, name + "/attention/add", x, inner);
        net.beginBlock();
        inner = parts::layerNorm(net, name + "/ff/norm", x);
        inner = parts::feedForward(net, name + "/ff", inner, of["ff"], ActivationKind::Gelu);
        x = parts::sum(net, name + "/ff/add", x, inner);
    }
    return net.finish();
}

} // namespace stagecraft
