// What of the GPU device can be checked without a GPU: kernels compile for every architecture, cuDNN has engines for
// the networks' convolutions on an H100 described by its properties, values survive half precision, reasons are told.

#include "gpu/device/clocks.h"
#include "gpu/device/conv_choice.h"
#include "gpu/device/cudnn_configuration.h"
#include "gpu/device/failure.h"
#include "gpu/device/gpu_device.h"
#include "gpu/device/host_values.h"
#include "gpu/device/kernel_files.h"
#include "gpu/device/kernel_library.h"
#include "gpu/device/wakefulness.h"
#include "gpu/kernels/parameters.h"
#include "gpu/plan/program_plan.h"
#include "model/built_in.h"
#include "search/search.h"
#include "support/graph_making.h"

#include <QDir>
#include <QFile>
#include <QScopeGuard>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <map>
#include <set>
#include <thread>
#include <unistd.h>

using namespace stagecraft;
using namespace stagecraft::test;
using namespace stagecraft::gpu;

class TestGpuDevice : public QObject {
    Q_OBJECT

private slots:
    void compileKernels_everyArchitecture_succeeds_data();
    void compileKernels_everyArchitecture_succeeds();
    void compileKernels_newerThanTheCompiler_leavesItToTheDriver();
    void compileKernels_tooOldArchitecture_saysSo();
    void kernelFile_everythingItDependsOn_isInItsName();
    void kernelFolder_environment_isFollowed();
    void keptOrCompiled_secondTime_compilesNothing();
    void keptOrCompiled_damagedFile_compilesAgain_data();
    void keptOrCompiled_damagedFile_compilesAgain();
    void keptOrCompiled_nowhereToKeep_compiles();
    void convChoices_networksOnH100_haveEngines_data();
    void convChoices_networksOnH100_haveEngines();
    void convChoices_sliceOfAJoin_offersCopiesWhereCudnnCopies_data();
    void convChoices_sliceOfAJoin_offersCopiesWhereCudnnCopies();
    void convChoices_quick_areFewAndCompileNothing_data();
    void convChoices_quick_areFewAndCompileNothing();
    void isAllowed_numericalNote_followsThePrecision_data();
    void isAllowed_numericalNote_followsThePrecision();
    void findEngines_strictFp32_neverTakesTensorCores();
    void findEngines_sameEngineOtherKnobs_isTakenToo_data();
    void findEngines_sameEngineOtherKnobs_isTakenToo();
    void stepsOf_bothPackedAlike_keepsThemApart();
    void toHalf_everyHalf_roundTrips();
    void toHalf_values_roundToNearestEven();
    void gathered_scatteredValues_comeBack();
    void unavailableText_code_saysWhatToDo_data();
    void unavailableText_code_saysWhatToDo();
    void slowdownText_idleAndPower_tellsPowerAlone();
    void requireCuda_failure_isFatalWhereNothingWorksAfterIt_data();
    void requireCuda_failure_isFatalWhereNothingWorksAfterIt();
    void requireCuda_outOfMemory_saysWhatHelps();
    void guarded_failureOfCudnn_asksTheGpu_data();
    void guarded_failureOfCudnn_asksTheGpu();
    void guarded_ownMemoryRunsOut_isAnError();
    void wake_afterIdleness_givesWork();
    void workQueuesText_environment_isTold();
    void makeGpuDevice_withoutGpu_isUnavailableWithReason();
};

void TestGpuDevice::compileKernels_everyArchitecture_succeeds_data()
{
    QTest::addColumn<QByteArray>("architecture");
    QTest::addColumn<bool>("half");
    QTest::newRow("Turing") << QByteArray("sm_75") << false;
    QTest::newRow("Hopper, half") << QByteArray("sm_90") << true;
    QTest::newRow("Blackwell") << QByteArray("sm_100") << false;
}

void TestGpuDevice::compileKernels_everyArchitecture_succeeds()
{
    QFETCH(const QByteArray, architecture);
    QFETCH(const bool, half);
    try {
        const auto code = compileKernels(architecture.toStdString(), half ? Precision::Fp16 : Precision::Fp32);
        QVERIFY(code.size() > 10000);
        QCOMPARE(QByteArray(code.data() + 1, 3), QByteArray("ELF"));
    } catch (const Failure &failure) {
        QFAIL(failure.error.message.c_str());
    }
}

