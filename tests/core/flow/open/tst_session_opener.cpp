// Sessions whose models were read by another version of the program, or in another way than usual.

#include "flow/open/session_opener.h"
#include "results/files/session_json.h"
#include "search/stages/baselines.h"
#include "support/places.h"
#include "support/suite.h"
#include "wiring/device_catalog.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_session_opener {

namespace {

const std::string kFile = sourcePath("tests/data/onnx/conv_norm_relu.onnx").toStdString();

// One baseline of the file.
Session sessionOf(const OpenRequest &request)
{
    const Model model = openModel(request)->model;
    SessionModel known{model.reference(), model.graph->batch(), model.source, {}};
    for (const Operator &op : model.graph->operators())
        known.operators.push_back(op.name);
    ScheduleResult result;
    result.id = ResultId{1};
    result.state = ResultState::Done;
    result.settings = {model.reference(), "sim:v100", "1", known.batch, "fp32"};
    result.schedule = std::make_shared<const TimedSchedule>(sequentialSchedule(*model.graph, model.blocks));
    Session session;
    session.models.push_back(std::make_shared<const SessionModel>(std::move(known)));
    session.results.push_back(std::move(result));
    return session;
}

bool has(const std::string &text, const std::string &part)
{
    return text.find(part) != std::string::npos;
}

} // namespace

class TestSessionOpener : public QObject {
    Q_OBJECT

private slots:
    void model_inAnotherReading_isReadInThat();
    void model_readOtherwise_isAnotherModelUntilItFits();

private:
    Result<OpenedSession> reopened(const std::string &text)
    {
        QFile file(m_folder.filePath("some.stagecraft"));
        if (!file.open(QIODevice::WriteOnly))
            return fail(ErrorCode::InvalidInput, "cannot be written");
        file.write(QByteArray::fromStdString(text));
        file.close();
        return openSession(file.fileName().toStdString(),
                           {openModel, [](const std::string &id) { return findDevice(id); }});
    }

    QTemporaryDir m_folder;
};

void TestSessionOpener::model_inAnotherReading_isReadInThat()
{
    const Session session = sessionOf({.spec = kFile, .reading = {Units::None, {"remove-dead"}}});
    const std::string text = toJson(session);
    QVERIFY2(has(text, session.models[0]->reference.sha256 + " with units none, without remove-dead\""), text.c_str());
    const auto opened = reopened(text);
    QVERIFY(opened);
    QCOMPARE(opened->whyMissing.front(), std::string());
    QVERIFY(opened->models.front()->reading == (Reading{Units::None, {"remove-dead"}}));
    QCOMPARE(toJson(opened->session), text);
}

void TestSessionOpener::model_readOtherwise_isAnotherModelUntilItFits()
{
    Session session = sessionOf({.spec = kFile, .reading = {Units::None}});
    const std::string text = toJson(session);
    SessionModel older = *session.models[0];
    older.operators.back() = "gone";
    session.models[0] = std::make_shared<const SessionModel>(older);
    const auto opened = reopened(toJson(session));
    QVERIFY(opened);
    QVERIFY(!opened->models.front());
    QVERIFY2(has(opened->whyMissing.front(), "is read otherwise by this version"), opened->whyMissing.front().c_str());
    QVERIFY(opened->session.models[0]->reference.isReadOtherwise);
    QVERIFY(opened->session.results[0].settings.model == opened->session.models[0]->reference);
    const std::string kept = toJson(opened->session);
    QVERIFY2(has(kept, older.reference.sha256 + " with units none read otherwise\""), kept.c_str());

    Session fitting = opened->session; // as a version that reads it as before finds it
    SessionModel again = *fitting.models[0];
    again.operators = sessionFromJson(text)->models[0]->operators;
    fitting.models[0] = std::make_shared<const SessionModel>(again);
    const auto fits = reopened(toJson(fitting));
    QVERIFY(fits);
    QVERIFY2(fits->models.front(), fits->whyMissing.front().c_str());
    QCOMPARE(toJson(fits->session), text);
}

STAGECRAFT_SUITE(TestSessionOpener)

} // namespace tst_session_opener
#include "tst_session_opener.moc"
