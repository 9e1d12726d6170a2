// Session files: what is written is read back, what is damaged is refused or read as something valid, results find
// their model again by the names of its operators.

#include "results/files/session_json.h"
#include "results/shelf.h"
#include "support/random_session.h"
#include "support/suite.h"

#include <QtTest>

#include <cmath>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_session {

namespace {

bool isSame(const SearchRecord &one, const SearchRecord &other)
{
    return one.strategy == other.strategy && one.r == other.r && one.s == other.s &&
           one.singleSource == other.singleSource && one.states == other.states &&
           one.transitions == other.transitions && one.stageMeasurements == other.stageMeasurements &&
           one.stagesRepeated == other.stagesRepeated && one.stagesRefused == other.stagesRefused &&
           one.cacheHits == other.cacheHits && one.searchSeconds == other.searchSeconds &&
           one.measureSeconds == other.measureSeconds && one.gap == other.gap && one.assumption == other.assumption &&
           one.termination == other.termination && one.sumUs == other.sumUs && one.editedFrom == other.editedFrom &&
           one.pinnedStages == other.pinnedStages && one.freeUs == other.freeUs && one.costs == other.costs;
}

bool isSame(const TimedSchedule &one, const TimedSchedule &other)
{
    return one.stages == other.stages && one.context == other.context && one.measured == other.measured &&
           isSame(one.search, other.search);
}

bool isSame(const BlockSearch &one, const BlockSearch &other)
{
    return one.block == other.block && one.states == other.states && one.transitions == other.transitions &&
           one.stageMeasurements == other.stageMeasurements && one.cacheHits == other.cacheHits &&
           one.latencyUs == other.latencyUs && one.lowerBoundUs == other.lowerBoundUs &&
           one.inPlaceBoundUs == other.inPlaceBoundUs &&
           std::equal(one.runnersUp.begin(), one.runnersUp.end(), other.runnersUp.begin(), other.runnersUp.end(),
                      [](const RunnerUp &a, const RunnerUp &b) {
                          return a.stage == b.stage && a.latencyUs == b.latencyUs && a.extraUs == b.extraUs &&
                                 a.measured == b.measured;
                      });
}

bool isSame(const ScheduleResult &one, const ScheduleResult &other);

template <typename Value>
bool areSame(const std::vector<Value> &some, const std::vector<Value> &others)
{
    return std::equal(some.begin(), some.end(), others.begin(), others.end(),
                      [](const Value &one, const Value &other) { return isSame(one, other); });
}

bool isSame(const ScheduleResult &one, const ScheduleResult &other)
{
    return one.id == other.id && one.state == other.state && one.origin == other.origin && one.title == other.title &&
           isSame(one.asked, other.asked) && one.settings == other.settings && one.from == other.from &&
           one.source == other.source && one.madeAtSeconds == other.madeAtSeconds &&
           (one.schedule == nullptr) == (other.schedule == nullptr) &&
           (!one.schedule || isSame(*one.schedule, *other.schedule)) && areSame(one.blocks, other.blocks) &&
           one.measurements == other.measurements && one.trouble == other.trouble && one.name == other.name &&
           one.note == other.note && one.isPinned == other.isPinned && one.pins == other.pins &&
           one.models == other.models;
}

QByteArray wordsOf(const Error &error)
{
    std::string text;
    for (const std::string &where : error.context)
        text += where + ": ";
    return QByteArray::fromStdString(text + error.message + ". " + error.remedy);
}

// With the same model at other places of its list.
Graph reversedNames(const RandomEdits &edits)
{
    const std::size_t last = edits.graph.size() - 1;
    Graph::Parts parts = Graph(edits.graph).take();
    for (std::size_t i = 0; i <= last; ++i)
        parts.operators[i].name = edits.graph.op(OperatorId::fromIndex(last - i)).name;
    parts.byName.reset();
    return Graph::fromParts(std::move(parts));
}

} // namespace

