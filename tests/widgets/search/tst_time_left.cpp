// The remaining time of a search: shown only if it is known.

#include "support/suite.h"
#include "widgets/search/time_left.h"

#include <QTest>

using namespace stagecraft;

namespace tst_time_left {

namespace {

SearchProgress at(double seconds, double gapUs, std::int64_t unknown)
{
    SearchProgress progress;
    progress.elapsedSeconds = seconds;
    progress.bestUs = 1000;
    progress.lowerBoundUs = 1000 - gapUs;
    progress.stagesNotKnown = unknown;
    return progress;
}

} // namespace

class TestTimeLeft : public QObject {
    Q_OBJECT

private slots:
    void gap_closesSteadily_isAbout();
    void stages_becomeFewer_isAtMost();
    void nothing_moves_nothingIsSaid();
    void first_seconds_nothingIsSaid();
    void pace_breaksDown_nothingIsSaid();
    void start_forgets();
};

void TestTimeLeft::gap_closesSteadily_isAbout()
{
    TimeLeft left;
    for (int i = 0; i <= 8; ++i)
        left.add(at(0.5 * i, 100 - 5 * i, 1000)); // 10 us per second, 60 are left
    QVERIFY(left.estimate());
    QVERIFY(!left.estimate()->isBound);
    QVERIFY(qAbs(left.estimate()->seconds - 6) < 0.5);
    QCOMPARE(left.text(), QStringLiteral("about 6 s left"));
}

void TestTimeLeft::stages_becomeFewer_isAtMost()
{
    TimeLeft left;
    for (int i = 0; i <= 8; ++i)
        left.add(at(0.5 * i, 100, 50000 - 500 * i)); // 1,000 per second, 46,000 are left
    QVERIFY(left.estimate() && left.estimate()->isBound);
    QCOMPARE(left.text(), QStringLiteral("at most 45 s left"));
}

void TestTimeLeft::nothing_moves_nothingIsSaid()
{
    TimeLeft left;
    for (int i = 0; i <= 20; ++i)
        left.add(at(0.5 * i, 100, 1000));
    QVERIFY(left.text().isEmpty());
}

void TestTimeLeft::first_seconds_nothingIsSaid()
{
    TimeLeft left;
    for (int i = 0; i <= 3; ++i)
        left.add(at(0.5 * i, 100 - i, 1000 - i));
    QVERIFY(left.text().isEmpty());
}

void TestTimeLeft::pace_breaksDown_nothingIsSaid()
{
    TimeLeft left;
    for (int i = 0; i <= 4; ++i)
        left.add(at(0.5 * i, 100 - 10 * i, 1000));
    for (int i = 5; i <= 8; ++i)
        left.add(at(0.5 * i, 60 - 0.1 * i, 1000));
    QVERIFY(left.text().isEmpty());
}

void TestTimeLeft::start_forgets()
{
    TimeLeft left;
    for (int i = 0; i <= 8; ++i)
        left.add(at(0.5 * i, 100 - 5 * i, 1000));
    left.start();
    QVERIFY(left.text().isEmpty());
}

STAGECRAFT_SUITE(TestTimeLeft)

} // namespace tst_time_left
#include "tst_time_left.moc"
