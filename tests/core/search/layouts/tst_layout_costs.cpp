#include "search/layouts/layout_costs.h"
#include "search/layouts/layout_search.h"
#include "support/graph_making.h"
#include "support/suite.h"

#include <QTest>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_layout_costs {

namespace {

// input -> conv1 -> conv2
Graph chain()
{
    GraphBuilder builder("chain");
    const TensorId input = take(builder.addInput("input", Shape{{1, 3, 8, 8}}));
    const TensorId first = take(builder.add(conv("conv1", {{input}}, 4)));
    (void)take(builder.add(conv("conv2", {{first}}, 4)));
    return take(builder.build());
}

const char *kWorkedExample = R"({"format": "stagecraft-layout-costs", "version": 1, "layouts": ["NCHW", "NHWC"],
 "operators": {"conv1": [{"in": "NCHW", "out": "NCHW", "latency_us": 300}],
               "conv2": [{"in": "NHWC", "out": "NCHW", "latency_us": 500}, {"in": "NCHW", "out": "NCHW", "latency_us": 600}]},
 "conversions": {"*": [{"from": "NCHW", "to": "NHWC", "latency_us": 200}]}})";

std::string replaced(std::string text, const std::string &from, const std::string &to)
{
    const std::size_t at = text.find(from);
    Q_ASSERT(at != std::string::npos);
    return text.replace(at, from.size(), to);
}

} // namespace

class TestLayoutCosts : public QObject {
    Q_OBJECT

private slots:
    void read_workedExample_isTheProblem();
    void read_listOfATensor_replacesThatOfAll();
    void write_then_read_isTheSame();
    void read_badFile_isRefused_data();
    void read_badFile_isRefused();
};

void TestLayoutCosts::read_workedExample_isTheProblem()
{
    const auto costs = layoutCostsFrom(kWorkedExample, chain());
    QVERIFY(costs);
    QCOMPARE(costs->problem.fixed, LayoutIndex{0});
    const auto result = searchLayouts(costs->problem, {});
    QVERIFY(result);
    QCOMPARE(result->best.latencyUs, 900.0);
}

void TestLayoutCosts::read_listOfATensor_replacesThatOfAll()
{
    const std::string text = replaced(kWorkedExample, R"("*":)", R"("conv1": [{"from": "nchw", "to": "nhwc",
        "latency_us": 50}], "*":)");
    const auto costs = layoutCostsFrom(text, chain());
    QVERIFY(costs);
    QCOMPARE(searchLayouts(costs->problem, {})->best.latencyUs, 850.0);
}

void TestLayoutCosts::write_then_read_isTheSame()
{
    auto costs = layoutCostsFrom(replaced(kWorkedExample, R"("*":)", R"("input": [], "*":)"), chain());
    QVERIFY(costs);
    costs->source = {"chain", "cpu", "measured", 1};
    const std::string text = toJson(*costs);
    const auto again = layoutCostsFrom(text, chain());
    QVERIFY(again);
    QCOMPARE(toJson(*again), text);
    QCOMPARE(again->source.provenance, std::string("measured"));
    QCOMPARE(searchLayouts(again->problem, {})->best.latencyUs, 900.0);
}

void TestLayoutCosts::read_badFile_isRefused_data()
{
    QTest::addColumn<QString>("from");
    QTest::addColumn<QString>("to");
    QTest::addColumn<QString>("reason");
    const QString deep = QString(200'000, QLatin1Char('[')) + QString(200'000, QLatin1Char(']'));
    QTest::newRow("deep") << "\"version\": 1"
                          << "\"version\": " + deep << "its lists are within each other too deeply";
    QTest::newRow("not JSON") << "{\"format\""
                              << "{"
                              << "the file is not JSON";
    QTest::newRow("format") << "stagecraft-layout-costs"
                            << "other"
                            << "the file does not say \"format\": \"stagecraft-layout-costs\"";
    QTest::newRow("version") << "\"version\": 1"
                             << "\"version\": 2"
                             << "version 2 of the format is not known, only version 1";
    QTest::newRow("layouts") << "[\"NCHW\", \"NHWC\"]"
                             << "7"
                             << "\"layouts\" is not a list of names";
    QTest::newRow("layout is no name") << "[\"NCHW\", \"NHWC\"]"
                                       << "[\"NCHW\", 3]"
                                       << "a layout under \"layouts\" is not a name";
    QTest::newRow("layout twice") << "[\"NCHW\", \"NHWC\"]"
                                  << "[\"NCHW\", \"nchw\"]"
                                  << "layout nchw is listed twice";
    QTest::newRow("no NCHW") << "[\"NCHW\", \"NHWC\"]"
                             << "[\"NHWC\"]"
                             << "\"layouts\" lacks NCHW, in which the inputs and outputs of the model are";
    QTest::newRow("too many") << "[\"NCHW\", \"NHWC\"]"
                              << "[\"NCHW\",\"a\",\"b\",\"c\",\"d\",\"e\",\"f\"]"
                              << "the file has 7 layouts; at most 6 are searched";
    QTest::newRow("operators") << "\"operators\": {"
                               << "\"operators\": 1, \"more\": {"
                               << "\"operators\" is not an object";
    QTest::newRow("unknown operator") << "\"conv2\""
                                      << "\"conv9\""
                                      << "operator conv9: the model has no operator of this name";
    QTest::newRow("unknown layout") << "\"in\": \"NHWC\""
                                    << "\"in\": \"CHWN\""
                                    << "operator conv2: layout CHWN is not listed under \"layouts\"";
    QTest::newRow("no in") << "\"in\": \"NHWC\""
                           << "\"inn\": \"NHWC\""
                           << "operator conv2: an entry lacks \"in\"";
    QTest::newRow("negative") << "500"
                              << "-1"
                              << "operator conv2: an entry's latency_us is not a number of at least 0";
    QTest::newRow("text") << "500"
                          << "\"fast\""
                          << "operator conv2: an entry's latency_us is not a number of at least 0";
    QTest::newRow("twice") << "\"in\": \"NHWC\""
                           << "\"in\": \"NCHW\""
                           << "operator conv2: the entry from NCHW to NCHW is given twice";
    QTest::newRow("no list") << "[{\"in\": \"NCHW\", \"out\": \"NCHW\", \"latency_us\": 300}]"
                             << "3"
                             << "operator conv1: its entries are not a list";
    QTest::newRow("conversions") << "\"conversions\": {"
                                 << "\"conversions\": 1, \"more\": {"
                                 << "\"conversions\" is not an object";
    QTest::newRow("unknown tensor") << "\"*\""
                                    << "\"conv7\""
                                    << "tensor conv7: the model has no tensor of this name";
    QTest::newRow("itself") << "\"to\": \"NHWC\""
                            << "\"to\": \"NCHW\""
                            << "conversions of every tensor: an entry converts NCHW to itself";
}

void TestLayoutCosts::read_badFile_isRefused()
{
    QFETCH(QString, from);
    QFETCH(QString, to);
    QFETCH(QString, reason);
    const auto costs = layoutCostsFrom(replaced(kWorkedExample, from.toStdString(), to.toStdString()), chain());
    QVERIFY(!costs);
    QString text;
    for (const std::string &where : costs.error().context)
        text += QString::fromStdString(where) + ": ";
    QCOMPARE(text + QString::fromStdString(costs.error().message), reason);
    QCOMPARE(costs.error().code, ErrorCode::InvalidInput);
}

STAGECRAFT_SUITE(TestLayoutCosts)

} // namespace tst_layout_costs
#include "tst_layout_costs.moc"
