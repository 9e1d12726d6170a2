#include "schedule/timed_schedule.h"
#include "search/stages/search.h"
#include "support/graph_making.h"
#include "support/inception_like.h"
#include "support/random_graph.h"
#include "support/suite.h"
#include "widgets/base/inspector_page.h"
#include "widgets/base/selection.h"
#include "widgets/inspector/inspector.h"
#include "widgets/inspector/link_chip.h"

#include <QClipboard>
#include <QCoreApplication>
#include <QGuiApplication>
#include <QLabel>
#include <QPointer>
#include <QScrollArea>
#include <QScrollBar>
#include <QTest>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_inspector {

namespace {

std::shared_ptr<const Model> makeModel()
{
    const ModelOfModules modules = inceptionLike(2);
    auto model = std::make_shared<Model>();
    model->graph = modules.graph;
    model->blocks = modules.blocks;
    model->name = "modules";
    model->source = "/data/modules.onnx";
    model->report.unknownTypes = {"Mystery"};
    model->report.notes.push_back({ImportNote::Severity::Warning, "m0/b2", "the batch was left open; 1 was chosen"});
    return model;
}

std::shared_ptr<const TimedSchedule> makeSchedule(const Model &model)
{
    auto schedule = std::make_shared<TimedSchedule>(greedySchedule(*model.graph, model.blocks));
    schedule->measured.stages.assign(schedule->stages.size(), Timing::ofLatency(25));
    schedule->measured.whole = Timing::ofLatency(25.0 * static_cast<double>(schedule->stages.size()));
    schedule->measured.provenance = Provenance::Recorded;
    return schedule;
}

TimedSchedule merging(const Model &model)
{
    TimedSchedule schedule;
    Stage stage;
    stage.strategy = Strategy::Merge;
    stage.groups = {{*model.graph->find("m0/b1")}, {*model.graph->find("m0/d")}};
    schedule.stages = {normalized(stage)};
    return schedule;
}

QString textOf(const InspectorPage &page)
{
    return plainText(page);
}

} // namespace

class TestInspector : public QObject {
    Q_OBJECT

private slots:
    void attributeRows_ofKinds_areReadable_data()
    {
        QTest::addColumn<int>("kind");
        QTest::addColumn<QStringList>("expected");
        QTest::addRow("conv") << 0 << QStringList{"Output channels: 64",      "Kernel: 3 × 3", "Stride: 2 × 2",
                                                  "Padding: 1 on every side", "Groups: 4",     "Activation: Relu"};
        QTest::addRow("separable") << 1
                                   << QStringList{"Before: Relu", "Output channels: 8",
                                                  "Padding: top 0, left 0, bottom 1, right 2"};
        QTest::addRow("pool") << 2
                              << QStringList{"Mode: average", "Kernel: 3 × 1", "Padding: none", "Rounding: up",
                                             "Padding counts: no"};
        QTest::addRow("global pool") << 3 << QStringList{"Mode: maximum", "Window: the whole image"};
        QTest::addRow("gemm") << 4 << QStringList{"Features: 2,048 → 1,000", "Weight: transposed"};
        QTest::addRow("unknown") << 5 << QStringList{"axis: 3", "mode: linear"};
        QTest::addRow("activation") << 6 << QStringList{"Function: LeakyRelu, alpha 0.5"};
    }

    void attributeRows_ofKinds_areReadable()
    {
        QFETCH(int, kind);
        QFETCH(QStringList, expected);
        ConvAttributes convolution;
        convolution.outChannels = 64;
        convolution.window = {{3, 3}, {2, 2}, {1, 1}, {1, 1, 1, 1}};
        convolution.groups = 4;
        convolution.after.kind = ActivationKind::Relu;
        SepConvAttributes separable;
        separable.outChannels = 8;
        separable.window.padding = {0, 0, 1, 2};
        separable.before.kind = ActivationKind::Relu;
        PoolAttributes pool;
        pool.mode = PoolAttributes::Mode::Average;
        pool.window.kernel = {3, 1};
        pool.ceilMode = true;
        PoolAttributes global;
        global.global = true;
        const std::vector<Attributes> attributes{convolution,
                                                 separable,
                                                 pool,
                                                 global,
                                                 GemmAttributes{1000, 2048, true, {}},
                                                 GenericAttributes{{{"axis", 3}, {"mode", "linear"}}},
                                                 Activation{ActivationKind::LeakyRelu, 0.5F, 0}};
        Operator op;
        op.attributes = attributes[static_cast<std::size_t>(kind)];
        QStringList rows;
        for (const InspectorRow &row : attributeRows(op))
            rows << row.key + ": " + row.value;
        for (const QString &each : expected)
            QVERIFY2(rows.contains(each), qPrintable(each + " not in " + rows.join("; ")));
    }

