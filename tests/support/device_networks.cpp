#include "support/device_networks.h"

namespace stagecraft::test {

Parameter seededConstant(std::string_view role, const std::string &owner, std::vector<std::int64_t> dims)
{
    return {std::string(role), owner + '.' + std::string(role), Shape{std::move(dims)}, DataType::Float32, nullptr};
}

Window window(std::int64_t kernel, std::int64_t stride, std::int64_t dilation)
{
    const std::int64_t padding = (kernel - 1) * dilation / 2;
    return {{kernel, kernel}, {stride, stride}, {dilation, dilation}, {padding, padding, padding, padding}};
}

Blocks oneBlock(const Graph &graph)
{
    Block block;
    for (std::size_t i = 0; i < graph.size(); ++i)
        block.operators.push_back(OperatorId::fromIndex(i));
    return {block};
}

std::shared_ptr<const Graph> inceptionModule(std::int64_t width, std::int64_t batch)
{
    NetworkMaker make(Shape{{batch, 3, 17, 15}});
    const TensorId stem = make.conv({{make.x()}}, 2 * width, window(3, 2), kRelu);
    const TensorId a = make.conv({{stem}}, width, window(1), kRelu);
    const TensorId b1 = make.conv({{stem}}, width, window(1), kRelu);
    const TensorId b2 = make.conv({{b1}}, width, window(3), kRelu);
    const TensorId c1 = make.conv({{stem}}, 2 * width, window(3), kRelu, {}, 1, false);
    const TensorId d1 = make.pool({{stem}}, {PoolAttributes::Mode::Average, false, false, false, window(3)});
    const TensorId d2 = make.conv({{d1}}, width, window(1), kRelu);
    const TensorId joined = make.join({{a}, {b2}, {c1}, {d2}});
    make.conv({{joined}}, width, window(3), kRelu);
    return make.build();
}

TimedSchedule mergedSchedule()
{
    const auto id = [](std::uint32_t value) { return OperatorId{value}; };
    TimedSchedule schedule;
    schedule.stages = {{0, Strategy::Concurrent, {{id(0)}}},
                       {0, Strategy::Merge, {{id(1)}, {id(2)}, {id(4)}}},
                       {0, Strategy::Concurrent, {{id(3)}, {id(5), id(6)}}},
                       {0, Strategy::Concurrent, {{id(7)}}},
                       {0, Strategy::Concurrent, {{id(8)}}}};
    return schedule;
}

std::shared_ptr<const Graph> productsOfOneInput(const Shape &input, bool transposeB, Activation after)
{
    NetworkMaker make(input);
    const TensorId first = make.gemm(make.x(), 8, transposeB, after);
    make.gemm(make.x(), 5, transposeB, after, false);
    make.gemm(make.x(), 16, transposeB, after);
    make.activation({{first}}, kRelu);
    return make.build();
}

TimedSchedule mergedProducts()
{
    TimedSchedule schedule;
    schedule.stages = {{0, Strategy::Merge, {{OperatorId{0}}, {OperatorId{1}}, {OperatorId{2}}}},
                       {0, Strategy::Concurrent, {{OperatorId{3}}}}};
    return schedule;
}

std::shared_ptr<const Graph> equalBranches(std::int64_t channels, std::int64_t out, std::int64_t groups)
{
    NetworkMaker make(Shape{{2, channels, 9, 7}});
    const auto branch = [&](TensorId from, bool bias) {
        return make.conv({{from}}, out, window(3), kRelu, {}, groups, bias);
    };
    const TensorId a = branch(make.x(), true);
    const TensorId behind = make.conv({{a}}, channels, window(1));
    const TensorId b = branch(make.conv({{make.x()}}, channels, window(1), kRelu), false);
    const TensorId c = branch(make.conv({{make.x()}}, channels, window(3)), true);
    make.join({{a}, {b}, {c}, {behind}});
    return make.build();
}

std::shared_ptr<const Graph> equalProducts(const Shape &input, bool transposeB, Activation after)
{
    NetworkMaker make(input);
    const TensorId a = make.gemm(make.x(), 8, transposeB, after);
    const TensorId behind = make.activation({{a}}, kRelu);
    const TensorId b = make.gemm(make.activation({{make.x()}}, kRelu), 8, transposeB, after, false);
    const TensorId c = make.gemm(make.activation({{make.x()}}, {ActivationKind::Sigmoid}), 8, transposeB, after);
    make.join({{behind, b, c}});
    return make.build();
}

TimedSchedule mergedBranches()
{
    const auto id = [](std::uint32_t value) { return OperatorId{value}; };
    TimedSchedule schedule;
    schedule.stages = {{0, Strategy::Concurrent, {{id(2)}, {id(4)}}},
                       {0, Strategy::Merge, {{id(0)}, {id(3)}, {id(5)}}},
                       {0, Strategy::Concurrent, {{id(1)}}},
                       {0, Strategy::Concurrent, {{id(6)}}}};
    return schedule;
}

std::vector<NetworkCase> operatorCases()
{
    std::vector<NetworkCase> cases;
    const auto row = [&cases](const char *name, const std::function<void(NetworkMaker &)> &fill,
                              Shape input = {{2, 32, 13, 11}}) {
        cases.push_back({name, [=] {
                             NetworkMaker make(input);
                             fill(make);
                             return make.build();
                         }});
    };
    row("conv 3x3", [](NetworkMaker &m) { m.conv({{m.x()}}, 48, window(3), kRelu); });
    row("conv 1x1 stride 2", [](NetworkMaker &m) { m.conv({{m.x()}}, 48, window(1, 2)); });
    row(
        "conv odd channels", [](NetworkMaker &m) { m.conv({{m.x()}}, 5, window(3), kRelu); }, Shape{{1, 7, 9, 9}});
    row("conv 1x7", [](NetworkMaker &m) { m.conv({{m.x()}}, 16, {{1, 7}, {1, 1}, {1, 1}, {0, 3, 0, 3}}, kRelu); });
    row("conv dilated", [](NetworkMaker &m) { m.conv({{m.x()}}, 16, window(3, 1, 2)); });
    row("conv uneven padding", [](NetworkMaker &m) { m.conv({{m.x()}}, 16, {{3, 3}, {2, 2}, {1, 1}, {0, 0, 1, 1}}); });
    row("conv groups", [](NetworkMaker &m) { m.conv({{m.x()}}, 64, window(3), kRelu, {}, 4); });
    row("conv depthwise", [](NetworkMaker &m) { m.conv({{m.x()}}, 32, window(3), kRelu, {}, 32); });
    row(
        "conv depthwise to one pixel",
        [](NetworkMaker &m) {
            m.conv({{m.x()}}, 100, {{3, 3}, {1, 1}, {1, 1}, {0, 0, 0, 0}}, kRelu, {}, 100);
        },
        Shape{{2, 100, 3, 3}});
    row(
        "conv depthwise of many tiles", [](NetworkMaker &m) { m.conv({{m.x()}}, 34, window(5), {}, {}, 34); },
        Shape{{2, 34, 20, 37}});
    row("conv no bias", [](NetworkMaker &m) { m.conv({{m.x()}}, 16, window(3), kRelu, {}, 1, false); });
    row("relu conv", [](NetworkMaker &m) { m.conv({{m.x()}}, 16, window(3), {}, kRelu); });
    row("conv of conv",
        [](NetworkMaker &m) { m.conv({{m.conv({{m.x()}}, 24, window(3), kRelu)}}, 40, window(3), kRelu); });
    row("conv of an expression", [](NetworkMaker &m) {
        const TensorId a = m.conv({{m.x()}}, 32, window(1));
        m.conv({{a, m.x()}, {m.x()}}, 16, window(3), kRelu, kRelu);
    });
    row("sepconv", [](NetworkMaker &m) { m.sepConv({{m.x()}}, 48, window(5), kRelu); });
    row("sepconv of a sum", [](NetworkMaker &m) {
        const TensorId a = m.sepConv({{m.x()}}, 32, window(3), kRelu);
        m.sepConv({{a, m.x(), a}}, 20, window(3, 2), kRelu, kRelu);
    });
    row("max pool", [](NetworkMaker &m) {
        m.pool({{m.x()}}, {PoolAttributes::Mode::Max, false, false, false, window(3, 2)});
    });
    row(
        "max pool ceil",
        [](NetworkMaker &m) {
            m.pool({{m.x()}}, {PoolAttributes::Mode::Max, false, true, false, {{3, 3}, {2, 2}, {1, 1}, {0, 0, 0, 0}}});
        },
        Shape{{1, 16, 12, 14}});
    row("average pool", [](NetworkMaker &m) {
        m.pool({{m.x()}}, {PoolAttributes::Mode::Average, false, false, false, window(3)});
    });
    row(
        "average pool ceil",
        [](NetworkMaker &m) {
            m.pool({{m.x()}},
                   {PoolAttributes::Mode::Average, false, true, false, {{3, 3}, {2, 2}, {1, 1}, {1, 1, 1, 1}}});
        },
        Shape{{1, 16, 12, 14}});
    row("average pool with padding", [](NetworkMaker &m) {
        m.pool({{m.x()}}, {PoolAttributes::Mode::Average, false, false, true, window(3)});
    });
    // The last windows reach beyond the uneven padding: what is there must not count.
    row(
        "average pool ceil with padding",
        [](NetworkMaker &m) {
            m.pool({{m.x()}},
                   {PoolAttributes::Mode::Average, false, true, true, {{3, 4}, {2, 3}, {1, 1}, {1, 2, 1, 0}}});
        },
        Shape{{2, 16, 12, 14}});
    row(
        "average pool ceil with padding, dilated",
        [](NetworkMaker &m) {
            m.pool({{m.x()}},
                   {PoolAttributes::Mode::Average, false, true, true, {{3, 3}, {2, 2}, {2, 2}, {1, 1, 2, 1}}});
        },
        Shape{{1, 16, 13, 14}});
    row(
        "max pool ceil, dilated",
        [](NetworkMaker &m) {
            m.pool({{m.x()}}, {PoolAttributes::Mode::Max, false, true, false, {{2, 3}, {2, 3}, {3, 1}, {1, 1, 1, 1}}});
        },
        Shape{{1, 16, 13, 14}});
    row("global pool", [](NetworkMaker &m) {
        m.pool({{m.x()}}, {PoolAttributes::Mode::Average, true, false, false, {}});
    });
    row("add", [](NetworkMaker &m) { m.join({{m.conv({{m.x()}}, 32, window(3)), m.x()}}); });
    row("concat of blocks", [](NetworkMaker &m) {
        const TensorId a = m.conv({{m.x()}}, 16, window(3), kRelu);
        m.join({{a}, {m.conv({{m.x()}}, 32, window(1))}, {m.conv({{a}}, 48, window(1))}});
    });
    row("concat of odd channels", [](NetworkMaker &m) {
        const TensorId a = m.conv({{m.x()}}, 6, window(3), kRelu);
        const TensorId j = m.join({{a}, {m.conv({{m.x()}}, 12, window(1))}, {m.conv({{a}}, 21, window(1))}});
        m.conv({{j}}, 8, window(3));
    });
    row(
        "concat, batch 1",
        [](NetworkMaker &m) {
            const TensorId a = m.conv({{m.x()}}, 16, window(3), kRelu);
            const TensorId j = m.join({{a},
                                       {m.conv({{m.x()}}, 32, window(1))},
                                       {m.conv({{a}}, 48, window(1)), m.conv({{m.x()}}, 48, window(1))}});
            m.join({{j}, {m.conv({{j}}, 16, window(3))}});
        },
        Shape{{1, 32, 13, 11}});
    row(
        "concat of one tensor twice",
        [](NetworkMaker &m) {
            const TensorId a = m.conv({{m.x()}}, 16, window(3), kRelu);
            m.join({{a}, {a}});
        },
        Shape{{1, 32, 13, 11}});
    row("batch norm", [](NetworkMaker &m) { m.batchNorm({{m.conv({{m.x()}}, 20, window(3))}}); });
    row("gemm", [](NetworkMaker &m) {
        const TensorId p =
            m.pool({{m.conv({{m.x()}}, 20, window(3))}}, {PoolAttributes::Mode::Average, true, false, false, {}});
        m.gemm(m.gemm(m.flatten(p), 30, false, kRelu), 10, true, {});
    });
    row("gemms that are joined", [](NetworkMaker &m) {
        const TensorId flat = m.flatten(m.conv({{m.x()}}, 4, window(3)));
        m.join({{m.gemm(flat, 5, false, kRelu)}, {m.gemm(flat, 7, true, {})}});
    });
    row("flatten of an image",
        [](NetworkMaker &m) { m.gemm(m.flatten(m.conv({{m.x()}}, 20, window(3))), 30, true, {}); });
    for (const ActivationSchema &schema : activationSchemas()) {
        if (schema.kind == ActivationKind::None || schema.kind == ActivationKind::PRelu ||
            schema.kind == ActivationKind::Other)
            continue;
        const Activation activation{schema.kind, schema.alpha ? 0.2F : 0, schema.beta ? 0.5F : 0};
        const std::string name(schema.name);
        row(("alone " + name).c_str(),
            [=](NetworkMaker &m) { m.activation({{m.conv({{m.x()}}, 20, window(3))}}, activation); });
        row(("after conv " + name).c_str(), [=](NetworkMaker &m) { m.conv({{m.x()}}, 20, window(3), activation); });
        row(("before conv " + name).c_str(),
            [=](NetworkMaker &m) { m.conv({{m.x()}}, 20, window(3), {}, activation); });
    }
    return cases;
}

std::shared_ptr<const Graph> randomNetwork(std::minstd_rand &random, int round)
{
    const std::int64_t channels = round % 3 == 0 ? 8 : 16;
    NetworkMaker make(Shape{{1 + round % 2, channels, 6, 5}});
    std::vector<TensorId> tensors{make.x()}; // all of the same shape
    const auto any = [&] { return tensors[random() % tensors.size()]; };
    for (int i = 0; i < 12; ++i) {
        switch (random() % 5) {
        case 0: tensors.push_back(make.conv({{any()}}, channels, window(3), kRelu)); break;
        case 1: tensors.push_back(make.sepConv({{any(), any()}}, channels, window(3), kRelu)); break;
        case 2: tensors.push_back(make.join({{any(), any()}})); break;
        case 3: {
            const TensorId joined = make.join({{any()}, {any()}, {any(), any()}});
            tensors.push_back(make.conv({{joined}}, channels, window(1)));
            break;
        }
        default:
            tensors.push_back(make.pool({{any()}}, {PoolAttributes::Mode::Max, false, false, false, window(3)}));
            break;
        }
    }
    return make.build();
}

} // namespace stagecraft::test
