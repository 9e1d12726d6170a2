// export --format cpp of the built-in networks: built, it computes what `run` and ONNX Runtime compute. Takes minutes.
// STAGECRAFT_ALL_NETWORKS=1 adds those whose operators another one has, and which take the longest.

#include "support/cli_process.h"
#include "support/exported_project.h"
#include "support/peer_python.h"
#include "support/places.h"
#include "support/suite.h"

#include <QDir>
#include <QDirIterator>
#include <QFileInfo>
#include <QJsonArray>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QtTest>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_export_cpp_networks {

namespace {

// The name that every project gets here.
constexpr const char *kSharedName = "exported_network";

QStringList filesIn(const QString &folder)
{
    QStringList files;
    for (QDirIterator each(folder, QDir::Files, QDirIterator::Subdirectories); each.hasNext();)
        files << QDir(folder).relativeFilePath(each.next());
    return files;
}

// The text with another name for the project `name`, in any case.
QByteArray renamed(const QByteArray &text, const QString &name)
{
    QString result = QString::fromLatin1(text); // byte by byte
    for (const auto &[from, to] :
         {std::pair(name, QString(kSharedName)), std::pair(name.toUpper(), QString(kSharedName).toUpper())})
        result.replace(QRegularExpression("(?<![A-Za-z0-9_])" + from + "(?![A-Za-z0-9])"), to);
    return result.toLatin1();
}

// Makes `project` the exported one under the shared name. Files that stay the same are not touched.
bool replaceProject(const QString &project, const QString &exported, const QString &name)
{
    QStringList gone = filesIn(project);
    for (const QString &file : filesIn(exported)) {
        const bool isText = !file.endsWith(".bin");
        const QString to = project + '/' + QString::fromLatin1(renamed(file.toLatin1(), name));
        const QByteArray read = contentOf(exported + '/' + file);
        const QByteArray content = isText ? renamed(read, name) : read;
        gone.removeOne(QDir(project).relativeFilePath(to));
        if (QFile::exists(to) && contentOf(to) == content)
            continue;
        QFile written(to);
        if (!QDir().mkpath(QFileInfo(to).path()) || !written.open(QIODevice::WriteOnly) ||
            written.write(content) != content.size())
            return false;
    }
    return std::ranges::all_of(gone, [&](const QString &file) { return QFile::remove(project + '/' + file); });
}

} // namespace

class TestExportCppNetworks : public QObject {
    Q_OBJECT

private slots:
    void export_network_computesWhatRunAndOnnxruntimeCompute_data();
    void export_network_computesWhatRunAndOnnxruntimeCompute();
    void export_operatorWithoutKernel_isRefusedByName_data();
    void export_operatorWithoutKernel_isRefusedByName();

private:
    QTemporaryDir m_shared; // a project and its build
};

void TestExportCppNetworks::export_network_computesWhatRunAndOnnxruntimeCompute_data()
{
    QTest::addColumn<QString>("network");
    const Answer models = cli({"models", "--json"});
    for (const QJsonValue &model : models.json()["models"].toArray()) {
        const QByteArray name = model["name"].toString().toUtf8();
        const bool isElsewhere =
            QByteArrayList{"squeezenet", "moe", "dlrm"}.contains(name); // tst_export_cpp, and below
        const bool isLike =
            QByteArrayList{"resnet101", "nasnet", "resnext29", "alexnet", "heads", "mla", "nasnet_cifar", "googlenet"}
                .contains(name);
        if (!isElsewhere && (!isLike || qEnvironmentVariableIsSet("STAGECRAFT_ALL_NETWORKS")))
            QTest::newRow(name) << QString::fromUtf8(name);
    }
}

