// The store of latencies: what it keeps, for whom, under what it survives, and who may use it at once. Past 500 lines:
// many small cases of one file format.

#include "device/recorded/recorded_device.h"
#include "graph/graph.h"
#include "measure/store/latency_store.h"
#include "measure/stored_session.h"
#include "support/sqlite.h"
#include "support/suite.h"

#include <QDir>
#include <QTemporaryDir>
#include <QTest>

#include <chrono>
#include <csignal>
#include <fstream>
#include <sys/wait.h>
#include <unistd.h>

using namespace stagecraft;

namespace tst_latency_store {

namespace {

MeasurementContext context(std::int64_t batch = 1, const std::string &model = "m")
{
    return {"cpu;model=x;", "X, 2 cores", "cpu", batch, model};
}

StageSignature signature(std::uint64_t value)
{
    return {value * 0x9e3779b97f4a7c15ULL, value};
}

RecordedStage named(const std::string &name)
{
    return {Strategy::Concurrent, {{name}}};
}

LatencyStore opened(const std::string &path)
{
    auto store = LatencyStore::open(path);
    if (!store)
        qFatal("%s", store.error().message.c_str());
    return std::move(*store);
}

std::optional<Timing> found(LatencyStore &store, std::uint64_t value, std::int64_t batch = 1)
{
    const auto sample = store.find(context(batch), signature(value), named("op" + std::to_string(value)));
    if (!sample)
        qFatal("%s", sample.error().message.c_str());
    return *sample;
}

// A store of schema version 1, with one latency.
void writeVersion1(const std::string &path)
{
    const auto database = sqlite::open(path);
    const std::string hex = signature(1).toHex();
    const std::string sql = R"(
PRAGMA journal_mode = WAL;
CREATE TABLE latencies (
    fingerprint TEXT NOT NULL, device TEXT NOT NULL, engine TEXT NOT NULL, batch INTEGER NOT NULL, signature TEXT NOT NULL,
    mean_us REAL NOT NULL, median_us REAL NOT NULL, stddev_us REAL NOT NULL, runs INTEGER NOT NULL,
    measured_at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP,
    PRIMARY KEY (fingerprint, engine, batch, signature)) WITHOUT ROWID;
CREATE TABLE stages (
    fingerprint TEXT NOT NULL, engine TEXT NOT NULL, batch INTEGER NOT NULL, model TEXT NOT NULL,
    strategy TEXT NOT NULL, groups TEXT NOT NULL, signature TEXT NOT NULL,
    PRIMARY KEY (fingerprint, engine, batch, model, strategy, groups)) WITHOUT ROWID;
PRAGMA user_version = 1;
INSERT INTO latencies VALUES ('cpu;model=x;', 'X, 2 cores', 'cpu', 1, ')" +
                            hex + R"(', 7.5, 0.1, 0.25, 90, '2026-11-20 09:55:01');
INSERT INTO stages VALUES ('cpu;model=x;', 'cpu', 1, 'm', 'concurrent', '[["op1"]]', ')" +
                            hex + "');";
    if (!database || !sqlite::execute(database->get(), sql.c_str()))
        qFatal("the old store was not written");
}

void add(LatencyStore &store, std::uint64_t value, double us)
{
    const auto added =
        store.add(context(), signature(value), named("op" + std::to_string(value)), {us, us + 1, 0.5, 30});
    if (!added)
        qFatal("%s", added.error().message.c_str());
}

// Two equal convolutions and a different one on one input.
std::shared_ptr<const Graph> threeOperators()
{
    GraphBuilder builder("three");
    const TensorId x = builder.addInput("x", Shape{{1, 8, 4, 4}}).value();
    for (const auto &[name, kind] : {std::pair{"a", ActivationKind::Relu}, std::pair{"b", ActivationKind::Relu},
                                     std::pair{"c", ActivationKind::Tanh}}) {
        Operator op;
        op.name = name;
        op.kind = OperatorKind::Activation;
        op.attributes = Activation{kind};
        op.inputs = {{x}};
        if (!builder.add(std::move(op)))
            qFatal("the test graph does not build");
    }
    return std::make_shared<Graph>(builder.build().value());
}

class CountingSession : public DeviceSession {
public:
    explicit CountingSession(int &calls) : m_calls(calls) {}

    Result<StageLatency> stageLatency(const StageQuestion &, std::stop_token) override
    {
        ++m_calls;
        return StageLatency{{10.0 * m_calls, 10.0 * m_calls, 1, 20, {1410, 1593}}};
    }
    Result<ScheduleLatency> measureWhole(const Schedule &, std::stop_token) override
    {
        return ScheduleLatency{{500, 500, 1, 3}};
    }
    Result<Timeline> timeline(const Schedule &, std::stop_token) override { return Timeline{}; }

private:
    int &m_calls;
};

DeviceInfo device()
{
    DeviceInfo info;
    info.id = "cpu";
    info.title = "X, 2 cores";
    info.fingerprint = "cpu;model=x;";
    return info;
}

} // namespace

class TestLatencyStore : public QObject {
    Q_OBJECT

private slots:
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }

    void find_storedLatency_comesBackExactly();
    void find_storedClocks_comeBack();
    void keep_latencyAlone_comesBackAsThat();
    void list_clocks_hasLowestAndHighestOfThoseKnown();
    void find_otherKey_isNothing();
    void keep_twice_replaces();
    void open_afterSigkill_hasEverythingKept();
    void open_twoProgramsAtOnce_loseNothing();
    void open_oldStore_keepsItsLatencies();
    void open_freshStoreManyAtOnce_allOpenIt_data();
    void open_freshStoreManyAtOnce_allOpenIt();
    void open_damagedFile_isSetAside_data();
    void open_damagedFile_isSetAside();
    void open_newerVersion_isRefused();
    void open_negativeVersion_isRefused();
    void open_noPath_isRefused();
    void exported_groupsThatAreNoNames_areRefused_data();
    void exported_groupsThatAreNoNames_areRefused();
    void open_impossibleFolder_isRefused();
    void exported_storeRoundTrip_keepsEveryDigit();
    void exported_set_replaysAsRecordedDevice();
    void exported_modelChangedUnderItsName_isTheNewOne();
    void exported_engine_saysItsPrecision_data();
    void exported_engine_saysItsPrecision();
    void import_foreignRecording_isRefused();
    void import_badSignature_isRefusedWithItsLine_data();
    void import_badSignature_isRefusedWithItsLine();
    void keepWhole_schedules_areExportedAndImported();
    void clear_oneDevice_leavesTheOthers();
    void clear_oneModel_takesWhatItSharesWithOthers();
    void equalOutputs_ofOneDevice_goWithItsLatencies();
    void find_impossibleLatency_isNotUsed_data();
    void find_impossibleLatency_isNotUsed();
    void samples_describedStages_areOfTheirDeviceAndItsLatencies();
    void session_stagesOfSeveralOperators_areSamplesOfLaterSessions();
    void measureStage_sameSignature_isMeasuredOnce();

private:
    std::string path() const { return m_folder->filePath("sub/latencies.sqlite").toStdString(); }

    std::unique_ptr<QTemporaryDir> m_folder;
};

void TestLatencyStore::find_storedLatency_comesBackExactly()
{
    {
        LatencyStore store = opened(path());
        QVERIFY(!found(store, 1));
        add(store, 1, 1.0 / 3);
    }
    LatencyStore store = opened(path());
    const auto sample = found(store, 1);
    QVERIFY(sample);
    QVERIFY(sample->latencyUs == 1.0 / 3 && sample->meanUs == 1.0 / 3 + 1 && sample->stddevUs == 0.5 &&
            sample->runs == 30);
    QVERIFY(store.notice().empty());
}

void TestLatencyStore::find_storedClocks_comeBack()
{
    {
        LatencyStore store = opened(path());
        add(store, 1, 5);
        QVERIFY(store.add(context(), signature(2), named("op2"), {6, 6, 0, 9, {1980, 2619}}));
    }
    LatencyStore store = opened(path());
    QVERIFY(!found(store, 1)->clocks.isKnown());
    QVERIFY(found(store, 2)->clocks == (ClockRates{1980, 2619}));
}

// As from a recording without a number of runs.
void TestLatencyStore::keep_latencyAlone_comesBackAsThat()
{
    LatencyStore store = opened(path());
    QVERIFY(store.add(context(), signature(2), named("op2"), Timing::ofLatency(6)));
    QVERIFY(*found(store, 2) == Timing::ofLatency(6));
    const auto read = recordedLatenciesFromText(toText(*store.exported(context())));
    QVERIFY(read && read->stages.front().timing == Timing::ofLatency(6));
}

void TestLatencyStore::list_clocks_hasLowestAndHighestOfThoseKnown()
{
    LatencyStore store = opened(path());
    add(store, 1, 5);
    QVERIFY(!store.list()->front().highest.isKnown());
    QVERIFY(store.add(context(), signature(2), named("op2"), {6, 6, 0, 9, {1980, 0}}));
    QVERIFY(store.add(context(), signature(3), named("op3"), {6, 6, 0, 9, {1755, 2619}}));
    const StoredSet set = store.list()->front();
    QCOMPARE(set.stages, 3);
    QVERIFY(set.lowest == (ClockRates{1755, 2619}) && set.highest == (ClockRates{1980, 2619}));
}

// It is upgraded once, from its version number.
void TestLatencyStore::open_oldStore_keepsItsLatencies()
{
    QVERIFY(QDir().mkpath(m_folder->filePath("sub")));
    writeVersion1(path());
    for (int time = 0; time < 2; ++time) {
        LatencyStore store = opened(path());
        QVERIFY(store.notice().empty());
        const auto old = found(store, 1);
        QVERIFY(old && old->meanUs == 7.5 && old->latencyUs == 0.1 && old->stddevUs == 0.25 && old->runs == 90);
        QVERIFY(!old->clocks.isKnown());
        QCOMPARE(store.list()->front().newest, std::string("2026-11-20 09:55:01"));
        QCOMPARE(store.exported(context())->stages.front().timing.latencyUs, 0.1);
    }
    LatencyStore store = opened(path());
    const ClockRates slowed{1980, 2619, "power limit"};
    QVERIFY(store.add(context(), signature(2), named("op2"), {6, 6, 0, 9, slowed}));
    QVERIFY(found(store, 2)->clocks == slowed);
    QVERIFY(store.exported(context())->stages.back().timing.clocks == slowed);
    QVERIFY(store.exported(context())->schedules.empty());
}

void TestLatencyStore::find_otherKey_isNothing()
{
    LatencyStore store = opened(path());
    add(store, 1, 5);
    QVERIFY(!found(store, 2));
    QVERIFY(!found(store, 1, 32));
    MeasurementContext other = context();
    other.fingerprint = "cpu;model=y;";
    QVERIFY(!store.find(other, signature(1), named("op1")).value());
    other = context();
    other.deviceId = "gpu:0, tf32";
    QVERIFY(!store.find(other, signature(1), named("op1")).value());
    other = context();
    other.model = "another"; // the model's name is not part of the key
    QVERIFY(store.find(other, signature(1), named("elsewhere")).value());
}

void TestLatencyStore::keep_twice_replaces()
{
    LatencyStore store = opened(path());
    add(store, 1, 5);
    add(store, 1, 6);
    QCOMPARE(found(store, 1)->latencyUs, 6.0);
    QCOMPARE(store.list()->front().stages, 1);
}

void TestLatencyStore::open_afterSigkill_hasEverythingKept()
{
    int ready[2];
    QCOMPARE(pipe(ready), 0);
    const pid_t child = fork();
    if (child == 0) {
        LatencyStore store = opened(path());
        for (std::uint64_t i = 1;; ++i) {
            add(store, i, static_cast<double>(i));
            if (write(ready[1], &i, sizeof i) != sizeof i)
                _exit(1);
        }
    }
    std::uint64_t last = 0;
    while (last < 200)
        QCOMPARE(read(ready[0], &last, sizeof last), ssize_t{sizeof last});
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    ::close(ready[1]);
    while (read(ready[0], &last, sizeof last) == sizeof last) {
    }
    ::close(ready[0]);
    LatencyStore store = opened(path());
    QVERIFY(store.notice().empty());
    for (std::uint64_t i = 1; i <= last; ++i)
        QCOMPARE(found(store, i)->latencyUs, static_cast<double>(i));
}

void TestLatencyStore::open_freshStoreManyAtOnce_allOpenIt_data()
{
    QTest::addColumn<bool>("old");
    QTest::newRow("new file") << false;
    QTest::newRow("old store") << true;
}

// Several programs at once create the store, or upgrade an old one.
void TestLatencyStore::open_freshStoreManyAtOnce_allOpenIt()
{
    QFETCH(const bool, old);
    for (int round = 0; round < 25; ++round) {
        const std::string fresh = m_folder->filePath(QString::number(round)).toStdString();
        if (old)
            writeVersion1(fresh);
        std::vector<pid_t> children;
        const auto start = std::chrono::steady_clock::now() + std::chrono::milliseconds(4);
        for (std::uint64_t program = 0; program < 4; ++program) {
            const pid_t child = fork();
            if (child == 0) {
                while (std::chrono::steady_clock::now() < start) // all at once
                    ;
                auto store = LatencyStore::open(fresh);
                const bool added = store && store->add(context(), signature(program + 1), named("op1"), {5, 5, 0, 1});
                _exit(added ? 0 : 1);
            }
            children.push_back(child);
        }
        for (const pid_t child : children) {
            int status = 0;
            waitpid(child, &status, 0);
            QVERIFY(WIFEXITED(status) && WEXITSTATUS(status) == 0);
        }
        LatencyStore store = opened(fresh);
        for (std::uint64_t program = 0; program < 4; ++program)
            QVERIFY(found(store, program + 1));
    }
}

void TestLatencyStore::open_twoProgramsAtOnce_loseNothing()
{
    std::vector<pid_t> children;
    for (std::uint64_t program = 0; program < 2; ++program) {
        const pid_t child = fork();
        if (child == 0) {
            LatencyStore store = opened(path());
            for (std::uint64_t i = 0; i < 300; ++i)
                add(store, 1000 * program + i + 1, static_cast<double>(i + 1));
            _exit(0);
        }
        children.push_back(child);
    }
    for (const pid_t child : children) {
        int status = 0;
        waitpid(child, &status, 0);
        QVERIFY(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    LatencyStore store = opened(path());
    for (std::uint64_t i = 0; i < 300; ++i)
        QVERIFY(found(store, i + 1) && found(store, 1000 + i + 1));
}

void TestLatencyStore::open_damagedFile_isSetAside_data()
{
    QTest::addColumn<bool>("overwriteStart");
    QTest::newRow("not a database") << true;
    QTest::newRow("pages overwritten") << false;
}

void TestLatencyStore::open_damagedFile_isSetAside()
{
    QFETCH(bool, overwriteStart);
    {
        LatencyStore store = opened(path());
        for (std::uint64_t i = 1; i < 500; ++i)
            add(store, i, 1);
    }
    {
        std::fstream file(path(), std::ios::in | std::ios::out | std::ios::binary);
        file.seekp(overwriteStart ? 0 : 4096 + 8);
        const std::string junk(overwriteStart ? 200 : 4096 * 3, '\x5a');
        file.write(junk.data(), static_cast<std::streamsize>(junk.size()));
    }
    LatencyStore store = opened(path());
    QVERIFY2(store.notice().find("was damaged") != std::string::npos, store.notice().c_str());
    QVERIFY(!found(store, 1));
    add(store, 1, 7);
    QCOMPARE(found(store, 1)->latencyUs, 7.0);
    const QDir folder(m_folder->filePath("sub"));
    QVERIFY(!folder.entryList({"latencies.sqlite.damaged-*"}).isEmpty());
    QVERIFY(opened(path()).notice().empty());
}

void TestLatencyStore::open_newerVersion_isRefused()
{
    {
        LatencyStore store = opened(path());
    }
    {
        std::fstream file(path(), std::ios::in | std::ios::out | std::ios::binary);
        file.seekp(60); // user version in the header, big-endian
        file.write("\0\0\0\x63", 4);
    }
    const auto store = LatencyStore::open(path());
    QVERIFY(!store && store.error().message.find("newer") != std::string::npos);
}

void TestLatencyStore::open_negativeVersion_isRefused()
{
    for (const std::string version : {"-1", "-2147483648"}) {
        const std::string file = path() + version;
        {
            LatencyStore store = opened(file);
        }
        {
            const auto database = sqlite::open(file);
            QVERIFY(sqlite::execute(database->get(), ("PRAGMA user_version = " + version).c_str()));
        }
        const auto store = LatencyStore::open(file);
        QVERIFY(!store);
        QCOMPARE(store.error().message, "its version " + version + " is not one of Stagecraft's");
    }
}

void TestLatencyStore::open_noPath_isRefused()
{
    const auto store = LatencyStore::open({});
    QVERIFY(!store);
    QCOMPARE(store.error().message, std::string("there is no folder to store latencies in"));
}

void TestLatencyStore::exported_groupsThatAreNoNames_areRefused_data()
{
    QTest::addColumn<QByteArray>("groups");
    QTest::newRow("number") << QByteArray("7");
    QTest::newRow("names") << QByteArray(R"(["op1"])");
    QTest::newRow("numbers") << QByteArray("[[1]]");
    QTest::newRow("objects") << QByteArray(R"([{"op1":1}])");
    QTest::newRow("no JSON") << QByteArray("op1");
    QTest::newRow("nothing") << QByteArray("");
}

void TestLatencyStore::exported_groupsThatAreNoNames_areRefused()
{
    QFETCH(const QByteArray, groups);
    {
        LatencyStore store = opened(path());
        add(store, 1, 7);
    }
    {
        const auto database = sqlite::open(path());
        QVERIFY(sqlite::execute(database->get(), ("UPDATE stages SET groups = '" + groups + "'").constData()));
    }
    const auto exported = opened(path()).exported(context());
    QVERIFY(!exported);
    QVERIFY2(exported.error().message.starts_with("the store has a stage that cannot be read"),
             exported.error().message.c_str());
}

void TestLatencyStore::open_impossibleFolder_isRefused()
{
    const auto store = LatencyStore::open("/proc/nowhere/latencies.sqlite");
    QVERIFY(!store && store.error().code == ErrorCode::DeviceFailed);
    QCOMPARE(store.error().context.front(), std::string("/proc/nowhere/latencies.sqlite"));
}

void TestLatencyStore::exported_storeRoundTrip_keepsEveryDigit()
{
    LatencyStore store = opened(path());
    add(store, 1, 1.0 / 3);
    QVERIFY(store.add(context(), signature(2), named("op2"), {0.1, 0.1, 0.5, 30, {1980, 2619}}));
    const auto exported = store.exported(context());
    QVERIFY(exported && exported->stages.size() == 2);
    const auto read = recordedLatenciesFromText(toText(*exported));
    QVERIFY(read);
    LatencyStore other = opened(m_folder->filePath("other.sqlite").toStdString());
    QCOMPARE(other.import(*read).value(), 2);
    QVERIFY(found(other, 1)->latencyUs == 1.0 / 3 && found(other, 2)->latencyUs == 0.1);
    QVERIFY(!found(other, 1)->clocks.isKnown());
    QVERIFY(found(other, 2)->clocks == (ClockRates{1980, 2619}));
    const auto sets = other.list();
    QCOMPARE(sets->size(), std::size_t{1});
    QVERIFY(sets->front().context == context());
}

void TestLatencyStore::exported_set_replaysAsRecordedDevice()
{
    const auto graph = threeOperators();
    int calls = 0;
    auto session = storedSession(std::make_unique<CountingSession>(calls), graph, device(), opened(path()));
    const Stage stage{0, Strategy::Concurrent, {{OperatorId{0}}, {OperatorId{2}}}};
    const double measured = session->stageLatency(stage, {})->timing.latencyUs;
    LatencyStore store = opened(path());
    const auto exported = store.exported(store.list()->front().context);
    QVERIFY(exported);
    const auto replay = makeRecordedDevice("rec:test", *exported)->open(graph);
    QVERIFY(replay);
    QCOMPARE((*replay)->stageLatency(stage, {})->timing.latencyUs, measured);
    QVERIFY((*replay)->stageLatency(stage, {})->timing.clocks == (ClockRates{1410, 1593}));
}

// As when a model is widened and saved under its name: operators keep their names.
void TestLatencyStore::exported_modelChangedUnderItsName_isTheNewOne()
{
    LatencyStore store = opened(path());
    const auto measured = [&](std::uint64_t value, const std::string &name, double us) {
        QVERIFY(store.add(context(), signature(value), named(name), {us, us, 0, 1, {}}));
    };
    measured(1, "op1", 5);
    measured(2, "op2", 6);
    measured(11, "op1", 50);
    auto exported = store.exported(context());
    QCOMPARE(exported->stages.size(), std::size_t{1}); // without the old stages
    QCOMPARE(exported->stages.front().timing.latencyUs, 50.0);
    measured(12, "op2", 60);
    QCOMPARE(store.exported(context())->stages.size(), std::size_t{2});
    // The old model is opened again: its latencies are still known.
    QVERIFY(store.find(context(), signature(1), named("op1")).value()->latencyUs == 5);
    exported = store.exported(context());
    QCOMPARE(exported->stages.size(), std::size_t{1});
    QCOMPARE(exported->stages.front().timing.latencyUs, 5.0);
}

void TestLatencyStore::exported_engine_saysItsPrecision_data()
{
    QTest::addColumn<QByteArray>("engine");
    QTest::addColumn<QByteArray>("precision");
    QTest::newRow("cpu") << QByteArray("cpu") << QByteArray("fp32");
    QTest::newRow("gpu") << QByteArray("gpu:0:streams") << QByteArray("fp32");
    QTest::newRow("tf32") << QByteArray("gpu:0:tf32:streams") << QByteArray("tf32");
    QTest::newRow("fp16") << QByteArray("gpu:12:fp16") << QByteArray("fp16");
}

void TestLatencyStore::exported_engine_saysItsPrecision()
{
    QFETCH(const QByteArray, engine);
    QFETCH(const QByteArray, precision);
    LatencyStore store = opened(path());
    MeasurementContext context = tst_latency_store::context();
    context.deviceId = engine.toStdString();
    QCOMPARE(store.exported(context)->precision, precision.toStdString());
}

void TestLatencyStore::import_foreignRecording_isRefused()
{
    LatencyStore store = opened(path());
    RecordedLatencies foreign{"V100", 1, "fp32", "m", {}, {}, {named("a")}};
    foreign.stages[0].timing = Timing::ofLatency(5);
    const auto imported = store.import(foreign);
    QVERIFY(!imported && imported.error().code == ErrorCode::InvalidInput);
    QVERIFY(imported.error().remedy.find("rec:") != std::string::npos);
}

void TestLatencyStore::clear_oneDevice_leavesTheOthers()
{
    LatencyStore store = opened(path());
    add(store, 1, 5);
    MeasurementContext other = context();
    other.fingerprint = "other";
    QVERIFY(store.add(other, signature(1), named("op1"), {1, 1, 0, 1}));
    MeasurementContext streams = other;
    streams.deviceId = "gpu:0:streams";
    QVERIFY(store.add(streams, signature(1), named("op1"), {1, 1, 0, 1}));
    QCOMPARE(store.clear({.fingerprint = "other", .deviceId = "cpu"}).value(), 1);
    QCOMPARE(store.count({.fingerprint = "other"}).value(), 1); // other options of the device
    QCOMPARE(store.clear({.fingerprint = "other"}).value(), 1);
    QVERIFY(found(store, 1));
    QCOMPARE(store.clear({}).value(), 1);
    QVERIFY(!found(store, 1));
    QVERIFY(store.list()->empty());
}

void TestLatencyStore::clear_oneModel_takesWhatItSharesWithOthers()
{
    LatencyStore store = opened(path());
    add(store, 1, 5);
    add(store, 2, 6);
    QVERIFY(store.find(context(1, "other"), signature(2), named("there")).value());
    QVERIFY(store.add(context(1, "other"), signature(3), named("also there"), {7, 7, 0, 1}));
    QVERIFY(store.addSchedule(context(), {{named("op1")}, {9, 9, 0, 8}}));
    QCOMPARE(store.count({.model = "m"}).value(), 2);
    QCOMPARE(store.clear({.model = "m"}).value(), 2);
    QVERIFY(!found(store, 1) && !found(store, 2));
    QVERIFY(store.find(context(1, "other"), signature(3), named("also there")).value());
    QVERIFY(store.exported(context())->schedules.empty());
    QCOMPARE(store.list()->size(), std::size_t{1});
}

void TestLatencyStore::equalOutputs_ofOneDevice_goWithItsLatencies()
{
    {
        LatencyStore store = opened(path());
        add(store, 1, 5);
        QVERIFY(!store.hasEqualOutputs(context().fingerprint, "a network").value());
        for (int i = 0; i < 2; ++i)
            QVERIFY(store.addEqualOutputs(context().fingerprint, "a network"));
    }
    LatencyStore store = opened(path());
    QVERIFY(store.hasEqualOutputs(context().fingerprint, "a network").value());
    QVERIFY(!store.hasEqualOutputs(context().fingerprint, "another network").value());
    QVERIFY(!store.hasEqualOutputs("another device", "a network").value());
    QCOMPARE(store.clear({.fingerprint = "another device"}).value(), 0);
    QVERIFY(store.hasEqualOutputs(context().fingerprint, "a network").value());
    QCOMPARE(store.clear({}).value(), 1);
    QVERIFY(!store.hasEqualOutputs(context().fingerprint, "a network").value());
}

// Written by another program, or by hand.
void TestLatencyStore::find_impossibleLatency_isNotUsed_data()
{
    QTest::addColumn<QString>("change");
    QTest::newRow("negative") << "median_us = -5";
    QTest::newRow("zero") << "median_us = 0";
    QTest::newRow("text") << "median_us = 'fast'";
    QTest::newRow("infinite") << "median_us = 9e999";
    QTest::newRow("negative mean") << "mean_us = -5";
    QTest::newRow("negative spread") << "stddev_us = -5";
    QTest::newRow("no runs") << "runs = 0";
}

void TestLatencyStore::find_impossibleLatency_isNotUsed()
{
    QFETCH(const QString, change);
    {
        LatencyStore store = opened(path());
        add(store, 1, 5);
    }
    {
        const auto database = sqlite::open(path());
        QVERIFY(sqlite::execute(database->get(), ("UPDATE latencies SET " + change.toStdString()).c_str()));
    }
    LatencyStore store = opened(path());
    QVERIFY(!found(store, 1));
    QVERIFY(store.exported(context())->stages.empty());
    QVERIFY(store.latencies(context())->empty());
    add(store, 1, 6); // measured again
    QCOMPARE(found(store, 1)->latencyUs, 6.0);
}

void TestLatencyStore::keepWhole_schedules_areExportedAndImported()
{
    LatencyStore store = opened(path());
    add(store, 1, 5);
    RecordedSchedule schedule{{named("op1"), {Strategy::Merge, {{"op2"}, {"op3"}}}},
                              {1.0 / 3 + 20, 20, 0.5, 40, {1410, 1593}}};
    QVERIFY(store.addSchedule(context(), schedule));
    schedule.whole = {900, 900, 800, 40}; // disturbed: it does not replace the first
    QVERIFY(store.addSchedule(context(), schedule));
    const auto read = recordedLatenciesFromText(toText(*store.exported(context())));
    QVERIFY(read && read->schedules.size() == 1);
    QVERIFY(read->schedules[0].whole.latencyUs == 1.0 / 3 + 20);
    QVERIFY(read->schedules[0].whole.clocks == (ClockRates{1410, 1593}));
    LatencyStore other = opened(m_folder->filePath("other.sqlite").toStdString());
    QVERIFY(other.import(*read));
    const auto again = other.exported(context());
    QCOMPARE(again->schedules.size(), std::size_t{1});
    QCOMPARE(recordKey(again->schedules[0].stages), recordKey(schedule.stages));
    // The model changes but keeps its name: its schedules are removed as well.
    QVERIFY(other.add(context(), signature(9), named("op1"), {1, 1, 0, 1}));
    QVERIFY(other.exported(context())->schedules.empty());
}

void TestLatencyStore::import_badSignature_isRefusedWithItsLine_data()
{
    QTest::addColumn<QByteArray>("signature");
    QTest::addColumn<QString>("message");
    QTest::newRow("none") << QByteArray() << "do not say which device and stages";
    QTest::newRow("short") << QByteArray("ab12") << "\"ab12\" is not 32 digits";
    QTest::newRow("no digits") << QByteArray(32, 'x') << "is not 32 digits";
    QTest::newRow("capitals") << QByteArray(32, 'A') << "is not 32 digits";
    QTest::newRow("quote") << QByteArray("';DROP TABLE stages;--0000000000") << "is not 32 digits";
}

void TestLatencyStore::import_badSignature_isRefusedWithItsLine()
{
    QFETCH(const QByteArray, signature);
    QFETCH(const QString, message);
    LatencyStore store = opened(path());
    RecordedLatencies latencies{"X", 1, "fp32", "m", "cpu;model=x;", "cpu", {named("a"), named("b")}};
    for (RecordedStage &stage : latencies.stages) {
        stage.timing = Timing::ofLatency(5);
        stage.signature = tst_latency_store::signature(1).toHex();
    }
    latencies.stages[1].signature = signature.toStdString();
    const auto imported = store.import(*recordedLatenciesFromText(toText(latencies)));
    QVERIFY(!imported && imported.error().code == ErrorCode::InvalidInput);
    QCOMPARE(imported.error().context, std::vector<std::string>{"line 3"});
    QVERIFY2(imported.error().message.find(message.toStdString()) != std::string::npos,
             imported.error().message.c_str());
    QVERIFY(store.list()->empty());
}

void TestLatencyStore::samples_describedStages_areOfTheirDeviceAndItsLatencies()
{
    LatencyStore store = opened(path());
    std::vector<float> features(StageFeatures::kOfGraph, 0.5F);
    features[0] = 0; // no merge
    features[2] = 2; // groups
    const auto add = [&](std::uint64_t value, double us) {
        QVERIFY(store.add(context(), signature(value), named("op" + std::to_string(value)), Timing::ofLatency(us)));
    };
    add(1, 8);
    add(2, 4);
    add(3, 11);
    const std::vector<StageSignature> parts{signature(1), signature(2)};
    QVERIFY(store.describe(context(), signature(3), features, parts));
    const std::vector<StageSignature> unknownPart{signature(1), signature(9)};
    QVERIFY(store.describe(context(), signature(2), features, unknownPart));
    QVERIFY(store.describe(context(), signature(7), features, parts)); // without a latency
    const auto samples = store.samples(context());
    QVERIFY(samples && samples->size() == 1);
    const StageSample &sample = samples->front();
    QCOMPARE(sample.latencyUs, 11.0);
    QCOMPARE(sample.guessedUs, 9.0); // the slower group and a quarter of the other
    QCOMPARE(sample.features.size(), StageFeatures::kCount);
    QCOMPARE(sample.features[5], 0.5F);

    // Another device, another batch: nothing is known of it.
    MeasurementContext other = context();
    other.fingerprint += "driver=2;";
    QVERIFY(store.samples(other)->empty());
    QVERIFY(store.samples(context(2))->empty());

    // Features of another version, or that no program wrote, are not learned from.
    const auto database = sqlite::open(path());
    QVERIFY(sqlite::execute(database->get(), "UPDATE described SET version = version + 1"));
    QVERIFY(store.samples(context())->empty());
    QVERIFY(sqlite::execute(database->get(), "UPDATE described SET version = version - 1, features = '1 2 x'"));
    QVERIFY(store.samples(context())->empty());
    QVERIFY(store.describe(context(), signature(3), features, parts));
    QCOMPARE(store.samples(context())->size(), std::size_t{1});
    QVERIFY(store.clear({}));
    QVERIFY(store.samples(context())->empty());
}

void TestLatencyStore::session_stagesOfSeveralOperators_areSamplesOfLaterSessions()
{
    const auto graph = threeOperators();
    int calls = 0;
    const auto stage = [](std::vector<std::vector<OperatorId>> groups) {
        return Stage{0, Strategy::Concurrent, std::move(groups)};
    };
    const auto session = storedSession(std::make_unique<CountingSession>(calls), graph, device(), opened(path()));
    QVERIFY(session->samples().empty());
    QVERIFY(session->stageLatency(stage({{OperatorId{0}}}), {}));
    QVERIFY(session->stageLatency(stage({{OperatorId{1}}}), {}));
    QVERIFY(session->stageLatency(stage({{OperatorId{0}}, {OperatorId{1}}}), {}));
    const auto later = storedSession(std::make_unique<CountingSession>(calls), graph, device(), opened(path()));
    const auto samples = later->samples();
    QCOMPARE(samples.size(), std::size_t{1});
    QCOMPARE(samples[0].features.size(), StageFeatures::kCount);
    QCOMPARE(samples[0].features[2], 2.0F); // groups
    DeviceInfo changed = device();
    changed.fingerprint += "driver=2;";
    const auto other = storedSession(std::make_unique<CountingSession>(calls), graph, changed, opened(path()));
    QVERIFY(other->samples().empty());
}

void TestLatencyStore::measureStage_sameSignature_isMeasuredOnce()
{
    const auto graph = threeOperators();
    int calls = 0;
    const auto session = storedSession(std::make_unique<CountingSession>(calls), graph, device(), opened(path()));
    const auto stage = [](std::uint32_t id) { return Stage{0, Strategy::Concurrent, {{OperatorId{id}}}}; };
    QVERIFY(session->stageLatency(stage(0), {})->kind == LatencyKind::Measured);
    const auto again = session->stageLatency(stage(0), {});
    QVERIFY(again->kind == LatencyKind::Stored && again->timing.latencyUs == 10);
    QVERIFY(again->timing.clocks == (ClockRates{1410, 1593}));                 // from the measurement
    QVERIFY(session->stageLatency(stage(1), {})->kind == LatencyKind::Stored); // isomorphic to the first stage
    QVERIFY(session->stageLatency(stage(2), {})->kind == LatencyKind::Measured);
    QCOMPARE(calls, 2);
    TimedSchedule schedule;
    schedule.stages = {stage(0), stage(1), stage(2)};
    const auto measurement = session->measureSchedule(schedule, {});
    QCOMPARE(measurement->whole.timing.latencyUs, 500.0);
    QCOMPARE(measurement->stages[2].timing.latencyUs, 20.0);
    QCOMPARE(calls, 2);
}

STAGECRAFT_SUITE(TestLatencyStore)

} // namespace tst_latency_store
#include "tst_latency_store.moc"
