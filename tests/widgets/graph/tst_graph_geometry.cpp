// Coordinates, index, hit test, minimap and find: the pure functions behind the graph view.

#include "support/inception_like.h"
#include "support/suite.h"
#include "widgets/graph/drawing/graph_coordinates.h"
#include "widgets/graph/drawing/grid_index.h"
#include "widgets/graph/graph_hit_test.h"
#include "widgets/graph/overlay/graph_find.h"
#include "widgets/graph/overlay/minimap.h"

#include <QTest>

#include <random>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_graph_geometry {

namespace {

constexpr QMarginsF kMargins{10, 20, 10, 10};

bool near(const QPointF &a, const QPointF &b)
{
    return (a - b).manhattanLength() < 1e-6;
}

std::shared_ptr<const PreparedGraph> preparedModules(const ModelOfModules &model)
{
    GraphLabels labels = graphLabels(*model.graph, model.blocks, QFont());
    GraphDrawing drawing = *drawGraph(*model.graph, model.blocks, labels.sizes);
    return prepared(std::move(labels), std::move(drawing));
}

} // namespace

class TestGraphGeometry : public QObject {
    Q_OBJECT

private slots:
    void viewport_thereAndBack_isInverse_data()
    {
        QTest::addColumn<double>("zoom");
        for (const double zoom : {kMinZoom, 0.3, 1.0, kMaxZoom})
            QTest::addRow("zoom %g", zoom) << zoom;
    }

    void viewport_thereAndBack_isInverse()
    {
        QFETCH(double, zoom);
        const GraphViewport viewport{{123, -45}, zoom, {640, 480}};
        for (const QPointF point : {QPointF(0, 0), QPointF(320, 240), QPointF(-50, 900)})
            QVERIFY(near(viewport.toView(viewport.toScene(point)), point));
        QVERIFY(near(viewport.toScene(QPointF(320, 240)), viewport.centre));
    }

    void zoomedAbout_anchor_staysInPlace()
    {
        const GraphViewport viewport{{50, 60}, 0.8, {640, 480}};
        const QPointF anchor(100, 400);
        const GraphViewport zoomed = zoomedAbout(viewport, anchor, 1.7);
        QCOMPARE(zoomed.zoom, 0.8 * 1.7);
        QVERIFY(near(zoomed.toScene(anchor), viewport.toScene(anchor)));
    }

    void zoomedAbout_beyondBounds_isClamped()
    {
        const GraphViewport viewport{{0, 0}, 1, {640, 480}};
        QCOMPARE(zoomedAbout(viewport, {0, 0}, 1e9).zoom, kMaxZoom);
        QCOMPARE(zoomedAbout(viewport, {0, 0}, 1e-9).zoom, kMinZoom);
    }

    void fitted_rect_liesWithinMargins()
    {
        const QRectF rect(-300, 1000, 2000, 700);
        const GraphViewport viewport = fitted({{0, 0}, 1, {640, 480}}, rect, kMargins);
        const QRectF shown = viewport.toView(rect);
        QVERIFY(QRectF(10, 20, 620, 450).adjusted(-0.01, -0.01, 0.01, 0.01).contains(shown));
        QVERIFY(qFuzzyCompare(shown.width(), 620.0));
    }

    void fitted_emptyRectOrView_staysFinite()
    {
        const GraphViewport small = fitted({{0, 0}, 1, {0, 0}}, QRectF(0, 0, 100, 100), kMargins);
        QVERIFY(small.zoom >= kMinZoom && small.zoom <= kMaxZoom);
        const GraphViewport point = fitted({{0, 0}, 1, {640, 480}}, QRectF(5, 5, 0, 0), kMargins);
        QCOMPARE(point.zoom, 1.0);
    }

    void revealing_visibleRect_changesNothing()
    {
        const GraphViewport viewport{{0, 0}, 1, {640, 480}};
        QCOMPARE(revealing(viewport, QRectF(-50, -50, 100, 100), kMargins), viewport);
    }

    void revealing_rectBelow_scrollsJustEnough()
    {
        const GraphViewport viewport{{0, 0}, 1, {640, 480}};
        const GraphViewport moved = revealing(viewport, QRectF(-20, 500, 40, 40), kMargins);
        QCOMPARE(moved.zoom, 1.0);
        QCOMPARE(moved.toView(QRectF(-20, 500, 40, 40)).bottom(), 470.0);
    }