// All projects have one name and one place, so that what they share of the engine is compiled once: most of what a
// project takes to build. Under a name of its own tst_export_cpp builds one.
void TestExportCppNetworks::export_network_computesWhatRunAndOnnxruntimeCompute()
{
    QFETCH(const QString, network);
    const QTemporaryDir folder;
    const auto at = [&](const char *name) { return folder.filePath(name); };
    QCOMPARE(cli({"export", network, "ios-both", "-d", "sim:v100", "--format", "json", "-o", at("best.json")}).status,
             0);
    const Answer answer = cli({"export", network, at("best.json"), "--format", "cpp", "-o", at("net")});
    QVERIFY2(answer.status == 0, answer.err);
    QVERIFY(contentOf(at("net/CMakeLists.txt")).contains("project(" + network.toUtf8() + ' '));
    QVERIFY(replaceProject(m_shared.filePath("net"), at("net"), network));
    const Finished built = build(m_shared.filePath("net"), m_shared.filePath("build"),
                                 {"-DCMAKE_PROJECT_INCLUDE=" + sourcePath("tests/app/slow_exported_files.cmake")});
    QVERIFY2(built.status == 0, built.text);

    QStringList inputs; // NAME=FILE
    const Answer info = cli({"info", network, "--json"});
    for (const QJsonValue &input : info.json()["inputs"].toArray()) {
        Shape shape;
        for (const QJsonValue &size : input["dims"].toArray())
            shape.dims.push_back(size.toInteger());
        const QString file = folder.filePath(QString("x%1.npy").arg(inputs.size()));
        QVERIFY(writeNpy(file.toStdString(), image(shape)));
        inputs.append(input["name"].toString() + '=' + file);
    }
    const auto with = [&](QStringList words, const QString &option) {
        for (const QString &input : inputs)
            words += {option, input};
        return words;
    };
    const Finished ran =
        start(m_shared.filePath(QString("build/%1-run").arg(kSharedName)), with({"--output", at("y.npy")}, "--input"));
    QVERIFY2(ran.status == 0, ran.text);
    const Answer own = cli(with({"run", network, "--schedule", at("best.json"), "-o", at("own.npy")}, "-i"));
    QVERIFY2(own.status == 0, own.err);
    QVERIFY2(difference(at("y.npy"), at("own.npy")) <= 1e-6, "not what `run` computes");

    const QString python = pythonWith("onnxruntime, numpy");
    if (python.isEmpty())
        QSKIP("without ONNX Runtime outputs are compared with `run` alone");
    QCOMPARE(cli({"convert", network, "-o", at("net.onnx")}).status, 0);
    const Finished judged = judge(python, at("net.onnx"), inputs, at("judge.npy"));
    QVERIFY2(judged.status == 0, judged.text);
    QVERIFY2(difference(at("y.npy"), at("judge.npy")) <= 1e-4, "not what ONNX Runtime computes");
}

void TestExportCppNetworks::export_operatorWithoutKernel_isRefusedByName_data()
{
    QTest::addColumn<QString>("network");
    QTest::addColumn<QByteArray>("refused");
    QTest::newRow("values of the largest") << "moe" << QByteArray("operator layer0/routed/router/topk: ");
    QTest::newRow("rows by computed numbers") << "dlrm" << QByteArray("operator table0/lookup: ");
}

void TestExportCppNetworks::export_operatorWithoutKernel_isRefusedByName()
{
    QFETCH(const QString, network);
    QFETCH(const QByteArray, refused);
    const QTemporaryDir folder;
    const QString project = folder.filePath("net");
    const Answer answer = cli({"export", network, "sequential", "-d", "sim:v100", "--format", "cpp", "-o", project});
    QCOMPARE(answer.status, 3);
    QVERIFY2(answer.err.contains(refused + "an exported project has no kernel for this operator"), answer.err);
    QVERIFY2(answer.err.contains("Run it with stagecraft-cli run"), answer.err);
    QVERIFY(!QFileInfo::exists(project));
}

STAGECRAFT_SUITE(TestExportCppNetworks)

} // namespace tst_export_cpp_networks
#include "tst_export_cpp_networks.moc"
