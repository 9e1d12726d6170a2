// ONNX's own backend tests, as they come with PyPI's onnx: each is executed rightly or refused by name, none is wrong,
// none ends a process. Needs a Python with onnx: STAGECRAFT_PYTHON, or build/peers, which packaging/test.sh makes;
// skipped, with the reason, where there is none.

#include "support/peer_python.h"

#include <QProcess>
#include <QTest>

class TestOnnxBackend : public QObject {
    Q_OBJECT

private slots:
    void run_everyBackendTest_isRightOrRefusedByName_data();
    void run_everyBackendTest_isRightOrRefusedByName();
};

void TestOnnxBackend::run_everyBackendTest_isRightOrRefusedByName_data()
{
    QTest::addColumn<QStringList>("options");
    QTest::newRow("as they are") << QStringList();
    QTest::newRow("with constants") << QStringList("--constants");
}

void TestOnnxBackend::run_everyBackendTest_isRightOrRefusedByName()
{
    QFETCH(const QStringList, options);
    const QString python = stagecraft::test::pythonWith("onnx, numpy");
    if (python.isEmpty())
        QSKIP("there is no Python with onnx; packaging/test.sh installs it");
    QProcess process;
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.start(python, QStringList{STAGECRAFT_SOURCE_DIR "/tests/app/onnx_backend_tests.py",
                                      STAGECRAFT_BIN_DIR "/stagecraft-cli"} +
                              options);
    QVERIFY(process.waitForFinished(280'000));
    const QByteArray report = process.readAll();
    qInfo().noquote() << report;
    QCOMPARE(process.exitStatus(), QProcess::NormalExit);
    QCOMPARE(process.exitCode(), 0);
    QVERIFY(report.contains(" right, "));
}

QTEST_GUILESS_MAIN(TestOnnxBackend)
#include "tst_onnx_backend.moc"
