// Databases as Nsight Systems documents them, made here.

#include "device/recorded/profiles/profile_times.h"
#include "support/profile_making.h"
#include "support/sqlite.h"
#include "support/suite.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <random>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_nsight_profile {

namespace {

const char *const kStrings =
    "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT NOT NULL);"
    "INSERT INTO StringIds VALUES (1, 'sgemm'), (2, 'void cudnn::implicit_convolve_sgemm()'),"
    " (3, 'cudaLaunchKernel_v7000'), (4, 'Conv_0 + Relu_1'), (5, 'ExecutionContext::enqueue');";
const char *const kKernels =
    "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT, deviceId INT, contextId INT, streamId INT,"
    " correlationId INT, demangledName INT, shortName INT, registersPerThread INT, gridX INT, gridY INT, gridZ INT,"
    " blockX INT, blockY INT, blockZ INT, staticSharedMemory INT, dynamicSharedMemory INT, graphNodeId INT);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (5000, 9000, 0, 1, 13, 12, 2, 1, 32, 1, 2, 3, 4, 5, 6, 7, 8, NULL),"
    " (1000, 4000, 0, 1, 7, 11, 2, 2, 64, 8, 1, 1, 128, 1, 1, 0, 0, 77);";
const char *const kCalls =
    "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INT, end INT, eventClass INT, globalTid INT, correlationId INT,"
    " nameId INT, returnValue INT);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (600, 610, 0, 42, 12, 3, 0), (500, 510, 0, 42, 11, 3, 0),"
    " (700, 710, 0, 42, 13, 3, 0);";
const char *const kRanges =
    "CREATE TABLE NVTX_EVENTS (start INT, end INT, eventType INT, globalTid INT, text TEXT, textId INT);"
    "INSERT INTO NVTX_EVENTS VALUES (490, 520, 59, 42, NULL, 4), (400, 900, 59, 42, NULL, 5),"
    " (590, 620, 59, 43, 'of another thread', NULL), (450, NULL, 34, 42, 'a mark', NULL);";
const char *const kInfo = "CREATE TABLE TARGET_INFO_GPU (id INT, name TEXT);"
                          "INSERT INTO TARGET_INFO_GPU VALUES (0, 'NVIDIA A100');"
                          "CREATE TABLE META_DATA_EXPORT (name TEXT, value TEXT);"
                          "INSERT INTO META_DATA_EXPORT VALUES ('NSIGHT_SYSTEMS_VERSION', '2025.6.1');";

QByteArray database(const std::vector<const char *> &parts)
{
    const QTemporaryDir folder;
    const QString path = folder.filePath("report.sqlite");
    {
        const auto made = sqlite::open(path.toStdString());
        if (!made)
            qFatal("a test could not make its database");
        for (const char *part : parts) {
            if (const auto done = sqlite::execute(made->get(), part); !done)
                qFatal("%s", done.error().message.c_str());
        }
    }
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

} // namespace

class TestNsightProfile : public QObject {
    Q_OBJECT

private slots:
    void read_everyTable_isUsed();
    void read_tablesThatAreNotThere_areMissing();
    void read_graphsAsAWhole_sayHowToTraceTheirKernels();
    void read_otherTables_areRefusedByName_data();
    void read_otherTables_areRefusedByName();
    void read_changedBytes_neverCrash();
};

void TestNsightProfile::read_everyTable_isUsed()
{
    const auto profile = readContents({database(
        {kStrings, kKernels, kCalls, kRanges, kInfo,
         "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INT, end INT, deviceId INT, streamId INT, bytes INT);"
         "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (100, 300, 0, 7, 4096);"})});
    QVERIFY2(profile, profile ? "" : qPrintable(errorOf(profile.error())));
    QCOMPARE(profile->format, std::string("nsight-systems"));
    QCOMPARE(profile->version, std::string("2025.6.1"));
    QCOMPARE(profile->device, std::string("NVIDIA A100"));
    QCOMPARE(profile->kernels.size(), 3U); // by start, whatever the order of the rows
    QVERIFY(profile->kernels[0].kind == ProfiledKind::Copy && profile->kernels[0].durationNs == 200);
    const ProfiledKernel &conv = profile->kernels[1];
    QCOMPARE(conv.name, std::string("void cudnn::implicit_convolve_sgemm()"));
    QVERIFY(conv.startNs == 1000 && conv.durationNs == 3000 && conv.graphNode == 77 && conv.launchedNs == 500);
    QCOMPARE(profile->streams[conv.stream].name, std::string("stream 7"));
    QCOMPARE(profile->hostOperators.at(conv.hostOperator).name, std::string("Conv_0 + Relu_1"));
    const ProfiledKernel &gemm = profile->kernels[2];
    QVERIFY(gemm.grid == (std::array<std::int64_t, 3>{1, 2, 3}) &&
            gemm.block == (std::array<std::int64_t, 3>{4, 5, 6}));
    QVERIFY(gemm.registersPerThread == 32 && gemm.sharedBytes == 15 && !gemm.graphNode);
    QCOMPARE(profile->hostOperators.at(gemm.hostOperator).name, std::string("ExecutionContext::enqueue"));
    QCOMPARE(profile->launchesWithoutKernel, 1);
}

void TestNsightProfile::read_tablesThatAreNotThere_areMissing()
{
    const auto empty = readContents({database({kStrings})});
    QVERIFY(empty && empty->kernels.empty());
    for (const char *key : {"kernels", "device", "program_version"})
        QVERIFY2(empty->missing.contains(key), key);
    const auto few = readContents({database({"CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT); INSERT "
                                             "INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1, 5);"})});
    QVERIFY(few);
    QCOMPARE(few->kernels.at(0).name, std::string("kernel without a name"));
    QCOMPARE(few->kernels.at(0).durationNs, 4);
}

void TestNsightProfile::read_graphsAsAWhole_sayHowToTraceTheirKernels()
{
    const auto profile =
        readContents({database({"CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start INT, end INT);"})});
    QVERIFY(profile);
    QVERIFY(profile->missing.at("kernels").find("--cuda-graph-trace=node") != std::string::npos);
}

void TestNsightProfile::read_otherTables_areRefusedByName_data()
{
    QTest::addColumn<QByteArray>("table");
    QTest::addColumn<QString>("reason");
    QTest::newRow("no end") << QByteArray("CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT);")
                            << "the table CUPTI_ACTIVITY_KIND_KERNEL has no column end";
    QTest::newRow("ends early") << QByteArray(
                                       "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT); INSERT INTO "
                                       "CUPTI_ACTIVITY_KIND_KERNEL VALUES (9, 2);")
                                << "table CUPTI_ACTIVITY_KIND_KERNEL: a row ends at 2 ns and begins at 9 ns";
}

void TestNsightProfile::read_otherTables_areRefusedByName()
{
    QFETCH(QByteArray, table);
    QFETCH(QString, reason);
    const auto profile = readContents({database({table.constData()})});
    QVERIFY(!profile);
    QVERIFY2(errorOf(profile.error()).endsWith("profile1: " + reason), qPrintable(errorOf(profile.error())));
    // A view could run for ever.
    const auto view =
        readContents({database({"CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS WITH RECURSIVE n(start, end) AS "
                                "(SELECT 1, 2 UNION ALL SELECT start, end FROM n) SELECT * FROM n;"})});
    QVERIFY(view && view->kernels.empty());
}

void TestNsightProfile::read_changedBytes_neverCrash()
{
    const QByteArray whole = database({kStrings, kKernels, kCalls, kRanges, kInfo});
    std::mt19937 random(1);
    for (int i = 0; i < 400; ++i) {
        QByteArray changed = whole;
        for (int k = 0; k < 1 + i % 8; ++k)
            changed[static_cast<qsizetype>(16 + random() % static_cast<unsigned>(whole.size() - 16))] =
                static_cast<char>(random());
        if (i % 5 == 0)
            changed.truncate(static_cast<qsizetype>(16 + random() % static_cast<unsigned>(whole.size() - 16)));
        const auto profile = readContents({changed});
        QVERIFY(profile || (profile.error().code == ErrorCode::InvalidInput && !profile.error().context.empty()));
    }
}

STAGECRAFT_SUITE(TestNsightProfile)

} // namespace tst_nsight_profile
#include "tst_nsight_profile.moc"
