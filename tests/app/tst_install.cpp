// The contents of an installation, and so of the Debian package: everything the programs need to run.

#include "support/places.h"
#include "support/suite.h"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

using namespace stagecraft::test;

namespace tst_install {

namespace {

const QString kBuild = programPath("..");

int statusOf(const QString &program, const QStringList &arguments)
{
    QProcess process;
    process.start(program, arguments);
    return process.waitForFinished(120'000) && process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1;
}

QByteArray contentOf(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

} // namespace

class TestInstall : public QObject {
    Q_OBJECT

private slots:
    void install_intoAFolder_holdsWhatIsNeeded()
    {
        const QTemporaryDir folder;
        QCOMPARE(statusOf(QStringLiteral("cmake"), {"--install", kBuild, "--prefix", folder.path()}), 0);
        for (const char *file :
             {"bin/stagecraft", "bin/stagecraft-cli", "bin/stagecraft-pictures", "bin/stagecraft-worker",
              "share/applications/stagecraft.desktop", "share/icons/hicolor/scalable/apps/stagecraft.svg",
              "share/mime/packages/stagecraft.xml", "share/doc/stagecraft/copyright", "share/man/man1/stagecraft-cli.1",
              "share/bash-completion/completions/stagecraft-cli", "share/zsh/vendor-completions/_stagecraft-cli",
              "share/fish/vendor_completions.d/stagecraft-cli.fish"})
            QVERIFY2(QFile::exists(folder.filePath(QLatin1String(file))), file);
        QCOMPARE(contentOf(folder.filePath(QStringLiteral("share/doc/stagecraft/copyright"))),
                 contentOf(sourcePath("packaging/copyright")));
        // Installed programs find their parts: built-in descriptions of devices and networks, and the worker next to
        // them.
        QProcess devices;
        devices.start(folder.filePath(QStringLiteral("bin/stagecraft-cli")), {"devices", "--json"});
        QVERIFY(devices.waitForFinished(120'000));
        bool measures = false;
        for (const QJsonValue &device : QJsonDocument::fromJson(devices.readAllStandardOutput())["devices"].toArray())
            measures = measures || (device["id"] == "cpu" && device["available"].toBool());
        QVERIFY(measures);
        QCOMPARE(statusOf(folder.filePath(QStringLiteral("bin/stagecraft-cli")),
                          {"compare", "sample", "--device", "sim:v100"}),
                 0);
    }

    // What is unpacked on a machine that only measures: the worker, which needs neither Qt nor the other programs.
    void package_ofTheWorker_servesAProgram()
    {
        const QTemporaryDir folder;
        const QString configuration = kBuild + "/CPackWorkerConfig.cmake";
        QCOMPARE(statusOf(QStringLiteral("cpack"), {"--config", configuration, "-G", "TGZ", "-B", folder.path()}), 0);
        const QStringList made = QDir(folder.path()).entryList({QStringLiteral("stagecraft-worker-*.tar.gz")});
        QCOMPARE(made.size(), 1);
        QCOMPARE(statusOf(QStringLiteral("tar"),
                          {"-xzf", folder.filePath(made.front()), "-C", folder.path(), "--strip-components=1"}),
                 0);
        QCOMPARE(QDir(folder.filePath(QStringLiteral("bin"))).entryList(QDir::Files),
                 QStringList{QStringLiteral("stagecraft-worker")});
        QProcess needs;
        needs.start(QStringLiteral("ldd"), {folder.filePath(QStringLiteral("bin/stagecraft-worker"))});
        QVERIFY(needs.waitForFinished());
        QVERIFY(!needs.readAllStandardOutput().contains("Qt"));
        QProcess command;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("STAGECRAFT_WORKER"),
                           folder.filePath(QStringLiteral("bin/stagecraft-worker")));
        command.setProcessEnvironment(environment);
        command.start(programPath("stagecraft-cli"), {"measure", "sample", "--device", "cpu", "--json"});
        QVERIFY(command.waitForFinished(120'000));
        QCOMPARE(command.exitCode(), 0);
        QCOMPARE(QJsonDocument::fromJson(command.readAllStandardOutput())["provenance"], "measured");
    }

    void package_forDebian_recommendsWhatRunsBesideIt()
    {
        const QByteArray configuration = contentOf(kBuild + "/CPackConfig.cmake");
        const qsizetype start = configuration.indexOf("CPACK_DEBIAN_PACKAGE_RECOMMENDS");
        QVERIFY(start > 0);
        const QByteArray recommended = configuration.mid(start, configuration.indexOf('\n', start) - start);
        QVERIFY2(recommended.contains("graphviz"), recommended.constData());
        for (const QByteArray &line : contentOf(sourcePath("packaging/dependencies.txt")).split('\n')) {
            const bool named = !line.startsWith('#') && line.contains("[run]");
            const QByteArray package = line.left(line.indexOf(' '));
            QVERIFY2(!named || recommended.contains(package), package.constData());
        }
    }
};

STAGECRAFT_SUITE(TestInstall)

} // namespace tst_install
#include "tst_install.moc"
