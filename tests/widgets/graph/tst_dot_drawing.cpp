// The input for dot and the checks of its answers, without running it.

#include "support/graph_making.h"
#include "support/suite.h"
#include "widgets/graph/drawing/dot_drawing.h"
#include "widgets/graph/drawing/graph_drawing.h"
#include "widgets/graph/graph_view.h"
#include "widgets/graph/paint/graph_labels.h"

#include <QLocale>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QTest>
#include <QThread>

#include <clocale>

using namespace stagecraft;
using namespace stagecraft::test;

namespace {

// Records its input and returns a given answer.
class Parrot : public DotRunner {
public:
    explicit Parrot(Result<std::string> answer) : m_answer(std::move(answer)) {}

    Result<std::string> layOut(const std::string &graph, const std::stop_token &) override
    {
        told += graph;
        ++asked;
        return m_answer;
    }

    std::string told;
    int asked = 0;

private:
    Result<std::string> m_answer;
};

// Two cards and an edge.
Part pair()
{
    Part part;
    part.nodes = {QSizeF(72, 36), QSizeF(72, 36)};
    part.edges = {{0, 1}};
    return part;
}

std::string answer(const std::string &second, const std::string &route)
{
    return R"({"objects": [{"name": "0", "pos": "36,126"}, )" + second + R"(], "edges": [{"id": "e0", "pos": ")" +
           route + R"("}]})";
}

const char *const kSecond = R"({"name": "1", "pos": "36.5,18"})";
const char *const kRoute = "e,36,37 36,108 36,90 36,70 36,50";

} // namespace

class TestDotDrawing : public QObject {
    Q_OBJECT

private slots:
    void dotText_underALocaleWithCommas_hasPoints();
    void dotText_ofHostileNames_doesNotSayThem_data();
    void dotText_ofHostileNames_doesNotSayThem();
    void readDotAnswer_ofAGoodOne_isTheLayout();
    void readDotAnswer_damaged_isRefused_data();
    void readDotAnswer_damaged_isRefused();
    void layoutGraph_withoutAGoodAnswer_goesOnByRows_data();
    void layoutGraph_withoutAGoodAnswer_goesOnByRows();
    void layoutGraph_stoppedWhileDotWorks_returnsNothing();
    void view_withDotThatNeverAnswers_isFreeForTheNextModel();
};

void TestDotDrawing::dotText_underALocaleWithCommas_hasPoints()
{
    const std::string before = std::setlocale(LC_NUMERIC, nullptr);
    const QLocale locale;
    QLocale::setDefault(QLocale(QLocale::German));
    (void)std::setlocale(LC_NUMERIC, "de_DE.UTF-8"); // if installed
    const std::string text = dotText(pair(), {});
    (void)std::setlocale(LC_NUMERIC, before.c_str());
    QLocale::setDefault(locale);
    QVERIFY2(text.find("0 [width=1.000000, height=0.500000]") != std::string::npos, text.c_str());
}

void TestDotDrawing::dotText_ofHostileNames_doesNotSayThem_data()
{
    QTest::addColumn<QString>("name");
    QTest::addRow("quotes") << QStringLiteral("a\"];} digraph evil { x");
    QTest::addRow("backslashes") << QStringLiteral("a\\\\n\\\"b\\");
    QTest::addRow("lines") << QStringLiteral("a\n}\nb\r\n");
    QTest::addRow("markup") << QStringLiteral("<<table><img src=\"/etc/passwd\"/>>");
    QTest::addRow("control characters") << QStringLiteral("a\x1b]0;b\x07");
    QTest::addRow("4,000 characters") << QString(4000, QLatin1Char('n'));
}

void TestDotDrawing::dotText_ofHostileNames_doesNotSayThem()
{
    QFETCH(const QString, name);
    GraphBuilder builder(name.toStdString());
    const TensorId input = take(builder.addInput(name.toStdString() + "in", {{1, 4, 5, 5}}));
    const TensorId first = take(builder.add(conv(name.toStdString(), {{input}}, 4)));
    (void)take(builder.add(conv(name.toStdString() + "2", {{first}}, 4)));
    const Graph graph = take(builder.build());
    Parrot dot(fail(ErrorCode::InvalidInput, "no"));
    QVERIFY(drawGraph(graph, {}, graphLabels(graph, {}, QFont()).sizes, &dot));
    static const QRegularExpression tame(
        R"(\A(digraph|graph|node|edge|part|subgraph|rank|source|sink|nodesep|ranksep|shape|box|fixedsize|true|label|""|)"
        R"(arrowsize|arrowhead|none|width|height|style|invis|id|e?[0-9.]+|->|[\[\]{}=,; \n])*\z)");
    QVERIFY(dot.asked > 0);
    QVERIFY2(tame.match(QString::fromStdString(dot.told)).hasMatch(), dot.told.c_str());
}

void TestDotDrawing::readDotAnswer_ofAGoodOne_isTheLayout()
{
    const auto drawing = readDotAnswer(pair(), answer(kSecond, kRoute));
    QVERIFY(drawing);
    QCOMPARE(drawing->centres, (std::vector<QPointF>{{36, -126}, {36.5, -18}}));
    QCOMPARE(drawing->curves[0].points, (std::vector<QPointF>{{36, -108}, {36, -90}, {36, -70}, {36, -50}}));
    QCOMPARE(*drawing->curves[0].arrowTip, QPointF(36, -37));
}

