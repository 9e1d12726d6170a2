// edit and optimize --keep end to end: results, measurements, refusals and files.

#include "support/cli_process.h"
#include "support/places.h"
#include "support/suite.h"

#include <QJsonArray>
#include <QTemporaryDir>
#include <QtTest>

#include <cmath>

using namespace stagecraft::test;

namespace tst_cli_edit {

namespace {

QJsonValue in(const QJsonObject &object, const char *key)
{
    return object[QLatin1String(key)];
}

// "conv1|conv2 conv3 ..."; merge stages in brackets.
QString shownStages(const QJsonObject &schedule)
{
    QStringList stages;
    for (const QJsonValue &stage : schedule["stages"].toArray()) {
        QStringList groups;
        for (const QJsonValue &group : stage["groups"].toArray()) {
            QStringList names;
            for (const QJsonValue &name : group.toArray())
                names << name.toString();
            groups << names.join(',');
        }
        stages << (stage["strategy"] == "merge" ? "(" + groups.join('|') + ")" : groups.join('|'));
    }
    return stages.join(' ');
}

QJsonObject fileIn(const QTemporaryDir &folder, const QString &name)
{
    QFile file(folder.filePath(name));
    return file.open(QIODevice::ReadOnly) ? QJsonDocument::fromJson(file.readAll()).object() : QJsonObject();
}

QList<int> stageNumbers(const QJsonValue &list)
{
    QList<int> numbers;
    for (const QJsonValue &entry : list.toArray())
        numbers << entry["stage_number"].toInt();
    return numbers;
}

} // namespace

class TestCliEdit : public QObject {
    Q_OBJECT

private slots:
    void init();
    void edit_inTheOrderGiven_isWritten_data();
    void edit_inTheOrderGiven_isWritten();
    void edit_scheduleWithLayouts_saysThatTheyAreLeftOut();
    void edit_withDevice_measuresOnlyWhatChanged();
    void edit_onAnotherDevice_measuresEverything();
    void edit_ofAnEdit_keepsTheOrigin();
    void edit_onAMeasuredDevice_givesAVerdict();
    void edit_text_saysWhatChanged();
    void edit_splitOperator_isKeptInTheFile();
    void optimizeTrySplits_writesWhatItFound();
    void edit_refused_writesNothing_data();
    void edit_refused_writesNothing();
    void optimizeKeep_hasTheStages();
    void optimizeKeep_ofTheOptimum_costsNothing();
    void optimizeKeep_block_keepsItsStages();
    void optimizeKeep_onAMeasuredDevice_keepsThem();
    void optimizeKeep_refused_data();
    void optimizeKeep_refused();

private:
    Answer run(QStringList arguments, const QStringList &more = {})
    {
        return cli(arguments + more, m_folder->path(), {"XDG_DATA_HOME=" + m_folder->path()});
    }
    Answer edit(const QStringList &edits)
    {
        return run(QStringList{"edit", "sample", "--schedule", "best.json"} + edits);
    }

    std::unique_ptr<QTemporaryDir> m_folder;
};

// best.json: (conv1|conv2) conv3|conv4 concat
void TestCliEdit::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    QCOMPARE(run({"optimize", "sample", "-d", "sim:v100", "-o", "best.json"}).status, 0);
    QCOMPARE(shownStages(fileIn(*m_folder, "best.json")), "(conv1|conv2) conv3|conv4 concat");
}

