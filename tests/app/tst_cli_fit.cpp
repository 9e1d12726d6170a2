// devices fit and reproduce --kernels on the command line, and how far simulated devices are in every answer.

#include "support/cli_process.h"
#include "support/shared_data.h"
#include "support/suite.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>

using namespace stagecraft::test;

namespace tst_cli_fit {

namespace {

constexpr const char *kTable = "kind,n_or_m,c_or_n,h_or_k,w,k,kh,kw,pad_h,pad_w,stride_h,stride_w,trans_a,trans_b,"
                               "time_us,algorithm\n"
                               "conv,16,64,28,28,64,3,3,1,1,1,1,,,95,WINOGRAD\n"
                               "conv,8,64,28,28,64,3,3,1,1,1,1,,,60,WINOGRAD\n"
                               "conv,16,64,28,28,256,1,1,0,0,1,1,,,70,IMPLICIT_GEMM\n"
                               "conv,8,64,28,28,256,1,1,0,0,1,1,,,45,SOMETHING_NEW\n"
                               "gemm,1536,2048,1024,,,,,,,,,N,N,540,\n"
                               "gemm,1536,2048,512,,,,,,,,,N,N,280,\n";

void write(const QString &path, const QByteArray &text)
{
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    QCOMPARE(file.write(text), text.size());
}

} // namespace

class TestCliFit : public QObject {
    Q_OBJECT

private slots:
    void init() { write(m_folder.filePath("kernels.csv"), kTable); }

    void fit_json_hasKernelsAndFamilies()
    {
        const Answer answer =
            cli({"devices", "fit", "kernels.csv", "--base", "sim:v100", "--folds", "2", "--json", "-o", "mine.json"},
                m_folder.path());
        QVERIFY2(answer.status == 0, answer.err.constData());
        const QJsonObject json = answer.json();
        QCOMPARE(json["format"].toString(), "stagecraft-devices-fit");
        QCOMPARE(json["precision"].toString(), "fp32");
        QCOMPARE(json["left_out"].toBool(), true);
        const QJsonArray kernels = json["kernels"].toArray();
        QCOMPARE(kernels.size(), 6);
        const QJsonObject other = kernels[3].toObject();
        QCOMPARE(other["family"].toString(), "conv other");
        QCOMPARE(other["algorithm"].toString(), "other");
        QCOMPARE(other["source"].toString(), "kernels.csv:5");
        QCOMPARE(other["measured_us"].toDouble(), 45.0);
        QVERIFY(std::abs(other["simulated_us"].toDouble() / 45 - 1 - other["error"].toDouble()) < 1e-9);
        double sum = 0;
        for (const QJsonValue &kernel : kernels)
            sum += std::abs(kernel["error"].toDouble());
        QVERIFY(std::abs(json["mean_error"].toDouble() - sum / 6) < 1e-9);
        const QJsonObject families = json["families"].toObject();
        QCOMPARE(families.keys(),
                 (QStringList{"conv IMPLICIT_GEMM", "conv WINOGRAD", "conv other", "product, over 1024 rows"}));
        QCOMPARE(families["conv WINOGRAD"].toObject()["kernels"].toInt(), 2);
        QVERIFY(json["constants"].toArray().size() >= 3);

        // The file keeps it, and what is simulated on it says so.
        const QString path = m_folder.filePath("mine.json");
        const QJsonObject device = cli({"devices", "sim:" + path, "--json"}).json();
        QCOMPARE(device["id"].toString(), "sim:" + path);
        const QJsonObject error = device["simulation_error"].toArray()[0].toObject();
        QCOMPARE(error["left_out"].toBool(), true);
        QCOMPARE(error["kernels"].toInt(), 6);
        QVERIFY(std::abs(error["median_error"].toDouble() - json["median_error"].toDouble()) < 1e-4);
        const Answer measured = cli({"measure", "sample", "-d", "sim:" + path, "--schedule", "greedy"});
        const QString within = QStringLiteral("simulated, within %1 % on kernels left out in fp32 (median of 6)")
                                   .arg(std::lround(100 * json["median_error"].toDouble()));
        QVERIFY2(QString(measured.out).contains(within), measured.out.constData());
    }

