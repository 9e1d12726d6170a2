// Graphviz's dot as a child process, and the window's message if it is missing. Fake dot programs are shell scripts.

#include "app/desktop/window_test.h"
#include "desktop/work/dot_process.h"
#include "support/suite.h"
#include "widgets/graph/drawing/dot_drawing.h"
#include "wiring/device_catalog.h"

#include <QFileInfo>
#include <QScopeGuard>

#include <csignal>
#include <thread>

using namespace stagecraft;

namespace tst_dot_process {

namespace {

Part chain(std::size_t length)
{
    Part part;
    for (std::uint32_t i = 0; i < length; ++i) {
        part.nodes.emplace_back(100, 40);
        if (i > 0)
            part.edges.emplace_back(i - 1, i);
    }
    return part;
}

} // namespace

class TestDotProcess : public WindowTest {
    Q_OBJECT

private slots:
    void layOut_ofSeveralParts_usesOneProcess();
    void layOut_byWhatIsNotDot_saysWhy_data();
    void layOut_byWhatIsNotDot_saysWhy();
    void layOut_stopped_killsTheProgram();
    void layOut_afterAFailure_startsAnew();
    void start_withRelativeFoldersInPath_passesThemBy();
    void window_withoutDot_saysSoOnceAndGoesOn();

private:
    QString script(const QString &name, const QByteArray &lines)
    {
        const QString path = write(name, "#!/bin/sh\n" + lines);
        QFile::setPermissions(path, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
        return path;
    }
};

void TestDotProcess::layOut_ofSeveralParts_usesOneProcess()
{
    const QString starts = m_folder.filePath(QStringLiteral("starts"));
    DotProcess dot(script(QStringLiteral("counting"), "echo x >> '" + starts.toUtf8() + "'; exec dot \"$@\"\n"));
    for (const std::size_t length : {1, 2, 3, 120}) {
        const Part part = chain(length);
        const auto layout = dotDrawing(part, {}, dot);
        QVERIFY2(layout, layout ? "" : layout.error().message.c_str());
        QCOMPARE(layout->centres.size(), length);
        for (std::size_t i = 1; i < length; ++i)
            QVERIFY(layout->centres[i - 1].y() + 40 < layout->centres[i].y());
    }
    QCOMPARE(QFileInfo(starts).size(), 2); // "x\n", once
}

void TestDotProcess::layOut_byWhatIsNotDot_saysWhy_data()
{
    QTest::addColumn<QByteArray>("program"); // empty: no such file
    QTest::addColumn<int>("patienceMs");
    QTest::addColumn<QString>("reason");
    constexpr int kLong = 60000;
    QTest::addRow("is not there") << QByteArray() << kLong << "cannot be started";
    QTest::addRow("ends") << QByteArray("echo 'Format: \"json0\" not recognized' >&2; exit 1\n") << kLong
                          << "ended with status 1 (Format: \"json0\" not recognized)";
    QTest::addRow("crashes") << QByteArray("kill -SEGV $$\n") << kLong << "crashed";
    QTest::addRow("is silent") << QByteArray("exec sleep 1000\n") << 50 << "took longer than 0.05 s";
    QTest::addRow("says too much") << QByteArray("exec yes\n") << kLong << "answered with more than 32 MiB";
    QTest::addRow("complains without end") << QByteArray("exec yes >&2\n") << 50 << "took longer than 0.05 s (y)";
    QTest::addRow("says nonsense") << QByteArray("echo '{'; echo '}'; exec sleep 1000\n") << kLong
                                   << "the answer of Graphviz's dot is damaged: no place for node 0";
}

void TestDotProcess::layOut_byWhatIsNotDot_saysWhy()
{
    QFETCH(const QByteArray, program);
    QFETCH(const int, patienceMs);
    QFETCH(const QString, reason);
    DotProcess dot(program.isEmpty() ? m_folder.filePath(QStringLiteral("missing"))
                                     : script(QStringLiteral("not_dot"), program),
                   std::chrono::milliseconds(patienceMs));
    const auto layout = dotDrawing(chain(2), {}, dot);
    QVERIFY(!layout);
    QVERIFY2(layout.error().message.find(reason.toStdString()) != std::string::npos, layout.error().message.c_str());
}

void TestDotProcess::layOut_stopped_killsTheProgram()
{
    const QString pidFile = m_folder.filePath(QStringLiteral("pid"));
    const QString program =
        script(QStringLiteral("sleeper"), "echo $$ > '" + pidFile.toUtf8() + "'; exec sleep 1000\n");
    std::stop_source stop;
    Result<std::string> answer;
    std::thread layout([&] {
        DotProcess dot(program);
        answer = dot.layOut("digraph {}\n", stop.get_token());
    });
    const auto join = qScopeGuard([&] {
        stop.request_stop();
        if (layout.joinable())
            layout.join();
    });
    QTRY_VERIFY(QFileInfo(pidFile).size() > 0);
    QFile file(pidFile);
    QVERIFY(file.open(QIODevice::ReadOnly));
    const int pid = file.readAll().trimmed().toInt();
    QVERIFY(pid > 0 && ::kill(pid, 0) == 0);
    stop.request_stop();
    layout.join();
    QVERIFY(!answer);
    QCOMPARE(answer.error().code, ErrorCode::Cancelled);
    QVERIFY(::kill(pid, 0) != 0);
}

void TestDotProcess::layOut_afterAFailure_startsAnew()
{
    const QString once = m_folder.filePath(QStringLiteral("once"));
    DotProcess dot(script(QStringLiteral("weak"), "if [ ! -e '" + once.toUtf8() + "' ]; then touch '" + once.toUtf8() +
                                                      "'; exit 3; fi; exec dot \"$@\"\n"));
    QVERIFY(!dotDrawing(chain(2), {}, dot));
    QVERIFY(dotDrawing(chain(2), {}, dot));
}

void TestDotProcess::start_withRelativeFoldersInPath_passesThemBy()
{
    const QString trace = m_folder.filePath(QStringLiteral("planted_was_run"));
    const QString planted = script(QStringLiteral("dot"), "touch '" + trace.toUtf8() + "'\n");
    const QByteArray path = qgetenv("PATH");
    const QString folder = QDir::currentPath();
    const auto restore = qScopeGuard([&] {
        qputenv("PATH", path);
        QDir::setCurrent(folder);
    });
    QVERIFY(QDir::setCurrent(m_folder.path()));
    for (const QByteArray &hostile : {QByteArray(".:"), QByteArray(":"),
                                      QByteArray("../" + QFileInfo(m_folder.path()).fileName().toUtf8() + ":")}) {
        qputenv("PATH", hostile + path);
        DotProcess dot;
        QVERIFY(dotDrawing(chain(2), {}, dot));
    }
    QVERIFY(!QFile::exists(trace));
    QVERIFY(QFile::remove(planted));
}

void TestDotProcess::window_withoutDot_saysSoOnceAndGoesOn()
{
    const QByteArray path = qgetenv("PATH");
    const auto restore = qScopeGuard([&] { qputenv("PATH", path); });
    qputenv("PATH", m_folder.path().toUtf8());
    TestedWindow window(installedServices());
    window.show();
    openAndWait(window, QStringLiteral("sample"));
    QTRY_VERIFY(window.isSettled());
    QCOMPARE(
        window.messages()->text(),
        QStringLiteral("Blocks of the graph are laid out by rows: Graphviz's program dot was not found. Install the "
                       "package graphviz."));
    window.messages()->dismiss();
    openAndWait(window, QStringLiteral("squeezenet"));
    QTRY_VERIFY(window.isSettled());
    QCOMPARE(window.messages()->text(), QString());
}

STAGECRAFT_SUITE(TestDotProcess)

} // namespace tst_dot_process
#include "tst_dot_process.moc"
