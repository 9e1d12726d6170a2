// Gains by size: the ranges that can be asked for, what is found at each size, and between which sizes gains end.

#include "device/forwarding_session.h"
#include "export/study_tables.h"
#include "flow/study/size_range.h"
#include "flow/study/size_study.h"
#include "support/opened_model.h"
#include "support/suite.h"
#include "wiring/device_catalog.h"

#include <QTest>

#include <cmath>
#include <memory>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_size_study {

namespace {

// A simulated device whose whole schedules take as long as it says, and 1 % more every other time.
class NoisySession : public ForwardingSession {
public:
    using ForwardingSession::ForwardingSession;

    [[nodiscard]] bool isNoisy() const override { return true; }
    Result<ScheduleLatency> measureWhole(const Schedule &schedule, std::stop_token stop) override
    {
        TRY_AS(auto latency, ForwardingSession::measureWhole(schedule, stop));
        latency.timing.latencyUs *= (m_calls++ / 2) % 2 == 0 ? 1.0 : 1.01;
        return latency;
    }

private:
    int m_calls = 0;
};

Result<OpenedPlace> openedAt(const std::string &spec, const std::string &parameter, std::int64_t size, bool isNoisy)
{
    TRY_AS(const auto request, atSize({.spec = spec}, parameter, size));
    TRY_AS(auto model, openedModel(request.spec, request));
    auto shared = std::make_shared<const Model>(std::move(model));
    TRY_AS(const auto device, findDevice("sim:v100"));
    TRY_AS(auto session, device->open(shared->graph));
    if (isNoisy)
        session = std::make_unique<NoisySession>(std::move(session));
    return OpenedPlace{std::move(shared), device->info(), std::move(session)};
}

SizePoint point(std::int64_t size, double gain, Verdict verdict = Verdict::None)
{
    SizePoint made;
    made.size = size;
    for (TimingInRounds &times : made.times)
        times.against = {gain, gain, gain, verdict, 0, 0};
    return made;
}

QString crossing(const std::vector<SizePoint> &points)
{
    return QString::fromStdString(crossingText(points, kSizeIos, "tokens"));
}

} // namespace

