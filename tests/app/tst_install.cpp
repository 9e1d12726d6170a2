// The contents of an installation and of the packages: everything the programs need to run, and what desktops read.

#include "support/places.h"
#include "support/suite.h"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QProcess>
#include <QRegularExpression>
#include <QStandardPaths>
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
    return process.waitForFinished(900'000) && process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1;
}

QByteArray contentOf(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

QString outputOf(const QString &program, const QStringList &arguments)
{
    QProcess process;
    process.start(program, arguments);
    return process.waitForFinished(120'000) ? QString::fromUtf8(process.readAllStandardOutput()) : QString();
}

QString packageIn(const QTemporaryDir &folder, const QString &name)
{
    const QStringList found = QDir(folder.path()).entryList({name + "_*.deb"});
    return found.size() == 1 ? folder.filePath(found.front()) : QString();
}

QStringList programsOf(const QString &package)
{
    QStringList programs;
    const QRegularExpression program(QStringLiteral(" \\./usr/bin/(.+)$"));
    for (const QString &line : outputOf(QStringLiteral("dpkg-deb"), {"-c", package}).split(QLatin1Char('\n'))) {
        if (const auto found = program.match(line); found.hasMatch())
            programs << found.captured(1);
    }
    return programs;
}

QString fieldOf(const QString &package, const QString &field)
{
    return outputOf(QStringLiteral("dpkg-deb"), {"-f", package, field}).trimmed();
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
              "share/applications/stagecraft.desktop", "share/metainfo/stagecraft.metainfo.xml",
              "share/icons/hicolor/scalable/apps/stagecraft.svg", "share/mime/packages/stagecraft.xml",
              "share/doc/stagecraft/copyright", "share/doc/stagecraft-cli/changelog.gz",
              "share/doc/stagecraft-worker/changelog.Debian.gz", "share/man/man1/stagecraft.1.gz",
              "share/man/man1/stagecraft-cli.1.gz", "share/bash-completion/completions/stagecraft-cli",
              "share/zsh/vendor-completions/_stagecraft-cli", "share/fish/vendor_completions.d/stagecraft-cli.fish"})
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

    // What is unpacked on a machine that only measures: the worker and its libraries, which are neither Qt nor the
    // other programs.
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
        const QByteArray libraries = needs.readAllStandardOutput();
        QVERIFY(!libraries.contains("Qt"));
        QVERIFY2(libraries.contains(folder.path().toUtf8() + "/bin/../lib/stagecraft/libdnnl.so"),
                 libraries.constData());
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

    void packages_forDebian_holdAPartEach()
    {
        if (!qEnvironmentVariableIsSet("STAGECRAFT_CHECK_PACKAGES"))
            QSKIP("takes minutes: set STAGECRAFT_CHECK_PACKAGES, or run packaging/check_packages.sh");
        for (const char *tool : {"dpkg-deb", "dpkg-shlibdeps"}) {
            if (QStandardPaths::findExecutable(QLatin1String(tool)).isEmpty())
                QSKIP(qPrintable(QLatin1String(tool) + QStringLiteral(" is not installed (package dpkg-dev)")));
        }
        const QTemporaryDir folder;
        QCOMPARE(statusOf(QStringLiteral("cpack"), {"--config", kBuild + "/CPackConfig.cmake", "-G", "DEB", "-B",
                                                    folder.path(), "-D", "CPACK_DEBIAN_COMPRESSION_TYPE=gzip"}),
                 0);
        const QString window = packageIn(folder, QStringLiteral("stagecraft"));
        const QString commandLine = packageIn(folder, QStringLiteral("stagecraft-cli"));
        const QString worker = packageIn(folder, QStringLiteral("stagecraft-worker"));
        QCOMPARE(programsOf(window), (QStringList{"stagecraft", "stagecraft-pictures"}));
        QCOMPARE(programsOf(commandLine), QStringList{"stagecraft-cli"});
        QCOMPARE(programsOf(worker), QStringList{"stagecraft-worker"});

        // Each brings the others that it starts; a server gets no part of a desktop.
        const QString version = fieldOf(worker, "Version");
        QVERIFY2(fieldOf(window, "Depends").contains("stagecraft-cli (= " + version + ')'),
                 qPrintable(fieldOf(window, "Depends")));
        QVERIFY(fieldOf(window, "Depends").contains(QStringLiteral("libqt6widgets6")));
        QVERIFY(fieldOf(commandLine, "Depends").contains("stagecraft-worker (= " + version + ')'));
        const QRegularExpression ofADesktop(QStringLiteral("lib(qt|x11|xcb|wayland|gl|egl)"));
        for (const QString &package : {commandLine, worker}) {
            const QString needed = fieldOf(package, "Depends");
            QVERIFY2(needed.contains("libonnx") && !needed.contains(ofADesktop), qPrintable(needed));
        }
        const QStringList gpu = QDir(folder.path()).entryList({QStringLiteral("stagecraft-gpu_*.deb")});
        QCOMPARE(gpu.size(), QFile::exists(programPath("libstagecraft_gpu.so")) ? 1 : 0);
        for (const QString &package : gpu)
            QVERIFY(fieldOf(folder.filePath(package), "Depends").contains("stagecraft-worker (= " + version + ')'));

        const QString recommended = fieldOf(window, "Recommends");
        QVERIFY2(recommended.contains("graphviz"), qPrintable(recommended));
        for (const QByteArray &line : contentOf(sourcePath("packaging/dependencies.txt")).split('\n')) {
            const bool named = !line.startsWith('#') && line.contains("[run]");
            const QByteArray package = line.left(line.indexOf(' '));
            QVERIFY2(!named || recommended.contains(QLatin1String(package)), package.constData());
        }
    }

    void metadata_ofTheDesktop_isValid_data()
    {
        QTest::addColumn<QString>("tool");
        QTest::addColumn<QStringList>("arguments");
        QTest::newRow("menu") << "desktop-file-validate" << QStringList{sourcePath("packaging/stagecraft.desktop")};
        QTest::newRow("software centre") << "appstreamcli"
                                         << QStringList{"validate", "--no-net",
                                                        sourcePath("packaging/stagecraft.metainfo.xml")};
    }
    void metadata_ofTheDesktop_isValid()
    {
        QFETCH(const QString, tool);
        QFETCH(const QStringList, arguments);
        if (QStandardPaths::findExecutable(tool).isEmpty())
            QSKIP(qPrintable(tool + QStringLiteral(" is not installed")));
        QCOMPARE(statusOf(tool, arguments), 0);
    }

    // Each kind of file that the window opens by a double-click is known by its ending and has an icon.
    void types_ofTheDesktopEntry_areDefined()
    {
        const QString entry = QString::fromUtf8(contentOf(sourcePath("packaging/stagecraft.desktop")));
        const QRegularExpression types(QStringLiteral("^MimeType=(.*);$"), QRegularExpression::MultilineOption);
        const QStringList listed = types.match(entry).captured(1).split(QLatin1Char(';'));
        QCOMPARE(listed.size(), 2);
        const QByteArray defined = contentOf(sourcePath("packaging/stagecraft-mime.xml"));
        const QByteArray metainfo = contentOf(sourcePath("packaging/stagecraft.metainfo.xml"));
        for (const QString &type : listed) {
            QVERIFY2(defined.contains("type=\"" + type.toUtf8() + '"'), qPrintable(type));
            QVERIFY2(metainfo.contains("<mediatype>" + type.toUtf8() + '<'), qPrintable(type));
            const QString icon = QString(type).replace(QLatin1Char('/'), QLatin1Char('-')) + ".svg";
            QVERIFY2(QFile::exists(sourcePath("packaging/icons/" + icon)), qPrintable(icon));
        }
        for (const char *ending : {"*.onnx", "*.stagecraft"})
            QVERIFY2(defined.contains(QByteArray("pattern=\"") + ending), ending);
    }

    void manual_ofTheWindow_hasEveryOption()
    {
        QProcess program;
        program.start(programPath("stagecraft"), {"--help"});
        QVERIFY(program.waitForFinished());
        const QString help = QString::fromUtf8(program.readAllStandardOutput());
        const QString manual =
            QString::fromUtf8(contentOf(sourcePath("packaging/man/stagecraft.1"))).remove(QLatin1Char('\\'));
        const QRegularExpression option(QStringLiteral("--[a-z-]+"));
        int seen = 0;
        for (auto each = option.globalMatch(help); each.hasNext(); ++seen) {
            const QString name = each.next().captured();
            QVERIFY2(manual.contains(name), qPrintable(name));
        }
        QVERIFY(seen > 5);
    }
};

STAGECRAFT_SUITE(TestInstall)

} // namespace tst_install
#include "tst_install.moc"
