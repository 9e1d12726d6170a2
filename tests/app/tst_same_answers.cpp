// What the command line answers and writes for the built-in networks on simulated devices and on recordings of them,
// and of a session, is what it was: each text has the SHA-256 of tests/data/answers.sha256. A change that is meant to
// change answers writes the file anew, by STAGECRAFT_WRITE_ANSWERS=1; one that is not, as a move of code, leaves it
// alone.

#include "device/recorded/recorded_latencies.h"
#include "flow/find_schedule.h"
#include "results/files/session_json.h"
#include "support/cli_process.h"
#include "support/opened_model.h"
#include "support/places.h"
#include "support/session_making.h"
#include "support/suite.h"

#include <QCryptographicHash>
#include <QDirIterator>
#include <QJsonArray>
#include <QRegularExpression>
#include <QTemporaryDir>

#include <map>
#include <set>
#include <string>
#include <vector>

using namespace stagecraft::test;

namespace tst_same_answers {

namespace {

using Sums = std::map<QString, QByteArray>;

QString sumsFile()
{
    return sourcePath("tests/data/answers.sha256");
}

Sums storedSums()
{
    Sums sums;
    for (const QByteArray &line : contentOf(sumsFile()).split('\n')) {
        if (const auto space = line.indexOf("  "); space > 0)
            sums[QString::fromUtf8(line.mid(space + 2))] = line.first(space);
    }
    return sums;
}

// Without what differs between two runs or two versions, and, of a page, its style and program, as they are today.
QByteArray lasting(const QByteArray &answer)
{
    static const QRegularExpression kSeconds(QStringLiteral(R"re("(search|measure)_seconds": ?[-+.e0-9]+)re"));
    static const QRegularExpression kOfPage(QStringLiteral(R"(<(style|script)>.*?</\1>)"),
                                            QRegularExpression::DotMatchesEverythingOption);
    static const QByteArray kVersion = cli({"--version"}).out.split('\n').first().split(' ').last();
    if (answer.contains('\0'))
        return answer;
    QString text = QString::fromUtf8(answer);
    text.replace(kSeconds, QStringLiteral(R"("\1_seconds": 0)"));
    if (text.startsWith(QLatin1String("<!DOCTYPE html>")))
        text.remove(kOfPage);
    return text.toUtf8().replace(kVersion, "VERSION");
}

// Every stage of three schedules, as sim:v100 answers, and the whole of two.
QByteArray recordingOf(const std::string &network)
{
    const Model model = *openedModel(network);
    const auto device = *findDevice("sim:v100");
    const auto session = *device->open(model.graph);
    RecordedLatencies recording;
    recording.device = "V100";
    recording.model = model.graph->name();
    std::set<std::string> known;
    for (const ScheduleKind kind : {ScheduleKind::Sequential, ScheduleKind::Greedy, ScheduleKind::IosBoth}) {
        const TimedSchedule schedule = findSchedule(model, *session, device->info(), {kind}, {}, {})->schedule;
        std::vector<RecordedStage> stages = namedStages(*model.graph, schedule);
        if (kind != ScheduleKind::Greedy)
            recording.schedules.push_back({stages, *schedule.measured.whole});
        for (std::size_t i = 0; i < stages.size(); ++i) {
            stages[i].timing = schedule.measured.stages[i];
            if (known.insert(recordKey(stages[i].strategy, stages[i].groups)).second)
                recording.stages.push_back(stages[i]);
        }
    }
    return QByteArray::fromStdString(toText(recording));
}

} // namespace

class TestSameAnswers : public QObject {
    Q_OBJECT

private slots:
    void network_everyAnswer_isTheSame_data();
    void network_everyAnswer_isTheSame();
    void session_file_isTheSame();
    void cleanupTestCase();

private:
    // Runs the command in the folder; its answer becomes a file there.
    void answer(const QString &folder, const QString &name, const QStringList &arguments)
    {
        const Answer made = cli(arguments, folder);
        QByteArray text = made.out;
        if (made.status != 0)
            text += "exit status " + QByteArray::number(made.status) + "\n" + made.err;
        write(folder + QLatin1Char('/') + name, text);
    }

    // The files below the folder have the sums that are stored for the name.
    void compareWithStored(const QString &name, QTemporaryDir &folder);

