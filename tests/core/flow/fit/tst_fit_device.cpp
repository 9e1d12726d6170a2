// Simulated devices beside kernels that others measured: files and profiles as they are, what built-in devices say of
// themselves, and a device that is fitted to half of its kernels.

#include "flow/fit/open_kernels.h"
#include "flow/fit/profile_kernels.h"
#include "flow/fit_device.h"
#include "support/error_text.h"
#include "support/places.h"
#include "support/shared_data.h"
#include "support/suite.h"
#include "support/text_file.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cmath>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_fit_device {

namespace {

std::string kernelFile(const char *name)
{
    return sharedDataPath(QString("kernels/") + name).toStdString();
}

// NVIDIA Tesla P100 SXM2: white paper; L2 bandwidth: Jia et al., arXiv 1804.06826. Constants of the V100.
DeviceDescription p100()
{
    DeviceDescription device = *findDeviceDescription("v100");
    device.name = "p100";
    device.title = "NVIDIA Tesla P100 SXM2";
    device.smCount = 56;
    device.smClockMhz = 1480;
    device.tensorFmaPerClockPerSm = 0;
    device.int8FmaPerClockPerSm = 0;
    device.sharedMemoryPerSmKib = 64;
    device.l2Kib = 4096;
    device.l2GbPerSecond = 1624;
    device.dramGbPerSecond = 732;
    device.judgements.clear();
    return device;
}

std::vector<SimulatedKernel> ofKind(const std::vector<SimulatedKernel> &kernels, KernelKind kind)
{
    std::vector<SimulatedKernel> found;
    std::ranges::copy_if(kernels, std::back_inserter(found),
                         [&](const SimulatedKernel &kernel) { return kernel.kernel.kind == kind; });
    return found;
}

HostOperator call(const char *name, std::int64_t startNs, std::vector<ProfiledShape> shapes)
{
    return {.name = name, .startNs = startNs, .durationNs = 10, .inputShapes = std::move(shapes)};
}

ProfiledKernel launched(std::uint32_t by, const char *name, std::int64_t ns)
{
    ProfiledKernel kernel{.name = name};
    kernel.startNs = 0;
    kernel.durationNs = ns;
    kernel.hostOperator = by;
    return kernel;
}

} // namespace

class TestFitDevice : public QObject {
    Q_OBJECT

private slots:
    void kernelDevice_everyId_saysDeviceAndPrecision_data()
    {
        QTest::addColumn<QString>("id");
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("precision");
        QTest::newRow("alone") << "sim:k80"
                               << "k80"
                               << "fp32";
        QTest::newRow("float32") << "sim:k80:fp32"
                                 << "k80"
                                 << "fp32";
        QTest::newRow("float16") << "sim:v100:fp16"
                                 << "v100"
                                 << "fp16";
        QTest::newRow("changed") << "sim:v100:fp16*sm_count=40"
                                 << "v100*"
                                 << "fp16";
    }

    void kernelDevice_everyId_saysDeviceAndPrecision()
    {
        QFETCH(const QString, id);
        QFETCH(const QString, name);
        QFETCH(const QString, precision);
        const auto device = kernelDevice(id.toStdString());
        QVERIFY2(device.has_value(), device ? "" : errorText(device.error()).c_str());
        QCOMPARE(QString::fromStdString(device->description.name), name);
        QCOMPARE(QString::fromStdString(device->precision), precision);
        QVERIFY((device->run.precision == SimulatedPrecision::Fp16) == (precision == "fp16"));
        QCOMPARE(QString::fromStdString(device->id), id);
    }

    void kernelDevice_notSimulated_isRefused()
    {
        QCOMPARE(kernelDevice("cpu").error().code, ErrorCode::WrongUse);
        QCOMPARE(kernelDevice("sim:nothing").error().code, ErrorCode::WrongUse);
    }

    void openKernels_badFiles_areRefusedByNameAndLine()
    {
        QTemporaryDir folder;
        const auto told = [&](const char *name, const std::string &text) {
            const std::string path = folder.filePath(name).toStdString();
            [&] { QVERIFY(writeTextFile(path, text).has_value()); }();
            const auto read = openKernels(path);
            return read ? std::string("read") : errorText(read.error()).substr(folder.path().size() + 1);
        };
        QCOMPARE(told("a.csv", "kind,n_or_m,c_or_n,h_or_k,time_us\ngemm,1,2,x,4\n").substr(0, 27),
                 "a.csv: line 2: h_or_k is \"x");
        QVERIFY(told("b.csv", "no table\n").starts_with("b.csv: "));
        QVERIFY(told("c.json", R"({"traceEvents": []})").find("no convolution and no product") != std::string::npos ||
                told("c.json", R"({"traceEvents": []})").starts_with("c.json: "));
        QVERIFY(openKernels("nowhere.csv").error().context.front() == "nowhere.csv");
    }

