#include "desktop/work/dot_process.h"
#include "support/inception_like.h"
#include "support/suite.h"
#include "widgets/graph/drawing/dot_drawing.h"
#include "widgets/graph/drawing/graph_drawing.h"
#include "widgets/graph/paint/graph_labels.h"

#include <QTest>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_graph_drawing {

namespace {

GraphDrawing laidOut(const ModelOfModules &model, std::vector<bool> folded = {}, bool withDot = true)
{
    DrawingOptions options = graphLabels(*model.graph, model.blocks, QFont()).sizes;
    options.folded = std::move(folded);
    DotProcess dot;
    return *drawGraph(*model.graph, model.blocks, options, withDot ? &dot : nullptr);
}

void verifyDrawing(const GraphDrawing &drawing)
{
    for (std::size_t i = 0; i < drawing.nodes.size(); ++i) {
        for (std::size_t j = i + 1; j < drawing.nodes.size(); ++j)
            QVERIFY2(!drawing.nodes[i].rect.intersects(drawing.nodes[j].rect), qPrintable(QString::number(i)));
        QVERIFY(drawing.bounds.contains(drawing.nodes[i].rect));
    }
    for (std::size_t i = 1; i < drawing.blocks.size(); ++i)
        QVERIFY(drawing.blocks[i - 1].frame.bottom() < drawing.blocks[i].frame.top());
    for (const DrawingEdge &edge : drawing.edges) {
        const QRectF from = drawing.nodes[edge.from].rect;
        const QRectF to = drawing.nodes[edge.to].rect;
        QVERIFY(from.bottom() < to.top());
        QVERIFY(!edge.curves.empty());
        // One continuous path from the border of one card to that of the other.
        QVERIFY(from.adjusted(-2, -2, 2, 2).contains(drawing.curves[edge.curves.front()].points.front()));
        for (std::size_t i = 1; i < edge.curves.size(); ++i) {
            const QPointF gap =
                drawing.curves[edge.curves[i]].points.front() - drawing.curves[edge.curves[i - 1]].points.back();
            QVERIFY2(gap.manhattanLength() < 0.001, qPrintable(QString::number(gap.manhattanLength())));
        }
        const Curve &last = drawing.curves[edge.curves.back()];
        QVERIFY(last.arrowTip.has_value());
        QVERIFY(to.adjusted(-2, -2, 2, 2).contains(*last.arrowTip));
    }
    for (const Curve &curve : drawing.curves) {
        QCOMPARE(curve.points.size() % 3, std::size_t(1));
        QVERIFY(curve.points.size() >= 4);
    }
}

std::vector<QRectF> rectsOf(const GraphDrawing &drawing)
{
    std::vector<QRectF> rects;
    for (const DrawingNode &node : drawing.nodes)
        rects.push_back(node.rect);
    return rects;
}

Part diamondWithPorts(int branches)
{
    Part part;
    const QSizeF card(100, 40);
    part.nodes = {QSizeF(0, 0), QSizeF(0, 0), QSizeF(0, 0), card};
    part.topPorts = {0, 1};
    part.bottomPorts = {2};
    for (int i = 0; i < branches; ++i) {
        const auto node = static_cast<std::uint32_t>(part.nodes.size());
        part.nodes.push_back(card);
        part.edges.emplace_back(i % 2, node);
        part.edges.emplace_back(node, 3);
    }
    part.edges.emplace_back(3, 2);
    return part;
}

} // namespace

class TestGraphDrawing : public QObject {
    Q_OBJECT

private slots:
    void layoutGraph_ofModules_isCleanDrawing_data()
    {
        QTest::addColumn<int>("modules");
        QTest::addColumn<bool>("blocks");
        QTest::addColumn<bool>("dot");
        QTest::addRow("one module") << 1 << true << true;
        QTest::addRow("skips over blocks") << 8 << true << true;
        QTest::addRow("without blocks") << 3 << false << true;
        QTest::addRow("without dot") << 8 << true << false;
        QTest::addRow("too large for dot") << 40 << false << true;
        QTest::addRow("a graph too large for dot") << 510 << true << true;
    }

