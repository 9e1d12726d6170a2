// Merge rules, verifier, signatures and schedule files.

#include "operators/parameter_roles.h"
#include "operators/parameter_values.h"
#include "results/files/schedule_json.h"
#include "schedule/merge.h"
#include "schedule/stage_signature.h"
#include "schedule/verify.h"
#include "support/device_networks.h"
#include "support/graph_making.h"
#include "support/suite.h"
#include "support/timing_making.h"

#include <QtTest>
#include <cmath>
#include <functional>
#include <set>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_schedule {

namespace {

// a, b, c read the input; d reads a; e adds b and d.
Graph smallGraph(const std::string &prefix = "")
{
    GraphBuilder builder("small");
    const TensorId input = take(builder.addInput(prefix + "input", Shape{{1, 8, 8, 8}}));
    const TensorId a = take(builder.add(conv(prefix + "a", {{input}}, 8, 3)));
    const TensorId b = take(builder.add(conv(prefix + "b", {{input}}, 8, 1)));
    static_cast<void>(take(builder.add(conv(prefix + "c", {{input}}, 16, 3, 2))));
    const TensorId d = take(builder.add(conv(prefix + "d", {{a}}, 8, 1)));
    static_cast<void>(take(builder.add(join(prefix + "e", {{b, d}}))));
    return take(builder.build());
}

Blocks oneBlock(const Graph &graph)
{
    Blocks blocks(1);
    for (std::size_t i = 0; i < graph.size(); ++i)
        blocks[0].operators.push_back(OperatorId::fromIndex(i));
    return blocks;
}

Stage stage(std::vector<std::vector<std::size_t>> groups, Strategy strategy = Strategy::Concurrent)
{
    Stage made{0, strategy, {}};
    for (const auto &group : groups) {
        auto &operators = made.groups.emplace_back();
        for (const std::size_t index : group)
            operators.push_back(OperatorId::fromIndex(index));
    }
    return made;
}

TimedSchedule legal()
{
    TimedSchedule schedule;
    schedule.stages = {stage({{0}, {1}}, Strategy::Merge), stage({{2}, {3, 4}})};
    schedule.context.model = {"small", "abc"};
    return schedule;
}

std::string changed(std::string text, const std::string &from, const std::string &to)
{
    const auto at = text.find(from);
    return at == std::string::npos ? std::string("(not found)") : text.replace(at, from.size(), to);
}

QByteArray everything(const Error &error)
{
    std::string text;
    for (const std::string &where : error.context)
        text += where + ": ";
    return QByteArray::fromStdString(text + error.message);
}

} // namespace

class ScheduleTest : public QObject {
    Q_OBJECT

private slots:
    void mergedOperator_sameInput_padsAndStacks()
    {
        const Graph graph = smallGraph();
        const std::array operators{OperatorId{0}, OperatorId{1}};
        const auto merged = mergedOperator(graph, operators);
        QVERIFY(merged);
        QCOMPARE(merged->conv()->outChannels, std::int64_t{16});
        QCOMPARE(merged->conv()->window.kernel, (std::array<std::int64_t, 2>{3, 3}));
        QCOMPARE(merged->conv()->window.padding, (std::array<std::int64_t, 4>{1, 1, 1, 1}));
    }

    void mergedOperator_inputsOfTheirOwn_areGroups()
    {
        const auto graph = equalBranches(6, 12, 3);
        const std::array operators{OperatorId{0}, OperatorId{3}, OperatorId{5}};
        const Operator merged = mergedWithConstants(*graph, operators);
        QCOMPARE(merged.conv()->groups, std::int64_t{9});
        QCOMPARE(merged.conv()->outChannels, std::int64_t{36});
        QCOMPARE(merged.inputs.size(), std::size_t{3});
        QCOMPARE(mergedInputShape(*graph, merged).dims, (std::vector<std::int64_t>{2, 18, 9, 7}));
        QCOMPARE(merged.parameter(role::kWeight)->shape.dims, (std::vector<std::int64_t>{36, 2, 3, 3}));
        const auto values = parameterValues(*merged.parameter(role::kWeight));
        const auto second = parameterValues(*graph->op(OperatorId{3}).parameter(role::kWeight));
        QVERIFY(std::ranges::equal(*second, std::span(*values).subspan(second->size(), second->size())));

        const auto products = equalProducts(Shape{{7, 4}}, false, {});
        const auto product = mergedOperator(*products, operators);
        QVERIFY(product);
        QCOMPARE(product->gemm()->outFeatures, std::int64_t{24});
        QCOMPARE(product->gemm()->inFeatures, std::int64_t{4});
        QCOMPARE(mergedInputShape(*products, *product).dims, (std::vector<std::int64_t>{7, 12}));
    }

