// A program that is killed during edits and searches: the session comes back, with at most the last edit missing. Runs
// itself as the killed program; STAGECRAFT_KILLS is the number of runs (5). A slow disk may lag behind fast edits, so
// by default the test waits for it; with STAGECRAFT_KILLS it does not.

#include "app/desktop/window_test.h"
#include "desktop/kept/autosave_file.h"
#include "desktop/windows.h"
#include "results/files/session_json.h"
#include "support/output_file.h"
#include "support/suite.h"
#include "widgets/search/search_panel.h"
#include "wiring/device_catalog.h"

#include <QApplication>
#include <QProcess>
#include <QTimer>

#include <map>
#include <random>
#include <unistd.h>

using namespace stagecraft;

namespace tst_session_killed {

namespace {

constexpr const char *kEdit = "edit_until_killed";

// The user's texts on a result.
struct Written {
    QString name;
    QString note;
    bool isPinned = false;

    friend bool operator==(const Written &, const Written &) = default;
};

// By result id; only results with such texts.
using Shown = std::map<std::uint32_t, Written>;

Shown shownIn(const Shelf &shelf)
{
    Shown shown;
    for (const ScheduleResult &result : shelf.results()) {
        Written written{QString::fromStdString(result.name), QString::fromStdString(result.note), result.isPinned};
        if (written != Written{})
            shown[result.id.value] = written;
    }
    return shown;
}

// Edits like a user, at times several times per second; logs each edit after it is made.
class Editor : public QObject {
public:
    Editor(MainWindow &window, int log, std::uint32_t seed) : m_window(window), m_log(log), m_engine(seed)
    {
        m_window.openPath(QStringLiteral("sample"));
        connect(&m_next, &QTimer::timeout, this, [this] { act(); });
        m_next.setSingleShot(true);
        m_next.start(50);
    }

private:
    std::size_t below(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(m_engine); }

    void act()
    {
        m_next.start(20 + static_cast<int>(below(m_waits ? 250 : 700)));
        if (m_waits && !m_window.session()->isKept())
            return;
        Document &document = *m_window.document();
        const auto &results = document.results()->shelf().results();
        if (results.empty())
            return;
        const ResultId id = results[below(results.size())].id;
        const QString stamp = QStringLiteral("edit %1").arg(m_count + 1);
        switch (below(6)) {
        case 0: search(); return;
        case 1: document.results()->setCurrent(id); return;
        case 2: document.results()->setPinned(id, !document.results()->shelf().find(id)->isPinned); break;
        case 3: document.results()->annotate(id, stamp); break;
        default: document.results()->rename(id, stamp);
        }
        ++m_count;
        const ScheduleResult &result = *document.results()->shelf().find(id);
        const std::string line = std::to_string(id.value) + '|' + result.name + '|' + result.note + '|' +
                                 (result.isPinned ? "1" : "0") + '\n';
        if (write(m_log, line.data(), line.size()) != static_cast<ssize_t>(line.size()))
            qFatal("the log cannot be written");
    }

    void search()
    {
        SearchOptions options = m_window.findChild<SearchPanel *>()->options();
        options.r = static_cast<int>(1 + below(6));
        options.s = static_cast<int>(1 + below(8));
        m_window.findChild<SearchPanel *>()->setOptions(options);
        m_window.startSearch();
    }