    void operatorPage_inSchedule_saysStageCostAndNeighbours()
    {
        const auto model = makeModel();
        const auto schedule = makeSchedule(*model);
        const OperatorId op = *model->graph->find("m0/b2");
        const QString text = textOf(operatorPage({*model, schedule.get(), {}}, op));
        for (const char *part : {"Operator: Conv-Relu", "m0/b2", "Block: Block 1", "Stage: Stage 2",
                                 "Stage latency: 25.0 µs recorded", "From: m0/b1", "To: m0/concat", "Kernel: 3 × 3",
                                 "Output: 1 × 16 × 17 × 17", "Arithmetic: 1.34 MFLOP", "FLOP per byte"})
            QVERIFY2(text.contains(part), qPrintable(QString(part) + "\n" + text));
    }

    void operatorPage_withParameters_listsTheirShapes()
    {
        Model model;
        GraphBuilder builder("one");
        const TensorId input = take(builder.addInput("image", {{1, 16, 17, 17}}));
        Operator op = conv("conv", {{input}}, 8, 3);
        op.parameters.push_back({"weight", "conv.weight", {{8, 16, 3, 3}}, DataType::Float32, nullptr});
        op.parameters.push_back({"bias", "conv.bias", {{8}}, DataType::Float32, nullptr});
        (void)take(builder.add(std::move(op)));
        model.graph = std::make_shared<const Graph>(take(builder.build()));
        const QString text = textOf(operatorPage({model, nullptr, {}}, OperatorId{0}));
        QVERIFY2(text.contains("Weight: 8 × 16 × 3 × 3 = 1,152\n  Bias: 8\n"), qPrintable(text));
        QVERIFY2(text.contains("From: input of the model"), qPrintable(text));
    }

    void expressionText_ofJoin_showsConcatOfSums()
    {
        const auto model = makeModel();
        const auto &graph = *model->graph;
        QCOMPARE(expressionText(graph, graph.op(*graph.find("m0/concat"))),
                 QString("concat(m0/a, m0/b2, m0/c3, m0/d)"));
        QCOMPARE(expressionText(graph, graph.op(*graph.find("m0/b2"))), QString("m0/b1"));
    }

    void stagePage_concurrent_listsGroupsShareAndRunnersUp()
    {
        const auto model = makeModel();
        const auto schedule = makeSchedule(*model);
        BlockSearch search;
        Stage other;
        other.groups = {{*model->graph->find("m0/a")}};
        search.runnersUp.push_back({other, 12.5, 3.5, true});
        Stage elsewhere;
        elsewhere.groups = {{*model->graph->find("m0/concat")}};
        search.runnersUp.push_back({elsewhere, 99.5, 7.5, true});
        Stage bounded;
        bounded.groups = {{*model->graph->find("m0/d")}};
        search.runnersUp.push_back({bounded, 61.5, 8.5, false});
        const std::vector<BlockSearch> searched{search};
        const QString text = textOf(stagePage({*model, schedule.get(), searched}, 0));
        for (const char *part :
             {"Stage: Stage 1 of", "Block 1 · concurrent execution · 4 groups", "25.0 µs recorded",
              "Group a · 1 operator", "+ 3.50 µs", "12.5 µs", "≥ + 8.50 µs", "at least 61.5 µs", "Stage 2"})
            QVERIFY2(text.contains(part), qPrintable(QString(part) + "\n" + text));
        QVERIFY(!text.contains("99.5")); // concerns other operators
    }