    void mergedOperator_inputsOfTheirOwn_isRefused_data()
    {
        QTest::addColumn<std::function<void(Operator &)>>("change");
        QTest::addColumn<QByteArray>("reason");
        using Change = std::function<void(Operator &)>;
        QTest::newRow("size") << Change([](Operator &op) { op.conv()->outChannels = 4; })
                              << QByteArray("only if all have the same sizes");
        QTest::newRow("activation") << Change([](Operator &op) { op.conv()->after = {}; })
                                    << QByteArray("only if all have the same sizes");
        QTest::newRow("sum") << Change([](Operator &op) { op.inputs.front().push_back(op.inputs.front().front()); })
                             << QByteArray("single tensor");
    }
    void mergedOperator_inputsOfTheirOwn_isRefused()
    {
        QFETCH(const std::function<void(Operator &)>, change);
        QFETCH(const QByteArray, reason);
        GraphBuilder builder("pair");
        const TensorId one = take(builder.addInput("x", Shape{{1, 8, 8, 8}}));
        const TensorId two = take(builder.addInput("y", Shape{{1, 8, 8, 8}}));
        static_cast<void>(take(builder.add(conv("a", {{one}}, 8, 3))));
        Operator other = conv("b", {{two}}, 8, 3);
        change(other);
        static_cast<void>(take(builder.add(other)));
        static_cast<void>(take(builder.add(conv("c", {{one}}, 8, 3))));
        static_cast<void>(take(builder.add(conv("d", {{two}}, 8, 3))));
        const Graph graph = take(builder.build());
        const auto merged = mergedOperator(graph, std::array{OperatorId{0}, OperatorId{1}});
        QVERIFY(!merged);
        QVERIFY2(everything(merged.error()).contains(reason), everything(merged.error()));
        // Some read the same, others not.
        const auto mixed = mergedOperator(graph, std::array{OperatorId{0}, OperatorId{2}, OperatorId{3}});
        QVERIFY(!mixed);
        QVERIFY2(everything(mixed.error()).contains("reads the same input as a"), everything(mixed.error()));
    }

    void mergedOperator_inputsOfUnknownSize_isRefused()
    {
        for (const Shape &shape : {Shape{{7, 4}, true, true}, Shape{{4}}}) {
            GraphBuilder builder("pair");
            const TensorId one = take(builder.addInput("x", shape));
            const TensorId two = take(builder.addInput("y", shape));
            static_cast<void>(take(builder.add(product("a", one, 4))));
            static_cast<void>(take(builder.add(product("b", two, 4))));
            const auto merged = mergedOperator(take(builder.build()), std::array{OperatorId{0}, OperatorId{1}});
            QVERIFY(!merged);
            QVERIFY2(everything(merged.error()).contains("not what the others"), everything(merged.error()));
        }
    }

    void mergedOperator_unlike_isRefused_data()
    {
        QTest::addColumn<std::function<void(Operator &)>>("change");
        QTest::addColumn<QByteArray>("reason");
        using Change = std::function<void(Operator &)>;
        const auto window = [](Operator &op) -> Window & { return std::get<ConvAttributes>(op.attributes).window; };
        QTest::newRow("even kernel") << Change([=](Operator &op) {
            window(op).kernel = {2, 2};
            window(op).padding = {1, 1, 0, 0};
        }) << QByteArray("differ by an odd number");
        QTest::newRow("padding that does not grow") << Change([=](Operator &op) {
            window(op).kernel = {3, 3};
            window(op).padding = {2, 2, 0, 0};
        }) << QByteArray("padding does not grow");
        QTest::newRow("stride") << Change([=](Operator &op) {
            window(op).stride = {2, 2};
        }) << QByteArray("another stride");
        QTest::newRow("dilation") << Change([=](Operator &op) {
            window(op).dilation = {2, 2};
        }) << QByteArray("another dilation");
        QTest::newRow("activation") << Change([](Operator &op) { std::get<ConvAttributes>(op.attributes).after = {}; })
                                    << QByteArray("another activation");
        QTest::newRow("groups") << Change([](Operator &op) { std::get<ConvAttributes>(op.attributes).groups = 2; })
                                << QByteArray("grouped convolutions");
        QTest::newRow("sum of inputs") << Change([](Operator &op) {
            op.inputs.front().push_back(op.inputs.front().front());
        }) << QByteArray("single tensor");
        QTest::newRow("resolution") << Change([=](Operator &op) {
            window(op).padding = {0, 0, 1, 1};
            window(op).kernel = {3, 3};
        }) << QByteArray("another output resolution");
        QTest::newRow("kind") << Change([](Operator &op) { op = join("b", op.inputs); })
                              << QByteArray("only convolutions");
    }