void TestCliEdit::edit_inTheOrderGiven_isWritten_data()
{
    QTest::addColumn<QStringList>("edits");
    QTest::addColumn<QString>("stages");
    const auto row = [](const char *name, const QStringList &edits, const char *stages) {
        QTest::newRow(name) << edits << stages;
    };
    row("move", {"--move", "conv3:3"}, "(conv1|conv2) conv4 conv3,concat");
    row("move two", {"--move", "conv3,conv4:3"}, "(conv1|conv2) conv3,conv4,concat");
    row("new stage", {"--new-stage", "conv4:2"}, "(conv1|conv2) conv4 conv3 concat");
    row("new stage behind the last", {"--new-stage", "concat:4"}, "(conv1|conv2) conv3|conv4 concat");
    row("split", {"--split", "2:conv4"}, "(conv1|conv2) conv4 conv3 concat");
    row("join", {"--join", "2,3"}, "(conv1|conv2) conv3,conv4,concat");
    row("unmerge", {"--concurrent", "1"}, "conv1|conv2 conv3|conv4 concat");
    row("unmerge and merge", {"--concurrent", "1", "--merge", "1"}, "(conv1|conv2) conv3|conv4 concat");
    row("one after the other", {"--split", "2:conv3", "--move", "conv4:4", "--concurrent", "1", "--split", "1:conv2"},
        "conv2 conv1 conv3 conv4,concat");
    row("split an operator", {"--split-operator", "conv3:2"},
        "(conv1|conv2) conv3.part1|conv3.part2|conv4 conv3.join concat");
    row("split an operator, then edit its parts", {"--new-stage", "conv3.part2:3", "--split-operator", "conv3:2"},
        "(conv1|conv2) conv3.part1|conv4 conv3.part2 conv3.join concat");
    row("twice the same option", {"--move", "conv3:3", "--move", "conv4:3"}, "(conv1|conv2) conv3,conv4,concat");
}

void TestCliEdit::edit_inTheOrderGiven_isWritten()
{
    QFETCH(const QStringList, edits);
    QFETCH(const QString, stages);
    const Answer answer = edit(edits + QStringList{"-o", "out.json"});
    QVERIFY2(answer.status == 0, answer.err);
    const QJsonObject written = fileIn(*m_folder, "out.json");
    QCOMPARE(shownStages(written), stages);
    QCOMPARE(written["search"]["strategy"].toString(), "edited");
    QCOMPARE(written["search"]["edited_from"].toString(), "ios-both");
    QCOMPARE(run({"measure", "sample", "-d", "sim:v100", "--schedule", "out.json"}).status, 0);
}

void TestCliEdit::edit_scheduleWithLayouts_saysThatTheyAreLeftOut()
{
    QJsonObject best = fileIn(*m_folder, "best.json");
    best["layouts"] = QJsonObject{{"conv1", "NHWC"}};
    write(m_folder->filePath("laid_out.json"), QJsonDocument(best).toJson());
    const Answer answer = run({"edit", "sample", "--schedule", "laid_out.json", "--join", "2,3", "-o", "out.json"});
    QVERIFY2(answer.status == 0 && answer.err.contains("note: the layouts that laid_out.json states are left out"),
             answer.err);
    QVERIFY(!fileIn(*m_folder, "out.json").contains("layouts"));
}

void TestCliEdit::edit_withDevice_measuresOnlyWhatChanged()
{
    const Answer answer = edit({"--split", "2:conv4", "-d", "sim:v100", "-o", "out.json", "--json"});
    QVERIFY2(answer.status == 0, answer.err);
    const QJsonObject json = answer.json();
    QCOMPARE(stageNumbers(json["changed"]), (QList<int>{2, 3}));
    QCOMPARE(stageNumbers(json["measured"]), (QList<int>{2, 3}));
    QCOMPARE(json["edits"][0]["words"].toString(), "Split conv4 off stage 2");
    const QJsonObject best = fileIn(*m_folder, "best.json");
    const QJsonObject written = fileIn(*m_folder, "out.json");
    QCOMPARE(json["schedule"].toObject(), written);
    QCOMPARE(written["stages"][0]["latency_us"], best["stages"][0]["latency_us"]);
    QCOMPARE(written["stages"][3]["latency_us"], best["stages"][2]["latency_us"]);
    const double us = written["latency_us"].toDouble();
    const QJsonObject measured =
        run({"measure", "sample", "-d", "sim:v100", "--schedule", "out.json", "--json"}).json();
    QCOMPARE(us, measured["latency_us"].toDouble());
    for (int i = 0; i < 4; ++i)
        QCOMPARE(written["stages"][i]["latency_us"], measured["stage_latency_us"][i]);
    const QJsonValue before = json["before"];
    QCOMPARE(before["latency_us"], best["latency_us"]);
    QCOMPARE(before["difference_us"].toDouble(), us - best["latency_us"].toDouble());
    QVERIFY(before["difference_us"].toDouble() > 50); // two consecutive convolutions
    QCOMPARE(before["verdict"].toString(), "slower");
    QCOMPARE(json["spans"].toArray().size(), 1);
    QCOMPARE(json["spans"][0]["before_sum_us"], best["stages"][1]["latency_us"]);
    QCOMPARE(json["spans"][0]["stages"].toInt(), 2);
}

