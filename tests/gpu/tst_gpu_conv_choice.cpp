// Which engines of cuDNN may compute a convolution, and with which copies, on an H100 described by its properties:
// choosing needs no GPU.

#include "gpu/device/conv_choice.h"
#include "gpu/device/cudnn_configuration.h"
#include "gpu/kernels/parameters.h"
#include "gpu/plan/program_plan.h"
#include "model/built_in.h"
#include "search/stages/search.h"
#include "support/graph_making.h"
#include "support/places.h"
#include "support/suite.h"

#include <QFile>
#include <QTest>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <set>

using namespace stagecraft;
using namespace stagecraft::test;
using namespace stagecraft::gpu;

namespace tst_gpu_conv_choice {

class TestGpuConvChoice : public QObject {
    Q_OBJECT

private slots:
    void convChoices_networksOnH100_haveEngines_data();
    void convChoices_networksOnH100_haveEngines();
    void convChoices_sliceOfAJoin_offersCopiesWhereCudnnCopies_data();
    void convChoices_sliceOfAJoin_offersCopiesWhereCudnnCopies();
    void choiceOf_valuesOfAChoice_isTheSame_data();
    void choiceOf_valuesOfAChoice_isTheSame();
    void choiceOf_whatCudnnHasNot_isEmpty();
    void convChoices_quick_areFewAndCompileNothing_data();
    void convChoices_quick_areFewAndCompileNothing();
    void convChoices_sweep_offersMore_data();
    void convChoices_sweep_offersMore();
    void isAllowed_numericalNote_followsThePrecision_data();
    void isAllowed_numericalNote_followsThePrecision();
    void findEngines_strictFp32_neverTakesTensorCores();
    void findEngines_sameEngineOtherKnobs_isTakenToo_data();
    void findEngines_sameEngineOtherKnobs_isTakenToo();
    void stepsOf_bothPackedAlike_keepsThemApart();
};

namespace {

CudnnTarget h100()
{
    QFile file(sourcePath("tests/gpu/h100.cudnn.json"));
    if (!file.open(QIODevice::ReadOnly))
        qFatal("no properties of an H100");
    return {nullptr, file.readAll().toStdString()};
}

std::vector<ConvTask> convolutionsOf(const char *network, const GpuOptions &options)
{
    const SourceGraph source = take(builtInNetwork(network));
    const auto plan = take(planProgram(source.graph, planTensors(source.graph, options),
                                       sequentialSchedule(source.graph, source.blocks), options,
                                       [](const ConvTask &) -> Result<std::size_t> { return 0; }));
    std::set<std::string> seen;
    std::vector<ConvTask> convolutions;
    for (const Task &task : plan.tasks) {
        const auto *conv = std::get_if<ConvTask>(&task.work);
        if (conv && seen.insert(keyOf(*conv, options)).second)
            convolutions.push_back(*conv);
    }
    return convolutions;
}

// Written to its place in a joined tensor.
ConvTask sliceOfAJoin(std::int64_t batch, const GpuOptions &options)
{
    const Extent joined{batch, 192, 35, 35};
    ConvTask conv;
    conv.w = {View::Memory::Constant, 0, 0, {96, 96, 3, 3}, denseStrides({96, 96, 3, 3}, options.layout)};
    conv.window = {{3, 3}, {1, 1}, {1, 1}, {1, 1, 1, 1}};
    conv.x = {View::Memory::Arena, 0, 0, {batch, 96, 35, 35}, denseStrides({batch, 96, 35, 35}, options.layout)};
    conv.y = plan::sliced({View::Memory::Arena, 1, 0, joined, denseStrides(joined, options.layout)}, 1, 96, 96);
    return conv;
}

} // namespace

void TestGpuConvChoice::convChoices_networksOnH100_haveEngines_data()
{
    QTest::addColumn<QByteArray>("network");
    QTest::addColumn<QByteArray>("id");
    for (const char *network : {"sample", "squeezenet", "inception_v3", "randwire", "nasnet"}) {
        for (const char *id : {"gpu:0", "gpu:0:nhwc", "gpu:0:tf32", "gpu:0:fp16"})
            QTest::addRow("%s, %s", network, id) << QByteArray(network) << QByteArray(id);
    }
}

// Also when written to its place in a joined tensor: that needs no copy of ours on an H100.
void TestGpuConvChoice::convChoices_networksOnH100_haveEngines()
{
    QFETCH(const QByteArray, network);
    QFETCH(const QByteArray, id);
    const GpuOptions options = take(gpuOptionsFrom(id.toStdString()));
    const CudnnTarget target = h100();
    const auto convolutions = convolutionsOf(network.constData(), options);
    QVERIFY(!convolutions.empty());
    EngineLimits one;
    one.engines = 1;
    for (const ConvTask &conv : convolutions) {
        const auto engines = findEngines(target, conv, options.precision, true, one);
        QVERIFY2(!engines.empty(), keyOf(conv, options).c_str());
    }
    const auto choices = convChoices(target, convolutions.front(), options);
    QVERIFY(choices.front().engine && choices.front().engine->isFused());
    QVERIFY(!choices.back().engine); // our own kernels come last
    std::set<std::string> names;
    for (const ConvChoice &choice : choices)
        names.insert(choice.name());
    QVERIFY(names.size() > 2);
}

void TestGpuConvChoice::convChoices_sliceOfAJoin_offersCopiesWhereCudnnCopies_data()
{
    QTest::addColumn<QByteArray>("id");
    QTest::addColumn<int>("batch");
    QTest::addColumn<bool>("offered");
    QTest::newRow("fp32, one image: slices have no gaps") << QByteArray("gpu:0") << 1 << false;
    QTest::newRow("fp32") << QByteArray("gpu:0") << 32 << true;
    QTest::newRow("TF32") << QByteArray("gpu:0:tf32") << 1 << true;
    QTest::newRow("fp16") << QByteArray("gpu:0:fp16") << 32 << true;
}

void TestGpuConvChoice::convChoices_sliceOfAJoin_offersCopiesWhereCudnnCopies()
{
    QFETCH(const QByteArray, id);
    QFETCH(const int, batch);
    QFETCH(const bool, offered);
    const GpuOptions options = take(gpuOptionsFrom(id.toStdString()));
    const ConvTask conv = sliceOfAJoin(batch, options);
    std::map<std::string, std::size_t> inPlace;
    bool packed = false;
    for (const ConvChoice &choice : convChoices(h100(), conv, options)) {
        if (!choice.engine)
            continue;
        const std::size_t own = choice.engine->workspaceBytes();
        QVERIFY(!choice.packsX); // x is already dense
        if (!choice.packsY) {
            QVERIFY(!packed); // those without copies come first
            inPlace.emplace(choice.engine->name(), own);
            continue;
        }
        packed = true;
        const auto same = inPlace.find(choice.engine->name());
        QVERIFY2(same == inPlace.end() || same->second > own, choice.name().c_str());
        QVERIFY(choice.workspaceBytes >=
                own + static_cast<std::size_t>(conv.y.elements() * elementBytes(options.precision)));
    }
    QVERIFY(!inPlace.empty());
    QCOMPARE(packed, offered);
}

void TestGpuConvChoice::choiceOf_valuesOfAChoice_isTheSame_data()
{
    QTest::addColumn<QByteArray>("id");
    for (const char *id : {"gpu:0", "gpu:0:nhwc", "gpu:0:tf32", "gpu:0:fp16"})
        QTest::addRow("%s", id) << QByteArray(id);
}

// A choice that was kept needs no search among the engines: its numbers lead to the same plan.
void TestGpuConvChoice::choiceOf_valuesOfAChoice_isTheSame()
{
    QFETCH(const QByteArray, id);
    const GpuOptions options = take(gpuOptionsFrom(id.toStdString()));
    const CudnnTarget target = h100();
    std::vector<ConvTask> convolutions = convolutionsOf("sample", options);
    convolutions.push_back(sliceOfAJoin(32, options));
    std::size_t packed = 0;
    for (const ConvTask &conv : convolutions) {
        for (ConvChoice &choice : convChoices(target, conv, options)) {
            choice.aloneUs = 12.5;
            const auto again = choiceOf(valuesOf(choice), target, conv, options);
            QVERIFY2(again, choice.name().c_str());
            QCOMPARE(again->name(), choice.name());
            QCOMPARE(again->workspaceBytes, choice.workspaceBytes);
            QCOMPARE(again->aloneUs, 12.5);
            QVERIFY(valuesOf(*again) == valuesOf(choice));
            packed += choice.packsY;
            QVERIFY2(choice.name().find("compiled") == std::string::npos, choice.name().c_str()); // only if asked for
        }
    }
    QCOMPARE(packed > 0, id != "gpu:0:nhwc"); // there, cuDNN copies nothing itself
}

void TestGpuConvChoice::choiceOf_whatCudnnHasNot_isEmpty()
{
    const GpuOptions options = take(gpuOptionsFrom("gpu:0"));
    const ConvTask conv = convolutionsOf("sample", options).front();
    TunedConv::Choice values = valuesOf(convChoices(h100(), conv, options).front());
    QVERIFY(choiceOf(values, h100(), conv, options));
    values.engine->engine = 999;
    QVERIFY(!choiceOf(values, h100(), conv, options));
    values = {{}, "convTile_of_another_version", false, false, 1};
    QVERIFY(!choiceOf(values, h100(), conv, options));
}

void TestGpuConvChoice::convChoices_quick_areFewAndCompileNothing_data()
{
    QTest::addColumn<QByteArray>("id");
    for (const char *id : {"gpu:0:quick", "gpu:0:tf32:quick", "gpu:0:fp16:quick"})
        QTest::addRow("%s", id) << QByteArray(id);
}

void TestGpuConvChoice::convChoices_quick_areFewAndCompileNothing()
{
    QFETCH(const QByteArray, id);
    const GpuOptions options = take(gpuOptionsFrom(id.toStdString()));
    GpuOptions patient = options;
    patient.fewEngines = false;
    std::size_t quick = 0;
    for (const char *network : {"sample", "squeezenet", "inception_v3"}) {
        for (const ConvTask &conv : convolutionsOf(network, options)) {
            const auto choices = convChoices(h100(), conv, options);
            const auto engines =
                std::ranges::count_if(choices, [](const auto &choice) { return choice.engine.has_value(); });
            QVERIFY2(engines >= 1 && engines <= 4, keyOf(conv, options).c_str());
            for (const ConvChoice &choice : choices)
                QVERIFY2(choice.name().find("compiled") == std::string::npos, choice.name().c_str());
            quick += network == QByteArray("sample") ? choices.size() : 0;
        }
    }
    std::size_t all = 0;
    for (const ConvTask &conv : convolutionsOf("sample", patient))
        all += convChoices(h100(), conv, patient).size();
    QVERIFY(all > quick);
}

void TestGpuConvChoice::convChoices_sweep_offersMore_data()
{
    QTest::addColumn<QByteArray>("id");
    for (const char *id : {"gpu:0", "gpu:0:nhwc", "gpu:0:tf32", "gpu:0:fp16"})
        QTest::addRow("%s", id) << QByteArray(id);
}

void TestGpuConvChoice::convChoices_sweep_offersMore()
{
    QFETCH(const QByteArray, id);
    const GpuOptions options = take(gpuOptionsFrom(id.toStdString()));
    const GpuOptions swept = take(gpuOptionsFrom(id.toStdString() + ":sweep"));
    const ConvTask conv = sliceOfAJoin(1, options);
    const auto enginesOf = [&](const GpuOptions &with) {
        std::map<EngineId, std::size_t> workspaces;
        for (const ConvChoice &choice : convChoices(h100(), conv, with)) {
            if (choice.engine && choice.engine->isFused() && !choice.packsX && !choice.packsY)
                workspaces.emplace(choice.engine->id(), choice.engine->workspaceBytes());
        }
        return workspaces;
    };
    const auto proposed = enginesOf(options);
    const auto all = enginesOf(swept);
    qInfo("%s: %zu plans, %zu with every setting", id.constData(), proposed.size(), all.size());
    QVERIFY(all.size() > proposed.size());
    for (const auto &[engine, workspace] : proposed)
        QVERIFY(all.contains(engine)); // nothing gets lost
    for (const auto &[engine, workspace] : all) {
        const auto again = engineOf(h100(), conv, options.precision, engine); // a kept choice leads back to it
        QVERIFY(again && again->workspaceBytes() == workspace);
    }
}

void TestGpuConvChoice::isAllowed_numericalNote_followsThePrecision_data()
{
    QTest::addColumn<int>("note"); // a cudnnBackendNumericalNote_t
    QTest::addColumn<bool>("fp32");
    QTest::addColumn<bool>("tf32");
    QTest::addColumn<bool>("fp16");
    QTest::newRow("tensor cores") << int{CUDNN_NUMERICAL_NOTE_TENSOR_CORE} << false << true << true;
    QTest::newRow("inputs converted") << int{CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS} << false << false << true;
    QTest::newRow("half sums") << int{CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION} << false << false << false;
    QTest::newRow("Winograd") << int{CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_4x4} << true << true << true;
    QTest::newRow("large Winograd") << int{CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_13x13} << false << false << false;
    QTest::newRow("other result each time") << int{CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC} << false << false << false;
}

void TestGpuConvChoice::isAllowed_numericalNote_followsThePrecision()
{
    QFETCH(const int, note);
    QFETCH(const bool, fp32);
    QFETCH(const bool, tf32);
    QFETCH(const bool, fp16);
    EngineConfiguration configuration;
    configuration.numerical = {static_cast<cudnnBackendNumericalNote_t>(note)};
    QCOMPARE(isAllowed(configuration, Precision::Fp32), fp32);
    QCOMPARE(isAllowed(configuration, Precision::Tf32), tf32);
    QCOMPARE(isAllowed(configuration, Precision::Fp16), fp16);
}

void TestGpuConvChoice::findEngines_strictFp32_neverTakesTensorCores()
{
    const GpuOptions strict = take(gpuOptionsFrom("gpu:0:nhwc"));
    const GpuOptions tf32 = take(gpuOptionsFrom("gpu:0:tf32"));
    bool tensorCores = false;
    for (const ConvTask &conv : convolutionsOf("sample", strict)) {
        for (const ConvEngine &engine : findEngines(h100(), conv, strict.precision, true))
            QVERIFY2(engine.name().find("tensor") == std::string::npos, engine.name().c_str());
        for (const ConvEngine &engine : findEngines(h100(), conv, tf32.precision, true))
            tensorCores = tensorCores || engine.name().find("tensor") != std::string::npos;
    }
    QVERIFY(tensorCores); // otherwise the filter was not tested
}

void TestGpuConvChoice::findEngines_sameEngineOtherKnobs_isTakenToo_data()
{
    QTest::addColumn<QByteArray>("id");
    for (const char *id : {"gpu:0", "gpu:0:tf32", "gpu:0:fp16"})
        QTest::addRow("%s", id) << QByteArray(id);
}

// Knobs choose a kernel's tiles: an engine has many, and heuristics propose several of them.
void TestGpuConvChoice::findEngines_sameEngineOtherKnobs_isTakenToo()
{
    QFETCH(const QByteArray, id);
    const GpuOptions options = take(gpuOptionsFrom(id.toStdString()));
    const ConvTask conv = convolutionsOf("sample", options).front();
    std::map<std::string, int> ofEngine;
    std::set<std::string> names;
    for (const ConvEngine &engine : findEngines(h100(), conv, options.precision, true)) {
        QVERIFY2(names.insert(engine.name()).second, engine.name().c_str()); // names are unique
        ++ofEngine[engine.name().substr(0, engine.name().find_first_of("(,"))];
    }
    QVERIFY(std::ranges::any_of(ofEngine, [](const auto &entry) { return entry.second > 1; }));
    EngineLimits two;
    two.engines = 2;
    QCOMPARE(findEngines(h100(), conv, options.precision, true, two).size(), std::size_t{2});
}

// x and y have the same dims and both are copied: the result is read from y's copy.
void TestGpuConvChoice::stepsOf_bothPackedAlike_keepsThemApart()
{
    const GpuOptions options = take(gpuOptionsFrom("gpu:0"));
    const Extent dims{2, 8, 6, 6};
    ConvTask conv;
    conv.w = {View::Memory::Constant, 0, 0, {8, 8, 1, 1}, {8, 1, 1, 1}};
    conv.x = conv.y = {View::Memory::Arena, 7, 0, dims, denseStrides(dims, TensorLayout::RowMajor)};
    const auto engines = findEngines(h100(), conv, options.precision, true);
    QVERIFY(!engines.empty());
    conv.y.index = 8;
    conv.x.strides[0] = conv.y.strides[0] = 16 * 36; // eight of sixteen channels
    alignas(256) std::array<std::byte, 3> places{};  // never accessed: only the addresses matter
    const Address address = [&](const View &view) -> void * {
        return view.memory == View::Memory::Constant ? &places[0] : view == conv.x ? &places[1] : &places[2];
    };
    std::vector<std::byte> workspace(1);
    const auto steps = stepsOf({engines.front(), {}, true, true, 0, 0}, conv, options, address, workspace.data());
    QCOMPARE(steps.size(), std::size_t{3});
    kernels::ElementwiseParameters before{};
    kernels::ElementwiseParameters after{};
    for (const auto &[step, parameters] : {std::pair{&steps.front(), &before}, std::pair{&steps.back(), &after}}) {
        QCOMPARE(step->launch->parameters.size(), sizeof *parameters);
        std::memcpy(parameters, step->launch->parameters.data(), sizeof *parameters);
    }
    QVERIFY(before.x[0] == &places[1] && after.y == &places[2]);
    const auto apart = static_cast<const std::byte *>(after.x[0]) - static_cast<const std::byte *>(before.y);
    QVERIFY(apart >= 2 * 8 * 36 * 4);
}

STAGECRAFT_SUITE(TestGpuConvChoice)

} // namespace tst_gpu_conv_choice
#include "tst_gpu_conv_choice.moc"