    void mergedOperator_products_standBesideEachOther()
    {
        for (const bool transposed : {false, true}) {
            const auto graph = productsOfOneInput(Shape{{2, 7, 3}}, transposed, kRelu);
            const std::array operators{OperatorId{0}, OperatorId{1}, OperatorId{2}};
            const Operator merged = mergedWithConstants(*graph, operators);
            QCOMPARE(merged.gemm()->outFeatures, std::int64_t{29});
            QVERIFY(merged.gemm()->after == kRelu);
            QCOMPARE(mergedShape(*graph, operators).dims, (std::vector<std::int64_t>{2, 7, 29}));
            const auto all = parameterValues(*merged.parameter(role::kWeight));
            const auto biases = parameterValues(*merged.parameter(role::kBias));
            std::size_t column = 0;
            for (const OperatorId id : operators) {
                const Operator &op = graph->op(id);
                const auto own = parameterValues(*op.parameter(role::kWeight));
                const Parameter *bias = op.parameter(role::kBias);
                const auto columns = static_cast<std::size_t>(op.gemm()->outFeatures);
                for (std::size_t i = 0; i < columns; ++i, ++column) {
                    QCOMPARE((*biases)[column], bias ? (*parameterValues(*bias))[i] : 0.0F);
                    for (std::size_t row = 0; row < 3; ++row)
                        QCOMPARE((*all)[transposed ? column * 3 + row : row * 29 + column],
                                 (*own)[transposed ? i * 3 + row : row * columns + i]);
                }
            }
            QCOMPARE(column, std::size_t{29});
        }
    }

    void mergedOperator_unlikeProducts_isRefused_data()
    {
        QTest::addColumn<std::function<void(Operator &)>>("change");
        QTest::addColumn<QByteArray>("reason");
        using Change = std::function<void(Operator &)>;
        const auto gemm = [](Operator &op) -> GemmAttributes & { return std::get<GemmAttributes>(op.attributes); };
        QTest::newRow("activation") << Change([=](Operator &op) { gemm(op).after = kRelu; })
                                    << QByteArray("another activation");
        QTest::newRow("transposed") << Change([=](Operator &op) {
            gemm(op).transposeB = true;
            op.parameters.front().shape.dims = {4, 8};
        }) << QByteArray("one of them is transposed");
        QTest::newRow("of two tensors") << Change([](Operator &op) { op.parameters.clear(); })
                                        << QByteArray("it has no weight");
        QTest::newRow("bias") << Change([](Operator &op) { op.parameters.back().shape.dims = {1}; })
                              << QByteArray("one value a column");
        QTest::newRow("kind") << Change([](Operator &op) { op = conv("b", op.inputs, 8, 1); })
                              << QByteArray("of another kind");
    }
    void mergedOperator_unlikeProducts_isRefused()
    {
        QFETCH(const std::function<void(Operator &)>, change);
        QFETCH(const QByteArray, reason);
        const auto graph = productsOfOneInput(Shape{{2, 8, 8, 8}}, false, {});
        GraphBuilder builder("pair");
        const TensorId input = take(builder.addInput("x", Shape{{2, 8, 8, 8}}));
        for (const OperatorId id : {OperatorId{0}, OperatorId{2}}) {
            Operator op = graph->op(id);
            op.inputs = {{input}};
            op.outputs.clear();
            if (id != OperatorId{0})
                change(op);
            static_cast<void>(take(builder.add(std::move(op))));
        }
        const Graph changed = take(builder.build());
        const auto merged = mergedOperator(changed, std::array{OperatorId{0}, OperatorId{1}});
        QVERIFY(!merged);
        QVERIFY2(everything(merged.error()).contains(reason), everything(merged.error()));
    }
    void mergedOperator_unlike_isRefused()
    {
        QFETCH(std::function<void(Operator &)>, change);
        QFETCH(QByteArray, reason);
        GraphBuilder builder("pair");
        const TensorId input = take(builder.addInput("input", Shape{{1, 8, 8, 8}}));
        static_cast<void>(take(builder.add(conv("a", {{input}}, 8, 3))));
        Operator other = conv("b", {{input}}, 8, 1);
        change(other);
        static_cast<void>(take(builder.add(other)));
        const Graph graph = take(builder.build());
        const auto merged = mergedOperator(graph, std::array{OperatorId{0}, OperatorId{1}});
        QVERIFY(!merged);
        QVERIFY2(everything(merged.error()).contains(reason), everything(merged.error()));
    }