    Sums m_sums;
};

void TestSameAnswers::network_everyAnswer_isTheSame_data()
{
    QTest::addColumn<bool>("isSmall"); // studies and folders with weights, too
    const QJsonArray models = cli({"models", "--json"}).json()["models"].toArray();
    QVERIFY(!models.isEmpty());
    for (const auto &model : models) {
        const QString name = model.toObject()["name"].toString();
        if (name == QLatin1String("resnext29") || name == QLatin1String("nasnet_cifar")) // minutes of searching
            continue;
        QTest::newRow(qPrintable(name)) << (name == QLatin1String("sample") || name == QLatin1String("squeezenet"));
    }
}

void TestSameAnswers::network_everyAnswer_isTheSame()
{
    QFETCH(bool, isSmall);
    const QString name = QString::fromUtf8(QTest::currentDataTag());
    QTemporaryDir folder;
    const QString at = folder.path();
    const QStringList v100{"-d", "sim:v100"};
    answer(at, "info", {"info", name, "--json"});
    answer(at, "optimize", QStringList{"optimize", name, "--json", "-o", "found.schedule.json"} + v100);
    answer(at, "measure", {"measure", name, "--schedule", "greedy", "-d", "sim:2080ti", "--json"});
    answer(at, "measured_found", {"measure", name, "--schedule", "found.schedule.json", "-d", "sim:k80", "--json"});
    answer(at, "timeline", QStringList{"timeline", name, "--schedule", "found.schedule.json", "--json"} + v100);
    answer(at, "memory", {"memory", name, "--schedule", "found.schedule.json", "--json"});
    answer(at, "layout", QStringList{"layout", name, "--json"} + v100);
    answer(at, "compare",
           {"compare", name, "--schedule", "sequential", "--schedule", "found.schedule.json", "-d", "sim:k80", "--json",
            "--differences"});
    for (const char *file :
         {"ios.json", "stages.csv", "stages.md", "graph.dot", "page.svg", "report.html", "kernels.trace"}) {
        QStringList arguments{"export", name, "greedy", "-o", file};
        if (const QByteArray ending = QByteArray(file).split('.').last(); ending == "json")
            arguments += {"--format", "ios-json"};
        else if (ending == "trace")
            arguments += {"--format", "chrome-trace"};
        answer(at, QString::fromUtf8(file) + ".said", arguments + v100);
    }
    if (isSmall) {
        answer(at, "sweep", QStringList{"sweep", name, "--json"} + v100);
        answer(at, "specialize", {"specialize", name, "--batches", "1,8", "-d", "sim:v100", "--json"});
        answer(at, "onnx.said", {"export", name, "greedy", "-o", "staged.onnx"});
        answer(at, "convert.said", {"convert", name, "-o", "plain.onnx"});
        answer(at, "cpp.said", {"export", name, "found.schedule.json", "--format", "cpp", "-o", "project"});
        answer(at, "pytorch.said", {"export", name, "found.schedule.json", "--format", "pytorch", "-o", "module"});
    }
    write(at + QStringLiteral("/v100.latencies.jsonl"), recordingOf(name.toStdString()));
    const QStringList recorded{"-d", "rec:v100.latencies.jsonl"};
    answer(at, "recorded_measure",
           QStringList{"measure", name, "--schedule", "found.schedule.json", "--json"} + recorded);
    answer(at, "recorded_compare",
           QStringList{"compare", name, "--schedule", "sequential", "--schedule", "greedy", "--schedule",
                       "found.schedule.json", "--json"} +
               recorded);
    if (isSmall)
        answer(at, "recorded_optimize", QStringList{"optimize", name, "--json"} + recorded);
    compareWithStored(name, folder);
}

// Written, and what is exported of it: schedules, and tables of them.
void TestSameAnswers::session_file_isTheSame()
{
    QTemporaryDir folder;
    write(folder.filePath("mine.stagecraft"), QByteArray::fromStdString(toJson(shelfOfSqueezenet())));
    for (const char *format : {"json", "ios-json", "csv", "markdown", "dot", "chrome-trace"})
        answer(folder.path(), QString::fromUtf8(format) + ".said",
               {"export", "mine.stagecraft", "--format", format, "-o", QString::fromUtf8(format)});
    compareWithStored(QStringLiteral("session"), folder);
}

void TestSameAnswers::compareWithStored(const QString &name, QTemporaryDir &folder)
{
    const QString at = folder.path();
    const Sums stored = storedSums();
    QStringList different;
    QDirIterator files(at, QDir::Files, QDirIterator::Subdirectories);
    while (files.hasNext()) {
        const QString path = files.next();
        if (path.contains(QLatin1String("/src/engine/")) || path.endsWith(QLatin1String("/MANIFEST.sha256")))
            continue; // our sources, as they are today
        const QString key = name + path.mid(at.size());
        const QByteArray sum = QCryptographicHash::hash(lasting(contentOf(path)), QCryptographicHash::Sha256).toHex();
        m_sums[key] = sum;
        const auto found = stored.find(key);
        if (found == stored.end() || found->second != sum)
            different << key;
    }
    for (const auto &[key, sum] : stored) {
        if (key.startsWith(name + QLatin1Char('/')) && !m_sums.contains(key))
            different << key + " (not written)";
    }
    if (qEnvironmentVariableIsSet("STAGECRAFT_WRITE_ANSWERS"))
        return;
    folder.setAutoRemove(different.isEmpty());
    QVERIFY2(different.isEmpty(),
             qPrintable(QStringLiteral("other than before: %1. They are in %2; if the change means to change them, run "
                                       "this suite with STAGECRAFT_WRITE_ANSWERS=1 and say in the commit what changed")
                            .arg(different.join(QStringLiteral(", ")), at)));
}

void TestSameAnswers::cleanupTestCase()
{
    if (!qEnvironmentVariableIsSet("STAGECRAFT_WRITE_ANSWERS"))
        return;
    Sums all = storedSums();
    for (const auto &[key, sum] : m_sums)
        all[key] = sum;
    QByteArray text;
    for (const auto &[key, sum] : all)
        text += sum + "  " + key.toUtf8() + "\n";
    write(sumsFile(), text);
}

STAGECRAFT_SUITE(TestSameAnswers)

} // namespace tst_same_answers
#include "tst_same_answers.moc"
