// Each key of each JSON answer is documented with its unit, and each documented key occurs: compares the answers with
// the keys of their records.

#include "answers/json_answers.h"
#include "device/npy.h"
#include "results/files/session_json.h"
#include "support/cli_process.h"
#include "support/kit_answers.h"
#include "support/places.h"
#include "support/session_making.h"
#include "support/suite.h"

#include <QJsonArray>
#include <QSet>
#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>
#include <optional>

using namespace stagecraft;
using namespace stagecraft::test;

namespace {

QString qt(const std::string &text)
{
    return QString::fromStdString(text);
}

struct Entry {
    QString kind;
    bool isOptional = false;
    QString origin; // "search: gap": from the answer or part that describes it
};

using Entries = QMap<QString, Entry>; // by path

void expand(const JsonAnswer &answer, const QString &prefix, Entries &entries)
{
    for (const JsonKey &key : answer.keys) {
        const bool isOptional = key.path.ends_with('?');
        const QString own = qt(isOptional ? key.path.substr(0, key.path.size() - 1) : key.path);
        entries[prefix + own] = {qt(key.kind), isOptional, qt(answer.name) + ": " + own};
        for (const JsonAnswer &part : jsonAnswers().parts) {
            if (qt(key.kind).section(" or null", 0, 0) == "part " + qt(part.name))
                expand(part, prefix + own + ".", entries);
        }
    }
}

Entries documented(const QString &name)
{
    Entries entries;
    for (const JsonAnswer &answer : jsonAnswers().answers) {
        if (qt(answer.name) == name)
            expand(answer, {}, entries);
    }
    return entries;
}

const QStringList kUnits{"count",
                         "us",
                         "s",
                         "MHz",
                         "FLOP",
                         "bytes",
                         "times",
                         "share",
                         "percent",
                         "index from 0",
                         "number from 1",
                         "number, unit in the key",
                         "number in us",
                         "number in the unit of the figure",
                         "number in the unit of the counter"};

bool isKind(const QJsonValue &value, QString kind)
{
    if (kind.endsWith(" or null")) {
        if (value.isNull())
            return true;
        kind.chop(8);
    }
    if (kind == "text")
        return value.isString();
    if (kind == "true or false")
        return value.isBool();
    if (kind == "object" || kind.startsWith("part "))
        return value.isObject();
    if (kind == "text or list of text")
        return value.isString() || std::ranges::all_of(value.toArray(), [](const auto &one) { return one.isString(); });
    if (kind == "list of counts")
        return value.isArray() && std::ranges::all_of(value.toArray(), [](const auto &one) { return one.isDouble(); });
    return value.isDouble() && kUnits.contains(kind);
}

// Compares an answer with its documentation: errors, and the keys that occur.
class AnswerCheck {
public:
    explicit AnswerCheck(Entries entries) : m_entries(std::move(entries)) {}

    void read(const QJsonObject &answer) { visitMembers(answer, {}); }

    QStringList wrong;
    QSet<QString> seen; // origins

private:
    void visit(const QJsonValue &value, const QString &path)
    {
        const auto entry = m_entries.find(path);
        if (entry != m_entries.end()) {
            seen.insert(entry->origin);
            if (!isKind(value, entry->kind))
                wrong << path + " is not " + entry->kind;
            if (value.isArray())
                return;
        }
        if (value.isArray()) {
            if (!hasBelow(path + "[]"))
                wrong << path + " is not documented as a list";
            for (const QJsonValue &element : value.toArray())
                visit(element, path + "[]");
        } else if (value.isObject()) {
            visitMembers(value.toObject(), path + ".");
        } else if (entry == m_entries.end()) {
            wrong << path + " is not documented";
        }
    }