class TestSession : public QObject {
    Q_OBJECT

private slots:
    void session_writtenAndRead_isTheSame();
    void session_written_hasALineForEachResult();
    void hash_ofAnotherReading_hasItsWords_data();
    void hash_ofAnotherReading_hasItsWords();
    void file_refused_saysWhereAndWhy_data();
    void file_refused_saysWhereAndWhy();
    void file_damaged_isRefusedOrValid();
    void file_cutOff_isRefused();
    void note_isReadFromTheFirstLines();
    void digest_followsResultsOnly();
    void attached_sameModel_isVerifiedAndTheSame();
    void attached_operatorGone_isRefused();
    void attached_operatorsInAnotherOrder_areFoundByName();
    void attached_illegalSchedule_isRefused();
    void endInterrupted_whatHasNoSchedule_hasFailed();
    void shelf_restored_isAsBefore();
};

void TestSession::session_writtenAndRead_isTheSame()
{
    for (std::uint32_t seed = 0; seed < 300; ++seed) {
        const Session session = RandomSession(seed).session;
        const std::string text = toJson(session);
        const auto read = sessionFromJson(text);
        QVERIFY2(read, read ? "" : wordsOf(read.error()));
        QCOMPARE(read->models.size(), session.models.size());
        for (std::size_t i = 0; i < session.models.size(); ++i)
            QVERIFY(*read->models[i] == *session.models[i]);
        QVERIFY2(areSame(read->results, session.results), text.c_str());
        QVERIFY(read->baselines == session.baselines);
        QCOMPARE(read->studies.size(), session.studies.size());
        for (std::size_t i = 0; i < session.studies.size(); ++i) {
            QVERIFY(areSame(read->studies[i].points, session.studies[i].points));
            QVERIFY(read->studies[i].stagesAsked == session.studies[i].stagesAsked);
            QCOMPARE(read->studies[i].stagesMeasured, session.studies[i].stagesMeasured);
        }
        QVERIFY(read->view == session.view);
        QVERIFY(read->autosave == session.autosave);
        QCOMPARE(toJson(*read), text);
    }
}

// As in files of all versions.
void TestSession::hash_ofAnotherReading_hasItsWords_data()
{
    QTest::addColumn<QByteArray>("line");
    QTest::addColumn<bool>("isReadOtherwise");
    QTest::addColumn<QByteArray>("hash");
    const QByteArray reading = R"(,"reading":{"units":"tvm","without":["fold-pads"],"shapes":{"x":[1,3,64,48]}})";
    const auto row = [](const char *name, const QByteArray &hash, const QByteArray &how, bool isReadOtherwise,
                        const QByteArray &alone = "abc") {
        QTest::newRow(name) << QByteArray(R"({"name":"m","sha256":")" + hash + R"(","batch":1,"source":"/m.onnx")" +
                                          how + R"(,"operators":["a"]})")
                            << isReadOtherwise << alone;
    };
    row("usual", "abc", "", false);
    row("another", "abc with units tvm, without fold-pads, x=1x3x64x48", reading, false);
    row("usual, read otherwise", "abc read otherwise", "", true);
    row("another, read otherwise", "abc with units tvm, without fold-pads, x=1x3x64x48 read otherwise", reading, true);
    row("words without a reading", "abc with units tvm", "", false, "abc with units tvm");
}

void TestSession::hash_ofAnotherReading_hasItsWords()
{
    QFETCH(const QByteArray, line);
    QFETCH(const bool, isReadOtherwise);
    QFETCH(const QByteArray, hash);
    const std::string text = R"({"format": "stagecraft-session", "version": 1,)"
                             "\n\"models\": [\n" +
                             line.toStdString() + "],\n\"results\": []}";
    const auto read = sessionFromJson(text);
    QVERIFY2(read, read ? "" : wordsOf(read.error()));
    const ModelReference &model = read->models.front()->reference;
    QCOMPARE(QByteArray::fromStdString(model.sha256), hash);
    QCOMPARE(model.isReadOtherwise, isReadOtherwise);
    QCOMPARE(model.reading.isUsual(), !line.contains("reading"));
    const QByteArray again = QByteArray::fromStdString(toJson(*read));
    QVERIFY2(again.contains("\n" + line + "]"), again);
}