void TestGpuDevice::compileKernels_newerThanTheCompiler_leavesItToTheDriver()
{
    try {
        const auto code = compileKernels("sm_990", Precision::Fp32);
        const QByteArray text(code.data(), static_cast<qsizetype>(code.size()));
        QVERIFY(text.endsWith('\0')); // how CUDA knows where PTX ends
        QVERIFY2(text.contains(".target sm_1") && text.contains(".visible .entry"), text.left(300).constData());
    } catch (const Failure &failure) {
        QFAIL(failure.error.message.c_str());
    }
}

void TestGpuDevice::compileKernels_tooOldArchitecture_saysSo()
{
    try {
        (void)compileKernels("sm_50", Precision::Fp32);
        QFAIL("sm_50 compiled");
    } catch (const Failure &failure) {
        QVERIFY(failure.error.message.starts_with("the kernels do not compile for sm_50"));
        QVERIFY(!failure.fatal);
    }
}

void TestGpuDevice::kernelFile_everythingItDependsOn_isInItsName()
{
    const std::filesystem::path single = kernelFile("/kept", "sm_90", Precision::Fp32);
    QVERIFY(single.parent_path() == "/kept" && single.filename().string().starts_with("sm_90-fp32-"));
    QVERIFY(single == kernelFile("/kept", "sm_90", Precision::Tf32));
    QVERIFY(single != kernelFile("/kept", "sm_90", Precision::Fp16));
    QVERIFY(single != kernelFile("/kept", "sm_89", Precision::Fp32));
    QVERIFY(kernelFile({}, "sm_90", Precision::Fp32).empty());
}

void TestGpuDevice::kernelFolder_environment_isFollowed()
{
    const QByteArray cache = qgetenv("XDG_CACHE_HOME");
    const QByteArray home = qgetenv("HOME");
    const auto restore = qScopeGuard([&] {
        cache.isNull() ? qunsetenv("XDG_CACHE_HOME") : qputenv("XDG_CACHE_HOME", cache);
        home.isNull() ? qunsetenv("HOME") : qputenv("HOME", home);
    });
    qputenv("HOME", "/someone");
    qputenv("XDG_CACHE_HOME", "/cache");
    QVERIFY(kernelFolder() == "/cache/stagecraft/kernels");
    qputenv("XDG_CACHE_HOME", "relative");
    QVERIFY(kernelFolder() == "/someone/.cache/stagecraft/kernels");
    qunsetenv("XDG_CACHE_HOME");
    qunsetenv("HOME");
    QVERIFY(kernelFolder().empty());
}

namespace {

const std::vector<char> kCode{'c', 'o', 'd', 'e', '\0', '\n'};

// Counts how often it compiles.
std::vector<char> kept(const std::filesystem::path &file, int &compiled)
{
    return keptOrCompiled(file, [&] {
        ++compiled;
        return kCode;
    });
}

std::filesystem::path under(const QTemporaryDir &folder, const char *name)
{
    return std::filesystem::path(folder.path().toStdString()) / name;
}

} // namespace

void TestGpuDevice::keptOrCompiled_secondTime_compilesNothing()
{
    const QTemporaryDir folder;
    int compiled = 0;
    for (int i = 0; i < 2; ++i)
        QVERIFY(kept(under(folder, "new/folder/a.cubin"), compiled) == kCode);
    QCOMPARE(compiled, 1);
    QVERIFY(kept(under(folder, "new/folder/b.cubin"), compiled) == kCode);
    QCOMPARE(compiled, 2);
    QCOMPARE(QDir(folder.filePath("new/folder")).entryList(QDir::Files), QStringList({"a.cubin", "b.cubin"}));
}

void TestGpuDevice::keptOrCompiled_damagedFile_compilesAgain_data()
{
    QTest::addColumn<int>("length");  // of what is left
    QTest::addColumn<int>("flipped"); // a byte counted from the end, 0: none
    QTest::newRow("empty") << 0 << 0;
    QTest::newRow("other start") << 1000 << 1000;
    QTest::newRow("cut in its checksum") << 25 << 0;
    QTest::newRow("without code") << 29 << 0;
    QTest::newRow("cut in its code") << 33 << 0;
    QTest::newRow("other code") << 1000 << 2;
    QTest::newRow("other checksum") << 1000 << 8;
}

