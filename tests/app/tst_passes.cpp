// Each pass alone, all but each, and all together keep the outputs of a model, in the judgement of ONNX Runtime. Needs
// a Python with onnx and onnxruntime: STAGECRAFT_PYTHON, or build/peers, which packaging/test.sh creates; skipped with
// the reason if there is none.

#include "support/peer_python.h"
#include "support/places.h"
#include "support/suite.h"

#include <QProcess>
#include <QTest>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_passes {

class TestPasses : public QObject {
    Q_OBJECT

private slots:
    void run_everySettingOfPasses_computesTheSame();
};

void TestPasses::run_everySettingOfPasses_computesTheSame()
{
    const QString python = test::pythonWith("onnx, onnxruntime");
    if (python.isEmpty())
        QSKIP("there is no Python with onnx and onnxruntime; packaging/test.sh installs them");
    QProcess process;
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.start(python, {sourcePath("tests/app/pass_outputs.py"), programPath("stagecraft-cli")});
    QVERIFY(process.waitForFinished(280'000));
    const QByteArray report = process.readAll();
    qInfo().noquote() << report;
    QCOMPARE(process.exitStatus(), QProcess::NormalExit);
    QCOMPARE(process.exitCode(), 0);
}

STAGECRAFT_SUITE(TestPasses)

} // namespace tst_passes
#include "tst_passes.moc"