    void visitMembers(const QJsonObject &object, const QString &prefix)
    {
        for (auto member = object.begin(); member != object.end(); ++member) {
            const bool isNamed = hasBelow(prefix + member.key());
            if (!isNamed && !hasBelow(prefix + "*"))
                wrong << prefix + member.key() + " is not documented";
            else
                visit(*member, prefix + (isNamed ? member.key() : "*"));
        }
        for (auto entry = m_entries.begin(); entry != m_entries.end(); ++entry) {
            if (!entry.key().startsWith(prefix))
                continue;
            const QString rest = entry.key().mid(prefix.size());
            const QString name = rest.section('.', 0, 0).section('[', 0, 0);
            const bool isWhole = !rest.contains('.');
            const bool isNullObject = !isWhole && m_entries.contains(prefix + name);
            const auto list = m_entries.find(prefix + name + "[]");
            const bool isOptionalList = list != m_entries.end() && list->isOptional;
            if (!name.isEmpty() && name != "*" && !object.contains(name) && !(isWhole && entry->isOptional) &&
                !isNullObject && !isOptionalList)
                wrong << prefix + name + " is missing";
        }
    }

    [[nodiscard]] bool hasBelow(const QString &path) const
    {
        return std::ranges::any_of(m_entries.keys(), [&](const QString &known) {
            return known == path || known.startsWith(path + ".") || known.startsWith(path + "[");
        });
    }

    Entries m_entries;
};

const QString kUncosted = sourcePath("tests/data/onnx/lost_shapes.onnx");

// Two latencies with clocks for the sample network.
QByteArray recording()
{
    QByteArray text = R"({"format":"stagecraft-latencies","version":1,"device":"H100","batch":1,"precision":"fp32",)"
                      R"("model":"sample","fingerprint":"gpu;x;","engine":"gpu:0"})"
                      "\n";
    int signature = 10;
    for (const char *name : {"conv1", "conv2", "conv3", "conv4", "concat"})
        text += R"({"strategy":"concurrent","groups":[[")" + QByteArray(name) +
                R"("]],"latency_us":5.5,"clock_mhz":1755,"signature":"000000000000000000000000000000)" +
                QByteArray::number(++signature) + "\"}\n";
    return text;
}

} // namespace

class TestCliJson : public QObject {
    Q_OBJECT

private slots:
    void documentation_everyNumber_hasAUnit();
    void answers_data();
    void answers();
    void everyDocumentedKey_isInSomeAnswer();

private:
    QSet<QString> m_seen;
    QSet<QString> m_read; // names of answers
};

void TestCliJson::documentation_everyNumber_hasAUnit()
{
    QStringList parts;
    for (const JsonAnswer &part : jsonAnswers().parts)
        parts << "part " + qt(part.name);
    const QStringList kinds =
        kUnits + parts + QStringList{"text", "true or false", "object", "list of counts", "text or list of text"};
    for (const auto *list : {&jsonAnswers().answers, &jsonAnswers().parts}) {
        for (const JsonAnswer &answer : *list) {
            for (const JsonKey &key : answer.keys) {
                const QString what = qt(answer.name + ": " + key.path);
                const QString kind = qt(key.kind).section(" or null", 0, 0);
                const QString name = qt(key.path).remove('?').remove("[]").remove(".*");
                QVERIFY2(kinds.contains(kind), qPrintable(what + " is " + kind));
                QVERIFY2(!key.meaning.empty(), qPrintable(what));
                QCOMPARE(name.endsWith("_us"), kind == "us");
                QVERIFY2(name.endsWith("_mhz") == (kind == "MHz"), qPrintable(what));
                QVERIFY2(name.endsWith("_seconds") == (kind == "s"), qPrintable(what));
                QVERIFY2(name.endsWith("_percent") == (kind == "percent"), qPrintable(what));
            }
        }
    }
    QVERIFY(jsonAnswersHtml().find("blocks[].transition_bound") != std::string::npos);
}