    void verifySchedule_legal_isAccepted()
    {
        const Graph graph = smallGraph();
        QVERIFY(verifySchedule(graph, oneBlock(graph), legal()));
    }

    void verifySchedule_launchOrder_isAcceptedAndKeptInFiles()
    {
        const Graph graph = smallGraph();
        TimedSchedule schedule = legal();
        schedule.stages[1].launchOrder = {OperatorId{3}, OperatorId{2}, OperatorId{4}};
        QVERIFY(verifySchedule(graph, oneBlock(graph), schedule));
        const std::string text = toJson(graph, schedule);
        QVERIFY(text.find("\"launch_order\"") != std::string::npos);
        QVERIFY(toJson(graph, legal()).find("\"launch_order\"") == std::string::npos);
        const auto read = take(scheduleFromJson(text, graph, oneBlock(graph), {"small", "abc"}));
        QCOMPARE(read.stages, schedule.stages);
        QVERIFY(read.stages != legal().stages);
    }

    void verifySchedule_illegal_isRefused_data()
    {
        QTest::addColumn<std::function<void(TimedSchedule &)>>("change");
        QTest::addColumn<QByteArray>("reason");
        using Change = std::function<void(TimedSchedule &)>;
        const auto row = [](const char *name, Change change, const char *reason) {
            QTest::newRow(name) << change << QByteArray(reason);
        };
        row(
            "missing",
            [](TimedSchedule &s) {
                s.stages[1].groups[0] = {OperatorId{3}};
                s.stages[1].groups[1] = {OperatorId{4}};
            },
            "operator c: is in no stage");
        row(
            "twice", [](TimedSchedule &s) { s.stages[1].groups[0] = {OperatorId{0}}; },
            "stage 2: operator a: is scheduled twice");
        row(
            "order of stages", [](TimedSchedule &s) { std::swap(s.stages[0], s.stages[1]); },
            "stage 1: operator d: runs before a");
        row(
            "beside its input",
            [](TimedSchedule &s) {
                s.stages[1] = stage({{2}, {3}, {4}});
            },
            "operator e: runs concurrently with d");
        row(
            "order in the group",
            [](TimedSchedule &s) {
                s.stages[1] = stage({{2}, {4, 3}});
            },
            "operator e: comes before d");
        row(
            "unconnected group",
            [](TimedSchedule &s) {
                s.stages[1] = stage({{2, 3, 4}});
            },
            "operator c: shares a group");
        row(
            "merge of unlike",
            [](TimedSchedule &s) {
                s.stages = {stage({{0}, {2}}, Strategy::Merge), stage({{1}}), stage({{3, 4}})};
            },
            "operator c: has another stride");
        row(
            "merge of one",
            [](TimedSchedule &s) {
                s.stages = {stage({{0}}, Strategy::Merge), stage({{1}, {2}}), stage({{3, 4}})};
            },
            "at least two");
        row(
            "merge of groups", [](TimedSchedule &s) { s.stages[1].strategy = Strategy::Merge; },
            "several operators of a merge stage");
        row(
            "unknown block", [](TimedSchedule &s) { s.stages[1].block = 4; }, "stage 2: belongs to block 4");
        row(
            "empty stage", [](TimedSchedule &s) { s.stages.push_back({}); }, "stage 3: has no operators");
        row(
            "empty group", [](TimedSchedule &s) { s.stages[1].groups.push_back({}); }, "empty group");
        row(
            "unknown operator", [](TimedSchedule &s) { s.stages[1].groups.push_back({OperatorId{77}}); },
            "does not have");
        row(
            "launch order of a merge",
            [](TimedSchedule &s) {
                s.stages[0].launchOrder = {OperatorId{0}, OperatorId{1}};
            },
            "stage 1: is merged into one operator, and has a launch order");
        row(
            "launch order in part",
            [](TimedSchedule &s) {
                s.stages[1].launchOrder = {OperatorId{2}, OperatorId{3}};
            },
            "stage 2: operator e: is not in the launch order of its stage");
        row(
            "launched twice",
            [](TimedSchedule &s) {
                s.stages[1].launchOrder = {OperatorId{2}, OperatorId{3}, OperatorId{2}};
            },
            "operator c: is in the launch order twice");
        row(
            "launched elsewhere",
            [](TimedSchedule &s) {
                s.stages[1].launchOrder = {OperatorId{2}, OperatorId{3}, OperatorId{0}};
            },
            "operator a: is in the launch order of a stage that it is not in");
        row(
            "launched too early",
            [](TimedSchedule &s) {
                s.stages[1].launchOrder = {OperatorId{4}, OperatorId{2}, OperatorId{3}};
            },
            "operator e: is launched before d, but reads its output");
        row(
            "launch order of nobody", [](TimedSchedule &s) { s.stages[1].launchOrder = {OperatorId{77}}; },
            "its launch order names an operator the model does not have");
        row(
            "latencies", [](TimedSchedule &s) { s.measured.stages = timingsOf({1}); },
            "1 stage latencies for 2 stages");
        row(
            "negative latency",
            [](TimedSchedule &s) {
                s.measured.stages = timingsOf({1, -1});
            },
            "stage 2: its latency");
        row(
            "no number", [](TimedSchedule &s) { s.measured.whole = Timing::ofLatency(std::nan("")); },
            "latency of the schedule");
    }
    void verifySchedule_illegal_isRefused()
    {
        QFETCH(std::function<void(TimedSchedule &)>, change);
        QFETCH(QByteArray, reason);
        const Graph graph = smallGraph();
        TimedSchedule schedule = legal();
        change(schedule);
        const auto verified = verifySchedule(graph, oneBlock(graph), schedule);
        QVERIFY(!verified);
        QVERIFY2(everything(verified.error()).contains(reason), everything(verified.error()));
    }

