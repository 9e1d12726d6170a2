// The libraries a program is linked with determine its licence: the command line and the worker, including all exports,
// stay free of the GPL; the window, under the GPL because of QCustomPlot, is not linked with anything that the GPL does
// not allow (Graphviz, CUDA, cuDNN).

#include "support/places.h"
#include "support/suite.h"

#include <QFile>
#include <QProcess>
#include <QRegularExpression>
#include <QTest>

using namespace stagecraft::test;

namespace tst_licences {

namespace {

// All libraries that a program loads at its start, including indirect ones.
QStringList librariesOf(const QString &program)
{
    QProcess ldd;
    ldd.start(QStringLiteral("ldd"), {programPath(program)});
    if (!ldd.waitForFinished() || ldd.exitCode() != 0)
        return {};
    QStringList names;
    for (const QString &line : QString::fromLocal8Bit(ldd.readAllStandardOutput()).split(QLatin1Char('\n')))
        names << line.trimmed().section(QLatin1Char(' '), 0, 0);
    return names;
}

QByteArray contentOf(const QString &path)
{
    QFile file(sourcePath(path));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

} // namespace

class TestLicences : public QObject {
    Q_OBJECT

private slots:
    void programs_areLinked_withWhatTheirLicenceAllows_data();
    void programs_areLinked_withWhatTheirLicenceAllows();
    void licence_ofTheSources_isTheApacheLicence();
    void copyright_ofThePackage_namesEveryProgramsLicence();
};

void TestLicences::programs_areLinked_withWhatTheirLicenceAllows_data()
{
    QTest::addColumn<QString>("program");
    QTest::addColumn<QString>("expected");
    QTest::addColumn<QRegularExpression>("forbidden");
    const QRegularExpression windowOnly(QStringLiteral("^lib(QCustomPlot|Qt6?|gvc|cgraph|cdt)"));
    QTest::addRow("stagecraft-cli") << "stagecraft-cli"
                                    << "libsqlite3" << windowOnly;
    QTest::addRow("stagecraft-pictures") << "stagecraft-pictures"
                                         << "libQCustomPlot"
                                         << QRegularExpression(QStringLiteral("^lib(gvc|cgraph|cdt|cuda|cudnn|nvrtc)"));
    QTest::addRow("stagecraft-worker") << "stagecraft-worker"
                                       << "libdnnl" << windowOnly;
    QTest::addRow("stagecraft") << "stagecraft"
                                << "libQCustomPlot"
                                << QRegularExpression(QStringLiteral("^lib(gvc|cgraph|cdt|cuda|cudnn|nvrtc)"));
}

void TestLicences::programs_areLinked_withWhatTheirLicenceAllows()
{
    QFETCH(const QString, program);
    QFETCH(const QString, expected);
    QFETCH(const QRegularExpression, forbidden);
    const QStringList libraries = librariesOf(program);
    QVERIFY2(!libraries.filter(expected).isEmpty(), qPrintable(libraries.join(QLatin1Char(' ')))); // ldd worked
    const QStringList wrong = libraries.filter(forbidden);
    QVERIFY2(wrong.isEmpty(), qPrintable(program + " is linked with " + wrong.join(QLatin1Char(' '))));
}

void TestLicences::licence_ofTheSources_isTheApacheLicence()
{
    const QByteArray text = contentOf(QStringLiteral("LICENSE"));
    QVERIFY(text.contains("Apache License\n                           Version 2.0, January 2004"));
    QVERIFY(text.contains("END OF TERMS AND CONDITIONS"));
    for (const char *file : {"README.md", "packaging/copyright"}) {
        const QByteArray said = contentOf(QLatin1String(file));
        for (const char *expected : {"Apache License", "General Public License", "QCustomPlot", "Graphviz"})
            QVERIFY2(said.contains(expected), qPrintable(QLatin1String(file) + ": " + QLatin1String(expected)));
    }
}

// Debian's machine-readable form: paragraphs of fields; each named licence has its text; the last match counts.
void TestLicences::copyright_ofThePackage_namesEveryProgramsLicence()
{
    const QString text = QString::fromUtf8(contentOf(QStringLiteral("packaging/copyright")));
    QVERIFY(text.startsWith("Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n"));
    QMap<QString, QString> licenceOf; // files -> licence
    QSet<QString> given;
    for (const QString &paragraph : text.split(QStringLiteral("\n\n"))) {
        QMap<QString, QString> fields;
        QString field;
        for (const QString &line : paragraph.split(QLatin1Char('\n'), Qt::SkipEmptyParts)) {
            if (line.startsWith(QLatin1Char(' '))) {
                fields[field] += line + QLatin1Char('\n');
                continue;
            }
            QVERIFY2(line.contains(QStringLiteral(":")), qPrintable(line));
            field = line.section(QLatin1Char(':'), 0, 0);
            fields[field] = line.section(QLatin1Char(':'), 1).trimmed() + QLatin1Char('\n');
        }
        const QString licence = fields[QStringLiteral("License")].section(QLatin1Char('\n'), 0, 0);
        if (fields.contains(QStringLiteral("Files"))) {
            QVERIFY2(fields.contains(QStringLiteral("Copyright")), qPrintable(paragraph));
            licenceOf[fields[QStringLiteral("Files")].trimmed()] = licence;
        }
        if (fields[QStringLiteral("License")].count(QLatin1Char('\n')) > 2)
            given.insert(licence);
    }
    QCOMPARE(licenceOf["*"], QStringLiteral("Apache-2.0"));
    QCOMPARE(licenceOf["usr/bin/stagecraft"], QStringLiteral("GPL-3+"));
    QVERIFY(text.indexOf("Files: usr/bin/stagecraft\n") > text.indexOf("Files: usr/bin/*\n"));
    for (const QString &licences : std::as_const(licenceOf)) {
        for (const QString &licence : licences.split(QStringLiteral(" and ")))
            QVERIFY2(given.contains(licence), qPrintable(licence));
    }
}

STAGECRAFT_SUITE(TestLicences)

} // namespace tst_licences
#include "tst_licences.moc"