void TestCliJson::answers_data()
{
    using Calls = QList<QStringList>;
    QTest::addColumn<QList<QStringList>>("calls");
    const auto row = [](const char *name, const Calls &calls) { QTest::newRow(name) << calls; };
    const QString faulty = "faulty"; // a worker that measures instantly
    row("models", {{"models"}});
    row("devices", {{"devices"}});
    row("device-info", {{"devices", "sim:v100"}, {"devices", "cpu"}, {"devices", "rec:in.latencies.jsonl"}});
    row("info", {{"info", "sample"},
                 {"info", "randwire", "--count", "--max-seconds", "0.01"},
                 {"info", sourcePath("tests/data/onnx/unknown_operator.onnx")},
                 {"info", sourcePath("tests/data/onnx/conv_norm_relu.onnx"), "--passes"},
                 {"info", sourcePath("tests/data/onnx/parts.onnx")},
                 {"info", kUncosted}});
    row("optimize", {{"optimize", "sample"},
                     {"optimize", sourcePath("tests/data/onnx/shared_relu.onnx"), "-d", "cpu"},
                     {"optimize", "sample", "--keep", "own.schedule.json:1"},
                     {"optimize", "sample", "--why"},
                     {"optimize", "sample", "-d", "sim:h100", "--try-splits", "2"},
                     {"optimize", "sample", "--strategy", "streams"},
                     {"optimize", "googlenet", "--strategy", "opara"},
                     {"optimize", "sample", "--max-memory", "16MiB"},
                     {"optimize", "sample", "--max-memory", "64MiB", "--target", "pytorch"},
                     {"optimize", kUncosted}});
    row("kit", {{"kit", "sample", "-o", "kit"}});
    row("kit-next",
        {{"optimize", "squeezenet", "-d", "rec:kit1/squeezenet.latencies.jsonl", "--kit-next"},
         {"optimize", "squeezenet", "-d", "rec:kit1/squeezenet.latencies.jsonl", "--kit-next", "-o", "kit2"}});
    row("edit", {{"edit", "sample", "--schedule", "found.schedule.json", "--concurrent", "1", "-o", "e.json"},
                 {"edit", "sample", "--join", "1,2", "-d", "sim:v100", "-o", "e.json"},
                 {"edit", "sample", "--split-operator", "conv1:2", "-d", "sim:v100", "-o", "e.json"},
                 {faulty, "edit", "sample", "--join", "1,2", "-d", "cpu", "-o", "e.json"},
                 {"edit", kUncosted, "--join", "1,2", "-d", "sim:v100", "-o", "e.json"}});
    row("measure", {{"measure", "sample"},
                    {"measure", "sample", "--schedule", "found.schedule.json"},
                    {"measure", kUncosted},
                    {"measure", "sample", "-d", "rec:in.latencies.jsonl"},
                    {faulty, "measure", "sample", "-d", "cpu"}});
    row("compare", {{"compare", "sample", "--fail-below", "1.05"},
                    {faulty, "compare", "sample", "-d", "cpu", "--rounds", "2"},
                    {"compare", "sample", "--schedule", "greedy", "--schedule", "ios-both", "--differences"},
                    {"compare", "sample", "--schedule", "greedy", "--schedule", "ios-both", "--why"},
                    {"compare", "sample", "-d", "cpu", "--rounds", "0", "--schedule", "sequential", "--why"},
                    {"compare", "sample", "--schedule", "greedy", "--schedule", "p.schedule.json"},
                    {"compare", kUncosted}});
    row("sweep", {{"sweep", "sample", "--r", "1,2", "--s", "3", "--strategies", "both,merge"},
                  {"sweep", kUncosted, "--r", "1", "--s", "1"}});
    row("sweep-over", {{"sweep", "moe:width=64,hidden=64", "--over", "tokens=1..65536:x65536", "-d", "sim:h100:host"},
                       {"sweep", sourcePath("tests/data/onnx/shared_relu.onnx"), "--over", "batch=1..2", "-d", "cpu"},
                       {"sweep", kUncosted, "--over", "batch=1..1"}});
    row("export", {{"export", "sample", "greedy", "--format", "csv", "-o", "/dev/null"},
                   {"export", "mine.stagecraft", "--format", "csv", "-o", "shelf"}});
    row("specialize", {{"specialize", "sample", "--batch", "1,2"},
                       {"specialize", "sample", "--devices", "sim:k80,sim:v100"},
                       {"specialize", kUncosted, "--devices", "sim:k80,sim:v100"}});
    row("co-run", {{"co-run", "sample", "squeezenet", "-d", "sim:a100", "--max-seconds", "0.2", "--deadline",
                    "sample=1s", "--rate", "sample=100,squeezenet=200"},
                   {"co-run", sourcePath("tests/data/onnx/residual.onnx"), sourcePath("tests/data/onnx/residual.onnx"),
                    "-d", "cpu", "--max-seconds", "0.1", "--rounds", "2"}});
    row("convert", {{"convert", "sample", "-o", "sample.onnx"},
                    {"convert", sourcePath("tests/data/onnx/parts.onnx"), "-o", "plain.onnx"}});
    row("run", {{"run", sourcePath("tests/data/onnx/residual.onnx"), "-i", "x.npy", "-o", "y.npy"},
                {"run", sourcePath("tests/data/onnx/computed_reshape.onnx"), "-i", "x.npy", "-o", "y.npy"},
                {"run", sourcePath("tests/data/onnx/used_mask.onnx"), "-i", "x.npy", "-o", "y.npy"}});
    row("timeline", {{"timeline", "sample"},
                     {"timeline", "sample", "-d", "cpu"},
                     {"timeline", "sample", "--schedule", "p.schedule.json"},
                     {"timeline", kUncosted}});
    const QString layers = sourcePath("tests/data/profiles/sample.layers.json");
    row("profile", {{"profile", "sample", layers, sourcePath("tests/data/profiles/sample.runs.json")},
                    {"profile", "sample", layers, "-o", "p.schedule.json"},
                    {"profile", kUncosted, layers}});
    const QString recorded = sourcePath("tests/data/profiles/sample.layers.json") + ",runs.json";
    row("compare-files", {{"compare", "found.schedule.json", "half.schedule.json", "--fail-below", "1"},
                          {"compare", "found.schedule.json", "streams.schedule.json"},
                          {"compare", recorded, recorded, "--model", "sample"},
                          {"compare", "found.schedule.json", recorded},
                          {"compare", recorded, "found.schedule.json"}});
    row("verify", {{"verify", sourcePath("tests/data/plans/shared_scratch.launches.json")},
                   {"verify", "found.schedule.json", "--model", "sample"},
                   {"verify", sourcePath("tests/data/plans/sample.cuda_graph.dot"), "--model", "sample"}});
    row("tune", {{"tune", "sample", "--trials", "2", "--seconds", "2"}});
    row("memory", {{"memory", "inception_v3", "--schedule", "greedy"},
                   {"memory", sourcePath("tests/data/onnx/computed_reshape.onnx"), "--schedule", "sequential"}});
    row("layout", {{"layout", "sample", "--costs", sourcePath("tests/data/layout/sample.layout-costs.json")},
                   {"layout", sourcePath("tests/data/onnx/computed_reshape.onnx"), "--costs",
                    sourcePath("tests/data/layout/computed_reshape.layout-costs.json")},
                   {"layout", sourcePath("tests/data/onnx/residual.onnx"), "-d", "cpu", "--layouts", "nchw,nhwc",
                    "--rounds", "2"},
                   {"layout", "sample", "-d", "sim:v100", "--joint"}});
    row("latencies-import", {{"latencies", "import", "in.latencies.jsonl"}});
    row("latencies-list", {{"latencies", "list"}});
    row("latencies-export", {{"latencies", "export", "sample", "-d", "gpu:0", "-o", "out.latencies.jsonl"}});
    row("latencies-clear", {{"latencies", "clear", "-d", "gpu:0", "--yes"}});
    row("completion", {{"completion", "bash"}});
    row("man", {{"man"}});
    row("help", {{"help", "latencies", "export"}, {"help", "json", "info"}});
}