    void revealing_rectTooLarge_zoomsOut()
    {
        const GraphViewport viewport{{0, 0}, 1, {640, 480}};
        const QRectF rect(0, 0, 300, 4000);
        const GraphViewport moved = revealing(viewport, rect, kMargins);
        QVERIFY(moved.zoom < 1);
        QVERIFY(moved.visible().contains(rect));
    }

    void keptOn_farAway_leavesContentInSight()
    {
        const QRectF content(0, 0, 1000, 3000);
        const GraphViewport lost{{9000, -9000}, 1, {640, 480}};
        QVERIFY(keptOn(lost, content, 60).visible().intersects(content));
    }

    void between_ends_areExact()
    {
        const GraphViewport from{{0, 0}, 0.2, {640, 480}};
        const GraphViewport to{{100, 2000}, 1.5, {640, 480}};
        QCOMPARE(between(from, to, 0), from);
        QCOMPARE(between(from, to, 1), to);
        const GraphViewport half = between(from, to, 0.5);
        QVERIFY(half.zoom > from.zoom && half.zoom < to.zoom);
        QVERIFY(half.centre.y() > 0 && half.centre.y() < 2000);
    }

    void between_zoomAboutAnchor_keepsAnchorInPlace()
    {
        const GraphViewport from{{40, 70}, 0.5, {640, 480}};
        const QPointF anchor(500, 100);
        const GraphViewport to = zoomedAbout(from, anchor, 3);
        for (const double t : {0.25, 0.5, 0.75})
            QVERIFY(near(between(from, to, t).toScene(anchor), from.toScene(anchor)));
    }

    void gridIndex_randomRects_findsWhatBruteForceFinds()
    {
        std::mt19937 random(7);
        std::uniform_real_distribution<double> place(-1000, 1000);
        std::uniform_real_distribution<double> side(0, 80);
        std::vector<QRectF> rects;
        for (int i = 0; i < 500; ++i)
            rects.emplace_back(place(random), place(random), i % 7 == 0 ? 0 : side(random), side(random));
        const GridIndex index(rects);
        for (int i = 0; i < 100; ++i) {
            const QRectF area(place(random), place(random), 4 * side(random), side(random));
            std::vector<std::uint32_t> expected;
            for (std::uint32_t j = 0; j < rects.size(); ++j) {
                const QRectF &rect = rects[j];
                if (rect.left() <= area.right() && area.left() <= rect.right() && rect.top() <= area.bottom() &&
                    area.top() <= rect.bottom())
                    expected.push_back(j);
            }
            QCOMPARE(index.touching(area), expected);
        }
        QVERIFY(index.touching(QRectF(5000, 5000, 10, 10)).empty());
        QVERIFY(GridIndex().touching(QRectF(0, 0, 10, 10)).empty());
    }

    void hitTest_onNodesTitlesAndNothing_tellsThemApart()
    {
        const auto graph = preparedModules(inceptionLike(3));
        for (std::uint32_t node = 0; node < graph->drawing.nodes.size(); ++node) {
            const GraphHit hit = hitTest(*graph, graph->drawing.nodes[node].rect.center(), 1, 4);
            QCOMPARE(hit.kind, GraphHit::Kind::Node);
            QCOMPARE(hit.node, node);
        }
        for (std::size_t block = 0; block < 3; ++block) {
            const GraphHit hit = hitTest(*graph, blockTitleBox(*graph, block, 1).rect.center(), 1, 4);
            QCOMPARE(hit.kind, GraphHit::Kind::BlockTitle);
            QCOMPARE(hit.block, block);
        }
        QVERIFY(hitTest(*graph, blockTitleBox(*graph, 0, 0.1).rect.center(), 0.1, 0).kind !=
                GraphHit::Kind::BlockTitle);
        const QPointF outside = graph->drawing.bounds.topLeft() - QPointF(50, 50);
        QCOMPARE(hitTest(*graph, outside, 1, 4), GraphHit{});
    }