    // Stride and padding follow from what read the result; equal calls are one kernel.
    void kernelsOf_calls_areConvolutionsAndProducts()
    {
        Profile profile;
        profile.hostOperators = {
            call("aten::cudnn_convolution", 0, {{8, 3, 224, 224}, {64, 3, 7, 7}, {}}),
            call("aten::cudnn_batch_norm", 10, {{8, 64, 112, 112}, {64}}),
            call("aten::cudnn_convolution", 20, {{8, 64, 56, 56}, {64, 64, 3, 3}}),
            call("aten::add_", 30, {{8, 64, 56, 56}}),
            call("aten::cudnn_convolution", 40, {{8, 64, 56, 56}, {64, 1, 3, 3}}), // in groups
            call("aten::add_", 50, {{8, 64, 56, 56}}),
            call("aten::addmm", 60, {{1000}, {8, 512}, {512, 1000}}),
            call("aten::cudnn_convolution", 70, {{8, 64, 56, 56}, {64, 64, 3, 3}}),
            call("aten::add_", 80, {{8, 64, 56, 56}}),
            call("aten::cudnn_convolution", 90, {{8, 3, 224, 224}, {64, 3, 11, 11}}),
            call("aten::relu", 100, {{8, 64, 55, 55}}),
            call("aten::cudnn_convolution", 110, {{8, 3, 224, 224}, {64, 3, 3, 3}}), // that nothing reads
        };
        profile.kernels = {launched(0, "implicit_convolve_sgemm", 5000),
                           launched(1, "bn_fw", 100),
                           launched(2, "cudnn::winograd_nonfused::winogradForwardData4x4", 1000),
                           launched(2, "volta_sgemm_128x64_nn", 3000),
                           launched(3, "add", 100),
                           launched(4, "grouped", 100),
                           launched(5, "add", 100),
                           launched(6, "volta_sgemm_32x128_nn", 7000),
                           launched(7, "cudnn::winograd_nonfused::winogradForwardData4x4", 1000),
                           launched(7, "volta_sgemm_128x64_nn", 5000),
                           launched(8, "add", 100),
                           launched(9, "ampere_scudnn_128x64", 900),
                           launched(10, "relu", 100),
                           launched(11, "volta_scudnn_128x64", 900)};
        const auto kernels = kernelsOf(profile);
        QCOMPARE(kernels.size(), std::size_t{4});
        QCOMPARE(kernelText(kernels[0]), "conv 8x3x224x224, 64 of 7x7, pad 3, stride 2");
        QCOMPARE(kernels[0].us, 5.0);
        QCOMPARE(algorithmOf(kernels[0]), "IMPLICIT_GEMM");
        QCOMPARE(kernelText(kernels[1]), "conv 8x64x56x56, 64 of 3x3, pad 1");
        QCOMPARE(kernels[1].us, 5.0); // of 4 and 6
        QCOMPARE(algorithmOf(kernels[1]), "WINOGRAD_NONFUSED");
        QCOMPARE(kernelText(kernels[2]), "product 8x512x1000");
        QCOMPARE(kernels[2].us, 7.0);
        QCOMPARE(kernelText(kernels[3]), "conv 8x3x224x224, 64 of 11x11, pad 2, stride 4");
        QCOMPARE(algorithmOf(kernels[3]), "IMPLICIT_PRECOMP_GEMM");
    }

    void openKernels_resnet50_hasItsForwardConvolutions()
    {
        const QString file = sharedDataPath("profiles/pytorch/v100_resnet50_train.json.gz");
        if (file.isEmpty())
            QSKIP(kNoSharedData);
        const auto kernels = *simulateKernels(file.toStdString(), *kernelDevice("sim:v100"));
        const auto convolutions = ofKind(kernels, KernelKind::Convolution);
        QCOMPARE(convolutions.size(), std::size_t{23});
        const auto first = std::ranges::find(convolutions, "conv 32x3x224x224, 64 of 7x7, pad 3, stride 2",
                                             [](const SimulatedKernel &one) { return kernelText(one.kernel); });
        QVERIFY(first != convolutions.end());
        QCOMPARE(first->kernel.us, 606.5);
        QVERIFY2(errorsOf(convolutions).meanError < 0.3, qPrintable(QString::number(errorsOf(convolutions).meanError)));
    }