    void fit_text_listsEachKernelAndTheErrors()
    {
        const Answer answer =
            cli({"devices", "fit", "kernels.csv", "--base", "sim:v100:fp16", "--keep-constants"}, m_folder.path());
        QVERIFY2(answer.status == 0, answer.err.constData());
        const QString text = answer.out;
        for (const char *part : {"conv 16x64x28x28, 64 of 3x3, pad 1", "product 2048x1024x1536 NN", "conv other",
                                 "median error", "on measured kernels in fp16 (median of 6)"})
            QVERIFY2(text.contains(part), qPrintable(text));
        QVERIFY(!text.contains("gemm_efficiency")); // nothing was fitted
    }

    void refusals_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<int>("status");
        QTest::addColumn<QString>("error");
        const auto row = [](const char *name, const QStringList &arguments, int status, const char *error) {
            QTest::newRow(name) << arguments << status << error;
        };
        row("no base", {"devices", "fit", "kernels.csv"}, 2, "--base");
        row("no file", {"devices", "fit", "--base", "sim:v100"}, 2, "FILE");
        row("another device", {"devices", "fit", "kernels.csv", "--base", "cpu"}, 2, "cpu is no simulated device");
        row("a file that is not there", {"devices", "fit", "nowhere.csv", "--base", "sim:v100"}, 3, "nowhere.csv");
        row("a bad line", {"devices", "fit", "bad.csv", "--base", "sim:v100"}, 3, "bad.csv: line 2: kind is \"pool\"");
        row("too few", {"devices", "fit", "kernels.csv", "--base", "sim:v100", "--folds", "7"}, 3,
            "6 kernels: too few to leave out one of 7 parts");
        row("over the kernels", {"devices", "fit", "kernels.csv", "--base", "sim:v100", "-o", "kernels.csv"}, 2,
            "kernels.csv");
        row("kernels on another device", {"reproduce", "--kernels", "kernels.csv", "-d", "cpu"}, 2,
            "cpu is no simulated device");
    }

    void refusals()
    {
        QFETCH(const QStringList, arguments);
        QFETCH(const int, status);
        QFETCH(const QString, error);
        write(m_folder.filePath("bad.csv"), "kind,n_or_m,c_or_n,h_or_k,time_us\npool,1,2,3,4\n");
        const Answer answer = cli(arguments, m_folder.path());
        QVERIFY2(answer.status == status && QString(answer.err).contains(error), answer.err.constData());
        QVERIFY(answer.out.isEmpty());
    }

    void reproduceKernels_folder_hasPageTextAndJson()
    {
        const Answer answer = cli({"reproduce", "--kernels", "kernels.csv", "--json", "-o", "report"}, m_folder.path());
        QVERIFY2(answer.status == 0, answer.err.constData());
        const QJsonObject json = answer.json();
        QCOMPARE(json["subject"].toString(), "Kernels that others measured");
        QCOMPARE(json["device"].toString(), "sim:v100");
        const QJsonArray figures = json["figures"].toArray();
        QCOMPARE(figures.size(), 5); // errors, three algorithms, products
        QCOMPARE(figures[0].toObject()["id"].toString(), "kernels-1-errors");
        QCOMPARE(figures[0].toObject()["rows"].toArray().last().toObject()["label"].toString(), "all");
        const QJsonObject first = figures[1].toObject();
        QCOMPARE(first["title"].toString(), "WINOGRAD of kernels.csv");
        QCOMPARE(first["rows"].toArray()[0].toObject()["cells"].toArray()[0].toObject()["published"].toDouble(), 95.0);
        QCOMPARE(json["errors"].toObject()["entries"].toInt(), 6);
        for (const char *ending : {"html", "txt", "json"}) {
            QFile file(m_folder.filePath(QString("report/kernels.") + ending));
            QVERIFY2(file.open(QIODevice::ReadOnly), ending);
            const QByteArray text = file.readAll();
            QVERIFY2(text.contains("product 2048x1024x1536 NN"), ending);
            QVERIFY2(text.contains("Kernels that others measured"), ending);
            QVERIFY2(!text.contains("IOS paper on") && !text.contains("What the paper says"), ending);
        }
    }

