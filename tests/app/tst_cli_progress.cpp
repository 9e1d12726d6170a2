// Progress on a terminal: one line that fits, and one final line.

#include "support/cli_process.h"
#include "support/pseudo_terminal.h"
#include "support/suite.h"

#include <QRegularExpression>
#include <QtTest>

using namespace stagecraft::test;

namespace tst_cli_progress {

class TestCliProgress : public QObject {
    Q_OBJECT

private slots:
    void search_onATerminal_fitsItsWidthAndLeavesOneLine_data();
    void search_onATerminal_fitsItsWidthAndLeavesOneLine();
    void search_withoutATerminal_saysNothing();
};

void TestCliProgress::search_onATerminal_fitsItsWidthAndLeavesOneLine_data()
{
    QTest::addColumn<int>("columns");
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QString>("stays");
    QTest::newRow("wide") << 200 << QStringList{"optimize", "nasnet", "-d", "sim:v100"}
                          << "search, ([0-9]+ min )?[0-9.]+ s, [0-9,]+ stage measurements";
    QTest::newRow("narrow") << 20 << QStringList{"optimize", "inception_v3", "-d", "sim:v100"} << "search, [0-9.]+ s";
    QTest::newRow("several searches") << 80 << QStringList{"compare", "squeezenet", "-d", "sim:v100"}
                                      << "done, [0-9.]+ s, [0-9,]+ stage measurements";
}

void TestCliProgress::search_onATerminal_fitsItsWidthAndLeavesOneLine()
{
    QFETCH(const int, columns);
    QFETCH(const QStringList, arguments);
    QFETCH(const QString, stays);
    PseudoTerminal terminal(static_cast<unsigned short>(columns));
    const QString seen = QString::fromUtf8(terminal.run(arguments + QStringList{"--json"})).remove("\033[K");
    QVERIFY2(!seen.isEmpty(), "nothing was shown");
    QCOMPARE(seen.count('\n'), 1);
    for (const QString &line : seen.split(QRegularExpression("[\r\n]")))
        QVERIFY2(line.size() < columns, qPrintable(line));
    QVERIFY2(QRegularExpression("\r" + stays + "\r\n$").match(seen).hasMatch(), qPrintable(seen.right(300)));
    QVERIFY2(columns < 100 || seen.contains("best "), qPrintable(seen.left(300)));
    QVERIFY2(columns < 100 || seen.contains(" (simulated), gap "), qPrintable(seen.left(300)));
}

void TestCliProgress::search_withoutATerminal_saysNothing()
{
    QVERIFY2(cli({"optimize", "squeezenet", "-d", "sim:v100"}).err.isEmpty(), "no terminal");
    PseudoTerminal terminal(80);
    QVERIFY(terminal.run({"optimize", "squeezenet", "-d", "sim:v100"}, "dumb").isEmpty()); // cannot rewrite a line
}

STAGECRAFT_SUITE(TestCliProgress)

} // namespace tst_cli_progress
#include "tst_cli_progress.moc"