void TestCliJson::answers()
{
    QFETCH(const QList<QStringList>, calls);
    const QString name = QTest::currentDataTag();
    static const QTemporaryDir folder; // latencies are imported, listed, exported and cleared in turn
    write(folder.filePath("in.latencies.jsonl"), recording());
    const HostTensor tensor{"x", Shape{{1, 3, 8, 8}}, std::vector<float>(192, 0.5F)};
    QVERIFY(writeNpy(folder.filePath("x.npy").toStdString(), tensor));
    if (name == "optimize")
        QCOMPARE(cli({"edit", "sample", "--join", "1,2", "-o", "own.schedule.json"}, folder.path()).status, 0);
    if (name == "measure" || name == "edit" || name == "verify")
        QCOMPARE(cli({"optimize", "sample", "-o", "found.schedule.json"}, folder.path()).status, 0);
    if (name == "kit-next") {
        QCOMPARE(cli({"kit", "squeezenet", "--stages", "60", "-o", "kit1"}, folder.path()).status, 0);
        answerKitFolder(folder.filePath("kit1"));
    }
    if (name == "compare-files") {
        for (const QStringList &options :
             {QStringList{"-o", "found.schedule.json"}, QStringList{"-d", "sim:v100:fp16", "-o", "half.schedule.json"},
              QStringList{"--strategy", "nimble", "-o", "streams.schedule.json"}})
            QCOMPARE(cli(QStringList{"optimize", "sample"} + options, folder.path()).status, 0);
        write(folder.filePath("runs.json"),
              "[" + QByteArray(R"({"computeMs": 0.5}, )").repeated(9) + R"({"computeMs": 0.6}])");
    }
    if (name == "compare" || name == "timeline")
        QCOMPARE(
            cli({"profile", "sample", sourcePath("tests/data/profiles/sample.layers.json"), "-o", "p.schedule.json"},
                folder.path())
                .status,
            0);
    if (name == "export")
        write(folder.filePath("mine.stagecraft"), QByteArray::fromStdString(toJson(shelfOfSqueezenet())));
    AnswerCheck reading(documented(name));
    for (QStringList call : calls) {
        QStringList environment{"XDG_DATA_HOME=" + folder.path()};
        if (call.first() == "faulty") {
            call.removeFirst();
            environment = {"XDG_DATA_HOME=" + folder.path() + "/faulty",
                           "STAGECRAFT_WORKER=" + testProgramPath("faulty-worker")};
        }
        const Answer answer = cli(call + QStringList{"--json"}, folder.path(), environment);
        const bool isFault = name == "verify" && answer.status == 1;
        QVERIFY2(answer.status == 0 || isFault, answer.err);
        const QJsonObject json = answer.json();
        QCOMPARE(json["format"].toString(), "stagecraft-" + name);
        QCOMPARE(json["version"].toInt(), 1);
        reading.read(json);
    }
    QVERIFY2(reading.wrong.isEmpty(), qPrintable(reading.wrong.join("\n")));
    m_seen += reading.seen;
    m_read << name;
}

