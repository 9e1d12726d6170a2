// The arrows of DESIGN.md ("The house"): who may include whom. Reads the sources and fails where an include breaks one.

#include <QDirIterator>
#include <QFile>
#include <QMap>
#include <QRegularExpression>
#include <QSet>
#include <QtTest>

namespace {

const QMap<QString, QSet<QString>> &allowed()
{
    static const QSet<QString> values{"support", "graph", "model", "rewrite", "schedule", "timeline"};
    static const QMap<QString, QSet<QString>> arrows{
        {"core/support", {"support"}},
        {"core/graph", {"support", "graph"}},
        {"core/model", {"support", "graph", "model", "rewrite", "schedule"}},
        {"core/rewrite", {"support", "graph", "rewrite"}},
        {"core/schedule", {"support", "graph", "schedule"}},
        {"core/timeline", {"support", "graph", "timeline"}},
        {"core/search", {"support", "graph", "schedule", "search"}},
        {"core/device", {"support", "graph", "schedule", "timeline", "search", "device"}},
        {"core/simulate", values + QSet<QString>{"search", "device", "simulate"}},
        {"core/cpu", values + QSet<QString>{"search", "device", "cpu"}},
        {"gpu", values + QSet<QString>{"search", "device", "gpu"}},
        {"widgets", {"support", "graph", "model", "schedule", "timeline", "search", "widgets"}},
    };
    return arrows;
}

struct Include {
    QString file;
    QString folder; // first part of the included path
    bool isQt = false;
};

QList<Include> includesBelow(const QString &folder)
{
    static const QRegularExpression pattern(R"(^\s*#\s*include\s*([<"])([^>"]+)[>"])");
    const QString root = QStringLiteral(STAGECRAFT_SOURCE_DIR "/");
    QList<Include> includes;
    QDirIterator files(root + folder, {"*.h", "*.cpp", "*.cu", "*.cuh"}, QDir::Files, QDirIterator::Subdirectories);
    while (files.hasNext()) {
        QFile file(files.next());
        if (!file.open(QIODevice::ReadOnly))
            continue;
        while (!file.atEnd()) {
            const auto match = pattern.match(QString::fromUtf8(file.readLine()));
            if (!match.hasMatch())
                continue;
            const QString path = match.captured(2);
            const bool isQt = match.captured(1) == "<" && (path.startsWith('Q') || path.startsWith("qcustomplot"));
            const QString own = match.captured(1) == "\"" ? path.section('/', 0, 0) : QString();
            includes.append({file.fileName().mid(root.size()), own, isQt});
        }
    }
    return includes;
}

} // namespace

class TestArrows : public QObject {
    Q_OBJECT

private slots:
    void includes_ofEveryPart_followTheArrows_data();
    void includes_ofEveryPart_followTheArrows();
    void includes_ofCore_haveNoQt();
};

void TestArrows::includes_ofEveryPart_followTheArrows_data()
{
    QTest::addColumn<QString>("part");
    for (auto it = allowed().keyBegin(); it != allowed().keyEnd(); ++it)
        QTest::newRow(qPrintable(*it)) << *it;
}

void TestArrows::includes_ofEveryPart_followTheArrows()
{
    QFETCH(const QString, part);
    for (const Include &include : includesBelow(part)) {
        if (include.folder.isEmpty() || include.folder.endsWith(".h") || include.folder.endsWith(".moc"))
            continue;
        QVERIFY2(allowed()[part].contains(include.folder),
                 qPrintable(include.file + " includes " + include.folder + "/, which " + part + " must not know"));
    }
}

void TestArrows::includes_ofCore_haveNoQt()
{
    const QList<Include> includes = includesBelow("core");
    QVERIFY(includes.size() > 50); // the sources were found
    for (const Include &include : includes)
        QVERIFY2(!include.isQt, qPrintable(include.file + " includes Qt"));
}

QTEST_APPLESS_MAIN(TestArrows)
#include "tst_arrows.moc"