    void stagePage_merge_saysWhatItRunsAs()
    {
        const auto model = makeModel();
        const TimedSchedule schedule = merging(*model);
        const QString text = textOf(stagePage({*model, &schedule, {}}, 0));
        for (const char *part : {"operator merge", "m0/b1, m0/d", "Runs as: Conv-Relu", "Output channels: 32",
                                 "Kernel: 5 × 5", "not measured yet"})
            QVERIFY2(text.contains(part), qPrintable(QString(part) + "\n" + text));
    }

    void modelPage_opaqueAndRefusedTypes_sayWhy()
    {
        Model model = *makeModel();
        const std::string first = model.graph->operators().front().name;
        TypeReport type{.type = "Mystery", .nodes = 3, .operators = 3, .opaque = 2, .refused = 3};
        type.because = {{TypeReason::Outcome::Opaque, "the program has no rule for Mystery", first, 2},
                        {TypeReason::Outcome::Refused, "cpu has no kernel for Mystery", first, 3}};
        model.report.types = {type};
        const QString text = textOf(modelPage({model, nullptr, {}}));
        QVERIFY2(text.contains("Mystery: 1 unit, 2 opaque, 3 refused by run on cpu"), qPrintable(text));
        QVERIFY2(text.contains("2 opaque, because the program has no rule for Mystery"), qPrintable(text));
        QVERIFY2(text.contains("3 refused, because cpu has no kernel for Mystery"), qPrintable(text));
    }

    void modelPage_withReport_listsUnknownTypesAndNotes()
    {
        const auto model = makeModel();
        const auto schedule = makeSchedule(*model);
        const QString text = textOf(modelPage({*model, schedule.get(), {}}));
        for (const char *part : {"Model: modules", "/data/modules.onnx", "Operators: 16", "Blocks: 2", "width 4",
                                 "Unknown: Mystery", "the batch was left open", "Time by block (recorded)"})
            QVERIFY2(text.contains(part), qPrintable(QString(part) + "\n" + text));
    }

    void inspector_followsSelection_andCopies()
    {
        const auto model = makeModel();
        Selection selection;
        Inspector inspector(&selection);
        QVERIFY(inspector.plainText().isEmpty());
        inspector.setModel(model);
        inspector.setSchedule(makeSchedule(*model));
        QVERIFY(inspector.plainText().startsWith("Model: modules"));
        selection.set({model->graph->find("m1/c2"), std::nullopt});
        QVERIFY(inspector.plainText().startsWith("Operator: Conv-Relu\nm1/c2"));
        inspector.copyToClipboard();
        QCOMPARE(QGuiApplication::clipboard()->text(), inspector.plainText());
        selection.set({std::nullopt, 1});
        QVERIFY(inspector.plainText().startsWith("Stage: Stage 2"));
    }

    void link_clicked_selectsItsTarget()
    {
        const auto model = makeModel();
        Selection selection;
        Inspector inspector(&selection);
        inspector.resize(320, 800);
        inspector.setModel(model);
        inspector.setSchedule(makeSchedule(*model));
        inspector.show();
        selection.set({model->graph->find("m0/b2"), std::nullopt});
        QCoreApplication::processEvents();
        const auto chips = inspector.findChildren<LinkChip *>();
        const auto chip = std::ranges::find_if(chips, [](const LinkChip *each) { return each->text() == "m0/b1"; });
        QVERIFY(chip != chips.end());
        QTest::mouseClick(*chip, Qt::LeftButton);
        QTRY_COMPARE(selection.current().op, model->graph->find("m0/b1"));
        QCOMPARE(selection.current().stage, std::optional(std::size_t(0)));
    }

