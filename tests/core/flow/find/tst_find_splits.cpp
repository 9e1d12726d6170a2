// Which operators a search splits: every choice of a small model, none that does not gain, nothing half done.

#include "device/simulated/simulated_device.h"
#include "flow/find/find_splits.h"
#include "flow/open/split_opened.h"
#include "model/rewrite/split_operators.h"
#include "schedule/verify.h"
#include "support/graph_making.h"
#include "support/opened_model.h"
#include "support/random_graph.h"
#include "support/sanitized.h"
#include "support/shared_data.h"
#include "support/suite.h"

#include <QTest>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_find_splits {
namespace {

constexpr std::uint32_t kGraphs = kSanitized ? 10 : 300;

struct Searched {
    std::unique_ptr<Device> device;

    [[nodiscard]] SessionOpener opener() const
    {
        return [this](const Model &model) { return device->open(model.graph); };
    }
    [[nodiscard]] Result<SplitSearch> find(const Model &model, std::int64_t mostParts,
                                           const std::stop_token &stop = {}) const
    {
        return findSplits(model, device->info(), opener(), {mostParts, {}}, {}, stop);
    }
    [[nodiscard]] double latencyUs(const Model &model) const
    {
        const auto session = take(device->open(model.graph));
        return *take(findSchedule(model, *session, device->info(), {}, {}, {})).schedule.latencyUs();
    }
};

Searched on(const char *device)
{
    return {take(openSimulatedDevice(device))};
}

Model modelOf(Graph graph)
{
    Model model;
    model.graph = std::make_shared<const Graph>(std::move(graph));
    model.blocks = consecutiveBlocks(*model.graph, 1);
    model.name = model.source = "random";
    model.costs = costBasis(*model.graph);
    return model;
}

// Few convolutions of many channels on a small image: what large devices leave idle.
Graph wideGraph(std::uint32_t seed)
{
    std::mt19937 random(seed);
    GraphBuilder builder("wide");
    std::vector<TensorId> tensors{take(builder.addInput("x", Shape{{1, 384, 15, 15}}))};
    const auto operators = 1 + random() % 3;
    for (std::size_t i = 0; i < operators; ++i) {
        const TensorId read = tensors[random() % tensors.size()];
        const std::int64_t channels = 128 * (1 + static_cast<std::int64_t>(random() % 6));
        tensors.push_back(
            take(builder.add(conv("op" + std::to_string(i), {{read}}, channels, random() % 2 == 0 ? 1 : 3))));
    }
    return take(builder.build());
}

Model splitModel(Model model, const OperatorSplits &splits)
{
    std::optional<TimedSchedule> none;
    if (!splitOpened(model, none, splits))
        qFatal("it cannot be split");
    return model;
}

// The least latency of all choices of parts, one operator after another.
double leastOf(const Searched &searched, const Model &model, std::int64_t mostParts)
{
    double least = searched.latencyUs(model);
    const std::function<void(std::size_t, OperatorSplits)> choose = [&](std::size_t next, OperatorSplits splits) {
        if (next == model.graph->size()) {
            if (!splits.empty())
                least = std::min(least, searched.latencyUs(splitModel(model, splits)));
            return;
        }
        choose(next + 1, splits);
        for (std::int64_t parts = 2; parts <= mostParts; ++parts) {
            if (!checkSplit(*model.graph, OperatorId::fromIndex(next), parts))
                continue;
            splits[model.graph->op(OperatorId::fromIndex(next)).name] = parts;
            choose(next + 1, splits);
        }
    };
    choose(0, {});
    return least;
}

} // namespace

class TestFindSplits : public QObject {
    Q_OBJECT

private slots:
    void find_smallModels_chooseTheBestOfAll();
    void find_sampleOnH100_isFasterInParts();
    void find_singleBranch_saysWhatBoundsIt();
    void find_stopped_isCancelled();
};

void TestFindSplits::find_smallModels_chooseTheBestOfAll()
{
    int split = 0;
    for (std::uint32_t seed = 0; seed < kGraphs; ++seed) {
        const Searched searched = on(seed % 2 == 0 ? "h100" : "v100");
        const Model model = modelOf(seed % 3 == 0 ? randomGraph(seed, {.operators = 2, .density = 0.3, .products = 0.5})
                                                  : wideGraph(seed));
        const std::int64_t mostParts = 2 + seed % 2;
        const auto found = searched.find(model, mostParts);
        QVERIFY2(found, found ? "" : found.error().message.c_str());
        QVERIFY(found->isExact);
        const double now = found->chosen.empty() ? found->withoutUs : *found->withUs;
        QCOMPARE(now, leastOf(searched, model, mostParts));
        QCOMPARE(searched.latencyUs(splitModel(model, found->chosen)), now);
        split += found->chosen.empty() ? 0 : 1;
    }
    qInfo("%d of %u models are faster in parts", split, kGraphs);
    QVERIFY(kSanitized || split > 0);
}

void TestFindSplits::find_sampleOnH100_isFasterInParts()
{
    const Model sample = take(openedModel("sample"));
    const auto found = take(on("h100").find(sample, 2));
    QVERIFY(!found.chosen.empty());
    QVERIFY(*found.withUs < found.withoutUs);
    QCOMPARE(found.trials.size(), std::size_t{4});
    for (const SplitTrial &trial : found.trials)
        QVERIFY(trial.wholeUs > 0 && trial.leastPartsUs <= trial.partsUs && trial.joinUs > 0);
}

// From the host of a V100, parts side by side take longer than the whole even without their join.
void TestFindSplits::find_singleBranch_saysWhatBoundsIt()
{
    const QString file = sharedDataPath("profiles/tensorrt/resnet18.onnx");
    if (file.isEmpty())
        QSKIP(kNoSharedData);
    const Model model = take(openedModel(file.toStdString(), {.batch = 1}));
    const auto found = take(on("v100").find(model, 4));
    QCOMPARE(found.trials.size(), std::size_t{21});
    QVERIFY(!found.isExact && found.chosen.empty() && !found.withUs);
    for (const SplitTrial &trial : found.trials)
        QVERIFY2(trial.gainUs() < 0, trial.op.c_str());
    QCOMPARE(found.freeJoinGainUs(), 0.0);
}

void TestFindSplits::find_stopped_isCancelled()
{
    std::stop_source stop;
    stop.request_stop();
    const auto found = on("v100").find(take(openedModel("squeezenet")), 2, stop.get_token());
    QVERIFY(!found);
    QVERIFY(found.error().code == ErrorCode::Cancelled);
}

STAGECRAFT_SUITE(TestFindSplits)

} // namespace tst_find_splits
#include "tst_find_splits.moc"
