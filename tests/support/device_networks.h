#pragma once

// Small networks for tests of executing devices: every operator alone, modules with several schedules, random graphs.
// Weights are seeded. A failure to build is a bug of the test and ends it.

#include "graph/block.h"
#include "graph/graph.h"
#include "operators/parameter_roles.h"
#include "schedule/timed_schedule.h"

#include <QtGlobal>

#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace stagecraft::test {

[[nodiscard]] Parameter seededConstant(std::string_view role, const std::string &owner, std::vector<std::int64_t> dims);

// Adds operators with seeded weights to a graph.
class NetworkMaker {
public:
    explicit NetworkMaker(Shape input) { m_x = m_builder.addInput("x", std::move(input)).value(); }

    TensorId x() const { return m_x; }
    const Shape &shape(TensorId tensor) const { return m_builder.tensor(tensor).shape; }

    TensorId conv(InputExpression inputs, std::int64_t out, Window window, Activation after = {},
                  Activation before = {}, std::int64_t groups = 1, bool bias = true)
    {
        Operator op = named("Conv", OperatorKind::Conv, std::move(inputs));
        op.attributes = ConvAttributes{out, window, groups, before, after};
        op.parameters = {
            seededConstant(role::kWeight, op.name, {out, channels(op) / groups, window.kernel[0], window.kernel[1]})};
        if (bias)
            op.parameters.push_back(seededConstant(role::kBias, op.name, {out}));
        return add(std::move(op));
    }

    TensorId sepConv(InputExpression inputs, std::int64_t out, Window window, Activation before = {},
                     Activation between = {})
    {
        Operator op = named("SepConv", OperatorKind::SepConv, std::move(inputs));
        op.attributes = SepConvAttributes{out, window, before, between, {}};
        const std::int64_t in = channels(op);
        op.parameters = {seededConstant(role::kDepthwiseWeight, op.name, {in, 1, window.kernel[0], window.kernel[1]}),
                         seededConstant(role::kDepthwiseBias, op.name, {in}),
                         seededConstant(role::kPointwiseWeight, op.name, {out, in, 1, 1}),
                         seededConstant(role::kPointwiseBias, op.name, {out})};
        return add(std::move(op));
    }

    TensorId pool(InputExpression inputs, PoolAttributes pool)
    {
        Operator op = named("Pool", OperatorKind::Pool, std::move(inputs));
        op.attributes = pool;
        return add(std::move(op));
    }

    TensorId activation(InputExpression inputs, Activation activation)
    {
        Operator op = named("Activation", OperatorKind::Activation, std::move(inputs));
        op.attributes = activation;
        return add(std::move(op));
    }

    TensorId join(InputExpression inputs) { return add(named("Join", OperatorKind::Join, std::move(inputs))); }

    TensorId batchNorm(InputExpression inputs)
    {
        Operator op = named("BatchNorm", OperatorKind::BatchNorm, std::move(inputs));
        op.parameters = {seededConstant(role::kScale, op.name, {channels(op)}),
                         seededConstant(role::kBias, op.name, {channels(op)})};
        return add(std::move(op));
    }

    TensorId flatten(TensorId input)
    {
        const Shape &shape = m_builder.tensor(input).shape;
        Operator op = named("Flatten", OperatorKind::Reshape, {{input}});
        Tensor output{op.name, Shape{{shape.batch(), shape.elements() / shape.batch()}}, DataType::Float32, {}};
        return m_builder.add(std::move(op), {output}).value().front();
    }

    TensorId gemm(TensorId input, std::int64_t out, bool transposeB, Activation after, bool bias = true)
    {
        Operator op = named("Gemm", OperatorKind::Gemm, {{input}});
        const std::int64_t in = m_builder.tensor(input).shape.dims.back();
        op.attributes = GemmAttributes{out, in, transposeB, after};
        op.parameters = {
            seededConstant(role::kWeight, op.name,
                           transposeB ? std::vector<std::int64_t>{out, in} : std::vector<std::int64_t>{in, out})};
        if (bias)
            op.parameters.push_back(seededConstant(role::kBias, op.name, {out}));
        return add(std::move(op));
    }

    std::shared_ptr<const Graph> build() { return std::make_shared<Graph>(m_builder.build().value()); }

private:
    Operator named(const std::string &type, OperatorKind kind, InputExpression inputs)
    {
        Operator op;
        op.name = type + std::to_string(m_count++);
        op.type = type;
        op.kind = kind;
        op.inputs = std::move(inputs);
        return op;
    }

    std::int64_t channels(const Operator &op) const
    {
        std::int64_t sum = 0;
        for (const auto &part : op.inputs)
            sum += m_builder.tensor(part.front()).shape.channels();
        return sum;
    }

    TensorId add(Operator op)
    {
        const auto id = m_builder.add(std::move(op));
        if (!id)
            qFatal("the test graph does not build: %s", id.error().message.c_str());
        return *id;
    }

    GraphBuilder m_builder{"test"};
    TensorId m_x;
    int m_count = 0;
};

inline constexpr Activation kRelu{ActivationKind::Relu};

[[nodiscard]] Window window(std::int64_t kernel, std::int64_t stride = 1, std::int64_t dilation = 1);

[[nodiscard]] Blocks oneBlock(const Graph &graph);

// An Inception module of the given width: four joined branches, then a convolution.
[[nodiscard]] std::shared_ptr<const Graph> inceptionModule(std::int64_t width, std::int64_t batch);

// Merges convolutions 1, 2 and 4 of inceptionModule; the rest in up to three concurrent groups.
[[nodiscard]] TimedSchedule mergedSchedule();

// Three products of 8, 5 and 16 columns that read the input, the second without a bias, an activation behind the first,
// and the schedule that merges them.
[[nodiscard]] std::shared_ptr<const Graph> productsOfOneInput(const Shape &input, bool transposeB, Activation after);
[[nodiscard]] TimedSchedule mergedProducts();

// Three convolutions, 3 x 3, of equal shape that read the input and two others, the second without a bias; an operator
// that reads the first stands before what the others read. And the schedule that merges them.
[[nodiscard]] std::shared_ptr<const Graph> equalBranches(std::int64_t channels, std::int64_t out, std::int64_t groups);
[[nodiscard]] TimedSchedule mergedBranches();
// The same of products, of eight columns each.
[[nodiscard]] std::shared_ptr<const Graph> equalProducts(const Shape &input, bool transposeB, Activation after);

struct NetworkCase {
    std::string name;
    std::function<std::shared_ptr<const Graph>()> make;
};

// One network per kind and form of operator.
[[nodiscard]] std::vector<NetworkCase> operatorCases();

// Tests lifetimes and aliases on many graphs: every operator reads one to three earlier tensors.
[[nodiscard]] std::shared_ptr<const Graph> randomNetwork(std::minstd_rand &random, int round);

} // namespace stagecraft::test