    void refresh_ofTheSamePage_keepsThePlace()
    {
        const auto model = makeModel();
        Selection selection;
        Inspector inspector(&selection);
        inspector.resize(300, 200);
        inspector.setModel(model);
        inspector.setSchedule(makeSchedule(*model));
        inspector.show();
        QScrollBar *bar = inspector.findChild<QScrollArea *>()->verticalScrollBar();
        QTRY_VERIFY(bar->maximum() > 120);
        bar->setValue(120);
        inspector.setSchedule(makeSchedule(*model));
        QCoreApplication::processEvents();
        QCOMPARE(bar->value(), 120);
        selection.set({OperatorId{0}, std::nullopt});
        QCoreApplication::processEvents();
        QCOMPARE(bar->value(), 0);
    }

    void setters_inOneTurn_makeOnePage()
    {
        const auto model = makeModel();
        Selection selection;
        Inspector inspector(&selection);
        inspector.setModel(model);
        QCoreApplication::processEvents();
        auto *scroll = inspector.findChild<QScrollArea *>();
        const QPointer<QWidget> before = scroll->widget();
        inspector.setSchedule(makeSchedule(*model));
        inspector.setSearch({});
        selection.set({OperatorId{0}, std::nullopt});
        QVERIFY(scroll->widget() == before);
        QCoreApplication::processEvents();
        QVERIFY(before.isNull());
    }

    void modelPage_measuredSchedule_comparesTheSumOfItsStages()
    {
        const auto model = makeModel();
        TimedSchedule schedule = *makeSchedule(*model);
        schedule.measured.whole->latencyUs += 7;
        schedule.context.precision = "tf32";
        const QString text = textOf(modelPage({*model, &schedule, {}, nullptr}));
        QVERIFY2(text.contains("Rest: 7.00 µs more in one go"), qPrintable(text));
        QVERIFY(text.contains("Stages alone: ") && text.contains("Precision: tf32"));
        schedule.layouts.tensors = {{"m0/b1", TensorLayout::ChannelsLast}};
        QVERIFY(
            textOf(modelPage({*model, &schedule, {}, nullptr})).contains("7.00 µs more in one go, with conversions"));
    }

    void pages_measuredLatencies_sayHow()
    {
        const auto model = makeModel();
        TimedSchedule schedule = *makeSchedule(*model);
        QVERIFY(!textOf(stagePage({*model, &schedule, {}, nullptr}, 0)).contains("Clock"));
        schedule.measured.stages.assign(schedule.stages.size(), Timing::ofLatency(25));
        schedule.measured.stages[0] = {25, 123.5, 2.25, 40, {1980, 2619, "power limit"}};
        schedule.measured.whole = Timing{4000, 4100, 12, 58, {1965, 0}};
        const QString first = textOf(stagePage({*model, &schedule, {}, nullptr}, 0));
        QVERIFY2(first.contains("Mean: 124 µs") && first.contains("Spread: ±2.25 µs in 40 runs"), qPrintable(first));
        QVERIFY(first.contains("Clock: 1980 MHz") && first.contains("Memory clock: 2619 MHz") &&
                first.contains("Slowed by: power limit"));
        schedule.measured.stages[2] = {25, 100, 30, 40};
        QVERIFY(textOf(stagePage({*model, &schedule, {}, nullptr}, 2)).contains("in 40 runs, disturbed"));
        const QString second = textOf(stagePage({*model, &schedule, {}, nullptr}, 1));
        QVERIFY(!second.contains("Clock") && !second.contains("Spread"));
        const QString whole = textOf(modelPage({*model, &schedule, {}, nullptr}));
        QVERIFY2(whole.contains("Clock: 1965 MHz") && whole.contains("in 58 runs"), qPrintable(whole));
    }

    void modelPage_simulatedSchedule_saysWhatTheDeviceRestsOn()
    {
        const auto model = makeModel();
        TimedSchedule schedule = *makeSchedule(*model);
        QVERIFY(!textOf(modelPage({*model, &schedule, {}, nullptr})).contains("Calibrated on"));
        schedule.context.device = "sim:toy";
        schedule.measured.calibration = "two published latencies";
        const QString text = textOf(modelPage({*model, &schedule, {}, nullptr}));
        QVERIFY2(text.contains("Calibrated on: two published latencies"), qPrintable(text));
        QVERIFY2(!text.contains("Simulation"), qPrintable(text)); // of an older file: it does not say
        schedule.measured.simulationErrors.emplace();
        QVERIFY(textOf(modelPage({*model, &schedule, {}, nullptr})).contains("never judged by measured kernels"));
        schedule.measured.simulationErrors = {{"fp32", 254, 0.12, 0.18, true}};
        QVERIFY(textOf(modelPage({*model, &schedule, {}, nullptr}))
                    .contains("within 12 % on kernels left out in fp32 (median of 254)"));
    }

