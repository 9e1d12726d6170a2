// Our own kernels without a GPU: they compile for every architecture, and the results are stored in distinct, checked
// files.

#include "gpu/cuda/failure.h"
#include "gpu/device/kernel_files.h"
#include "gpu/device/kernel_library.h"
#include "support/suite.h"

#include <QDir>
#include <QFile>
#include <QScopeGuard>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <filesystem>

using namespace stagecraft;
using namespace stagecraft::gpu;

namespace tst_gpu_kernel_library {

class TestGpuKernelLibrary : public QObject {
    Q_OBJECT

private slots:
    void compileKernels_everyArchitecture_succeeds_data();
    void compileKernels_everyArchitecture_succeeds();
    void compileKernels_newerThanTheCompiler_leavesItToTheDriver();
    void compileKernels_tooOldArchitecture_saysSo();
    void kernelFile_everythingItDependsOn_isInItsName();
    void kernelFolder_environment_isFollowed();
    void storedOrCompiled_secondTime_compilesNothing();
    void storedOrCompiled_damagedFile_compilesAgain_data();
    void storedOrCompiled_damagedFile_compilesAgain();
    void storedOrCompiled_nowhereToStore_compiles();
};

void TestGpuKernelLibrary::compileKernels_everyArchitecture_succeeds_data()
{
    QTest::addColumn<QByteArray>("architecture");
    QTest::addColumn<bool>("half");
    QTest::newRow("Turing") << QByteArray("sm_75") << false;
    QTest::newRow("Hopper, half") << QByteArray("sm_90") << true;
    QTest::newRow("Blackwell") << QByteArray("sm_100") << false;
}

void TestGpuKernelLibrary::compileKernels_everyArchitecture_succeeds()
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

void TestGpuKernelLibrary::compileKernels_newerThanTheCompiler_leavesItToTheDriver()
{
    try {
        const auto code = compileKernels("sm_990", Precision::Fp32);
        const QByteArray text(code.data(), static_cast<qsizetype>(code.size()));
        QVERIFY(text.endsWith('\0')); // CUDA needs the null terminator of PTX
        QVERIFY2(text.contains(".target sm_1") && text.contains(".visible .entry"), text.left(300).constData());
    } catch (const Failure &failure) {
        QFAIL(failure.error.message.c_str());
    }
}

void TestGpuKernelLibrary::compileKernels_tooOldArchitecture_saysSo()
{
    try {
        (void)compileKernels("sm_50", Precision::Fp32);
        QFAIL("sm_50 compiled");
    } catch (const Failure &failure) {
        QVERIFY(failure.error.message.starts_with("the kernels do not compile for sm_50"));
        QVERIFY(!failure.fatal);
    }
}

void TestGpuKernelLibrary::kernelFile_everythingItDependsOn_isInItsName()
{
    const std::filesystem::path single = kernelFile("/kept", "sm_90", Precision::Fp32);
    QVERIFY(single.parent_path() == "/kept" && single.filename().string().starts_with("sm_90-fp32-"));
    QVERIFY(single == kernelFile("/kept", "sm_90", Precision::Tf32));
    QVERIFY(single != kernelFile("/kept", "sm_90", Precision::Fp16));
    QVERIFY(single != kernelFile("/kept", "sm_89", Precision::Fp32));
    QVERIFY(kernelFile({}, "sm_90", Precision::Fp32).empty());
}

void TestGpuKernelLibrary::kernelFolder_environment_isFollowed()
{
    const QByteArray cache = qgetenv("XDG_CACHE_HOME");
    const QByteArray alias = qgetenv("HOME");
    const auto restore = qScopeGuard([&] {
        cache.isNull() ? qunsetenv("XDG_CACHE_HOME") : qputenv("XDG_CACHE_HOME", cache);
        alias.isNull() ? qunsetenv("HOME") : qputenv("HOME", alias);
    });
    qputenv("HOME", "/someone");
    qputenv("XDG_CACHE_HOME", "/cache");
    QVERIFY(kernelFolder() == "/cache/stagecraft/kernels");
    qputenv("XDG_CACHE_HOME", "relative");
    QVERIFY(kernelFolder() == "/someone/.cache/stagecraft/kernels");
    qunsetenv("XDG_CACHE_HOME");
    qputenv("HOME", "relative"); // treated as unset: the user database gives the home folder
    QVERIFY(kernelFolder().is_absolute() || kernelFolder().empty());
}

namespace {

const std::vector<char> kCode{'c', 'o', 'd', 'e', '\0', '\n'};

// Counts compilations.
std::vector<char> stored(const std::filesystem::path &file, int &compiled)
{
    return storedOrCompiled(file, [&] {
        ++compiled;
        return kCode;
    });
}

std::filesystem::path under(const QTemporaryDir &folder, const char *name)
{
    return std::filesystem::path(folder.path().toStdString()) / name;
}

} // namespace

void TestGpuKernelLibrary::storedOrCompiled_secondTime_compilesNothing()
{
    const QTemporaryDir folder;
    int compiled = 0;
    for (int i = 0; i < 2; ++i)
        QVERIFY(stored(under(folder, "new/folder/a.cubin"), compiled) == kCode);
    QCOMPARE(compiled, 1);
    QVERIFY(stored(under(folder, "new/folder/b.cubin"), compiled) == kCode);
    QCOMPARE(compiled, 2);
    QCOMPARE(QDir(folder.filePath("new/folder")).entryList(QDir::Files), QStringList({"a.cubin", "b.cubin"}));
}

void TestGpuKernelLibrary::storedOrCompiled_damagedFile_compilesAgain_data()
{
    QTest::addColumn<int>("length");  // bytes that are left
    QTest::addColumn<int>("flipped"); // a byte counted from the end; 0: none
    QTest::newRow("empty") << 0 << 0;
    QTest::newRow("other start") << 1000 << 1000;
    QTest::newRow("cut in its checksum") << 25 << 0;
    QTest::newRow("without code") << 29 << 0;
    QTest::newRow("cut in its code") << 33 << 0;
    QTest::newRow("other code") << 1000 << 2;
    QTest::newRow("other checksum") << 1000 << 8;
}

void TestGpuKernelLibrary::storedOrCompiled_damagedFile_compilesAgain()
{
    QFETCH(const int, length);
    QFETCH(const int, flipped);
    const QTemporaryDir folder;
    int compiled = 0;
    (void)stored(under(folder, "a.cubin"), compiled);
    QFile file(folder.filePath("a.cubin"));
    QVERIFY(file.open(QIODevice::ReadWrite));
    QByteArray bytes = file.readAll();
    if (flipped > 0)
        bytes[std::max<qsizetype>(bytes.size() - flipped, 0)] ^= 1;
    QVERIFY(file.resize(0) && file.seek(0) && file.write(bytes.left(length)) >= 0);
    file.close();
    QVERIFY(stored(under(folder, "a.cubin"), compiled) == kCode);
    QCOMPARE(compiled, 2);
    QVERIFY(stored(under(folder, "a.cubin"), compiled) == kCode); // the file is whole again
    QCOMPARE(compiled, 2);
}

void TestGpuKernelLibrary::storedOrCompiled_nowhereToStore_compiles()
{
    const QTemporaryDir folder;
    QFile plain(folder.filePath("file"));
    QVERIFY(plain.open(QIODevice::WriteOnly));
    int compiled = 0;
    for (const auto &file :
         {std::filesystem::path(), under(folder, "file/a.cubin"), std::filesystem::path("/proc/a/b")})
        QVERIFY(stored(file, compiled) == kCode);
    QVERIFY(QDir(folder.path()).mkdir("folder")); // a folder in the file's place
    QVERIFY(QDir(folder.path()).mkdir("folder/full"));
    QVERIFY(stored(under(folder, "folder"), compiled) == kCode);
    QCOMPARE(compiled, 4);
    QCOMPARE(QDir(folder.path()).entryList(QDir::AllEntries | QDir::NoDotAndDotDot), QStringList({"file", "folder"}));
}

STAGECRAFT_SUITE(TestGpuKernelLibrary)

} // namespace tst_gpu_kernel_library
#include "tst_gpu_kernel_library.moc"