void TestSession::session_written_hasALineForEachResult()
{
    RandomSession random(3);
    random.session.autosave.reset();
    const QByteArray text = QByteArray::fromStdString(toJson(random.session));
    QVERIFY(text.startsWith("{\"format\": \"stagecraft-session\", \"version\": 1,\n\"models\": ["));
    QCOMPARE(text.count('\n'), qsizetype(random.session.models.size() + random.session.results.size() + 5));
}

void TestSession::file_refused_saysWhereAndWhy_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("says");
    const QByteArray head = R"({"format":"stagecraft-session","version":1,"models":[)";
    const QByteArray model = R"({"name":"m","sha256":"a","batch":1,"source":"/m.onnx","operators":["x"]})";
    const QByteArray result =
        R"({"id":1,"model":0,"device":"sim:v100","origin":"searched","state":"failed","title":"IOS","asked":{}})";
    const auto with = [&](const QByteArray &from, const QByteArray &to) {
        QByteArray changed = result;
        return head + model + "],\"results\":[" + changed.replace(from, to) + "]}";
    };
    const QByteArray share = R"("asked":{},"models":[{"name":"a","ends_at_share":1.5,"alone_us":3}])";
    QTest::newRow("a model ends after both")
        << with(R"("asked":{})", share) << QByteArray("\"ends_at_share\" is no share of the latency");
    QTest::newRow("not JSON") << QByteArray("{") << QByteArray("is not a session: error at byte 2");
    QTest::newRow("a list") << QByteArray("[]") << QByteArray("session: is not a JSON object");
    QTest::newRow("other format") << QByteArray(R"({"format":"stagecraft-schedule","version":1})")
                                  << QByteArray("\"format\" is \"stagecraft-schedule\", not \"stagecraft-session\"");
    QTest::newRow("newer") << QByteArray(R"({"format":"stagecraft-session","version":7})")
                           << QByteArray("session: it is of version 7 of the format, and this program reads up to "
                                         "version 1. Open it with a newer Stagecraft");
    QTest::newRow("no models") << QByteArray(R"({"format":"stagecraft-session","version":1})")
                               << QByteArray("session: \"models\" is not a list");
    QTest::newRow("model without hash") << head + R"({"name":"m"}],"results":[]})"
                                        << QByteArray("models 1: model: \"sha256\" is missing");
    QTest::newRow("model not there") << with("\"model\":0", "\"model\":3")
                                     << QByteArray("results 1: result: \"model\" is 3, and there are 1 models");
    QTest::newRow("state") << with("failed", "asleep")
                           << QByteArray(
                                  "results 1: result: \"state\" is \"asleep\", not one of waiting, running, done, "
                                  "failed");
    QTest::newRow("done without a schedule")
        << with("failed", "done") << QByteArray("results 1: result: it is done, but has no schedule");
    QTest::newRow("schedule of other operators")
        << with(
               "\"asked\":{}",
               R"("asked":{},"schedule":{"format":"stagecraft-schedule","version":1,"model":{"name":"m","sha256":"a"},)"
               R"("stages":[{"block":0,"strategy":"concurrent","groups":[["y"]]}]})")
        << QByteArray("results 1: stage 1: operator y: the model has no operator of this name");
    QTest::newRow("measurement below 0")
        << with("\"asked\":{}", R"("asked":{},"measurements":[{"us":-1,"how":"alone","provenance":"measured"}])")
        << QByteArray("results 1: measurements 1: \"us\" is negative");
    QTest::newRow("pinned stage of other operators")
        << with("\"asked\":{}", R"("asked":{},"pinned_stages":[{"block":0,"strategy":"concurrent","groups":[["y"]]}])")
        << QByteArray("results 1: pinned_stages 1: operator y: the model has no operator of this name");
    QTest::newRow("id twice") << head + model + "],\"results\":[" + result + "," + result + "]}"
                              << QByteArray("results 2: result: \"id\" is 1, not more than the one before");
}