    // STAGECRAFT_WRITE_ANSWERS=1 judges v100 anew, and writes its file.
    void v100_itsKernels_areAsFarOffAsItsFileSays()
    {
        if (kernelFile("v100_fp32.csv").empty())
            QSKIP(kNoSharedData);
        const std::string path = sourcePath("resources/devices/v100.json").toStdString();
        DeviceDescription device = *deviceDescriptionFromJson(*readTextFile(path));
        const DeviceDescription stated = device;
        for (const auto &[id, file] :
             {std::pair{"sim:v100", "v100_fp32.csv"}, {"sim:v100:fp16", "v100_fp16_tensor.csv"}}) {
            KernelDevice base = *kernelDevice(id);
            base.description = device;
            device = fitDevice({{kernelFile(file)}, base, {.keepConstants = true}})->device;
        }
        if (qEnvironmentVariableIsSet("STAGECRAFT_WRITE_ANSWERS")) {
            QVERIFY(writeTextFile(path, toJson(device)).has_value());
            return;
        }
        QCOMPARE(device.judgements.size(), std::size_t{2});
        QCOMPARE(stated.judgements.size(), device.judgements.size());
        const auto agree = [](double one, double other) { return std::abs(one - other) < 0.0001; };
        for (std::size_t i = 0; i < device.judgements.size(); ++i) {
            const DeviceJudgement &says = stated.judgements[i];
            const DeviceJudgement &is = device.judgements[i];
            QCOMPARE(says.files, is.files);
            QCOMPARE(says.error.precision, is.error.precision);
            QCOMPARE(says.error.kernels, is.error.kernels);
            QVERIFY(agree(says.error.medianError, is.error.medianError));
            QVERIFY(agree(says.error.meanError, is.error.meanError));
            QCOMPARE(says.error.isOnLeftOut, false);
            QCOMPARE(says.families.size(), is.families.size());
            for (std::size_t family = 0; family < is.families.size(); ++family) {
                QCOMPARE(says.families[family].family, is.families[family].family);
                QVERIFY(agree(says.families[family].medianError, is.families[family].medianError));
            }
        }
    }

    void builtIn_allButV100_wereNeverJudged()
    {
        for (const DeviceDescription &device : builtInDeviceDescriptions())
            QCOMPARE(device.judgements.empty(), device.name != "v100");
    }

    void fitDevice_halfOfTheP100_isRightOnTheOtherHalf()
    {
        const std::string file = kernelFile("p100_fp32.csv");
        if (file.empty())
            QSKIP(kNoSharedData);
        KernelDevice base;
        base.description = p100();
        base.id = "sim:p100";
        const auto before = *fitDevice({{file}, base, {.keepConstants = true}});
        const auto fitted = *fitDevice({{file}, base, {.folds = 2}});
        QCOMPARE(fitted.judgement.error.kernels, 254);
        QVERIFY(fitted.judgement.error.isOnLeftOut);
        QCOMPARE(fitted.device.judgements, std::vector{fitted.judgement});
        QVERIFY(fitted.judgement.error.meanError < before.judgement.error.meanError);
        for (const auto &[kind, most] : {std::pair{KernelKind::Convolution, 0.20}, {KernelKind::Product, 0.15}}) {
            const double median = errorsOf(ofKind(fitted.kernels, kind)).medianError;
            QVERIFY2(median <= most, qPrintable(QString::number(median)));
        }
        QCOMPARE(fitted.device.calibration, "254 kernels of p100_fp32.csv in fp32, fitted from sim:p100");
        QCOMPARE(fitted.device.title, "NVIDIA Tesla P100 SXM2, fitted");
    }

    void fitDevice_fileAsBase_isNamedOnce()
    {
        if (kernelFile("v100_fp32.csv").empty())
            QSKIP(kNoSharedData);
        QTemporaryDir folder;
        const std::string path = folder.filePath("base.json").toStdString();
        QVERIFY(writeTextFile(path, toJson(p100())).has_value());
        const KernelDevice base = *kernelDevice("sim:" + path);
        QVERIFY(base.description.title.ends_with("from base.json"));
        const auto judged = *fitDevice({{kernelFile("v100_fp32.csv")}, base, {.keepConstants = true}});
        QCOMPARE(judged.device.title, p100().title);
        QCOMPARE(judged.device.calibration, p100().calibration);
    }
};

STAGECRAFT_SUITE(TestFitDevice)

} // namespace tst_fit_device
#include "tst_fit_device.moc"
