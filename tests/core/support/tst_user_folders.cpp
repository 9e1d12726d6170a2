#include "support/suite.h"
#include "support/user_folders.h"

#include <QTemporaryDir>
#include <QTest>

#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace stagecraft;

namespace tst_user_folders {

class TestUserFolders : public QObject {
    Q_OBJECT

private slots:
    void init();
    void cleanup();
    void folders_variables_areFollowedWhereAbsolute_data();
    void folders_variables_areFollowedWhereAbsolute();
    void temporaryFolder_variable_isFollowedWhereAFolder();
    void makePrivateFolders_missing_areTheirOwnersAlone();

private:
    QMap<QByteArray, QByteArray> m_before;
};

void TestUserFolders::init()
{
    for (const char *name : {"HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "TMPDIR"}) {
        m_before[name] = qgetenv(name);
        qunsetenv(name);
    }
}

void TestUserFolders::cleanup()
{
    for (auto it = m_before.begin(); it != m_before.end(); ++it)
        it->isNull() ? qunsetenv(it.key()) : qputenv(it.key(), *it);
}

void TestUserFolders::folders_variables_areFollowedWhereAbsolute_data()
{
    QTest::addColumn<QByteArray>("home");
    QTest::addColumn<QByteArray>("data");
    QTest::addColumn<QByteArray>("expected"); // HOME stands for the home folder in the user database
    QTest::newRow("both") << QByteArray("/someone") << QByteArray("/data") << QByteArray("/data/stagecraft");
    QTest::newRow("home") << QByteArray("/someone") << QByteArray() << QByteArray("/someone/.local/share/stagecraft");
    QTest::newRow("relative data") << QByteArray("/someone") << QByteArray("data")
                                   << QByteArray("/someone/.local/share/stagecraft");
    QTest::newRow("relative home") << QByteArray(".") << QByteArray() << QByteArray("HOME/.local/share/stagecraft");
    QTest::newRow("empty home") << QByteArray("") << QByteArray("") << QByteArray("HOME/.local/share/stagecraft");
    QTest::newRow("none") << QByteArray() << QByteArray() << QByteArray("HOME/.local/share/stagecraft");
}

void TestUserFolders::folders_variables_areFollowedWhereAbsolute()
{
    QFETCH(const QByteArray, home);
    QFETCH(const QByteArray, data);
    QFETCH(QByteArray, expected);
    if (!home.isNull())
        qputenv("HOME", home);
    if (!data.isNull())
        qputenv("XDG_DATA_HOME", data);
    const passwd *user = getpwuid(geteuid());
    if (expected.startsWith("HOME") && (!user || *user->pw_dir != '/')) {
        QVERIFY(!dataFolder() && !cacheFolder());
        return;
    }
    const QByteArray own = user ? user->pw_dir : "";
    expected.replace("HOME", own.endsWith('/') ? own.chopped(1) : own);
    QVERIFY(dataFolder() && cacheFolder() && cacheFolder()->is_absolute());
    QCOMPARE(QByteArray(dataFolder()->c_str()), expected);
}

void TestUserFolders::temporaryFolder_variable_isFollowedWhereAFolder()
{
    QTemporaryDir folder;
    QVERIFY(temporaryFolder() == "/tmp");
    for (const char *unusable : {".", "/none/at/all", "/etc/passwd"}) {
        qputenv("TMPDIR", unusable);
        QVERIFY(temporaryFolder() == "/tmp");
    }
    qputenv("TMPDIR", folder.path().toUtf8());
    QVERIFY(temporaryFolder() == folder.path().toStdString());
}

void TestUserFolders::makePrivateFolders_missing_areTheirOwnersAlone()
{
    QTemporaryDir folder;
    const auto wanted = std::filesystem::path(folder.path().toStdString()) / "a" / "b";
    QVERIFY(!makePrivateFolders(wanted));
    QVERIFY(!makePrivateFolders(wanted));
    struct stat status {};
    QCOMPARE(stat(wanted.parent_path().c_str(), &status), 0);
    QCOMPARE(status.st_mode, mode_t(S_IFDIR | 0700));
    QVERIFY(bool(makePrivateFolders("/proc/none/at/all")));
}

STAGECRAFT_SUITE(TestUserFolders)

} // namespace tst_user_folders
#include "tst_user_folders.moc"