    void reproduceKernels_filesOfOthers_areWithinWhatV100Says()
    {
        const QString file = sharedDataPath("kernels/v100_fp32.csv");
        if (file.isEmpty())
            QSKIP(kNoSharedData);
        const QJsonObject device = cli({"devices", "sim:v100", "--json"}).json();
        const QJsonObject json = cli({"reproduce", "--kernels", file, "--json"}).json();
        const QJsonArray cells =
            json["figures"].toArray()[0].toObject()["rows"].toArray().last().toObject()["cells"].toArray();
        const QJsonObject stated = device["simulation_error"].toArray()[0].toObject();
        QCOMPARE(stated["precision"].toString(), "fp32");
        QCOMPARE(cells[0].toObject()["ours"].toInt(), stated["kernels"].toInt());
        // sim:v100 is calibrated on them, so they are no predictions; those of sim:k80 are.
        const auto isFitted = [](const QJsonObject &answer) {
            return answer["figures"]
                .toArray()[1]
                .toObject()["rows"]
                .toArray()[0]
                .toObject()["cells"]
                .toArray()[0]
                .toObject()["fitted"]
                .toBool();
        };
        QVERIFY(isFitted(json));
        QVERIFY(!isFitted(cli({"reproduce", "--kernels", file, "-d", "sim:k80", "--json"}).json()));
        QVERIFY(std::abs(cells[1].toObject()["ours"].toDouble() - 100 * stated["median_error"].toDouble()) < 0.02);
    }

    void answers_onSimulatedDevices_sayHowFarTheyAre_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::newRow("optimize") << QStringList{"optimize", "sample"};
        QTest::newRow("measure") << QStringList{"measure", "sample", "--schedule", "greedy"};
        QTest::newRow("compare") << QStringList{"compare", "sample"};
        QTest::newRow("timeline") << QStringList{"timeline", "sample", "--schedule", "greedy"};
        QTest::newRow("sweep") << QStringList{"sweep", "sample", "--r", "1", "--s", "3"};
        QTest::newRow("specialize") << QStringList{"specialize", "sample", "--batch", "1,2"};
    }

    void answers_onSimulatedDevices_sayHowFarTheyAre()
    {
        QFETCH(const QStringList, arguments);
        const Answer judged = cli(arguments + QStringList{"-d", "sim:v100"});
        QCOMPARE(QString(judged.out).count("simulated, within "), 1);
        const Answer never = cli(arguments + QStringList{"-d", "sim:a100"});
        QCOMPARE(QString(never.out).count("simulated, never judged by measured kernels"), 1);
        const QByteArray json = cli(arguments + QStringList{"-d", "sim:v100", "--json"}).out;
        QVERIFY2(json.contains("\"simulation_error\": [") && json.contains("\"median_error\""), json.constData());
    }

    void scheduleFile_keepsHowFarItsDeviceWas()
    {
        const QString path = m_folder.filePath("greedy.schedule.json");
        QCOMPARE(cli({"optimize", "sample", "-d", "sim:v100", "-o", path}).status, 0);
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QVERIFY(file.readAll().contains("\"simulation_error\""));
        QCOMPARE(cli({"measure", "sample", "-d", "sim:v100", "--schedule", path}).status, 0);
    }

private:
    QTemporaryDir m_folder;
};

STAGECRAFT_SUITE(TestCliFit)

} // namespace tst_cli_fit
#include "tst_cli_fit.moc"
