#pragma once

// A network of modules with four branches each, for views: blocks, skips over blocks, several stages.

#include "graph/block.h"
#include "support/graph_making.h"

#include <memory>
#include <string>

namespace stagecraft::test {

struct ModelOfModules {
    std::shared_ptr<const Graph> graph;
    Blocks blocks;
};

// `modules` blocks of 8 operators; from the third on, every second one also reads the output of the block before the
// previous one.
inline ModelOfModules inceptionLike(int modules)
{
    GraphBuilder builder("modules");
    TensorId input = take(builder.addInput("image", {{1, 16, 17, 17}}));
    TensorId previous = input;
    ModelOfModules model;
    std::uint32_t next = 0;
    for (int module = 0; module < modules; ++module) {
        const std::string prefix = "m" + std::to_string(module) + "/";
        const InputExpression source =
            module > 1 && module % 2 == 0 ? InputExpression{{input}, {previous}} : InputExpression{{input}};
        const TensorId a = take(builder.add(conv(prefix + "a", source, 16)));
        const TensorId b1 = take(builder.add(conv(prefix + "b1", source, 16)));
        const TensorId b2 = take(builder.add(conv(prefix + "b2", {{b1}}, 16, 3)));
        const TensorId c1 = take(builder.add(conv(prefix + "c1", source, 16)));
        const TensorId c2 = take(builder.add(conv(prefix + "c2", {{c1}}, 16, 3)));
        const TensorId c3 = take(builder.add(conv(prefix + "c3", {{c2}}, 16, 3)));
        const TensorId d = take(builder.add(conv(prefix + "d", source, 16, 5)));
        const TensorId out = take(builder.add(join(prefix + "concat", {{a}, {b2}, {c3}, {d}})));
        previous = input;
        input = out;
        Block block;
        for (int i = 0; i < 8; ++i)
            block.operators.push_back(OperatorId{next++});
        model.blocks.push_back(std::move(block));
    }
    model.graph = std::make_shared<const Graph>(take(builder.build()));
    return model;
}

} // namespace stagecraft::test