void TestCliEdit::edit_onAnotherDevice_measuresEverything()
{
    const Answer answer = edit({"--concurrent", "1", "-d", "sim:k80", "-o", "out.json", "--json"});
    QVERIFY2(answer.status == 0, answer.err);
    QCOMPARE(stageNumbers(answer.json()["changed"]), QList<int>{1});
    QCOMPARE(stageNumbers(answer.json()["measured"]), (QList<int>{1, 2, 3}));
    QVERIFY(in(answer.json(), "spans")[0]["before_sum_us"].isNull());
    QVERIFY(answer.err.contains("was made for sim:v100"));
    QCOMPARE(fileIn(*m_folder, "out.json")["device"].toString(), "sim:k80");
}

void TestCliEdit::edit_ofAnEdit_keepsTheOrigin()
{
    QCOMPARE(edit({"--concurrent", "1", "-o", "one.json"}).status, 0);
    QVERIFY(fileIn(*m_folder, "one.json")["latency_us"].isNull());
    QCOMPARE(run({"edit", "sample", "--schedule", "one.json", "--merge", "1", "-o", "two.json"}).status, 0);
    QCOMPARE(in(fileIn(*m_folder, "two.json"), "search")["edited_from"].toString(), "ios-both");
    QCOMPARE(run({"edit", "sample", "--join", "1,2", "-o", "three.json"}).status, 0);
    QCOMPARE(in(fileIn(*m_folder, "three.json"), "search")["edited_from"].toString(), "sequential");
}

void TestCliEdit::edit_onAMeasuredDevice_givesAVerdict()
{
    const QStringList call{"edit",    "sample", "--schedule", "greedy", "--split",
                           "1:conv1", "-d",     "cpu",        "-o",     "out.json"};
    const QStringList environment{"XDG_DATA_HOME=" + m_folder->path(),
                                  "STAGECRAFT_WORKER=" + testProgramPath("faulty-worker")};
    const Answer answer = cli(call + QStringList{"--json"}, m_folder->path(), environment);
    QVERIFY2(answer.status == 0, answer.err);
    const QJsonValue before = answer.json()["before"];
    QCOMPARE(before["rounds"].toInt(), 8);
    QCOMPARE(before["speedup_interval"].toArray().size(), 2);
    QVERIFY(before["verdict"].isString());
    QCOMPARE(answer.json()["provenance"].toString(), "measured");
    QCOMPARE(in(answer.json(), "schedule")["runs"].toInt(), 8);
    const Answer few = cli(call + QStringList{"--json", "--rounds", "0"}, m_folder->path(), environment);
    QVERIFY2(few.status == 0, few.err);
    QVERIFY(in(few.json(), "before")["verdict"].isNull());
}

