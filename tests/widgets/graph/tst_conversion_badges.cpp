// Conversions as badges on the edges of the graph.

#include "support/graph_making.h"
#include "support/suite.h"
#include "widgets/graph/paint/conversion_badges.h"
#include "widgets/graph/paint/graph_painter.h"
#include "widgets/graph/paint/graph_scene.h"

#include <QGuiApplication>
#include <QPainter>
#include <QtTest>

#include <algorithm>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_conversion_badges {

namespace {

constexpr TensorLayout kNhwc = TensorLayout::ChannelsLast;

// a feeds b and c, which are joined in d.
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

// a in NCHW; b and c read it in NHWC; b writes NHWC, c NCHW; d reads and writes NHWC.
TimedSchedule inLayouts()
{
    TimedSchedule schedule;
    schedule.layouts.tensors = {{"b", kNhwc}, {"d", kNhwc}};
    schedule.layouts.reads = {{"b", kNhwc}, {"c", kNhwc}, {"d", kNhwc}};
    return schedule;
}

LayoutCosts costsOf(const Graph &graph)
{
    LayoutCosts costs{layoutProblemOf(graph, {"NCHW", "NHWC"}, 0), {}};
    costs.problem.conversionTables = {{kImpossible, 4.125, 6, kImpossible}};
    return costs;
}

std::shared_ptr<const PreparedGraph> preparedFor(const Graph &graph, const Blocks &blocks, bool isFolded = false)
{
    GraphLabels labels = graphLabels(graph, blocks, QGuiApplication::font());
    labels.sizes.folded.assign(blocks.size(), isFolded);
    auto layout = drawGraph(graph, blocks, labels.sizes);
    return prepared(std::move(labels), std::move(*layout));
}

QStringList textsOf(const std::vector<ConversionBadge> &badges)
{
    QStringList texts;
    for (const ConversionBadge &badge : badges)
        texts << badge.text;
    return texts;
}

std::vector<ConversionBadge> badgesOf(const Graph &graph, const PreparedGraph &prepared, const LayoutCosts *costs)
{
    const TimedSchedule schedule = inLayouts();
    return conversionBadges(graph, prepared, shownLayouts(graph, &schedule), costs, QGuiApplication::font());
}

} // namespace

class TestConversionBadges : public QObject {
    Q_OBJECT

private slots:
    void badges_costsKnown_haveThemAtTheFirstReader();
    void badges_costsUnknown_nameTheLayoutAlone();
    void badges_foldedBlock_haveOneOnTheEdge();
    void badges_noneStated_areNone();
    void places_besideEachOther_doNotOverlap();
    void paint_zoomedOut_hidesThem();
};

void TestConversionBadges::badges_costsKnown_haveThemAtTheFirstReader()
{
    const Graph graph = network();
    const auto prepared = preparedFor(graph, {});
    const LayoutCosts costs = costsOf(graph);
    const auto badges = badgesOf(graph, *prepared, &costs);
    // For b and c, of a; for d, of c; for the output, which is NCHW again.
    QCOMPARE(textsOf(badges), (QStringList{"→ NHWC 4.13 µs", "NHWC copy", "→ NHWC 4.13 µs", "→ NCHW 6.00 µs"}));
    const DrawingEdge &first = prepared->drawing.edges[badges[0].edge];
    QCOMPARE(first.from, prepared->drawing.nodeOfOperator[graph.find("a")->index()]);
    QCOMPARE(first.to, prepared->drawing.nodeOfOperator[graph.find("b")->index()]);
    QVERIFY(prepared->drawing.nodes[prepared->drawing.edges[badges[3].edge].to].kind == DrawingNode::Kind::Output);
}

void TestConversionBadges::badges_costsUnknown_nameTheLayoutAlone()
{
    const Graph graph = network();
    const auto prepared = preparedFor(graph, {});
    QCOMPARE(textsOf(badgesOf(graph, *prepared, nullptr)), (QStringList{"→ NHWC", "NHWC copy", "→ NHWC", "→ NCHW"}));
    LayoutCosts others = costsOf(graph);
    others.problem.layouts[1] = "nChw8c"; // of other layouts
    QCOMPARE(textsOf(badgesOf(graph, *prepared, &others)).front(), QStringLiteral("→ NHWC"));
}

// b, c and d in one block: what goes on inside is not shown, what they read of a is one copy.
void TestConversionBadges::badges_foldedBlock_haveOneOnTheEdge()
{
    const Graph graph = network();
    Blocks blocks(2);
    blocks[0].operators = {*graph.find("a")};
    blocks[1].operators = {*graph.find("b"), *graph.find("c"), *graph.find("d")};
    const auto prepared = preparedFor(graph, blocks, true);
    const LayoutCosts costs = costsOf(graph);
    const auto badges = badgesOf(graph, *prepared, &costs);
    QCOMPARE(badges.size(), std::size_t{2});
    QCOMPARE(badges[0].text, QStringLiteral("→ NHWC 4.13 µs"));
}

void TestConversionBadges::badges_noneStated_areNone()
{
    const Graph graph = network();
    const TimedSchedule none;
    QVERIFY(conversionBadges(graph, *preparedFor(graph, {}), shownLayouts(graph, &none), nullptr, {}).empty());
}

void TestConversionBadges::places_besideEachOther_doNotOverlap()
{
    const Graph graph = network();
    const auto prepared = preparedFor(graph, {});
    const LayoutCosts costs = costsOf(graph);
    const auto badges = badgesOf(graph, *prepared, &costs);
    for (const double zoom : {kConversionZoom, 0.7, 1.0, 2.0}) {
        const std::vector<QRectF> places = placeBadges(badges, *prepared, zoom);
        QCOMPARE(places.size(), badges.size());
        for (std::size_t i = 0; i < places.size(); ++i) {
            for (std::size_t other = 0; other < i; ++other)
                QVERIFY(!places[i].intersects(places[other]));
            if (zoom < 1) // the text is as large as the window's, cards are smaller
                continue;
            QVERIFY(!places[i].isNull());
            for (const DrawingNode &node : prepared->drawing.nodes)
                QVERIFY(!places[i].intersects(node.rect));
        }
    }
}

void TestConversionBadges::paint_zoomedOut_hidesThem()
{
    const Graph graph = network();
    GraphScene scene;
    scene.prepared = preparedFor(graph, {});
    scene.theme = themeFor(QGuiApplication::palette());
    scene.fonts = graphFonts(QGuiApplication::font());
    scene.smallNames = std::make_shared<FittedNames>(scene.fonts.name);
    scene.styles.resize(scene.prepared->drawing.nodes.size());
    for (NodeStyle &style : scene.styles)
        style.fill = scene.theme.panel;
    const LayoutCosts costs = costsOf(graph);
    const auto paintAt = [&](double zoom) {
        QImage image(900, 700, QImage::Format_RGB32);
        image.fill(scene.theme.canvas);
        QPainter painter(&image);
        const Viewport viewport{scene.prepared->drawing.bounds.center(), zoom, image.size()};
        paintGraph(painter, scene, viewport, image.rect());
        return image;
    };
    const QImage plain = paintAt(1);
    const QImage small = paintAt(0.4);
    scene.badges = badgesOf(graph, *scene.prepared, &costs);
    QVERIFY(paintAt(1) != plain);
    QCOMPARE(paintAt(0.4), small);
}

STAGECRAFT_SUITE(TestConversionBadges)

} // namespace tst_conversion_badges
#include "tst_conversion_badges.moc"