    void verifySchedule_blocksOutOfOrder_isRefused()
    {
        const Graph graph = smallGraph();
        Blocks blocks = oneBlock(graph);
        blocks.push_back({{blocks[0].operators[4]}});
        blocks[0].operators.pop_back();
        TimedSchedule schedule;
        schedule.stages = {stage({{0}, {1}, {2}}), stage({{4}}), stage({{3}})};
        schedule.stages[1].block = 1;
        const auto verified = verifySchedule(graph, blocks, schedule);
        QVERIFY(!verified);
        QVERIFY(everything(verified.error()).contains("after a stage of block 2"));
    }

    void sign_otherNames_isTheSame()
    {
        const Graph one = smallGraph(), other = smallGraph("cell7/");
        StageSigner signOne(one), signOther(other);
        QCOMPARE(signOne.sign(stage({{2}, {3, 4}})).toHex(), signOther.sign(stage({{3, 4}, {2}})).toHex());
    }

    void sign_differentStages_differ()
    {
        const Graph graph = smallGraph();
        StageSigner signer(graph);
        const std::vector<Stage> stages{stage({{0}}),
                                        stage({{1}}),
                                        stage({{2}}),
                                        stage({{3}}),
                                        stage({{0}, {1}}),
                                        stage({{0, 3}}),
                                        stage({{1}, {3}}),
                                        stage({{3, 4}}),
                                        stage({{1, 4}}),
                                        stage({{1, 3, 4}}),
                                        stage({{0}, {1}}, Strategy::Merge)};
        std::set<StageSignature> signatures;
        for (const Stage &one : stages)
            signatures.insert(signer.sign(one));
        // b and d are the same convolution on tensors of the same shape, so these stages have one signature.
        QCOMPARE(signer.sign(stages[1]), signer.sign(stages[3]));
        QCOMPARE(signatures.size(), stages.size() - 2);
        QCOMPARE(signer.sign(stages[7]), signer.sign(stages[8]));
    }

