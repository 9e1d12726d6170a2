// The CPU device against ONNX Runtime: single operators, built-in networks, and the ONNX models that come with PyPI's
// rapidocr-onnxruntime where it is installed. Needs a Python with onnx and onnxruntime: STAGECRAFT_PYTHON, or
// build/peers, which packaging/test.sh makes; skipped, with the reason, where there is none.

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QTest>

class TestOnnxRuntime : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void run_eachOperator_equalsOnnxRuntime();
    void run_builtInNetworks_equalOnnxRuntime_data();
    void run_builtInNetworks_equalOnnxRuntime();
    void run_realModels_equalOnnxRuntime();

private:
    void compare(const QStringList &what);

    QString m_python;
};

void TestOnnxRuntime::initTestCase()
{
    const QStringList candidates{qEnvironmentVariable("STAGECRAFT_PYTHON"),
                                 STAGECRAFT_SOURCE_DIR "/build/peers/bin/python"};
    for (const QString &python : candidates) {
        if (!python.isEmpty() && QProcess::execute(python, {"-c", "import onnx, onnxruntime, numpy"}) == 0) {
            m_python = python;
            return;
        }
    }
    QSKIP("there is no Python with onnx and onnxruntime; packaging/test.sh installs them");
}

void TestOnnxRuntime::compare(const QStringList &what)
{
    QProcess process;
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.start(m_python, QStringList{STAGECRAFT_SOURCE_DIR "/tests/app/compare_with_onnxruntime.py",
                                        STAGECRAFT_BIN_DIR "/stagecraft-cli"} +
                                what);
    QVERIFY(process.waitForFinished(280'000));
    const QByteArray report = process.readAll();
    qInfo().noquote() << report;
    QCOMPARE(process.exitCode(), 0);
    QVERIFY(report.contains("ok "));
}

void TestOnnxRuntime::run_eachOperator_equalsOnnxRuntime()
{
    compare({"operators"});
}

void TestOnnxRuntime::run_builtInNetworks_equalOnnxRuntime_data()
{
    QTest::addColumn<QString>("network");
    for (const char *network : {"sample", "squeezenet", "inception_v3"})
        QTest::newRow(network) << network;
}

void TestOnnxRuntime::run_builtInNetworks_equalOnnxRuntime()
{
    QFETCH(QString, network);
    compare({"networks", network});
}

void TestOnnxRuntime::run_realModels_equalOnnxRuntime()
{
    QDir packages(QFileInfo(m_python).absolutePath() + "/../lib");
    QStringList files;
    for (const QString &python : packages.entryList({"python3*"}, QDir::Dirs)) {
        const QDir models(packages.filePath(python + "/site-packages/rapidocr_onnxruntime/models"));
        // The recognition model cannot run at the square size chosen where its file leaves the size open.
        for (const QString &file : models.entryList({"*_cls_infer.onnx", "*_det_infer.onnx"}, QDir::Files))
            files.append(models.filePath(file));
    }
    if (files.isEmpty())
        QSKIP("the models of rapidocr-onnxruntime are not installed in that Python");
    compare(QStringList{"files"} + files);
}

QTEST_GUILESS_MAIN(TestOnnxRuntime)
#include "tst_onnxruntime.moc"
