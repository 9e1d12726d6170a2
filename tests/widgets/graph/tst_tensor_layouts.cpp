// The layouts of tensors that a schedule states, as the graph shows them.

#include "support/graph_making.h"
#include "support/suite.h"
#include "widgets/graph/paint/tensor_layouts.h"

#include <QtTest>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_tensor_layouts {

namespace {

// a feeds b and c, which are joined.
Graph network()
{
    GraphBuilder builder("net");
    const TensorId input = take(builder.addInput("input", Shape{{1, 16, 8, 8}}));
    const TensorId a = take(builder.add(conv("a", {{input}}, 16)));
    const TensorId b = take(builder.add(conv("b", {{a}}, 16)));
    const TensorId c = take(builder.add(conv("c", {{a}}, 16)));
    (void)take(builder.add(join("d", {{b}, {c}})));
    return take(builder.build());
}

constexpr TensorLayout kNchw = TensorLayout::RowMajor;
constexpr TensorLayout kNhwc = TensorLayout::ChannelsLast;

} // namespace

class TestTensorLayouts : public QObject {
    Q_OBJECT

private slots:
    void shownLayouts_noneStated_areEmpty();
    void shownLayouts_conversionForTwoReaders_countsOnce();
    void shownLayouts_statedReads_decide();
    void shownLayouts_output_isConvertedBack();
};

void TestTensorLayouts::shownLayouts_noneStated_areEmpty()
{
    const Schedule schedule;
    QVERIFY(shownLayouts(network(), &schedule).of.empty());
    QVERIFY(shownLayouts(network(), nullptr).of.empty());
}

void TestTensorLayouts::shownLayouts_conversionForTwoReaders_countsOnce()
{
    const Graph graph = network();
    Schedule schedule;
    schedule.layouts.tensors = {{"a", kNhwc}};
    schedule.layouts.reads = {{"b", kNchw}, {"c", kNchw}};
    const ShownLayouts shown = shownLayouts(graph, &schedule);
    QCOMPARE(shown.conversions, std::size_t{1});
    QCOMPARE(layoutText(shown.of[0]->reads), QStringLiteral("NCHW"));
    QCOMPARE(layoutText(shown.of[0]->writes), QStringLiteral("NHWC"));
    QCOMPARE(shown.of[0]->conversions, std::size_t{0}); // it reads the input as it comes
    QCOMPARE(shown.of[1]->conversions, std::size_t{1});
    QCOMPARE(shown.of[2]->conversions, std::size_t{1});
}

void TestTensorLayouts::shownLayouts_statedReads_decide()
{
    const Graph graph = network();
    Schedule schedule;
    schedule.layouts.tensors = {{"a", kNhwc}, {"b", kNhwc}};
    schedule.layouts.reads = {{"c", kNchw}, {"d", kNchw}};
    const ShownLayouts shown = shownLayouts(graph, &schedule);
    QVERIFY(shown.of[1]->reads == kNhwc && shown.of[1]->writes == kNhwc);
    QVERIFY(shown.of[2]->reads == kNchw && shown.of[2]->writes == kNchw);
    QCOMPARE(shown.of[3]->conversions, std::size_t{1}); // b; c comes as it is read
    QCOMPARE(shown.conversions, std::size_t{2});
}

void TestTensorLayouts::shownLayouts_output_isConvertedBack()
{
    const Graph graph = network();
    Schedule schedule;
    for (const char *name : {"a", "b", "c", "d"})
        schedule.layouts.tensors.emplace_back(name, kNhwc);
    schedule.layouts.reads = {{"a", kNhwc}};
    const ShownLayouts shown = shownLayouts(graph, &schedule);
    QCOMPARE(shown.of[0]->conversions, std::size_t{1}); // the input of the graph comes in NCHW
    QCOMPARE(shown.conversions, std::size_t{2});
}

STAGECRAFT_SUITE(TestTensorLayouts)

} // namespace tst_tensor_layouts
#include "tst_tensor_layouts.moc"
