#include "device/recorded/profiles/profile_reader.h"
#include "support/profile_making.h"
#include "support/suite.h"

#include <QProcess>
#include <QTest>

#include <random>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_profile_reader {

namespace {

const QByteArray kOnnxRuntime = R"([
{"cat" : "Session","pid" :1,"tid" :1,"dur" :9,"ts" :2,"ph" : "X","name" :"model_run","args" : {}},
{"cat" : "Node","pid" :1,"tid" :1,"dur" :4,"ts" :3,"ph" : "X","name" :"conv_kernel_time","args" : {"op_name" : "Conv"}}])";
const QByteArray kTensorRt = "[\n  { \"count\" : 1 }\n, { \"name\" : \"a\", \"timeMs\" : 0.5, \"averageMs\" : 0.5 }\n]";

QByteArray gzipped(const QByteArray &text)
{
    QProcess gzip;
    gzip.start("gzip", {"-c"});
    gzip.write(text);
    gzip.closeWriteChannel();
    if (!gzip.waitForFinished())
        qFatal("gzip does not run");
    return gzip.readAllStandardOutput();
}

QByteArray pytorch()
{
    return pytorchTrace(
        {pytorchSpan("user_annotation", "ProfilerStep#1", 0, 100),
         pytorchSpan("cpu_op", "aten::conv2d", 5, 9, R"("External id": 4, "Input Dims": [[1, 2]])"),
         pytorchSpan("cuda_runtime", "cudaLaunchKernel", 6, 2, R"("correlation": 3)"),
         pytorchKernel("sgemm", "20.125", "5", 7, R"("External id": 4, "correlation": 3, "grid": [1, 2, 3])"),
         pytorchKernel("relu", "26", "1.5", 20, R"("graph node id": 5)")});
}

} // namespace

class TestProfileReader : public QObject {
    Q_OBJECT

private slots:
    void readProfile_everyFormat_isRecognised_data();
    void readProfile_everyFormat_isRecognised();
    void readProfile_otherFiles_areRefused_data();
    void readProfile_otherFiles_areRefused();
    void readProfile_stopped_isCancelled();
    void readProfile_twoProfiles_areRefused();
    void readProfile_changedBytes_neverCrash_data();
    void readProfile_changedBytes_neverCrash();
    void readProfile_kernelsOfAGraph_areNoted();
};

void TestProfileReader::readProfile_everyFormat_isRecognised_data()
{
    QTest::addColumn<QByteArray>("content");
    QTest::addColumn<QString>("format");
    QTest::newRow("pytorch") << pytorch() << "pytorch";
    QTest::newRow("pytorch behind blank lines") << "\n\n" + pytorch() << "pytorch";
    QTest::newRow("pytorch, gzipped") << gzipped(pytorch()) << "pytorch";
    QTest::newRow("onnxruntime") << kOnnxRuntime << "onnxruntime";
    QTest::newRow("onnxruntime, gzipped") << gzipped(kOnnxRuntime) << "onnxruntime";
    QTest::newRow("tensorrt") << kTensorRt << "tensorrt";
}

void TestProfileReader::readProfile_everyFormat_isRecognised()
{
    QFETCH(QByteArray, content);
    QFETCH(QString, format);
    const auto profile = readContents({content});
    QVERIFY2(profile, profile ? "" : qPrintable(errorOf(profile.error())));
    QCOMPARE(QString::fromStdString(profile->format), format);
    QVERIFY(!profile->kernels.empty());
}

void TestProfileReader::readProfile_otherFiles_areRefused_data()
{
    QTest::addColumn<QByteArray>("content");
    QTest::addColumn<QString>("reason");
    const QString unknown = "it is no profile that this program knows";
    QTest::newRow("empty") << QByteArray() << unknown;
    QTest::newRow("text") << QByteArray("hello") << unknown;
    QTest::newRow("a schedule") << QByteArray(R"({"format": "stagecraft-schedule"})") << unknown;
    QTest::newRow("damaged gzip") << QByteArray("\x1f\x8b with nothing in it")
                                  << "it is not gzip, or damaged at byte 4";
    QTest::newRow("events elsewhere") << QByteArray(R"({"a": {"traceEvents": []}})")
                                      << "line 1: \"traceEvents\" is missing";
}