void TestCliJson::everyDocumentedKey_isInSomeAnswer()
{
    if (m_read.size() + 1 < static_cast<qsizetype>(jsonAnswers().answers.size()))
        QSKIP("not all answers were asked for");
    // The output of reproduce takes ten seconds; tst_reproduce compares this file with it.
    QFile file(sourcePath("resources/help/reproduction.json"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    AnswerCheck reproduction(documented("reproduce"));
    reproduction.read(QJsonDocument::fromJson(file.readAll()).object());
    QVERIFY2(reproduction.wrong.isEmpty(), qPrintable(reproduction.wrong.join("\n")));
    m_seen += reproduction.seen;
    // Needs a GPU, or a device on which the search has to make an assumption, which depends on noise.
    const QStringList onSomeDevices{"clock_mhz", "memory_clock_mhz", "slowed_by", "notes[]"};
    QStringList missing;
    for (const JsonAnswer &answer : jsonAnswers().answers) {
        for (const Entry &entry : documented(qt(answer.name))) {
            const QString key = entry.origin.section(QRegularExpression("[ .]"), -1);
            if (!m_seen.contains(entry.origin) && !onSomeDevices.contains(key) && !entry.origin.contains("assumption."))
                missing << entry.origin;
        }
    }
    missing.removeDuplicates();
    QVERIFY2(missing.isEmpty(), qPrintable(missing.join("\n")));
}

STAGECRAFT_SUITE(TestCliJson)
#include "tst_cli_json.moc"
