// Conversion between a scene and the screen, and the minimap: the pure functions behind panning and zooming.

#include "support/suite.h"
#include "widgets/canvas/minimap.h"
#include "widgets/canvas/viewport.h"

#include <QTest>

using namespace stagecraft;

namespace tst_viewport {

namespace {

constexpr QMarginsF kMargins{10, 20, 10, 10};

bool near(const QPointF &a, const QPointF &b)
{
    return (a - b).manhattanLength() < 1e-6;
}

} // namespace

class TestViewport : public QObject {
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
        const Viewport viewport{{123, -45}, zoom, {640, 480}};
        for (const QPointF point : {QPointF(0, 0), QPointF(320, 240), QPointF(-50, 900)})
            QVERIFY(near(viewport.toView(viewport.toScene(point)), point));
        QVERIFY(near(viewport.toScene(QPointF(320, 240)), viewport.centre));
    }

    void zoomedAbout_anchor_staysInPlace()
    {
        const Viewport viewport{{50, 60}, 0.8, {640, 480}};
        const QPointF anchor(100, 400);
        const Viewport zoomed = zoomedAbout(viewport, anchor, 1.7);
        QCOMPARE(zoomed.zoom, 0.8 * 1.7);
        QVERIFY(near(zoomed.toScene(anchor), viewport.toScene(anchor)));
    }

    void zoomedAbout_beyondBounds_isClamped()
    {
        const Viewport viewport{{0, 0}, 1, {640, 480}};
        QCOMPARE(zoomedAbout(viewport, {0, 0}, 1e9).zoom, kMaxZoom);
        QCOMPARE(zoomedAbout(viewport, {0, 0}, 1e-9).zoom, kMinZoom);
    }

    void fitted_rect_liesWithinMargins()
    {
        const QRectF rect(-300, 1000, 2000, 700);
        const Viewport viewport = fitted({{0, 0}, 1, {640, 480}}, rect, kMargins);
        const QRectF shown = viewport.toView(rect);
        QVERIFY(QRectF(10, 20, 620, 450).adjusted(-0.01, -0.01, 0.01, 0.01).contains(shown));
        QVERIFY(qFuzzyCompare(shown.width(), 620.0));
    }

    void fitted_emptyRectOrView_staysFinite()
    {
        const Viewport small = fitted({{0, 0}, 1, {0, 0}}, QRectF(0, 0, 100, 100), kMargins);
        QVERIFY(small.zoom >= kMinZoom && small.zoom <= kMaxZoom);
        const Viewport point = fitted({{0, 0}, 1, {640, 480}}, QRectF(5, 5, 0, 0), kMargins);
        QCOMPARE(point.zoom, 1.0);
    }

    void revealing_visibleRect_changesNothing()
    {
        const Viewport viewport{{0, 0}, 1, {640, 480}};
        QCOMPARE(revealing(viewport, QRectF(-50, -50, 100, 100), kMargins), viewport);
    }

    void revealing_rectBelow_scrollsJustEnough()
    {
        const Viewport viewport{{0, 0}, 1, {640, 480}};
        const Viewport moved = revealing(viewport, QRectF(-20, 500, 40, 40), kMargins);
        QCOMPARE(moved.zoom, 1.0);
        QCOMPARE(moved.toView(QRectF(-20, 500, 40, 40)).bottom(), 470.0);
    }

    void revealing_rectTooLarge_zoomsOut()
    {
        const Viewport viewport{{0, 0}, 1, {640, 480}};
        const QRectF rect(0, 0, 300, 4000);
        const Viewport moved = revealing(viewport, rect, kMargins);
        QVERIFY(moved.zoom < 1);
        QVERIFY(moved.visible().contains(rect));
    }

    void keptOn_farAway_leavesContentInSight()
    {
        const QRectF content(0, 0, 1000, 3000);
        const Viewport lost{{9000, -9000}, 1, {640, 480}};
        QVERIFY(keptOn(lost, content, 60).visible().intersects(content));
    }

    void between_ends_areExact()
    {
        const Viewport from{{0, 0}, 0.2, {640, 480}};
        const Viewport to{{100, 2000}, 1.5, {640, 480}};
        QCOMPARE(between(from, to, 0), from);
        QCOMPARE(between(from, to, 1), to);
        const Viewport half = between(from, to, 0.5);
        QVERIFY(half.zoom > from.zoom && half.zoom < to.zoom);
        QVERIFY(half.centre.y() > 0 && half.centre.y() < 2000);
    }

    void between_zoomAboutAnchor_keepsAnchorInPlace()
    {
        const Viewport from{{40, 70}, 0.5, {640, 480}};
        const QPointF anchor(500, 100);
        const Viewport to = zoomedAbout(from, anchor, 3);
        for (const double t : {0.25, 0.5, 0.75})
            QVERIFY(near(between(from, to, t).toScene(anchor), from.toScene(anchor)));
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
};

STAGECRAFT_SUITE(TestViewport)

} // namespace tst_viewport
#include "tst_viewport.moc"