void TestCliEdit::edit_text_saysWhatChanged()
{
    const Answer answer = edit({"--split", "2:conv4", "-d", "sim:v100", "-o", "out.json"});
    for (const char *expected : {"Split conv4 off stage 2\n", "stage 2  block 1  116.9 us  conv4\n",
                                 "edited from ios-both: 4 stages, 2 changed, 2 measured",
                                 "stages 2 to 3: 233.7 us, before (stage 2) 128.4 us, +105.3 us, +82.0 %",
                                 "against best.json: 288.8 us before, +", ": slower\n"})
        QVERIFY2(answer.out.contains(expected), answer.out);
    const Answer unmeasured = edit({"--split", "2:conv4", "-o", "out.json"});
    QVERIFY2(unmeasured.out.contains("2 changed; not measured, --device measures it"), unmeasured.out);
    const Answer piped = edit({"--split", "2:conv4", "-o", "-"});
    QCOMPARE(shownStages(QJsonDocument::fromJson(piped.out).object()), "(conv1|conv2) conv4 conv3 concat");
}

// The file says how the model was read, and commands that take it read the model like that.
void TestCliEdit::edit_splitOperator_isKeptInTheFile()
{
    const Answer answer = edit({"--split-operator", "conv3:2", "-d", "sim:v100", "-o", "out.json", "--json"});
    QVERIFY2(answer.status == 0, answer.err);
    const QJsonObject json = answer.json();
    QCOMPARE(json["edits"][0]["words"].toString(), "conv3 split into 2 parts");
    QCOMPARE(stageNumbers(json["changed"]), (QList<int>{2, 3}));
    QCOMPARE(json["unsplit_us"], fileIn(*m_folder, "best.json")["latency_us"]);
    const QJsonObject written = fileIn(*m_folder, "out.json");
    QCOMPARE(in(written, "reading")["splits"].toObject(), (QJsonObject{{"conv3", 2}}));
    QVERIFY(!fileIn(*m_folder, "best.json").contains("reading"));

    const Answer measured = run({"measure", "sample", "-d", "sim:v100", "--schedule", "out.json", "--json"});
    QVERIFY2(measured.status == 0, measured.err);
    QCOMPARE(measured.json()["latency_us"], written["latency_us"]);
    QVERIFY2(measured.err.contains("out.json was made for sample with conv3 split into 2, so it is read like that"),
             measured.err);
    const Answer again = run({"edit", "sample", "--schedule", "out.json", "--concurrent", "1", "--split-operator",
                              "conv1:2", "-o", "two.json"});
    QVERIFY2(again.status == 3 && again.err.contains("conv1: it is merged"), again.err);
    QCOMPARE(run({"edit", "sample", "--schedule", "out.json", "--concurrent", "1", "-o", "one.json"}).status, 0);
    QCOMPARE(run({"edit", "sample", "--schedule", "one.json", "--split-operator", "conv1:2", "-o", "two.json"}).status,
             0);
    QCOMPARE(in(fileIn(*m_folder, "two.json"), "reading")["splits"].toObject(),
             (QJsonObject{{"conv1", 2}, {"conv3", 2}}));
    const Answer other = run({"measure", "sample", "--schedule", "out.json", "--split-operator", "conv4:2"});
    QVERIFY2(other.status == 3 && other.err.contains("the schedule is for sample read with conv3 split into 2"),
             other.err);

    const Answer byRows = edit({"--split-operator", "conv3:2:rows", "-d", "sim:v100", "-o", "rows.json", "--json"});
    QVERIFY2(byRows.status == 0, byRows.err);
    QCOMPARE(byRows.json()["edits"][0]["words"].toString(), "conv3 split into 2 parts by rows");
    QCOMPARE(in(fileIn(*m_folder, "rows.json"), "reading")["split_by_rows"].toArray(), (QJsonArray{"conv3"}));
    const Answer rows = run({"measure", "sample", "-d", "sim:v100", "--schedule", "rows.json", "--json"});
    QVERIFY2(rows.status == 0 && rows.err.contains("sample with conv3 split into 2 by rows"), rows.err);
    QCOMPARE(rows.json()["latency_us"], fileIn(*m_folder, "rows.json")["latency_us"]);

    QCOMPARE(run({"convert", "sample", "--split-operator", "conv3:2", "-o", "split.onnx"}).status, 0);
    QVERIFY(run({"info", "split.onnx", "--json"}).json()["operators"].toInt() > 5);
}