    void blockPage_counted_saysSpaceSearchAndRunnersUp()
    {
        const auto model = makeModel();
        const auto schedule = makeSchedule(*model);
        BlockSearch search{1, 40, 90, 12, 3, 75.5, 70, {}, 72};
        Stage other;
        other.block = 1;
        other.groups = {{*model->graph->find("m1/a")}};
        search.runnersUp.push_back({other, 12.5, 3.5, true});
        const std::vector<BlockSearch> searched{search};
        SpaceCounts spaces{{}, std::vector<std::optional<SpaceCount>>(2)};
        const QString counting = textOf(blockPage({*model, schedule.get(), searched, &spaces}, 1));
        QVERIFY2(counting.contains("States: counting..."), qPrintable(counting));
        spaces.blocks[1] = SpaceCount{40, 1234, 5678901, true};
        const QString text = textOf(blockPage({*model, schedule.get(), searched, &spaces}, 1));
        for (const char *part :
             {"Block: Block 2 of 2", "Search space · IOS-Both, r = 3, s = 8", "Width: 4", "Transitions: 1,234",
              "Schedules: 5,678,901", "At least: 72.0 µs between its neighbours, proved", "Measured stages: 12",
              "Cache hits: 3", "+ 3.50 µs", "m1/concat", "Block 1"})
            QVERIFY2(text.contains(part), qPrintable(QString(part) + "\n" + text));
        spaces.blocks[1]->complete = false;
        const QString more = textOf(blockPage({*model, schedule.get(), searched, &spaces}, 1));
        QVERIFY2(more.contains("Transitions: more than 1,234"), qPrintable(more));
    }

    void modelPage_longDeviceId_fitsTheDock()
    {
        const auto model = makeModel();
        auto schedule = std::make_shared<TimedSchedule>(sequentialSchedule(*model->graph, model->blocks));
        schedule->context.device =
            "sim:v100*sm_count=40,cudnn_call_us=18.98,kernel_ramp_us=12.36,dram_gb_per_second=1800";
        Selection selection;
        Inspector inspector(&selection);
        inspector.setModel(model);
        inspector.setSchedule(schedule);
        inspector.resize(300, 600);
        inspector.show();
        QCoreApplication::sendPostedEvents(); // layouts are updated when their request is handled
        int found = 0;
        for (const QLabel *label : inspector.findChildren<QLabel *>()) {
            if (!label->accessibleName().contains("sm_count=40,"))
                continue;
            ++found;
            QVERIFY(label->mapTo(&inspector, QPoint(label->width(), 0)).x() <= inspector.width());
            QVERIFY(label->height() >= 2 * label->fontMetrics().height());
        }
        QCOMPARE(found, 1);
    }

    void operatorPage_longNames_fitTheDock()
    {
        GraphBuilder builder("names");
        const TensorId input = take(builder.addInput("image", {{1, 16, 17, 17}}));
        const TensorId left = take(builder.add(conv("mixed_5b/branch3x3dbl_1/convolution", {{input}}, 8)));
        const TensorId right = take(builder.add(conv("mixed_5b/branch_pool/convolution", {{input}}, 8)));
        const TensorId both = take(builder.add(join("mixed_5b/concat", {{left}, {right}})));
        auto model = std::make_shared<Model>();
        model->graph = std::make_shared<const Graph>(take(builder.build({both})));
        model->blocks = consecutiveBlocks(*model->graph, 1);
        Selection selection;
        Inspector inspector(&selection);
        inspector.setModel(model);
        inspector.resize(300, 600);
        inspector.show();
        selection.set({model->graph->find("mixed_5b/concat"), std::nullopt});
        const QScrollArea *area = inspector.findChild<QScrollArea *>();
        QTRY_VERIFY2(area->widget()->minimumSizeHint().width() <= area->viewport()->width(),
                     qPrintable(QString::number(area->widget()->minimumSizeHint().width())));
    }