void TestSession::file_refused_saysWhereAndWhy()
{
    QFETCH(const QByteArray, text);
    QFETCH(const QByteArray, says);
    const auto read = sessionFromJson(text.toStdString());
    QVERIFY(!read);
    QVERIFY2(wordsOf(read.error()).contains(says), wordsOf(read.error()));
}

void TestSession::file_damaged_isRefusedOrValid()
{
    std::mt19937 engine(1);
    const auto below = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(engine); };
    static const std::vector<std::string> kPieces{
        "-", "1e999", "null", "[]", "{}", "\"", "false", "18446744073709551615", ",", ":", "4294967295"};
    int refused = 0;
    for (int i = 0; i < 10000; ++i) {
        std::string text = toJson(RandomSession(static_cast<std::uint32_t>(i % 40)).session);
        for (std::size_t edits = 0; edits < 1 + below(3); ++edits) {
            const std::size_t at = below(text.size());
            switch (below(4)) {
            case 0: text[at] = static_cast<char>(below(256)); break;
            case 1: text.erase(at, 1 + below(20)); break;
            case 2: text.insert(at, kPieces[below(kPieces.size())]); break;
            default:
                text.replace(at, std::min<std::size_t>(1 + below(5), text.size() - at), kPieces[below(kPieces.size())]);
            }
            if (text.empty())
                text = " ";
        }
        const auto read = sessionFromJson(text);
        if (!read) {
            ++refused;
            QVERIFY(!read.error().message.empty());
            continue;
        }
        Shelf shelf;
        shelf.restore(read->results, read->baselines);
        for (const ScheduleResult &result : shelf.results())
            static_cast<void>(shelf.speedup(result.id));
        QVERIFY(sessionFromJson(toJson(*read))); // what was read can be written
    }
    QVERIFY2(refused > 1000 && refused < 10000, qPrintable(QString::number(refused)));
}

void TestSession::file_cutOff_isRefused()
{
    const std::string text = toJson(RandomSession(8).session);
    for (std::size_t length = 0; length + 2 < text.size(); length += 1 + length / 50)
        QVERIFY(!sessionFromJson(text.substr(0, length)));
}

void TestSession::note_isReadFromTheFirstLines()
{
    RandomSession random(5);
    random.session.autosave = AutosaveNote{"squeezenet", "/a/b.stagecraft", "123", 99, 4, true};
    const std::string text = toJson(random.session);
    const auto note = autosaveNoteIn(text.substr(0, 300));
    QVERIFY(note && *note == *random.session.autosave);
    random.session.autosave.reset();
    QVERIFY(!autosaveNoteIn(toJson(random.session)));
    QVERIFY(!autosaveNoteIn("nonsense"));
}

void TestSession::digest_followsResultsOnly()
{
    Session session = RandomSession(6).session;
    const std::string digest = digestOf(toJson(session));
    session.view.device += "x";
    session.autosave = AutosaveNote{"t", "f", "d", 1, 2, true};
    QCOMPARE(digestOf(toJson(session)), digest);
    QVERIFY(!session.results.empty());
    session.results.front().note += "x";
    QVERIFY(digestOf(toJson(session)) != digest);
}

void TestSession::attached_sameModel_isVerifiedAndTheSame()
{
    int schedules = 0;
    for (std::uint32_t seed = 0; seed < 50; ++seed) {
        const RandomSession random(seed);
        for (std::size_t i = 0; i < random.session.models.size(); ++i) {
            const RandomEdits &edits = random.edits(i);
            const auto tied = attached(random.session.results, *random.session.models[i], edits.graph, edits.blocks);
            QVERIFY2(tied, tied ? "" : wordsOf(tied.error()));
            for (const ScheduleResult &result : *tied) {
                const auto before = std::find_if(random.session.results.begin(), random.session.results.end(),
                                                 [&](const ScheduleResult &each) { return each.id == result.id; });
                QVERIFY(isSame(result, *before));
                ++schedules;
            }
        }
    }
    QVERIFY(schedules > 50);
}