// Splits that gain on this device, in the schedule file, too.
void TestCliEdit::optimizeTrySplits_writesWhatItFound()
{
    const Answer answer =
        run({"optimize", "sample", "-d", "sim:h100", "--try-splits", "2", "-o", "found.json", "--json"});
    QVERIFY2(answer.status == 0, answer.err);
    const QJsonValue splits = answer.json()["splits"];
    QVERIFY(splits["exact"].toBool());
    QVERIFY(!splits["chosen"].toObject().isEmpty());
    QCOMPARE(splits["with_us"], answer.json()["latency_us"]);
    QVERIFY(splits["with_us"].toDouble() < splits["without_us"].toDouble());
    QCOMPARE(in(fileIn(*m_folder, "found.json"), "reading")["splits"], splits["chosen"]);
    const Answer measured = run({"measure", "sample", "-d", "sim:h100", "--schedule", "found.json", "--json"});
    QCOMPARE(measured.json()["latency_us"], splits["with_us"]);

    const Answer none = run({"optimize", "squeezenet", "-d", "sim:v100", "--try-splits", "2"});
    QVERIFY2(none.out.contains("splits: no operator is faster in parts with their join; were joins to take no time"),
             none.out);
    const Answer refused = run({"optimize", "sample", "--try-splits", "1"});
    QCOMPARE(refused.status, 2);
}

void TestCliEdit::edit_refused_writesNothing_data()
{
    QTest::addColumn<QStringList>("edits");
    QTest::addColumn<int>("status");
    QTest::addColumn<QByteArray>("says");
    const auto row = [](const char *name, const QStringList &edits, int status, const char *says) {
        QTest::newRow(name) << edits << status << QByteArray(says);
    };
    row("unknown operator", {"--move", "conv33:2"}, 3,
        "--move conv33:2: the model has no operator conv33. Did you mean conv3?");
    row("no operator", {"--move", ":2"}, 3, "--move :2: the model has no operator \"\"");
    row("stage 0", {"--move", "conv3:0"}, 2,
        "--move conv3:0: 0 is not the number of a stage. Stages are counted from 1");
    row("no number", {"--merge", "two"}, 2, "--merge two: two is not the number of a stage");
    row("no colon", {"--split", "conv3"}, 2, "--split conv3: a colon is missing. Give it as STAGE:OPERATOR,...");
    row("beyond the last", {"--move", "conv3:4"}, 3, "--move conv3:4: there is no stage 4: the schedule has 3 stages");
    row("gone with an edit before", {"--join", "2,3", "--merge", "3"}, 3,
        "--merge 3: there is no stage 3: the schedule has 2 stages");
    row("cycle", {"--new-stage", "concat:2"}, 3,
        "--new-stage concat:2: stage 2: operator concat: runs before conv3, whose output it reads");
    row("below its reader", {"--new-stage", "conv3:4"}, 3,
        "stage 3: operator concat: runs before conv3, whose output it reads");
    row("merge of unlike operators", {"--join", "2,3", "--merge", "2"}, 3, "--merge 2: stage 2: operator ");
    row("merge of different inputs", {"--merge", "2"}, 3,
        "--merge 2: stage 2: operator conv4: reads another input than conv3");
    row("split of all", {"--split", "3:concat"}, 3, "--split 3:concat: a split would leave nothing in stage 3");
    row("split of another's", {"--split", "3:conv1"}, 3, "operator conv1: is in stage 1, not in stage 3");
    row("one stage to join", {"--join", "2"}, 3, "--join 2: it takes two stages to join");
    row("no edit", {}, 2, "no edit is given");
    row("unknown option", {"--unmerge", "1"}, 2, "--unmerge");
    row("no device", {"--merge", "1", "-d", "sim:v999"}, 2, "v999");
    row("split of a merged operator", {"--split-operator", "conv1:2"}, 3,
        "--split-operator: operator conv1: it is merged with others of its stage, one of which is split");
    row("split of what has no channels", {"--split-operator", "concat:2"}, 3,
        "operator concat: only convolutions and matrix products with weights are split, not Concat");
    row("split of nothing", {"--split-operator", "conv33:2"}, 3, "the model has no operator conv33, which is to be");
    row("split into one", {"--split-operator", "conv3:1"}, 3, "cannot be split into 1 parts. Choose 2 to 64");
    row("split without parts", {"--split-operator", "conv3"}, 2,
        "--split-operator: conv3 is not an operator and a count of parts. Write it as in --split-operator conv1:2, or "
        "conv1:2:rows");
    row("split twice", {"--split-operator", "conv3:2", "--split-operator", "conv3:3"}, 2, "conv3 is given twice");
}

