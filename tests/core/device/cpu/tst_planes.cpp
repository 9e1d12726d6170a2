// Operators that only give channels another order: what lies between them is not written, and what comes out is the
// same.

#include "device/cpu/cpu_device.h"
#include "operators/parameter_roles.h"
#include "search/stages/search.h"
#include "support/device_networks.h"
#include "support/graph_making.h"
#include "support/reference_execution.h"
#include "support/suite.h"
#include "timing/timeline/timeline.h"

#include <QTest>

#include <numeric>
#include <random>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_planes {

namespace {

constexpr std::int64_t kHeight = 5;
constexpr std::int64_t kWidth = 3;

// A channel of one of the tensors that are computed.
struct Channel {
    TensorId tensor;
    std::int64_t channel = 0;
};

// A tensor, and where its channels are from.
struct Arranged {
    TensorId tensor;
    std::vector<Channel> channels;
};

class ShuffleMaker {
public:
    explicit ShuffleMaker(std::int64_t batch) : m_batch(batch)
    {
        m_x = take(m_builder.addInput("x", Shape{{batch, 4, kHeight, kWidth}}));
    }

    // Computed: 1x1 or depthwise, so that it is in the layout of the library's choice.
    Arranged conv(std::int64_t channels)
    {
        Operator op = test::conv(name(), {{m_x}}, channels);
        op.parameters = {seededConstant(role::kWeight, op.name, {channels, 4, 1, 1})};
        Arranged made{take(m_builder.add(std::move(op))), {}};
        for (std::int64_t i = 0; i < channels; ++i)
            made.channels.push_back({made.tensor, i});
        m_outputs.push_back(made.tensor);
        return made;
    }

    Arranged join(const std::vector<Arranged> &parts)
    {
        InputExpression inputs;
        Arranged made;
        for (const Arranged &part : parts) {
            inputs.push_back({part.tensor});
            made.channels.insert(made.channels.end(), part.channels.begin(), part.channels.end());
        }
        made.tensor = take(m_builder.add(test::join(name(), std::move(inputs))));
        return made;
    }

    Arranged shuffled(const Arranged &from, std::int64_t groups)
    {
        const auto channels = static_cast<std::int64_t>(from.channels.size());
        TensorId x = moved(OperatorKind::Reshape, "Reshape", from.tensor, {},
                           {{m_batch, groups, channels / groups, kHeight, kWidth}});
        x = moved(OperatorKind::Transpose, "Transpose", x, {{"perm", std::vector<std::int64_t>{0, 2, 1, 3, 4}}}, {});
        Arranged made{moved(OperatorKind::Reshape, "Reshape", x, {}, {{m_batch, channels, kHeight, kWidth}}), {}};
        for (std::int64_t i = 0; i < channels; ++i)
            made.channels.push_back(
                from.channels[static_cast<std::size_t>(i % groups * (channels / groups) + i / groups)]);
        return made;
    }

    Arranged sliced(const Arranged &from, std::int64_t begin, std::int64_t end, std::int64_t step)
    {
        Arranged made{moved(OperatorKind::Slice, "Slice", from.tensor, {}, {{begin}, {end}, {1}, {step}}), {}};
        for (std::int64_t i = begin; i < end; i += step)
            made.channels.push_back(from.channels[static_cast<std::size_t>(i)]);
        return made;
    }

    void keep(const Arranged &made)
    {
        m_outputs.push_back(made.tensor);
        m_kept.push_back(made);
    }

    std::shared_ptr<const Graph> build() { return std::make_shared<Graph>(take(m_builder.build(m_outputs))); }
    const std::vector<Arranged> &kept() const { return m_kept; }

private:
    std::string name() { return "op" + std::to_string(m_count++); }

    TensorId moved(OperatorKind kind, const std::string &type, TensorId input, std::vector<NamedAttribute> attributes,
                   const std::vector<std::vector<std::int64_t>> &operands)
    {
        Operator op;
        op.name = name();
        op.type = type;
        op.kind = kind;
        op.attributes = GenericAttributes{std::move(attributes)};
        op.inputs = {{input}};
        for (const auto &values : operands) {
            const std::string role = role::operand(op.parameters.size() + 1);
            op.parameters.push_back({role, op.name + role, Shape{{static_cast<std::int64_t>(values.size())}},
                                     DataType::Int64, shared(values)});
        }
        return take(m_builder.add(std::move(op)));
    }