class TestSizeStudy : public QObject {
    Q_OBJECT

private slots:
    void sizeRange_text_isReadAsSizes_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("sizes");
        QTest::newRow("doubling") << "tokens=1..16"
                                  << "1 2 4 8 16";
        QTest::newRow("both ends") << "tokens=3..20"
                                   << "3 6 12 20";
        QTest::newRow("factor") << "tokens=1..100:x10"
                                << "1 10 100";
        QTest::newRow("steps") << "batch=8..64:8"
                               << "8 16 24 32 40 48 56 64";
        QTest::newRow("more steps than numbers") << "batch=1..3:9"
                                                 << "1 2 3";
        QTest::newRow("one") << "query-rank=7..7"
                             << "7";
    }
    void sizeRange_text_isReadAsSizes()
    {
        QFETCH(QString, text);
        QFETCH(QString, sizes);
        const auto range = sizeRange(text.toStdString());
        QVERIFY(range);
        QStringList read;
        for (const std::int64_t size : range->sizes)
            read << QString::number(size);
        QCOMPARE(read.join(' '), sizes);
        QVERIFY(text.startsWith(QString::fromStdString(range->parameter) + "="));
    }

    void sizeRange_anythingElse_isRefused_data()
    {
        QTest::addColumn<QString>("text");
        for (const char *text :
             {"tokens", "tokens=4", "=1..4", "tokens=4..1", "tokens=0..4", "tokens=1..", "tokens=..4",
              "tokens=1..4:", "tokens=1..4:x1", "tokens=1..4:1", "tokens=1..4:y", "tokens=1...4"})
            QTest::newRow(text) << QString::fromUtf8(text);
    }
    void sizeRange_anythingElse_isRefused()
    {
        QFETCH(QString, text);
        const auto range = sizeRange(text.toStdString());
        QVERIFY(!range && range.error().code == ErrorCode::WrongUse);
        QVERIFY2(range.error().message.ends_with("is no range of sizes"), range.error().message.c_str());
    }

    void sizeRange_tooManySizes_isRefused()
    {
        const auto range = sizeRange("tokens=1..5000:2000");
        QVERIFY(!range);
        QCOMPARE(range.error().message, std::string("2,000 sizes are more than 1,000"));
    }

    void atSize_parameterAndBatch_areSet()
    {
        const auto sized = atSize({.spec = "moe:hidden=64"}, "tokens", 8);
        QVERIFY(sized);
        QCOMPARE(sized->spec, std::string("moe:tokens=8,hidden=64"));
        QCOMPARE(atSize({.spec = "net.onnx"}, "batch", 8)->batch, std::int64_t{8});
    }

    void atSize_whatTheModelLacks_isRefused_data()
    {
        QTest::addColumn<QString>("spec");
        QTest::addColumn<QString>("parameter");
        QTest::addColumn<qint64>("size");
        QTest::addColumn<QString>("message");
        QTest::newRow("fixed") << "sample"
                               << "tokens" << 4LL << "sample has no parameter tokens";
        QTest::newRow("unknown") << "moe"
                                 << "token" << 4LL << "there is no parameter token";
        QTest::newRow("range") << "moe"
                               << "experts" << 4000LL << "experts=4000 is out of range";
        QTest::newRow("given") << "moe:tokens=4"
                               << "tokens" << 4LL << "tokens is both given and swept";
        QTest::newRow("batch") << "sample"
                               << "batch" << 100'000LL << "a batch of 100,000 is out of range";
    }
    void atSize_whatTheModelLacks_isRefused()
    {
        QFETCH(QString, spec);
        QFETCH(QString, parameter);
        QFETCH(qint64, size);
        QFETCH(QString, message);
        const auto sized = atSize({.spec = spec.toStdString()}, parameter.toStdString(), size);
        QVERIFY(!sized && sized.error().code == ErrorCode::WrongUse);
        QCOMPARE(QString::fromStdString(sized.error().message), message);
    }

    void leftOpen_parameterOrBatch_isAsUnlessTold()
    {
        QCOMPARE(leftOpen({.spec = "moe:tokens=8,hidden=64"}, "tokens").spec, std::string("moe:hidden=64"));
        QCOMPARE(leftOpen({.spec = "moe:tokens=8"}, "hidden").spec, std::string("moe:tokens=8"));
        QCOMPARE(leftOpen({.spec = "sample", .batch = 4}, "batch").batch, std::int64_t{0});
        QCOMPARE(leftOpen({.spec = "sample", .batch = 4}, "tokens").batch, std::int64_t{4});
    }

    void sweepableParameters_given_areLeftOut()
    {
        QCOMPARE(sweepableParameters("sample"), std::vector<std::string>{"batch"});
        const auto open = sweepableParameters("transformer:head=32,tokens=7");
        QCOMPARE(open, (std::vector<std::string>{"layers", "width", "heads", "ff", "batch"}));
    }

    void study_simulated_isExactAndOnce()
    {
        int opened = 0;
        SizeStudy study(
            [&](std::int64_t size) {
                ++opened;
                return openedAt("moe:hidden=64,width=64", "tokens", size, false);
            },
            8);
        const auto large = study.study(64, {}, {});
        const auto small = study.study(1, {}, {});
        QVERIFY(large && small && *study.study(64, {}, {}) == *large);
        QCOMPARE(opened, 2);
        const auto points = study.points();
        QCOMPARE(points.front().size, std::int64_t{1});
        QCOMPARE(points.back().size, std::int64_t{64});
        for (const SizePoint &each : points) {
            QVERIFY(!each.hasInterval() && each.gain(0).speedup == 1 && each.gain(kSizeIos).speedup > 1);
            QCOMPARE(each.gain(kSizeIos).speedup,
                     each.times[0].timing.latencyUs / each.times[kSizeIos].timing.latencyUs);
            QVERIFY(each.gain(kSizeIos).speedup >= each.gain(kSizeGreedy).speedup);
        }
    }

    void study_noisyDevice_hasIntervals()
    {
        SizeStudy study([](std::int64_t size) { return openedAt("sample", "batch", size, true); }, 8);
        const auto found = study.study(2, {}, {});
        QVERIFY(found);
        QVERIFY((*found)->hasInterval() && (*found)->rounds == 8);
        const SpeedupEstimate &gain = (*found)->gain(kSizeIos);
        QVERIFY(gain.low < gain.speedup && gain.speedup < gain.high);
        QVERIFY(gain.verdict == Verdict::Faster);
        const QString text = QString::fromStdString(gainText(**found, kSizeIos));
        QVERIFY2(text.contains("x (") && text.contains("x to "), qPrintable(text));
        const auto points = study.points();
        const QString csv = QString::fromStdString(sizesCsv("batch", points));
        QCOMPARE(csv.count('\n'), 2);
        QVERIFY2(csv.startsWith("batch,sequential_us,") && csv.contains(",faster,simulated,"), qPrintable(csv));
    }

    void study_stopped_keepsWhatIsDone()
    {
        SizeStudy study([](std::int64_t size) { return openedAt("sample", "batch", size, false); }, 8);
        QVERIFY(study.study(1, {}, {}));
        std::stop_source stop;
        stop.request_stop();
        const auto second = study.study(2, {}, stop.get_token());
        QVERIFY(!second && second.error().code == ErrorCode::Cancelled);
        QCOMPARE(study.points().size(), std::size_t{1});
    }

    void study_badSize_isRefusedAndKeepsOthers()
    {
        SizeStudy study([](std::int64_t size) { return openedAt("moe", "active", size, false); }, 8);
        QVERIFY(study.study(16, {}, {}));
        const auto second = study.study(17, {}, {});
        QVERIFY(!second && second.error().code == ErrorCode::WrongUse);
        QCOMPARE(study.points().size(), std::size_t{1});
    }

    void crossings_betweenNeighbours_areInterpolated()
    {
        const std::vector points{point(1, 1.4), point(4, 1.2), point(16, 1.0), point(64, 1.0)};
        const auto all = crossingsOf(points, kSizeIos);
        QCOMPARE(all.size(), std::size_t{1});
        QVERIFY(all[0].below == 4 && all[0].above == 16 && !all[0].gainsAbove);
        // From 1.2 at 4 to 1 at 16, a power of the size: 1.005 is reached where log(size / 4) / log(4) is the share.
        const double share = std::log(1.2 / 1.005) / std::log(1.2);
        QVERIFY(std::abs(all[0].at - 4 * std::pow(4.0, share)) < 1e-6);
        QCOMPARE(crossing(points),
                 QString("IOS-Both: the gain crosses 1 between tokens = 4 and 16, at about 15: it gains "
                         "below"));
    }

    void crossings_severalOrNone_areSaid()
    {
        QCOMPARE(crossing({point(1, 1.0), point(8, 1.1), point(16, 0.9)}),
                 QString("IOS-Both: the gain crosses 1 between tokens = 1 and 8, at about 1: it gains above; between "
                         "tokens = 8 and 16, at about 11: it gains below"));
        QCOMPARE(crossing({point(1, 1.2), point(4096, 1.1)}),
                 QString("IOS-Both: gains at every size, from tokens = 1 to 4,096"));
        QCOMPARE(crossing({point(1, 1.0), point(4, 1.004)}), QString("IOS-Both: never gains, from tokens = 1 to 4"));
        QCOMPARE(crossing({}), QString());
    }

    void crossings_verdicts_decide()
    {
        const std::vector points{point(1, 1.2, Verdict::Faster), point(4, 1.1, Verdict::NotShown)};
        const auto all = crossingsOf(points, kSizeIos);
        QCOMPARE(all.size(), std::size_t{1});
        QCOMPARE(std::round(all[0].at), 2.0); // gains do not say where: the middle
    }

    void sizesTable_points_areForReaders()
    {
        SizeStudy study([](std::int64_t size) { return openedAt("sample", "batch", size, false); }, 8);
        QVERIFY(study.study(1, {}, {}) && study.study(64, {}, {}));
        const Table table = sizesTable("sample", "batch", study.points());
        QCOMPARE(table.columns.size(), table.rows.front().size());
        QCOMPARE(table.rows.size(), std::size_t{2});
        QVERIFY2(table.facts.find("simulated") != std::string::npos &&
                     table.facts.find("gains at every size") != std::string::npos,
                 table.facts.c_str());
    }
};

STAGECRAFT_SUITE(TestSizeStudy)

} // namespace tst_size_study
#include "tst_size_study.moc"