    void sign_sharedInput_differsFromOwnInputs()
    {
        GraphBuilder builder("inputs");
        const TensorId x = take(builder.addInput("x", Shape{{1, 8, 8, 8}}));
        const TensorId y = take(builder.addInput("y", Shape{{1, 8, 8, 8}}));
        for (const auto &[name, tensor] : {std::pair{"a", x}, {"b", x}, {"c", y}, {"d", y}})
            static_cast<void>(take(builder.add(conv(name, {{tensor}}, 8))));
        const Graph graph = take(builder.build());
        StageSigner signer(graph);
        QVERIFY(signer.sign(stage({{0}, {1}})) != signer.sign(stage({{0}, {2}})));
        QCOMPARE(signer.sign(stage({{0}, {1}})), signer.sign(stage({{2}, {3}})));
        QCOMPARE(signer.sign(stage({{0}, {2}})), signer.sign(stage({{1}, {3}})));
    }

    void toJson_roundTrip_isTheSame_data()
    {
        QTest::addColumn<double>("gap");
        QTest::addRow("proved") << 0.02;
        QTest::addRow("optimal") << 0.0;
        QTest::addRow("unknown") << std::numeric_limits<double>::infinity();
    }
    void toJson_roundTrip_isTheSame()
    {
        QFETCH(double, gap);
        const Graph graph = smallGraph();
        TimedSchedule schedule = legal();
        schedule.measured.stages = {{0.1 + 0.2, 2, 0.5, 9, {1980, 2619}}, Timing::ofLatency(1e-3)};
        schedule.measured.whole = Timing{1.0 / 3, 4, 0.25, 11, {1965, 0, "power limit"}};
        schedule.measured.provenance = Provenance::Recorded;
        schedule.context.device = "rec:x";
        schedule.measured.calibration = "a toy";
        schedule.context.batch = 32;
        schedule.search.strategy = "ios-both";
        schedule.search.r = 3;
        schedule.search.stageMeasurements = 12;
        schedule.search.stagesRefused = 2;
        schedule.search.gap = gap;
        schedule.search.assumption = BoundAssumption{"nothing changes", 70, 3, 0.25, gap};
        schedule.search.termination = Termination::Budget;
        const std::string text = toJson(graph, schedule);
        const auto again = scheduleFromJson(text, graph, oneBlock(graph), {"small", "abc"});
        QVERIFY2(again, again ? "" : everything(again.error()));
        QCOMPARE(again->stages, schedule.stages);
        QVERIFY(again->measured.stages == schedule.measured.stages && again->measured.whole == schedule.measured.whole);
        QCOMPARE(again->context.batch, std::int64_t{32});
        QCOMPARE(again->search.gap, gap);
        QVERIFY(again->search.assumption == schedule.search.assumption);
        QCOMPARE(again->search.stagesRefused, std::int64_t{2});
        QCOMPARE(toJson(graph, *again), text);
    }

    // Older files lack the newer members, and their texts for how a search ended are still read.
    void scheduleFromJson_ofBefore_isRead_data()
    {
        QTest::addColumn<QString>("termination");
        for (const char *word : {"", "optimal", "proved within epsilon", "proved under an assumption", "budget",
                                 "cancelled", "searched in part"})
            QTest::newRow(word) << QString(word);
    }
    void scheduleFromJson_ofBefore_isRead()
    {
        QFETCH(QString, termination);
        const Graph graph = smallGraph();
        TimedSchedule schedule = legal();
        schedule.search.termination = Termination::Cancelled;
        QString text = QString::fromStdString(toJson(graph, schedule));
        text.replace(QRegularExpression(",\\s*\"sum_us\": null"), QString());
        text.replace("\"cancelled\"", '"' + termination + '"');
        QVERIFY(!text.contains("sum_us"));
        const auto read = scheduleFromJson(text.toStdString(), graph, oneBlock(graph), {"small", "abc"});
        QVERIFY2(read, read ? "" : read.error().message.c_str());
        QCOMPARE(std::string(toString(read->search.termination)), termination.toStdString());
        QCOMPARE(read->search.sumUs, 0.0);
        QVERIFY(batchOfSchedule(text.toStdString()) == schedule.context.batch);
        text.replace("\"termination\": \"" + termination + '"', "\"termination\": \"eventually\"");
        const auto refused = scheduleFromJson(text.toStdString(), graph, oneBlock(graph), {"small", "abc"});
        QVERIFY(!refused && refused.error().message.find("eventually") != std::string::npos);
    }

