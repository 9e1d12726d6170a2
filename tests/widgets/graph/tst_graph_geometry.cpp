// Index, hit test and find: the pure functions behind the graph view.

#include "support/inception_like.h"
#include "support/suite.h"
#include "widgets/graph/drawing/grid_index.h"
#include "widgets/graph/graph_hit_test.h"
#include "widgets/graph/overlay/graph_find.h"

#include <QTest>

#include <random>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_graph_geometry {

namespace {

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
