// tune on the command line: what it finds is stored and used, and what cannot be tuned is refused by name.

#include "support/cli_process.h"
#include "support/suite.h"

#include <QJsonArray>
#include <QJsonObject>
#include <QTest>

using namespace stagecraft::test;

namespace tst_cli_tune {

class TestCliTune : public QObject {
    Q_OBJECT

private slots:
    void tune_json_hasEachKernelAndWhatItFound()
    {
        const Answer answer = cli({"tune", "squeezenet", "--trials", "3", "--seconds", "5", "--json"});
        QVERIFY2(answer.status == 0, answer.err.constData());
        const QJsonObject json = answer.json();
        QCOMPARE(json["format"].toString(), "stagecraft-tune");
        QVERIFY(!json["stopped"].toBool());
        const QJsonArray kernels = json["kernels"].toArray();
        if (kernels.isEmpty())
            QSKIP("this processor has no vectors that the kernels are written for");
        for (const auto &value : kernels) {
            const QJsonObject kernel = value.toObject();
            QVERIFY(kernel["trials"].toInt() >= 1 && kernel["trials"].toInt() <= 3);
            QVERIFY(kernel["library_us"].toDouble() > 0 && kernel["tuned_us"].toDouble() > 0);
            const bool isFaster = kernel["verdict"].toString() == "faster";
            QCOMPARE(kernel["parameters"].toArray().isEmpty(), !isFaster);
            if (isFaster) {
                QCOMPARE(kernel["parameters"].toArray().size(), kernel["parameter_names"].toArray().size());
                QVERIFY(kernel["speedup_low"].toDouble() > 1);
            }
        }
    }

    void tune_text_saysHowManyAreFaster()
    {
        const Answer answer = cli({"tune", "sample", "-d", "cpu:library", "--trials", "1", "--forget"});
        QVERIFY2(answer.status == 0, answer.err.constData());
        QVERIFY2(answer.out.contains("kernels are faster than the library's"), answer.out.constData());
    }

    void tune_whatCannotBeTuned_isRefused_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QByteArray>("says");
        const auto row = [](const char *name, const QStringList &arguments, const char *says) {
            QTest::newRow(name) << arguments << QByteArray(says);
        };
        row("simulated", {"tune", "sample", "-d", "sim:v100"}, "sim:v100 has no kernels of its own");
        row("gpu", {"tune", "sample", "-d", "gpu:0"}, "chosen among cuDNN's and our templates");
        row("no trials", {"tune", "sample", "--trials", "0"}, "--trials");
        row("no seconds", {"tune", "sample", "--seconds", "0"}, "--seconds");
    }
    void tune_whatCannotBeTuned_isRefused()
    {
        QFETCH(QStringList, arguments);
        QFETCH(QByteArray, says);
        const Answer answer = cli(arguments);
        QCOMPARE(answer.status, 2);
        QVERIFY2(answer.err.contains(says), answer.err.constData());
    }

    void measure_onTheLibrarysKernels_saysSo()
    {
        const Answer measured = cli({"measure", "sample", "-d", "cpu:library", "--json"});
        QVERIFY2(measured.status == 0, measured.err.constData());
        QCOMPARE(measured.json()["device"].toString(), "cpu:library");
    }
};

STAGECRAFT_SUITE(TestCliTune)

} // namespace tst_cli_tune
#include "tst_cli_tune.moc"