void TestDotDrawing::readDotAnswer_damaged_isRefused_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("reason");
    const auto row = [](const char *name, const std::string &text, const char *reason) {
        QTest::addRow("%s", name) << QString::fromStdString(text) << QString::fromLatin1(reason);
    };
    const std::string good = answer(kSecond, kRoute);
    row("empty", "", "not JSON");
    row("cut off", good.substr(0, good.size() - 4), "not JSON");
    row("a list", "[1, 2]", "no place for node 0");
    row("deep", std::string(100000, '['), "not JSON");
    row("objects that are none", R"({"objects": {"name": "0"}, "edges": 3})", "no place for node 0");
    row("a node is missing", answer(R"({"name": "7", "pos": "1,1"})", kRoute), "no place for node 1");
    row("a node of another name", answer(R"({"name": "1x", "pos": "1,1"})", kRoute), "no place for node 1");
    row("a number too long", answer(R"({"name": "99999999999999999999", "pos": "1,1"})", kRoute), "node 1");
    row("a place that is a number", answer(R"({"name": "1", "pos": 3})", kRoute), "no place for node 1");
    row("half a place", answer(R"({"name": "1", "pos": "36"})", kRoute), "no place for node 1");
    row("infinity", answer(R"({"name": "1", "pos": "inf,3"})", kRoute), "no place for node 1");
    row("no number", answer(R"({"name": "1", "pos": "nan,3"})", kRoute), "no place for node 1");
    row("too far", answer(R"({"name": "1", "pos": "1e9,3"})", kRoute), "no place for node 1");
    row("no route", answer(kSecond, ""), "no route for edge 0");
    row("half a piece", answer(kSecond, "1,1 2,2 3,3 4,4 5,5"), "no route for edge 0");
    row("words", answer(kSecond, "1,1 2,2 three 4,4"), "no route for edge 0");
    row("two tips", answer(kSecond, "e,1,1 e,2,2 1,1 2,2 3,3 4,4"), "no route for edge 0");
}

void TestDotDrawing::readDotAnswer_damaged_isRefused()
{
    QFETCH(const QString, text);
    QFETCH(const QString, reason);
    const auto drawing = readDotAnswer(pair(), text.toStdString());
    QVERIFY(!drawing);
    QCOMPARE(drawing.error().code, ErrorCode::InvalidInput);
    QVERIFY2(drawing.error().message.find(reason.toStdString()) != std::string::npos, drawing.error().message.c_str());
}

void TestDotDrawing::layoutGraph_withoutAGoodAnswer_goesOnByRows_data()
{
    QTest::addColumn<bool>("answers");
    QTest::addRow("fails") << false;
    QTest::addRow("answers nonsense") << true;
}

void TestDotDrawing::layoutGraph_withoutAGoodAnswer_goesOnByRows()
{
    QFETCH(const bool, answers);
    GraphBuilder builder("chain");
    const TensorId input = take(builder.addInput("in", {{1, 4, 5, 5}}));
    const TensorId a = take(builder.add(conv("a", {{input}}, 4)));
    (void)take(builder.add(conv("b", {{a}}, 4)));
    const Graph graph = take(builder.build());
    const Blocks blocks{{{OperatorId{0}}}, {{OperatorId{1}}}};
    Parrot dot(answers ? Result<std::string>("{}") : fail(ErrorCode::InvalidInput, "it is not there"));
    const DrawingOptions options = graphLabels(graph, blocks, QFont()).sizes;
    const auto drawing = drawGraph(graph, blocks, options, &dot);
    QVERIFY(drawing && drawing->dotFailure);
    QCOMPARE(dot.asked, 1); // not once per block
    const auto byRows = drawGraph(graph, blocks, options);
    QVERIFY(byRows && !byRows->dotFailure);
    for (std::size_t i = 0; i < byRows->nodes.size(); ++i)
        QCOMPARE(drawing->nodes[i].rect, byRows->nodes[i].rect);
}

void TestDotDrawing::layoutGraph_stoppedWhileDotWorks_returnsNothing()
{
    class Stopped : public DotRunner {
    public:
        Result<std::string> layOut(const std::string &, const std::stop_token &) override
        {
            source.request_stop();
            return fail(ErrorCode::Cancelled, "stopped");
        }
        std::stop_source source;
    } dot;
    GraphBuilder builder("one");
    const TensorId input = take(builder.addInput("in", {{1, 4, 5, 5}}));
    (void)take(builder.add(conv("a", {{input}}, 4)));
    const Graph graph = take(builder.build());
    QVERIFY(!drawGraph(graph, {}, {}, &dot, dot.source.get_token()));
}

void TestDotDrawing::view_withDotThatNeverAnswers_isFreeForTheNextModel()
{
    class Stuck : public DotRunner {
    public:
        Result<std::string> layOut(const std::string &, const std::stop_token &stop) override
        {
            while (!stop.stop_requested())
                QThread::msleep(1);
            return fail(ErrorCode::Cancelled, "stopped");
        }
    };
    GraphBuilder builder("one");
    const TensorId input = take(builder.addInput("in", {{1, 4, 5, 5}}));
    (void)take(builder.add(conv("a", {{input}}, 4)));
    const auto graph = std::make_shared<const Graph>(take(builder.build()));
    GraphView view(nullptr);
    QSignalSpy failed(&view, &GraphView::dotFailed);
    QSignalSpy finished(&view, &GraphView::drawingFinished);
    view.setDot([] { return std::make_unique<Stuck>(); });
    view.setModel(graph, {});
    view.setDot({});
    view.setModel(graph, {});
    QTRY_COMPARE(finished.size(), 1);
    QCOMPARE(failed.size(), 0);
    view.setDot([] { return std::make_unique<Stuck>(); });
    view.setModel(graph, {}); // the view is destroyed while dot works
}

STAGECRAFT_SUITE(TestDotDrawing)
#include "tst_dot_drawing.moc"