    void scheduleFromJson_otherHashSameNames_isAccepted()
    {
        const Graph graph = smallGraph();
        QVERIFY(scheduleFromJson(toJson(graph, legal()), graph, oneBlock(graph), {"small", "another"}));
    }

    void scheduleFromJson_malformed_isRefused_data()
    {
        QTest::addColumn<std::string>("from");
        QTest::addColumn<std::string>("to");
        QTest::addColumn<QByteArray>("reason");
        const auto row = [](const char *name, std::string from, std::string to, const char *reason) {
            QTest::newRow(name) << std::move(from) << std::move(to) << QByteArray(reason);
        };
        row("cut short", "}\n", "", "not JSON");
        row("format", "stagecraft-schedule", "other", "\"format\" is \"other\"");
        row("version", "\"version\": 1", "\"version\": 2", "version 2 is not known");
        row("version as text", "\"version\": 1", "\"version\": \"1\"", "\"version\" is not a whole number");
        row("no model", "\"model\"", "\"modle\"", "\"model\" is not an object");
        row("provenance", "\"provenance\": null", "\"provenance\": \"guessed\"", "\"provenance\" is \"guessed\"");
        row("negative latency", "\"latency_us\": null", "\"latency_us\": -3", "\"latency_us\" is negative");
        row("huge number", "\"latency_us\": null", "\"latency_us\": 1e999",
            "is not a schedule: a number in it is too large");
        row("deep", "\"latency_us\": null", "\"latency_us\": " + std::string(200'000, '[') + std::string(200'000, ']'),
            "is not a schedule: its lists are within each other too deeply");
        row("deep layouts", "\"latency_us\": null",
            "\"layouts\": {\"a\": " + std::string(200'000, '[') + std::string(200'000, ']') + "}",
            "is not a schedule: its lists are within each other too deeply");
        row("stages", "\"stages\": [", "\"stages\": 3, \"x\": [", "\"stages\" is not a list");
        row("strategy", "\"strategy\": \"merge\"", "\"strategy\": \"fuse\"", "stage 1: its strategy is \"fuse\"");
        row("block", "\"block\": 0", "\"block\": -1", "\"block\" is not a whole number");
        row("groups", "\"groups\": [", "\"groups\": 1, \"x\": [", "\"groups\" is not a list");
        row("name", "\"a\"", "7", "an operator name is not text");
        row("unknown operator", "\"a\"", "\"zzz\"", "stage 1: operator zzz: the model has no operator");
        row("launch order", "\"groups\": [", "\"launch_order\": 4, \"groups\": [",
            "its \"launch_order\" is not a list of operator names");
        row("launch order of nobody", "\"groups\": [", "\"launch_order\": [\"zzz\"], \"groups\": [",
            "stage 1: operator zzz: the model has no operator");
        row("search", "\"search\": {", "\"search\": 5, \"x\": {", "\"search\" is not an object");
        row("illegal", "\"c\"", "\"b\"", "is scheduled twice");
    }
    void scheduleFromJson_malformed_isRefused()
    {
        QFETCH(std::string, from);
        QFETCH(std::string, to);
        QFETCH(QByteArray, reason);
        const Graph graph = smallGraph();
        std::string text = toJson(graph, legal());
        text = from == "}\n" ? text.substr(0, text.size() - 4) : changed(text, from, to);
        const auto read = scheduleFromJson(text, graph, oneBlock(graph), {"small", "abc"});
        QVERIFY(!read);
        QCOMPARE(read.error().code, ErrorCode::InvalidInput);
        QVERIFY2(everything(read.error()).contains(reason), everything(read.error()));
    }

    void scheduleFromJson_otherModel_saysSo()
    {
        const Graph graph = smallGraph();
        const Graph other = smallGraph("x/");
        const auto read = scheduleFromJson(toJson(graph, legal()), other, oneBlock(other), {"other", "def"});
        QVERIFY(!read);
        QVERIFY2(everything(read.error()).contains("for another model, small"), everything(read.error()));
    }
};

STAGECRAFT_SUITE(ScheduleTest)

} // namespace tst_schedule
#include "tst_schedule.moc"