    void page_ofEveryKindAndWidth_isNotCut_data()
    {
        QTest::addColumn<QString>("page");
        QTest::addColumn<int>("width");
        for (const char *page : {"model", "block", "stage", "operator"}) {
            for (const int width : {220, 260, 299, 300, 420})
                QTest::addRow("%s, %d", page, width) << page << width;
        }
    }

    void page_ofEveryKindAndWidth_isNotCut()
    {
        QFETCH(QString, page);
        QFETCH(int, width);
        GraphBuilder builder("names");
        const TensorId input = take(builder.addInput("image", {{1, 16, 17, 17}}));
        const TensorId left = take(builder.add(conv("backboneDepthwiseSeparableConvolutionNumber17", {{input}}, 8)));
        const TensorId right = take(builder.add(conv("mixed_5b/branch_pool/convolution", {{input}}, 8)));
        const TensorId both = take(builder.add(join("mixed_5b/concat", {{left}, {right}})));
        auto model = std::make_shared<Model>();
        model->graph = std::make_shared<const Graph>(take(builder.build({both})));
        model->blocks = consecutiveBlocks(*model->graph, 1);
        model->name = "names";
        model->source = "/data/anExtraordinarilyLongNameOfAFileWithoutAnySigns.onnx";
        model->report.notes.push_back({ImportNote::Severity::Warning, "mixed_5b/concat",
                                       "theAttributeWithThisVeryLongNameAndNoSpaces was left out"});
        Selection selection;
        Inspector inspector(&selection);
        inspector.setModel(model);
        auto schedule = std::make_shared<TimedSchedule>(*makeSchedule(*model));
        schedule->context.device = "sim:v100*sm_count=40,cudnn_call_us=18.98,kernel_ramp_us=12.36";
        inspector.setSchedule(schedule);
        inspector.resize(width, 500);
        inspector.show();
        const auto op = *model->graph->find("backboneDepthwiseSeparableConvolutionNumber17");
        if (page == "block")
            selection.set({std::nullopt, std::nullopt, 0});
        else if (page != "model")
            selection.set({page == "operator" ? std::optional(op) : std::nullopt, 0});
        QCoreApplication::sendPostedEvents(); // layouts are updated when their request is handled
        QCoreApplication::sendPostedEvents();
        const QScrollArea *area = inspector.findChild<QScrollArea *>();
        QVERIFY2(area->widget()->minimumSizeHint().width() <= area->viewport()->width(),
                 qPrintable(QString::number(area->widget()->minimumSizeHint().width())));
        for (const QLabel *label : area->widget()->findChildren<QLabel *>()) {
            const QString text = label->text();
            QVERIFY2(label->mapTo(area->widget(), QPoint(label->width(), 0)).x() <= area->viewport()->width(),
                     qPrintable(text));
            if (label->wordWrap())
                QVERIFY2(label->height() >= label->heightForWidth(label->width()), qPrintable(text));
        }
        QVERIFY(area->widget()->height() <= area->viewport()->height() || area->verticalScrollBar()->maximum() > 0);
    }

    void page_inNarrowDock_fitsItsWidth()
    {
        const auto model = makeModel();
        Selection selection;
        Inspector inspector(&selection);
        inspector.setModel(model);
        inspector.resize(240, 600);
        inspector.show();
        selection.set({model->graph->find("m0/concat"), std::nullopt});
        QCoreApplication::sendPostedEvents(); // layouts are updated when their request is handled
        for (const LinkChip *chip : inspector.findChildren<LinkChip *>()) {
            const int right = chip->mapTo(&inspector, QPoint(chip->width(), 0)).x();
            QVERIFY2(right <= inspector.width(), qPrintable(chip->text()));
        }
    }
};

STAGECRAFT_SUITE(TestInspector)

} // namespace tst_inspector
#include "tst_inspector.moc"
