// Layouts that a schedule states, in the plans of the GPU: executed on the host, and walked over.

#include "gpu/plan/program_plan.h"
#include "host_device.h"
#include "plan_check.h"
#include "schedule/layouts/laid_out_graph.h"
#include "schedule/layouts/stated_layouts.h"
#include "search/layouts/layout_search.h"
#include "support/device_networks.h"
#include "support/graph_making.h"
#include "support/random_layouts.h"
#include "support/suite.h"

#include <QTest>

#include <array>
#include <cmath>
#include <set>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_gpu_layouts {

namespace {

constexpr std::array kImageLayouts{TensorLayout::RowMajor, TensorLayout::ChannelsLast};

Schedule oneByOne(const Graph &graph)
{
    Schedule schedule;
    for (std::size_t i = 0; i < graph.size(); ++i)
        schedule.stages.push_back(stageAlone(OperatorId::fromIndex(i)));
    return schedule;
}

std::vector<HostTensor> inputsOf(const Graph &graph)
{
    std::vector<HostTensor> inputs;
    for (const TensorId id : graph.inputs()) {
        HostTensor &input = inputs.emplace_back(HostTensor{graph.tensor(id).name, graph.tensor(id).shape, {}});
        for (std::int64_t i = 0; i < input.shape.elements(); ++i)
            input.values.push_back(std::sin(static_cast<float>(i)));
    }
    return inputs;
}

double largestDifference(const std::vector<HostTensor> &a, const std::vector<HostTensor> &b)
{
    double largest = a.size() == b.size() ? 0 : 1e9;
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
        for (std::size_t j = 0; j < a[i].values.size(); ++j) {
            const double difference = std::abs(a[i].values[j] - b[i].values[j]);
            largest = std::isfinite(difference) ? std::max(largest, difference) : 1e9;
        }
    }
    return largest;
}

QString hazardOf(const Graph &graph, const Schedule &schedule, const gpu::GpuOptions &options)
{
    const auto noWorkspace = [](const gpu::ConvTask &) -> Result<std::size_t> { return std::size_t{0}; };
    return violation(take(gpu::planProgram(graph, gpu::planTensors(graph, options), schedule, options, noWorkspace)),
                     options);
}

} // namespace

class TestGpuLayouts : public QObject {
    Q_OBJECT

private slots:
    void run_randomLayouts_computesTheSame_data();
    void run_randomLayouts_computesTheSame();
    void run_groupsAndMergesInLayouts_computeTheSame();
    void plan_blockedLayout_isRefusedByName();
};

void TestGpuLayouts::run_randomLayouts_computesTheSame_data()
{
    QTest::addColumn<bool>("nhwc");
    QTest::newRow("usually nchw") << false;
    QTest::newRow("usually nhwc") << true;
}

void TestGpuLayouts::run_randomLayouts_computesTheSame()
{
    QFETCH(const bool, nhwc);
    const gpu::GpuOptions options = hostOptions(nhwc ? TensorLayout::ChannelsLast : TensorLayout::RowMajor);
    std::vector<std::shared_ptr<const Graph>> graphs{inceptionModule(8, 2)};
    for (const NetworkCase &each : operatorCases())
        graphs.push_back(each.make());
    std::minstd_rand forGraphs(7);
    for (int round = 0; round < 5; ++round)
        graphs.push_back(randomNetwork(forGraphs, round));
    std::mt19937 random(5);
    int executed = 0;
    std::set<TensorLayout> written;
    for (const auto &graph : graphs) {
        const auto expected = runOnHost(graph, oneByOne(*graph), options, inputsOf(*graph));
        if (!expected)
            continue; // the GPU has no kernel for it
        for (int round = 0; round < 2; ++round) {
            const LayoutProblem problem = randomLayouts(*graph, kImageLayouts, random);
            const LayoutResult found = take(searchLayouts(problem, {}));
            const auto made = std::make_shared<const Graph>(take(laidOut(*graph, problem, found.best)));
            for (const Tensor &tensor : made->tensors())
                written.insert(tensor.layout.value_or(TensorLayout::RowMajor));
            const auto outputs = runOnHost(made, oneByOne(*made), options, inputsOf(*made));
            QVERIFY2(outputs, outputs ? "" : outputs.error().message.c_str());
            const double difference = largestDifference(*outputs, *expected);
            QVERIFY2(difference < 1e-3, qPrintable(QString("%1: %2").arg(graph->name().c_str()).arg(difference)));
            QCOMPARE(hazardOf(*made, oneByOne(*made), options), QString());
            ++executed;
        }
    }
    QVERIFY(executed > 40);
    QCOMPARE(written.size(), std::size_t{2});
}

void TestGpuLayouts::run_groupsAndMergesInLayouts_computeTheSame()
{
    const auto graph = inceptionModule(8, 2);
    const Schedule schedule = mergedSchedule();
    const gpu::GpuOptions options = hostOptions(TensorLayout::RowMajor);
    const auto expected = take(runOnHost(graph, schedule, options, inputsOf(*graph)));
    std::mt19937 random(11);
    for (int round = 0; round < 12; ++round) {
        LayoutProblem problem = randomLayouts(*graph, kImageLayouts, random);
        const auto of = [&](int bit) { return static_cast<LayoutIndex>(round >> bit & 1); };
        for (const Stage &stage : schedule.stages) {
            for (const auto &group : stage.groups) { // members of a merge have one pair of layouts
                if (stage.strategy == Strategy::Merge)
                    problem.operators[group.front().index()].choices = {{{of(0), of(1)}, 1}};
            }
        }
        const LayoutResult found = take(searchLayouts(problem, {}));
        const auto made = take(LaidOutSchedule::make(*graph, take(statedLayouts(*graph, problem, found.best))));
        const Schedule inLayouts{.stages = made.stages(schedule.stages).stages};
        const auto outputs = take(runOnHost(made.graph(), inLayouts, options, inputsOf(*made.graph())));
        QVERIFY(largestDifference(outputs, expected) < 1e-3);
        QCOMPARE(hazardOf(*made.graph(), inLayouts, options), QString());
    }
}

void TestGpuLayouts::plan_blockedLayout_isRefusedByName()
{
    const auto graph = inceptionModule(16, 1);
    const TensorId first = graph->operators().front().outputs.front();
    const auto made =
        take(LaidOutSchedule::make(*graph, StatedLayouts{{{graph->tensor(first).name, TensorLayout::Blocked8}}, {}}));
    const auto outputs =
        runOnHost(made.graph(), oneByOne(*made.graph()), hostOptions(TensorLayout::RowMajor), inputsOf(*made.graph()));
    QVERIFY(!outputs);
    QVERIFY2(outputs.error().message.find("in NCHW and NHWC, not " + graph->tensor(first).name) != std::string::npos,
             outputs.error().message.c_str());
}

STAGECRAFT_SUITE(TestGpuLayouts)

} // namespace tst_gpu_layouts
#include "tst_gpu_layouts.moc"