void TestCliEdit::edit_refused_writesNothing()
{
    QFETCH(const QStringList, edits);
    QFETCH(const int, status);
    QFETCH(const QByteArray, says);
    const Answer answer = edit(edits + QStringList{"-o", "out.json"});
    QCOMPARE(answer.status, status);
    QVERIFY2(answer.err.contains(says), answer.err);
    QVERIFY(answer.out.isEmpty());
    QVERIFY(!QFile::exists(m_folder->filePath("out.json")));

    const Answer missing = edit({"--concurrent", "1"});
    QCOMPARE(missing.status, 2);
    QVERIFY2(missing.err.contains("--output is missing"), missing.err);
    const Answer itself = edit({"--concurrent", "1", "-o", "best.json"});
    QVERIFY2(itself.status != 0 && itself.err.contains("best.json"), itself.err);
    const Answer nowhere = edit({"--concurrent", "1", "-o", "none/out.json"});
    QCOMPARE(nowhere.status, 3);
    QVERIFY2(nowhere.err.contains("none/out.json"), nowhere.err);
}

void TestCliEdit::optimizeKeep_hasTheStages()
{
    QCOMPARE(edit({"--concurrent", "1", "--split", "2:conv4", "-o", "mine.json"}).status, 0);
    const Answer answer = run({"optimize", "sample", "-d", "sim:v100", "--keep", "mine.json:1,2", "-o", "kept.json"});
    QVERIFY2(answer.status == 0, answer.err);
    const QJsonObject kept = fileIn(*m_folder, "kept.json");
    const QString stages = shownStages(kept);
    QVERIFY2(stages.contains("conv1|conv2") && stages.contains(" conv4 "), qPrintable(stages));
    QCOMPARE(kept["search"]["pinned_stages"].toInt(), 2);
    QCOMPARE(kept["search"]["termination"].toString(), "optimal");
    // Their cost is relative to the optimum found in init().
    QCOMPARE(kept["search"]["free_sum_us"], in(fileIn(*m_folder, "best.json"), "search")["sum_us"]);
    QVERIFY2(answer.out.contains("2 stages kept; that costs ") &&
                 answer.out.contains("more than the best schedule without them, 288.8 us"),
             answer.out);
    QVERIFY(!fileIn(*m_folder, "best.json")["search"].toObject().contains("pinned_stages"));
}

void TestCliEdit::optimizeKeep_ofTheOptimum_costsNothing()
{
    const Answer answer = run({"optimize", "sample", "-d", "sim:v100", "--keep", "best.json:2", "--json"});
    QVERIFY2(answer.status == 0, answer.err);
    QCOMPARE(shownStages(answer.json()["schedule"].toObject()), "(conv1|conv2) conv3|conv4 concat");
    QCOMPARE(in(answer.json(), "search")["free_sum_us"], in(answer.json(), "search")["sum_us"]);
    const Answer text = run({"optimize", "sample", "-d", "sim:v100", "--keep", "best.json:2"});
    QVERIFY2(text.out.contains("1 stage kept; that costs nothing"), text.out);
    // With a budget there is no search without them; a file of another space proves nothing.
    const Answer budget =
        run({"optimize", "sample", "-d", "sim:v100", "--r", "1", "--keep", "best.json:2", "--max-measurements", "50"});
    QVERIFY2(budget.out.contains("1 stage kept; what that costs is not known"), budget.out);
}