void TestSession::attached_operatorGone_isRefused()
{
    const RandomSession random(2);
    SessionModel model = *random.session.models[0];
    model.operators[3] = "gone";
    const auto tied = attached(random.session.results, model, random.edits(0).graph, random.edits(0).blocks);
    QVERIFY(!tied);
    QCOMPARE(wordsOf(tied.error()), QByteArray("operator gone: the model has no operator of this name any more. "));
}

void TestSession::attached_operatorsInAnotherOrder_areFoundByName()
{
    const RandomEdits edits(4, 9, 1);
    const Graph renamed = reversedNames(edits);
    SessionModel model{{"m", "a"}, 1, "/m.onnx", {}};
    for (std::size_t i = edits.graph.size(); i-- > 0;)
        model.operators.push_back(renamed.op(OperatorId::fromIndex(i)).name);
    // In the session's own order the last operator of the model is the first.
    const std::size_t last = edits.graph.size() - 1;
    TimedSchedule schedule;
    schedule.stages = edits.sequential();
    for (Stage &stage : schedule.stages)
        stage.groups[0][0] = OperatorId::fromIndex(last - stage.groups[0][0].index());
    ScheduleResult result;
    result.id = ResultId{1};
    result.settings.model = model.reference;
    result.schedule = std::make_shared<const TimedSchedule>(schedule);
    const auto tied = attached({result}, model, renamed, edits.blocks);
    QVERIFY2(tied, tied ? "" : wordsOf(tied.error()));
    QVERIFY(tied->front().schedule->stages == edits.sequential());
}

void TestSession::attached_illegalSchedule_isRefused()
{
    const RandomEdits edits(4, 9, 1);
    SessionModel model{{"m", "a"}, 1, "/m.onnx", {}};
    for (const Operator &op : edits.graph.operators())
        model.operators.push_back(op.name);
    TimedSchedule schedule;
    schedule.stages = edits.sequential();
    schedule.stages.pop_back();
    ScheduleResult result;
    result.id = ResultId{1};
    result.title = "IOS-Both";
    result.settings.model = model.reference;
    result.schedule = std::make_shared<const TimedSchedule>(schedule);
    const auto tied = attached({result}, model, edits.graph, edits.blocks);
    QVERIFY(!tied);
    QVERIFY2(wordsOf(tied.error()).startsWith("result IOS-Both: "), wordsOf(tied.error()));
}

void TestSession::endInterrupted_whatHasNoSchedule_hasFailed()
{
    std::vector<ScheduleResult> results(4);
    results[0].state = ResultState::Running;
    results[1].state = ResultState::Waiting;
    results[1].origin = Origin::Edited;
    results[2].state = ResultState::Running;
    results[2].schedule = std::make_shared<const TimedSchedule>();
    results[3].state = ResultState::Done;
    results[3].schedule = results[2].schedule;
    QCOMPARE(endInterrupted(results), std::size_t{2});
    QVERIFY(results[0].state == ResultState::Failed && results[1].state == ResultState::Failed);
    QCOMPARE(results[0].trouble, std::string("the search was interrupted: search again"));
    QCOMPARE(results[1].trouble, std::string("was interrupted before it was measured"));
    QVERIFY(results[2].state == ResultState::Done && results[3].state == ResultState::Done);
}

void TestSession::shelf_restored_isAsBefore()
{
    const Session session = RandomSession(13).session;
    QVERIFY(session.results.size() > 2);
    Shelf shelf;
    shelf.add({});
    shelf.rename(ResultId{1}, "mine");
    shelf.restore(session.results, session.baselines);
    QVERIFY(areSame(shelf.results(), session.results));
    QVERIFY(shelf.undoWords().empty());
    for (const ResultId id : session.baselines)
        QVERIFY(std::ranges::count(shelf.chosenBaselines(), id) <= 1);
    const ResultId next = shelf.add({});
    QVERIFY(next > session.results.back().id);
}

STAGECRAFT_SUITE(TestSession)

} // namespace tst_session
#include "tst_session.moc"