void TestProfileReader::readProfile_otherFiles_areRefused()
{
    QFETCH(QByteArray, content);
    QFETCH(QString, reason);
    const auto profile = readContents({content});
    QVERIFY(!profile);
    QVERIFY(profile.error().code == ErrorCode::InvalidInput);
    QVERIFY2(errorOf(profile.error()).contains("profile1: "), qPrintable(errorOf(profile.error())));
    QVERIFY2(QString(reason).endsWith(QString::fromStdString(profile.error().message)) ||
                 errorOf(profile.error()).contains(reason),
             qPrintable(errorOf(profile.error())));
}

void TestProfileReader::readProfile_stopped_isCancelled()
{
    std::stop_source stop;
    stop.request_stop();
    const QTemporaryDir folder;
    QFile file(folder.filePath("trace.json"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(pytorch());
    file.close();
    const auto profile = readProfile(std::vector{file.fileName().toStdString()}, stop.get_token());
    QVERIFY(!profile);
    QVERIFY(profile.error().code == ErrorCode::Cancelled);
}

void TestProfileReader::readProfile_twoProfiles_areRefused()
{
    const auto twice = readContents({kOnnxRuntime, kOnnxRuntime});
    QVERIFY(!twice);
    QVERIFY2(errorOf(twice.error()).contains("profile2: it is a profile of ONNX Runtime, which does not belong to"),
             qPrintable(errorOf(twice.error())));
    QVERIFY(readProfile({}).error().code == ErrorCode::WrongUse);
    QVERIFY(!readProfile(std::vector<std::string>{"/no/such/file"}));
}

void TestProfileReader::readProfile_changedBytes_neverCrash_data()
{
    QTest::addColumn<QByteArray>("content");
    QTest::newRow("pytorch") << pytorch();
    QTest::newRow("onnxruntime") << kOnnxRuntime;
    QTest::newRow("tensorrt") << kTensorRt;
    QTest::newRow("gzipped") << gzipped(pytorch());
}

void TestProfileReader::readProfile_changedBytes_neverCrash()
{
    QFETCH(QByteArray, content);
    std::mt19937 random(3);
    constexpr std::string_view kLetters = "0123456789[]{}\",:-.eE\\ntf\x00\xff";
    for (int i = 0; i < 1250; ++i) {
        QByteArray changed = content;
        const auto place = [&] { return static_cast<qsizetype>(random() % static_cast<unsigned>(changed.size())); };
        for (int k = 0; k <= i % 4; ++k)
            changed[place()] = kLetters[random() % kLetters.size()];
        if (i % 7 == 0)
            changed.truncate(place());
        if (i % 11 == 0 && !changed.isEmpty())
            changed.insert(place(), changed.mid(place(), 40));
        const ProfileReader *reader = readerOf(changed.toStdString());
        if (!reader && i % 10 != 0) // with its file, which takes longer, now and then
            continue;
        const ProfileFile file{"changed", changed.toStdString(), {}};
        const auto profile =
            i % 10 == 0 ? readContents({changed}) : reader->read(std::span(&file, 1), std::stop_token());
        QVERIFY(profile || (profile.error().code == ErrorCode::InvalidInput && !profile.error().message.empty()));
        QVERIFY(profile || i % 10 != 0 || !profile.error().context.empty());
    }
}

void TestProfileReader::readProfile_kernelsOfAGraph_areNoted()
{
    const auto profile = readContents({pytorchTrace({pytorchKernel("a", "1", "9", 7, R"("graph node id": 1)"),
                                                     pytorchKernel("b", "4", "9", 7, R"("graph node id": 2)")})});
    QVERIFY(profile);
    QCOMPARE(profile->notes.size(), 1U);
    QVERIFY(profile->notes[0].starts_with("all kernels of a CUDA graph lie on one stream"));
}

STAGECRAFT_SUITE(TestProfileReader)

} // namespace tst_profile_reader
#include "tst_profile_reader.moc"
