#pragma once

// Writes a network front to back as schedule units, block by block. The first error is kept for finish(), and later
// additions are ignored, so a network reads as a list of its operators.

#include "graph/graph.h"
#include "model/source_graph.h"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace stagecraft {

class NetworkWriter {
public:
    struct ConvShape {
        std::int64_t outChannels = 0;
        std::array<std::int64_t, 2> kernel{1, 1};
        std::int64_t stride = 1;
        std::array<std::int64_t, 2> padding{0, 0};
        std::int64_t groups = 1;
    };
    struct PoolShape {
        PoolAttributes::Mode mode = PoolAttributes::Mode::Max;
        std::int64_t kernel = 1;
        std::int64_t stride = 1;
        std::int64_t padding = 0;
        bool ceilMode = false;
    };

    NetworkWriter(std::string name, std::int64_t batch);

    TensorId input(std::int64_t channels, std::int64_t size);
    TensorId input(const std::string &name, std::vector<std::int64_t> dims, DataType type = DataType::Float32);
    void beginBlock() { m_blocks.emplace_back(); }

    TensorId convRelu(std::string name, TensorId input, const ConvShape &shape);
    TensorId convRelu6(std::string name, TensorId input, const ConvShape &shape);
    TensorId reluConv(std::string name, TensorId input, const ConvShape &shape);
    TensorId conv(std::string name, TensorId input, const ConvShape &shape);
    // Square kernel; the padding keeps the size at stride 1.
    TensorId reluSepConv(std::string name, InputExpression inputs, std::int64_t outChannels, std::int64_t kernel,
                         std::int64_t stride);
    TensorId pool(std::string name, TensorId input, const PoolShape &shape);
    TensorId globalAveragePool(std::string name, TensorId input);
    TensorId relu(std::string name, TensorId input);
    // Of the last dimension.
    TensorId linear(std::string name, TensorId input, std::int64_t outFeatures);
    TensorId linearRelu(std::string name, TensorId input, std::int64_t outFeatures);
    TensorId join(std::string name, InputExpression inputs);

    TensorId reshape(std::string name, TensorId input, std::vector<std::int64_t> dims); // 0: as it is
    TensorId transpose(std::string name, TensorId input, std::vector<std::int64_t> permutation);
    TensorId channels(std::string name, TensorId input, std::int64_t begin, std::int64_t end);

    // Any other operator; its type is set if it has typed attributes.
    TensorId add(Operator op);
    std::vector<TensorId> add(Operator op, std::vector<Tensor> outputs);

    // Of a tensor that was added; unknown after an error.
    [[nodiscard]] Shape shape(TensorId tensor) const;

    [[nodiscard]] Result<SourceGraph> finish();

private:
    TensorId convolution(std::string name, TensorId input, const ConvShape &shape, Activation before, Activation after);
    TensorId product(std::string name, TensorId input, std::int64_t outFeatures, Activation after);
    TensorId moved(std::string name, OperatorKind kind, std::string type, TensorId input,
                   std::vector<NamedAttribute> attributes, const std::vector<std::vector<std::int64_t>> &operands);
    [[nodiscard]] std::int64_t channelsOf(const InputExpression &inputs) const;

    GraphBuilder m_builder;
    std::int64_t m_batch;
    Blocks m_blocks;
    std::optional<Error> m_error;
    std::size_t m_count = 0;
};

} // namespace stagecraft
