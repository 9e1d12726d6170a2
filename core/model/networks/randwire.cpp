// The random graphs published by the authors of IOS: Watts-Strogatz WS(16, 4, 0.75) and three WS(32, 4, 0.75).

#include "model/networks/network_writer.h"
#include "model/networks/networks.h"

#include <fmt/format.h>
#include <string>
#include <vector>

namespace stagecraft {
namespace {

constexpr int kIn = -1; // the stage's input

struct RandomStage {
    std::vector<std::vector<int>> nodes; // summands of each node: earlier nodes, or the stage's input
    std::vector<int> sinks;              // summands of the stage's output
};

const std::vector<RandomStage> &publishedStages()
{
    // clang-format off
    static const std::vector<RandomStage> stages{
        {{{kIn}, {kIn}, {kIn}, {2, 1}, {kIn}, {4, 0}, {kIn}, {kIn}, {7, 6}, {7, 6, 4, 1}, {9}, {7, 2, 1, 9}, {0, 9},
          {4, 8, 12, 11}, {1, 5, 13, 10, 3}, {6, 1, 0, 8, 3, 14}},
         {15}},
        {{{kIn}, {kIn}, {kIn}, {2}, {kIn}, {4}, {4}, {6}, {7}, {8}, {9}, {1, 10}, {2, 8}, {0, 12}, {7}, {14, 9}, {15},
          {0, 8, 15}, {2, 1, 17, 3}, {9, 17, 16}, {4, 15}, {0, 14, 20, 3}, {7, 11, 21, 5}, {12, 21}, {11, 20}, {24, 13},
          {4, 6, 10, 25}, {15, 24}, {6, 20, 24}, {28, 16}, {6, 29}, {14, 11, 20, 29, 18, 30, 22, 25}},
         {19, 23, 27, 26, 31}},
        {{{kIn}, {0}, {kIn}, {kIn}, {3}, {4}, {kIn}, {6}, {6}, {8}, {9}, {9}, {8, 7}, {12, 0}, {kIn}, {14}, {14, 12},
          {14, 8, 16, 9, 11}, {17}, {3, 4, 1, 18}, {2, 16}, {20, 11, 1, 13}, {14, 8, 20}, {22}, {11, 15, 23},
          {7, 2, 21, 23}, {20, 25, 24, 19}, {12, 10, 19, 26}, {8, 5, 21, 27}, {14, 6, 5, 27, 28}, {20, 22, 9}, {4, 30}},
         {31, 29}},
        {{{kIn}, {kIn}, {1}, {kIn}, {3}, {3, 1}, {5, 0}, {3, 2}, {3, 7, 5}, {5, 8, 4}, {9}, {kIn}, {11, 4}, {kIn}, {13},
          {14}, {15}, {4, 16}, {16, 0}, {13, 11, 18, 12}, {8, 15, 19}, {kIn}, {21, 2, 10, 6}, {13, 1, 22}, {21},
          {13, 4, 24, 17}, {11, 16, 24, 20, 17}, {2, 5, 9, 24}, {14, 9, 27, 17}, {15, 25, 28}, {21, 14, 18}, {0, 30}},
         {31, 23, 26, 29}},
    };
    // clang-format on
    return stages;
}

TensorId randomStage(NetworkWriter &net, const std::string &name, const RandomStage &stage, TensorId input,
                     std::int64_t channels)
{
    net.beginBlock();
    std::vector<TensorId> outputs;
    const auto summed = [&](const std::vector<int> &terms) {
        std::vector<TensorId> sum;
        sum.reserve(terms.size());
        for (const int term : terms)
            sum.push_back(term == kIn ? input : outputs[static_cast<std::size_t>(term)]);
        return InputExpression{sum};
    };
    for (const std::vector<int> &terms : stage.nodes) {
        const std::int64_t stride = terms.front() == kIn ? 2 : 1;
        const std::string node = fmt::format("{}/node{}", name, outputs.size());
        outputs.push_back(net.reluSepConv(node, summed(terms), channels, 3, stride));
    }
    return net.join(name + "/sum", summed(stage.sinks));
}

} // namespace

Result<SourceGraph> randWire(std::int64_t batch)
{
    constexpr std::int64_t kBaseChannels = 154;
    NetworkWriter net("randwire", batch);
    TensorId x = net.input(3, 224);
    net.beginBlock();
    x = net.conv("stem", x, {kBaseChannels / 2, {3, 3}, 2, {1, 1}});
    std::int64_t channels = kBaseChannels;
    int index = 1;
    for (const RandomStage &stage : publishedStages()) {
        x = randomStage(net, fmt::format("stage{}", index++), stage, x, channels);
        channels *= 2;
    }
    net.beginBlock();
    x = net.relu("tail/relu", x);
    x = net.conv("tail/conv", x, {1280});
    net.globalAveragePool("tail/avgpool", x);
    return net.finish();
}

} // namespace stagecraft