    GraphBuilder m_builder{"shuffles"};
    std::int64_t m_batch;
    TensorId m_x;
    int m_count = 0;
    std::vector<TensorId> m_outputs;
    std::vector<Arranged> m_kept;
};

std::vector<HostTensor> outputsOf(const std::shared_ptr<const Graph> &graph, const TimedSchedule &schedule)
{
    CpuOptions options;
    options.cores = 2;
    options.poisonsFreed = true; // a wrong lifetime shows
    auto session = take(makeCpuDevice(options)->open(graph));
    return take(runOn(*session, schedule, randomInputs(*graph, 1), {}));
}

void compareChannels(const ShuffleMaker &made, const Graph &graph, const std::vector<HostTensor> &outputs)
{
    const auto valuesOf = [&](TensorId tensor) -> const HostTensor & {
        const auto place = std::ranges::find(graph.outputs(), tensor) - graph.outputs().begin();
        return outputs[static_cast<std::size_t>(place)];
    };
    constexpr auto kPixels = static_cast<std::size_t>(kHeight * kWidth);
    for (const Arranged &kept : made.kept()) {
        const HostTensor &values = valuesOf(kept.tensor);
        const auto channels = kept.channels.size();
        for (std::size_t i = 0; i < values.values.size(); ++i) {
            const Channel &from = kept.channels[i / kPixels % channels];
            const HostTensor &source = valuesOf(from.tensor);
            const auto sources = static_cast<std::size_t>(source.shape.dims[1]);
            const std::size_t place =
                (i / kPixels / channels * sources + static_cast<std::size_t>(from.channel)) * kPixels + i % kPixels;
            QCOMPARE(values.values[i], source.values[place]);
        }
    }
}

} // namespace

class TestPlanes : public QObject {
    Q_OBJECT

private slots:
    // Joins, shuffles and slices of each other; every schedule has the values of the tensors that were computed.
    void run_chainsOfChannels_haveTheValuesOfTheirSources()
    {
        std::minstd_rand random(7);
        for (int round = 0; round < 40; ++round) {
            ShuffleMaker make(1 + round % 2);
            std::vector<Arranged> all{make.conv(8), make.conv(24), make.conv(20)};
            for (int i = 0; i < 8; ++i) {
                const Arranged from = all[random() % all.size()];
                const auto channels = static_cast<std::int64_t>(from.channels.size());
                switch (random() % 3) {
                case 0: all.push_back(make.join({from, all[random() % all.size()]})); break;
                case 1: all.push_back(make.shuffled(from, channels % 4 == 0 ? 4 : 2)); break;
                default: all.push_back(make.sliced(from, channels / 2, channels, channels % 4 == 0 ? 1 : 2)); break;
                }
                if (all.back().channels.size() % 2 != 0 || all.back().channels.size() > 200)
                    all.pop_back();
            }
            for (std::size_t i = 3; i < all.size(); ++i) {
                if (random() % 2 == 0)
                    make.keep(all[i]);
            }
            const auto graph = make.build();
            const Blocks blocks = oneBlock(*graph);
            for (const TimedSchedule &schedule : {sequentialSchedule(*graph, blocks), greedySchedule(*graph, blocks)}) {
                compareChannels(make, *graph, outputsOf(graph, schedule));
                if (QTest::currentTestFailed())
                    return;
            }
        }
    }

    // A shuffle in the middle takes no step, and needs no memory.
    void workspace_ofWhatIsNotWritten_isNone()
    {
        ShuffleMaker make(1);
        const Arranged a = make.conv(32);
        const Arranged joined = make.join({a, make.conv(32)});
        make.keep(make.sliced(make.shuffled(joined, 2), 32, 64, 1));
        const auto graph = make.build();
        CpuOptions options;
        options.cores = 2;
        auto session = take(makeCpuDevice(options)->open(graph));
        const auto operators = graph->operators();
        for (std::size_t i = 2; i + 1 < operators.size(); ++i) {
            Stage stage;
            stage.groups = {{OperatorId::fromIndex(i)}};
            QCOMPARE(take(session->workspace()->workspaceBytes(stage, {})), std::vector<std::size_t>{0});
        }
    }
};

STAGECRAFT_SUITE(TestPlanes)

} // namespace tst_planes
#include "tst_planes.moc"