    MainWindow &m_window;
    int m_log;
    const bool m_waits = qEnvironmentVariableIsEmpty("STAGECRAFT_KILLS");
    std::mt19937 m_engine;
    QTimer m_next;
    int m_count = 0;
};

int editUntilKilled(int, char **arguments)
{
    Windows windows(installedServices(), arguments[1]);
    MainWindow &window = *windows.open();
    window.show();
    const Editor editor(window, STDOUT_FILENO, static_cast<std::uint32_t>(std::atoi(arguments[2])));
    return QApplication::exec();
}

// What was shown after each edit, starting with the state before the first.
std::vector<Shown> statesIn(const QByteArray &log)
{
    std::vector<Shown> states(1);
    const auto lines = log.left(log.lastIndexOf('\n') + 1).split('\n');
    for (const QByteArray &line : lines) {
        const QList<QByteArray> parts = line.split('|');
        if (parts.size() != 4)
            continue;
        Shown next = states.back();
        const Written written{QString::fromUtf8(parts[1]), QString::fromUtf8(parts[2]), parts[3] == "1"};
        if (written == Written{})
            next.erase(parts[0].toUInt());
        else
            next[parts[0].toUInt()] = written;
        states.push_back(next);
    }
    return states;
}

} // namespace

class TestSessionKilled : public WindowTest {
    Q_OBJECT

private slots:
    void killed_atAnyMoment_comesBackButForTheLastEdit();
    void killed_whileItWrites_leavesAWholeFile();

private:
    QByteArray editAndKill(const QString &folder, int seed, int afterMs);
};

QByteArray TestSessionKilled::editAndKill(const QString &folder, int seed, int afterMs)
{
    QProcess program;
    program.setProcessChannelMode(QProcess::ForwardedErrorChannel);
    program.start(QCoreApplication::applicationFilePath(), {kEdit, folder, QString::number(seed)});
    if (!program.waitForStarted())
        qFatal("the program does not start");
    QByteArray log;
    while (!log.contains('\n') && program.waitForReadyRead(60'000)) // editing has started
        log += program.readAllStandardOutput();
    QTest::qSleep(afterMs);
    program.kill();
    program.waitForFinished(60'000);
    return log + program.readAllStandardOutput();
}

void TestSessionKilled::killed_atAnyMoment_comesBackButForTheLastEdit()
{
    const int kills = std::max(5, qEnvironmentVariableIntValue("STAGECRAFT_KILLS"));
    std::mt19937 engine(7);
    std::map<std::size_t, int> missing; // missing edits -> number of runs
    std::size_t edits = 0;
    for (int i = 0; i < kills; ++i) {
        const QString folder = m_folder.filePath(QStringLiteral("kill%1").arg(i));
        const int afterMs = std::uniform_int_distribution<>(0, 3000)(engine);
        const QByteArray log = editAndKill(folder, i, afterMs);
        const std::vector<Shown> states = statesIn(log);
        QVERIFY(states.size() > 1);
        edits += states.size() - 1;

        Windows windows(installedServices(), folder.toStdString());
        QCOMPARE(windows.restoreInterrupted(), std::size_t{1});
        MainWindow &window = *windows.all().front();
        QTRY_VERIFY(window.document()->next()->model());
        const QString said = window.messages()->text();
        QVERIFY2(said.startsWith(QStringLiteral("Stagecraft ended unexpectedly")), qPrintable(said));
        const Shown shown = shownIn(window.document()->results()->shelf());
        std::size_t back = states.size();
        while (back > 0 && states[back - 1] != shown)
            --back;
        QVERIFY2(back > 0, log); // one of the states in the log
        ++missing[states.size() - back];
        if (qEnvironmentVariableIsEmpty("STAGECRAFT_KILLS"))
            QVERIFY2(states.size() - back <= 1, log);
    }
    for (const auto &[count, times] : missing)
        qInfo("%d kills, %zu edits missing: %d times (%zu edits in all)", kills, count, times, edits);
}

// Writing is all or nothing: the file is a complete session at whatever moment the program is killed.
void TestSessionKilled::killed_whileItWrites_leavesAWholeFile()
{
    const QString folder = m_folder.filePath(QStringLiteral("whole"));
    static_cast<void>(editAndKill(folder, 99, 500));
    const std::vector<KeptSession> kept = keptSessions(folder.toStdString());
    QCOMPARE(kept.size(), std::size_t{1});
    QFile file(QFile::decodeName(kept.front().path.c_str()));
    QVERIFY(file.open(QIODevice::ReadOnly));
    const auto read = sessionFromJson(file.readAll().toStdString());
    QVERIFY2(read, read ? "" : read.error().message.c_str());
    QVERIFY(read->autosave && !read->autosave->isClosed);
    QVERIFY(!read->results.empty());
}

[[maybe_unused]] static const bool isRegisteredEdit = test::registerSuite(kEdit, &editUntilKilled);
STAGECRAFT_SUITE(TestSessionKilled)

} // namespace tst_session_killed

#include "tst_session_killed.moc"