void TestGpuDevice::keptOrCompiled_damagedFile_compilesAgain()
{
    QFETCH(const int, length);
    QFETCH(const int, flipped);
    const QTemporaryDir folder;
    int compiled = 0;
    (void)kept(under(folder, "a.cubin"), compiled);
    QFile file(folder.filePath("a.cubin"));
    QVERIFY(file.open(QIODevice::ReadWrite));
    QByteArray bytes = file.readAll();
    if (flipped > 0)
        bytes[std::max<qsizetype>(bytes.size() - flipped, 0)] ^= 1;
    QVERIFY(file.resize(0) && file.seek(0) && file.write(bytes.left(length)) >= 0);
    file.close();
    QVERIFY(kept(under(folder, "a.cubin"), compiled) == kCode);
    QCOMPARE(compiled, 2);
    QVERIFY(kept(under(folder, "a.cubin"), compiled) == kCode); // the file is whole again
    QCOMPARE(compiled, 2);
}

void TestGpuDevice::keptOrCompiled_nowhereToKeep_compiles()
{
    const QTemporaryDir folder;
    QFile plain(folder.filePath("file"));
    QVERIFY(plain.open(QIODevice::WriteOnly));
    int compiled = 0;
    for (const auto &file :
         {std::filesystem::path(), under(folder, "file/a.cubin"), std::filesystem::path("/proc/a/b")})
        QVERIFY(kept(file, compiled) == kCode);
    QVERIFY(QDir(folder.path()).mkdir("folder")); // in the file's place
    QVERIFY(QDir(folder.path()).mkdir("folder/full"));
    QVERIFY(kept(under(folder, "folder"), compiled) == kCode);
    QCOMPARE(compiled, 4);
    QCOMPARE(QDir(folder.path()).entryList(QDir::AllEntries | QDir::NoDotAndDotDot), QStringList({"file", "folder"}));
}