    void layoutGraph_ofModules_isCleanDrawing()
    {
        QFETCH(int, modules);
        QFETCH(bool, blocks);
        QFETCH(bool, dot);
        ModelOfModules model = inceptionLike(modules);
        if (!blocks)
            model.blocks.clear();
        const GraphDrawing drawing = laidOut(model, {}, dot);
        QVERIFY(!drawing.dotFailure);
        QCOMPARE(drawing.nodes.size(), model.graph->size() + 2);
        std::size_t expected = 1; // the edge to the output
        for (const Operator &op : model.graph->operators()) {
            const auto id = *model.graph->find(op.name);
            expected += model.graph->predecessors(id).size();
            for (const auto &part : op.inputs) {
                for (const TensorId tensor : part)
                    expected += model.graph->tensor(tensor).producer.isValid() ? 0 : 1;
            }
        }
        QCOMPARE(drawing.edges.size(), expected);
        verifyDrawing(drawing);
    }

    void layoutGraph_twice_isTheSame()
    {
        const ModelOfModules model = inceptionLike(6);
        const GraphDrawing first = laidOut(model);
        const GraphDrawing second = laidOut(model);
        QCOMPARE(rectsOf(first), rectsOf(second));
        for (std::size_t i = 0; i < first.curves.size(); ++i)
            QCOMPARE(first.curves[i].points, second.curves[i].points);
    }

    void layoutGraph_withFoldedBlock_showsItAsOneNode()
    {
        const ModelOfModules model = inceptionLike(4);
        const GraphDrawing drawing = laidOut(model, {false, true, false, false});
        QCOMPARE(drawing.nodes.size(), model.graph->size() + 2 - 7);
        verifyDrawing(drawing);
        const std::uint32_t node = drawing.nodeOfOperator[8];
        QCOMPARE(drawing.nodes[node].kind, DrawingNode::Kind::FoldedBlock);
        for (std::size_t op = 8; op < 16; ++op)
            QCOMPARE(drawing.nodeOfOperator[op], node);
        QVERIFY(drawing.blocks[1].folded);
    }

    void layoutGraph_withEveryBlockFolded_isOneColumn()
    {
        const ModelOfModules model = inceptionLike(5);
        const GraphDrawing drawing = laidOut(model, std::vector<bool>(5, true));
        QCOMPARE(drawing.nodes.size(), std::size_t(7));
        verifyDrawing(drawing);
    }

    void layoutGraph_stopped_returnsNothing()
    {
        const ModelOfModules model = inceptionLike(2);
        std::stop_source stop;
        stop.request_stop();
        QVERIFY(!drawGraph(*model.graph, model.blocks, {}, nullptr, stop.get_token()));
    }

    void layoutGraph_ofThousandsOfOperators_placesAll()
    {
        const ModelOfModules model = inceptionLike(625); // 5,000 operators
        const GraphDrawing drawing = laidOut(model);
        QCOMPARE(drawing.nodes.size(), std::size_t(5002));
    }

    void partLayouts_withPorts_keepThemAtTheBorders_data()
    {
        QTest::addColumn<bool>("dot");
        QTest::addRow("dot") << true;
        QTest::addRow("by rows") << false;
    }

    void partLayouts_withPorts_keepThemAtTheBorders()
    {
        QFETCH(bool, dot);
        const Part part = diamondWithPorts(5);
        DotProcess program;
        const PartDrawing drawing = dot ? *dotDrawing(part, {}, program) : layeredDrawing(part, {});
        QVERIFY(drawing.centres[0].x() < drawing.centres[1].x()); // top ports in the given order
        for (std::size_t node = 3; node < part.nodes.size(); ++node) {
            QVERIFY(drawing.centres[0].y() < drawing.centres[node].y() - 20);
            QVERIFY(drawing.centres[2].y() > drawing.centres[node].y() + 20);
        }
        for (std::size_t edge = 0; edge < part.edges.size(); ++edge)
            QCOMPARE(drawing.curves[edge].arrowTip.has_value(), part.edges[edge].second != 2);
    }
};

STAGECRAFT_SUITE(TestGraphDrawing)

} // namespace tst_graph_drawing
#include "tst_graph_drawing.moc"