void TestCliEdit::optimizeKeep_block_keepsItsStages()
{
    QCOMPARE(run({"edit", "squeezenet", "--schedule", "greedy", "--join", "1,2", "-o", "g.json"}).status, 0);
    const Answer answer =
        run({"optimize", "squeezenet", "-d", "sim:v100", "--keep", "g.json:block2", "--keep", "g.json:1", "--json"});
    QVERIFY2(answer.status == 0, answer.err);
    const auto ofBlock = [](const QJsonValue &schedule, int block) {
        QJsonArray stages;
        for (const QJsonValue &stage : schedule["stages"].toArray()) {
            if (stage["block"].toInt() == block)
                stages << stage["groups"];
        }
        return stages;
    };
    QCOMPARE(ofBlock(answer.json()["schedule"], 1), ofBlock(fileIn(*m_folder, "g.json"), 1));
    QVERIFY(in(answer.json(), "search")["pinned_stages"].toInt() > 1);
}

void TestCliEdit::optimizeKeep_onAMeasuredDevice_keepsThem()
{
    const Answer answer =
        cli({"optimize", "sample", "-d", "cpu", "--keep", "best.json:2", "--json"}, m_folder->path(),
            {"XDG_DATA_HOME=" + m_folder->path(), "STAGECRAFT_WORKER=" + testProgramPath("faulty-worker")});
    QVERIFY2(answer.status == 0, answer.err);
    QVERIFY(shownStages(answer.json()["schedule"].toObject()).contains("conv3|conv4"));
    QCOMPARE(in(answer.json(), "in_turn")["kept"].toString(), "found");
    QVERIFY(!answer.json()["search"].toObject().contains("free_sum_us"));
}

void TestCliEdit::optimizeKeep_refused_data()
{
    QTest::addColumn<QString>("keep");
    QTest::addColumn<int>("status");
    QTest::addColumn<QByteArray>("says");
    QTest::newRow("no stages") << "best.json" << 2 << QByteArray("--keep best.json: it is not clear which stages");
    QTest::newRow("stage 0") << "best.json:0" << 2 << QByteArray("0 is not the number of a stage");
    QTest::newRow("beyond") << "best.json:7" << 3
                            << QByteArray("--keep best.json:7: there is no stage 7: the schedule has 3 stages");
    QTest::newRow("no such block") << "best.json:block9" << 3
                                   << QByteArray("there is no block 9: the schedule has 1 block");
    QTest::newRow("no such file") << "none.json:1" << 3 << QByteArray("none.json");
    QTest::newRow("in two stages") << "best.json:2 other.json:2" << 3
                                   << QByteArray("operator conv4: is to be kept in two stages");
}

void TestCliEdit::optimizeKeep_refused()
{
    QFETCH(const QString, keep);
    QFETCH(const int, status);
    QFETCH(const QByteArray, says);
    QCOMPARE(edit({"--split", "2:conv4", "-o", "other.json"}).status, 0);
    QStringList arguments{"optimize", "sample", "-d", "sim:v100", "-o", "kept.json"};
    for (const QString &value : keep.split(' '))
        arguments << "--keep" << value;
    const Answer answer = run(arguments);
    QCOMPARE(answer.status, status);
    QVERIFY2(answer.err.contains(says), answer.err);
    QVERIFY(!QFile::exists(m_folder->filePath("kept.json")));
}

STAGECRAFT_SUITE(TestCliEdit)

} // namespace tst_cli_edit
#include "tst_cli_edit.moc"
