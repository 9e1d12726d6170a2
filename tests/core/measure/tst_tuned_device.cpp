// A device with tuned kernels: what the store has for it, and latencies of its own.

#include "measure/tuned_device.h"
#include "support/graph_making.h"
#include "support/sqlite.h"
#include "support/suite.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_tuned_device {

namespace {

constexpr const char *kFingerprint = "cpu;model=x;";

class PlainDevice : public Device {
public:
    explicit PlainDevice(TunedKernels *used) : m_used(used) {}

    DeviceInfo info() const override
    {
        DeviceInfo info;
        info.id = "cpu";
        info.fingerprint = kFingerprint;
        return info;
    }
    Result<std::unique_ptr<DeviceSession>> open(std::shared_ptr<const Graph>) const override
    {
        *m_used = m_kernels ? *m_kernels : TunedKernels{};
        return fail(ErrorCode::DeviceFailed, "not opened");
    }

private:
    TunedKernels *m_used;
};

} // namespace

class TestTunedDevice : public QObject {
    Q_OBJECT

private slots:
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }

    void kernels_stored_comeBackAsTheyWere()
    {
        auto store = take(LatencyStore::open(path()));
        QVERIFY(store.addKernel(kFingerprint, {"a", {7, 1, 4}, 9.5, 11, 1.15, 1.1, 1.2, 64}));
        QVERIFY(store.addKernel(kFingerprint, {"b", {}, 12, 11, 0.9, 0.88, 0.93, 64}));
        QVERIFY(store.addKernel("gpu;", {"a", {1}, 1, 2, 2, 2, 2, 1}));
        const auto kernels = take(take(LatencyStore::open(path())).kernels(kFingerprint));
        QCOMPARE(kernels.size(), 2U);
        QCOMPARE(kernels[0].key, std::string("a"));
        QCOMPARE(kernels[0].parameters, (KernelParameters{7, 1, 4}));
        QCOMPARE(kernels[0].speedupHigh, 1.2);
        QCOMPARE(kernels[0].trials, 64);
        QVERIFY(kernels[1].parameters.empty());
        QVERIFY(store.addKernel(kFingerprint, {"a", {8, 1, 4}, 9, 11, 1.2, 1.1, 1.3, 64}));
        QCOMPARE(take(store.kernels(kFingerprint)).front().parameters.front(), 8);
        QVERIFY(store.forgetKernels(kFingerprint));
        QVERIFY(take(store.kernels(kFingerprint)).empty());
        QCOMPARE(take(store.kernels("gpu;")).size(), 1U);
    }

    void kernels_editedParameters_areLeftOut()
    {
        auto store = take(LatencyStore::open(path()));
        QVERIFY(store.addKernel(kFingerprint, {"a", {7, 1}, 9.5, 11, 1.15, 1.1, 1.2, 64}));
        const auto database = take(sqlite::open(path()));
        QVERIFY(sqlite::execute(database.get(), "UPDATE kernels SET parameters = '7 x'"));
        QVERIFY(take(store.kernels(kFingerprint)).empty());
    }

    void open_tunedKernels_areUsedAndInTheFingerprint()
    {
        {
            auto store = take(LatencyStore::open(path()));
            QVERIFY(store.addKernel(kFingerprint, {"a", {7}, 9, 11, 1.2, 1.1, 1.3, 8}));
            QVERIFY(store.addKernel(kFingerprint, {"b", {}, 12, 11, 0.9, 0.8, 1, 8}));
        }
        TunedKernels used;
        const auto device = tunedDevice(std::make_unique<PlainDevice>(&used), path(), {});
        QVERIFY(!device->open(nullptr));
        QCOMPARE(used, (TunedKernels{{"a", {7}}}));
        const std::string fingerprint = device->info().fingerprint;
        QVERIFY(fingerprint.starts_with(std::string(kFingerprint) + "kernels=") && fingerprint.ends_with(';'));
        {
            auto store = take(LatencyStore::open(path()));
            QVERIFY(store.addKernel(kFingerprint, {"a", {8}, 9, 11, 1.2, 1.1, 1.3, 8}));
        }
        const auto other = tunedDevice(std::make_unique<PlainDevice>(&used), path(), {});
        QVERIFY(other->info().fingerprint != fingerprint);
    }

    void open_withoutTunedKernels_isTheDeviceItself()
    {
        TunedKernels used{{"x", {1}}};
        const auto device = tunedDevice(std::make_unique<PlainDevice>(&used), path(), {});
        QVERIFY(!device->open(nullptr));
        QVERIFY(used.empty());
        QCOMPARE(device->info().fingerprint, std::string(kFingerprint));
        QVERIFY(!QFile::exists(QString::fromStdString(path()))); // nothing was made to look
    }

    void open_storeThatCannotBeRead_isReported()
    {
        QVERIFY(QDir(m_folder->path()).mkdir("latencies.sqlite"));
        std::string trouble;
        TunedKernels used;
        const auto device = tunedDevice(std::make_unique<PlainDevice>(&used), path(),
                                        [&](const Error &error) { trouble = error.message; });
        QVERIFY(!trouble.empty());
        QCOMPARE(device->info().fingerprint, std::string(kFingerprint));
    }

private:
    [[nodiscard]] std::string path() const { return m_folder->filePath("latencies.sqlite").toStdString(); }

    std::unique_ptr<QTemporaryDir> m_folder;
};

STAGECRAFT_SUITE(TestTunedDevice)

} // namespace tst_tuned_device
#include "tst_tuned_device.moc"