namespace {

CudnnTarget h100()
{
    QFile file(STAGECRAFT_SOURCE_DIR "/tests/gpu/h100.cudnn.json");
    if (!file.open(QIODevice::ReadOnly))
        qFatal("no properties of an H100");
    return {nullptr, file.readAll().toStdString()};
}

std::vector<ConvTask> convolutionsOf(const char *network, const GpuOptions &options)
{
    const SourceGraph source = take(builtInNetwork(network));
    const auto plan = take(planProgram(source.graph, chooseHomes(source.graph, options),
                                       sequentialSchedule(source.graph, source.blocks).stages, options,
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

} // namespace

void TestGpuDevice::convChoices_networksOnH100_haveEngines_data()
{
    QTest::addColumn<QByteArray>("network");
    QTest::addColumn<QByteArray>("id");
    for (const char *network : {"sample", "squeezenet", "inception_v3", "randwire", "nasnet"}) {
        for (const char *id : {"gpu:0", "gpu:0:nhwc", "gpu:0:tf32", "gpu:0:fp16"})
            QTest::addRow("%s, %s", network, id) << QByteArray(network) << QByteArray(id);
    }
}

// Written into their place in a joined tensor too: no copy of ours is needed for it on an H100.
void TestGpuDevice::convChoices_networksOnH100_haveEngines()
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
    QVERIFY(!choices.back().engine); // our own kernels stand in last
    std::set<std::string> names;
    for (const ConvChoice &choice : choices)
        names.insert(choice.name());
    QVERIFY(names.size() > 2);
}

void TestGpuDevice::convChoices_sliceOfAJoin_offersCopiesWhereCudnnCopies_data()
{
    QTest::addColumn<QByteArray>("id");
    QTest::addColumn<int>("batch");
    QTest::addColumn<bool>("offered");
    QTest::newRow("fp32, one image: slices have no gaps") << QByteArray("gpu:0") << 1 << false;
    QTest::newRow("fp32") << QByteArray("gpu:0") << 32 << true;
    QTest::newRow("TF32") << QByteArray("gpu:0:tf32") << 1 << true;
    QTest::newRow("fp16") << QByteArray("gpu:0:fp16") << 32 << true;
}

void TestGpuDevice::convChoices_sliceOfAJoin_offersCopiesWhereCudnnCopies()
{
    QFETCH(const QByteArray, id);
    QFETCH(const int, batch);
    QFETCH(const bool, offered);
    const GpuOptions options = take(gpuOptionsFrom(id.toStdString()));
    const Extent joined{batch, 192, 35, 35};
    ConvTask conv;
    conv.w = {View::Memory::Constant, 0, 0, {96, 96, 3, 3}, denseStrides({96, 96, 3, 3}, options.layout)};
    conv.window = {{3, 3}, {1, 1}, {1, 1}, {1, 1, 1, 1}};
    conv.x = {View::Memory::Arena, 0, 0, {batch, 96, 35, 35}, denseStrides({batch, 96, 35, 35}, options.layout)};
    conv.y = sliced({View::Memory::Arena, 1, 0, joined, denseStrides(joined, options.layout)}, 1, 96, 96);
    std::map<std::string, std::size_t> inPlace;
    bool packed = false;
    for (const ConvChoice &choice : convChoices(h100(), conv, options)) {
        if (!choice.engine)
            continue;
        const std::size_t own = choice.engine->workspaceBytes();
        QVERIFY(!choice.packsX); // x is dense as it is
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

void TestGpuDevice::convChoices_quick_areFewAndCompileNothing_data()
{
    QTest::addColumn<QByteArray>("id");
    for (const char *id : {"gpu:0:quick", "gpu:0:tf32:quick", "gpu:0:fp16:quick"})
        QTest::addRow("%s", id) << QByteArray(id);
}

void TestGpuDevice::convChoices_quick_areFewAndCompileNothing()
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

void TestGpuDevice::isAllowed_numericalNote_followsThePrecision_data()
{
    QTest::addColumn<int>("note"); // of cudnnBackendNumericalNote_t
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

void TestGpuDevice::isAllowed_numericalNote_followsThePrecision()
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

void TestGpuDevice::findEngines_strictFp32_neverTakesTensorCores()
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
    QVERIFY(tensorCores); // the filter had something to filter
}

void TestGpuDevice::findEngines_sameEngineOtherKnobs_isTakenToo_data()
{
    QTest::addColumn<QByteArray>("id");
    for (const char *id : {"gpu:0", "gpu:0:tf32", "gpu:0:fp16"})
        QTest::addRow("%s", id) << QByteArray(id);
}

// Knobs choose a kernel's tiles: an engine has many, of which heuristics propose several.
void TestGpuDevice::findEngines_sameEngineOtherKnobs_isTakenToo()
{
    QFETCH(const QByteArray, id);
    const GpuOptions options = take(gpuOptionsFrom(id.toStdString()));
    const ConvTask conv = convolutionsOf("sample", options).front();
    std::map<std::string, int> ofEngine;
    std::set<std::string> names;
    for (const ConvEngine &engine : findEngines(h100(), conv, options.precision, true)) {
        QVERIFY2(names.insert(engine.name()).second, engine.name().c_str()); // told apart
        ++ofEngine[engine.name().substr(0, engine.name().find_first_of("(,"))];
    }
    QVERIFY(std::ranges::any_of(ofEngine, [](const auto &entry) { return entry.second > 1; }));
    EngineLimits two;
    two.engines = 2;
    QCOMPARE(findEngines(h100(), conv, options.precision, true, two).size(), std::size_t{2});
}

// x and y of the same dims, both copied: the result is read from y's copy.
void TestGpuDevice::stepsOf_bothPackedAlike_keepsThemApart()
{
    const GpuOptions options = take(gpuOptionsFrom("gpu:0"));
    const Extent dims{2, 8, 6, 6};
    ConvTask conv;
    conv.w = {View::Memory::Constant, 0, 0, {8, 8, 1, 1}, {8, 1, 1, 1}};
    conv.x = conv.y = {View::Memory::Arena, 7, 0, dims, denseStrides(dims, Layout::Nchw)};
    const auto engines = findEngines(h100(), conv, options.precision, true);
    QVERIFY(!engines.empty());
    conv.y.index = 8;
    conv.x.strides[0] = conv.y.strides[0] = 16 * 36; // eight channels of sixteen
    alignas(256) std::array<std::byte, 3> places{};  // never touched: addresses alone count
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

void TestGpuDevice::toHalf_everyHalf_roundTrips()
{
    for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
        const auto half = static_cast<std::uint16_t>(bits);
        const float value = fromHalf(half);
        if (std::isnan(value))
            QVERIFY(std::isnan(fromHalf(toHalf(value))));
        else
            QCOMPARE(toHalf(value), half);
    }
}

void TestGpuDevice::toHalf_values_roundToNearestEven()
{
    QCOMPARE(toHalf(1.0F + 0x1p-11F), std::uint16_t{0x3C00}); // a tie, to even
    QCOMPARE(toHalf(1.0F + 3 * 0x1p-11F), std::uint16_t{0x3C02});
    QCOMPARE(toHalf(65519.0F), std::uint16_t{0x7BFF});
    QCOMPARE(toHalf(65520.0F), std::uint16_t{0x7C00});
    QCOMPARE(toHalf(0x1p-25F), std::uint16_t{0}); // half the smallest, to even
    QCOMPARE(toHalf(1.5F * 0x1p-25F), std::uint16_t{1});
    QCOMPARE(toHalf(-0x1p-24F), std::uint16_t{0x8001});
}

void TestGpuDevice::gathered_scatteredValues_comeBack()
{
    const View whole{View::Memory::Arena, 0, 0, {2, 6, 2, 3}, denseStrides({2, 6, 2, 3}, Layout::Nhwc)};
    View slice = sliced(whole, 1, 2, 3);
    slice.offset = 0;
    std::vector<float> values(static_cast<std::size_t>(slice.elements()));
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = static_cast<float>(i) / 8;
    for (const Precision precision : {Precision::Fp32, Precision::Fp16}) {
        std::vector<std::byte> bytes(static_cast<std::size_t>(slice.span() * elementBytes(precision)));
        scatter(values, slice, precision, bytes);
        QVERIFY(gathered(bytes, slice, precision) == values);
    }
}

void TestGpuDevice::unavailableText_code_saysWhatToDo_data()
{
    QTest::addColumn<int>("code"); // of cudaError_t
    QTest::addColumn<int>("driver");
    QTest::addColumn<QByteArray>("text");
    QTest::newRow("no driver") << 35 << 0 << QByteArray("no NVIDIA driver is loaded: install");
    QTest::newRow("old driver") << 35 << 12040
                                << QByteArray("the NVIDIA driver supports CUDA 12.4 and CUDA 13.0 is needed: install");
    QTest::newRow("no GPU") << 100 << 13000 << QByteArray("the NVIDIA driver sees no GPU: check");
    QTest::newRow("mismatch") << 803 << 13000
                              << QByteArray("the NVIDIA driver was updated and not loaded since: restart");
    QTest::newRow("other") << 3 << 13000 << QByteArray("CUDA does not start: ");
}

void TestGpuDevice::unavailableText_code_saysWhatToDo()
{
    QFETCH(const int, code);
    QFETCH(const int, driver);
    QFETCH(const QByteArray, text);
    QVERIFY2(unavailableText(code, driver, 13000).starts_with(text.toStdString()),
             unavailableText(code, driver, 13000).c_str());
}

void TestGpuDevice::slowdownText_idleAndPower_tellsPowerAlone()
{
    QCOMPARE(slowdownText(0x1 | 0x2), std::string()); // idle, application clocks
    QCOMPARE(slowdownText(0x1 | 0x4 | 0x40), std::string("power limit, temperature (hardware)"));
}

void TestGpuDevice::requireCuda_failure_isFatalWhereNothingWorksAfterIt_data()
{
    QTest::addColumn<int>("code"); // of cudaError_t
    QTest::addColumn<bool>("fatal");
    QTest::newRow("illegal address") << 700 << true;
    QTest::newRow("stopped kernel") << 702 << true;
    QTest::newRow("launch failure") << 719 << true;
    QTest::newRow("tensor memory not given back") << 721 << true;
    QTest::newRow("MPS client ended by its server") << 810 << true;
    QTest::newRow("another device's failure") << 911 << true;
    QTest::newRow("out of memory") << 2 << false;
    QTest::newRow("invalid value") << 1 << false;
}

void TestGpuDevice::requireCuda_failure_isFatalWhereNothingWorksAfterIt()
{
    QFETCH(const int, code);
    QFETCH(const bool, fatal);
    bool lost = false;
    const auto result = guarded(lost, [&]() -> Result<void> {
        requireCuda(code, "running the schedule");
        return {};
    });
    QVERIFY(!result && result.error().code == ErrorCode::DeviceFailed);
    QVERIFY(result.error().message.starts_with("running the schedule failed: "));
    QCOMPARE(lost, fatal);
}

void TestGpuDevice::requireCuda_outOfMemory_saysWhatHelps()
{
    bool lost = false;
    const auto result = guarded(lost, []() -> Result<void> {
        requireCuda(2, "allocating 7 MiB on the GPU");
        return {};
    });
    QCOMPARE(result.error().message,
             std::string("allocating 7 MiB on the GPU failed: out of memory (cudaErrorMemoryAllocation)"));
    QCOMPARE(result.error().remedy, std::string("use a smaller batch, or end other programs on the GPU"));
}

void TestGpuDevice::guarded_failureOfCudnn_asksTheGpu_data()
{
    QTest::addColumn<bool>("fails");
    QTest::addColumn<bool>("broken"); // the GPU, when asked
    QTest::addColumn<bool>("lost");
    QTest::newRow("nothing failed") << false << true << false; // is not asked
    QTest::newRow("not supported") << true << false << false;
    QTest::newRow("beneath it an illegal address") << true << true << true;
}

// cuDNN tells an illegal address as a failed execution: our copy of CUDA hears of it only when asked.
void TestGpuDevice::guarded_failureOfCudnn_asksTheGpu()
{
    QFETCH(const bool, fails);
    QFETCH(const bool, broken);
    QFETCH(const bool, lost);
    bool found = false;
    const auto result = guarded(
        found,
        [&]() -> Result<void> {
            requireCudnn(fails ? 5000 : 0, "a convolution");
            return {};
        },
        broken ? +[] { return 700; } : +[] { return 0; });
    QCOMPARE(!result, fails);
    QCOMPARE(found, lost);
    QCOMPARE(!result && result.error().message.find("an illegal memory access") != std::string::npos, lost);
}

void TestGpuDevice::guarded_ownMemoryRunsOut_isAnError()
{
    bool lost = false;
    const auto result = guarded(lost, []() -> Result<void> { throw std::bad_alloc(); });
    QVERIFY(!result && !lost);
    QCOMPARE(result.error().remedy, std::string("use a smaller batch"));
}

void TestGpuDevice::wake_afterIdleness_givesWork()
{
    using namespace std::chrono_literals;
    Wakefulness gpu;
    int works = 0;
    const auto work = [&] {
        ++works;
        std::this_thread::sleep_for(1ms);
    };
    const auto start = std::chrono::steady_clock::now();
    gpu.wake(10ms, work); // at first nobody knows of work
    QVERIFY(works > 0 && std::chrono::steady_clock::now() - start >= 10ms);
    // Not after work, unless this thread was kept waiting in between.
    for (int i = 0; i < 20 && works > 0; ++i) {
        works = 0;
        std::this_thread::sleep_for(25ms);
        gpu.worked();
        gpu.wake(10ms, work);
    }
    QCOMPARE(works, 0);
    std::this_thread::sleep_for(25ms);
    gpu.wake(10ms, work);
    QVERIFY(works > 0);
    works = 0;
    std::this_thread::sleep_for(25ms);
    std::stop_source stop;
    stop.request_stop();
    gpu.wake(10ms, work, stop.get_token());
    QCOMPARE(works, 0);
}

void TestGpuDevice::workQueuesText_environment_isTold()
{
    const QByteArray before = qgetenv("CUDA_DEVICE_MAX_CONNECTIONS");
    const auto restore = qScopeGuard([&] {
        before.isNull() ? qunsetenv("CUDA_DEVICE_MAX_CONNECTIONS") : qputenv("CUDA_DEVICE_MAX_CONNECTIONS", before);
    });
    qputenv("CUDA_DEVICE_MAX_CONNECTIONS", "12");
    QCOMPARE(workQueuesText(), std::string("12"));
    qunsetenv("CUDA_DEVICE_MAX_CONNECTIONS");
    QCOMPARE(workQueuesText(), std::string("as CUDA has them"));
}

void TestGpuDevice::makeGpuDevice_withoutGpu_isUnavailableWithReason()
{
    const DeviceInfo info = take(makeGpuDevice("gpu:0:tf32"))->info();
    QCOMPARE(info.id, std::string("gpu:0:tf32"));
    if (info.available)
        QSKIP("there is a GPU here");
    QVERIFY(!info.unavailableReason.empty());
    const auto session = take(makeGpuDevice("gpu:0:tf32"))->open(nullptr);
    QVERIFY(!session && session.error().message.starts_with("gpu:0:tf32 is not available: "));
}

QTEST_GUILESS_MAIN(TestGpuDevice)
#include "tst_gpu_device.moc"