    void hitTest_besideSmallCard_hitsWithinSlack()
    {
        const auto graph = preparedModules(inceptionLike(1));
        const QRectF rect = graph->drawing.nodes[0].rect;
        const QPointF beside(rect.left() - 3 / 0.1, rect.center().y()); // 3 view pixels away at a tenth
        QCOMPARE(hitTest(*graph, beside, 0.1, 4).kind, GraphHit::Kind::Node);
        QCOMPARE(hitTest(*graph, beside, 0.1, 2).kind, GraphHit::Kind::Nothing);
    }

    void blockTitleBox_fromAfar_growsButStaysInFrame()
    {
        const auto graph = preparedModules(inceptionLike(2));
        const BlockTitleBox nearby = blockTitleBox(*graph, 1, 1);
        const BlockTitleBox afar = blockTitleBox(*graph, 1, 0.25);
        QVERIFY(!nearby.isShort);
        QVERIFY(afar.isShort);
        QVERIFY(afar.rect.height() > nearby.rect.height());
        QVERIFY(afar.rect.right() <= graph->drawing.blocks[1].frame.right());
    }

    void nextNode_alongEdgesAndRows_leadsToNeighbours()
    {
        const ModelOfModules model = inceptionLike(2);
        const auto graph = preparedModules(model);
        const auto nodeOf = [&](const char *name) {
            return graph->drawing.nodeOfOperator[model.graph->find(name)->index()];
        };
        QCOMPARE(nextNode(*graph, nodeOf("m0/c1"), Direction::Down), nodeOf("m0/c2"));
        QCOMPARE(nextNode(*graph, nodeOf("m0/c3"), Direction::Up), nodeOf("m0/c2"));
        const std::uint32_t b2 = nodeOf("m0/b2");
        for (const Direction direction : {Direction::Left, Direction::Right}) {
            if (const auto side = nextNode(*graph, b2, direction)) {
                const QRectF from = graph->drawing.nodes[b2].rect;
                const QRectF to = graph->drawing.nodes[*side].rect;
                QVERIFY(to.top() <= from.bottom() && from.top() <= to.bottom());
                QCOMPARE(to.center().x() > from.center().x(), direction == Direction::Right);
            }
        }
        QVERIFY(!nextNode(*graph, 0, Direction::Up));
    }

    void minimapPlace_strip_mapsBothWays()
    {
        const QRectF scene(-100, 0, 800, 5000);
        const QRectF strip(580, 0, 60, 400);
        const MinimapPlace place = minimapPlace(strip, scene);
        QVERIFY(strip.contains(place.content));
        QVERIFY(near(place.toScene(place.toView(QRectF(10, 20, 30, 40)).topLeft()), QPointF(10, 20)));
    }

    void minimapWidth_sceneThatFitsOrNoRoom_isNothing()
    {
        QCOMPARE(minimapWidth({640, 480}, QRectF(0, 0, 100, 100)), 0.0);
        QCOMPARE(minimapWidth({200, 100}, QRectF(0, 0, 800, 5000)), 0.0);
        QVERIFY(minimapWidth({640, 480}, QRectF(0, 0, 800, 5000)) > 20);
        QVERIFY(minimapWidth({640, 480}, QRectF(0, 0, 9000, 500)) < 640 / 5.0); // whatever its shape
    }

    void find_text_matchesNameAndType_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<int>("matches");
        QTest::addRow("name") << "m1/B2" << 1;
        QTest::addRow("type") << "concat" << 3;
        QTest::addRow("words in any order") << "relu m0" << 7;
        QTest::addRow("nothing") << "winograd" << 0;
        QTest::addRow("blank") << "  " << 0;
    }

    void find_text_matchesNameAndType()
    {
        QFETCH(QString, text);
        QFETCH(int, matches);
        const ModelOfModules model = inceptionLike(3);
        GraphFind find;
        find.search({*model.graph, model.blocks}, text);
        QCOMPARE(static_cast<int>(find.matches().size()), matches);
        QCOMPARE(find.current(), matches > 0 ? 0 : -1);
        find.step(-1);
        QCOMPARE(find.current(), matches - 1);
        find.step(1);
        QCOMPARE(find.current(), matches > 0 ? 0 : -1);
    }
};

STAGECRAFT_SUITE(TestGraphGeometry)

} // namespace tst_graph_geometry
#include "tst_graph_geometry.moc"
