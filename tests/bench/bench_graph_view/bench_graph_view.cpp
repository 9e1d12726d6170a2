// The time for graph layout and for frames at 1280x800 (software raster), for 500 to 20,000 operators.
// QT_QPA_PLATFORM=offscreen bench_graph_view

#include "bench/frame_times.h"
#include "desktop/work/dot_process.h"
#include "search/stages/search.h"
#include "support/inception_like.h"
#include "widgets/graph/graph_view.h"
#include "widgets/graph/paint/graph_painter.h"
#include "widgets/graph/paint/graph_scene.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QEventLoop>
#include <QImage>
#include <QMouseEvent>
#include <QNativeGestureEvent>
#include <QPainter>
#include <QPointingDevice>

#include <cstdio>
#include <memory>

using namespace stagecraft;
using namespace stagecraft::test;

namespace {

constexpr int kFrames = 60;

double elapsedMs(const QElapsedTimer &timer)
{
    return static_cast<double>(timer.nsecsElapsed()) / 1e6;
}

void reportFrames(const char *what, const GraphScene &scene, Viewport viewport)
{
    QImage image(1280, 800, QImage::Format_ARGB32_Premultiplied);
    bench::FrameTimes(kFrames, [&](int) {
        viewport = panned(viewport, QPointF(3, 7)); // the picture moves: every frame differs
        QPainter painter(&image);
        painter.fillRect(image.rect(), scene.theme.canvas);
        paintGraph(painter, scene, viewport, QRectF(image.rect()));
    }).print(what);
}

// The view itself: from opening to the first picture, then dragging and zooming through the whole range.
void reportView(const char *name, const ModelOfModules &model)
{
    GraphView view(nullptr);
    view.setDot([] { return std::make_unique<DotProcess>(); });
    view.resize(1280, 800);
    view.show();
    QApplication::processEvents();
    QEventLoop loop;
    QObject::connect(&view, &GraphView::drawingFinished, &loop, &QEventLoop::quit);
    QElapsedTimer timer;
    timer.start();
    view.setModel(model.graph, model.blocks);
    loop.exec();
    view.repaint();
    std::printf("%s, %zu operators: first picture after %.0f ms\n", name, model.graph->size(), elapsedMs(timer));
    const auto send = [&](QEvent::Type type, const QPointF &at, Qt::MouseButton button, Qt::MouseButtons buttons) {
        QMouseEvent event(type, at, view.mapToGlobal(at), button, buttons, Qt::NoModifier);
        QApplication::sendEvent(&view, &event);
    };
    const auto pan = [&](const char *what) {
        send(QEvent::MouseButtonPress, {640, 600}, Qt::MiddleButton, Qt::MiddleButton);
        bench::FrameTimes(kFrames, [&](int frame) {
            send(QEvent::MouseMove, {640.0 + frame % 7, 600 - 5.0 * frame}, Qt::NoButton, Qt::MiddleButton);
            view.repaint();
        }).print(what);
        send(QEvent::MouseButtonRelease, {640, 100}, Qt::MiddleButton, Qt::NoButton);
    };
    const auto zoom = [&](const char *what, double by) {
        bench::FrameTimes(kFrames, [&](int) {
            const QPointF at(640, 400);
            QNativeGestureEvent event(Qt::ZoomNativeGesture, QPointingDevice::primaryPointingDevice(), 2, at, at,
                                      view.mapToGlobal(at), by, {});
            QApplication::sendEvent(&view, &event);
            view.repaint();
        }).print(what);
    };
    pan("    drag, as it opens");
    zoom("    zoom out", -0.06);
    pan("    drag, zoomed out");
    zoom("    zoom in", 0.09);
    pan("    drag, zoomed in");
}

// Parallel chains in one part, as wide as high, so that everything is visible at once.
ModelOfModules chains(int count, int length)
{
    GraphBuilder builder("chains");
    const TensorId input = take(builder.addInput("image", {{1, 4, 5, 5}}));
    for (int chain = 0; chain < count; ++chain) {
        TensorId last = input;
        for (int i = 0; i < length; ++i)
            last = take(builder.add(conv(std::to_string(chain) + "/" + std::to_string(i), {{last}}, 4)));
    }
    return {std::make_shared<const Graph>(take(builder.build())), {}};
}

void measure(const char *name, const ModelOfModules &model)
{
    const TimedSchedule schedule = greedySchedule(*model.graph, model.blocks);
    QElapsedTimer timer;
    timer.start();
    GraphLabels labels = graphLabels(*model.graph, model.blocks, QFont());
    const double labelsMs = elapsedMs(timer);
    timer.restart();
    DotProcess dot;
    GraphDrawing layout = *drawGraph(*model.graph, model.blocks, labels.sizes, &dot);
    const double layoutMs = elapsedMs(timer);
    timer.restart();
    GraphScene scene;
    scene.prepared = prepared(std::move(labels), std::move(layout));
    scene.theme = themeFor(QPalette(Qt::white, Qt::white));
    scene.fonts = graphFonts(QFont());
    scene.styles = nodeStyles({*model.graph,
                               scene.prepared->drawing,
                               stagePlaces(*model.graph, &schedule),
                               {},
                               {},
                               {},
                               Colouring::Stage,
                               scene.theme});
    scene.blockStages = stagesOfBlocks(&schedule, model.blocks.size());
    const double sceneMs = elapsedMs(timer);

    std::printf("%s, %zu operators: labels %.1f ms, layout %.1f ms, scene %.1f ms\n", name, model.graph->size(),
                labelsMs, layoutMs, sceneMs);
    const QRectF all = scene.prepared->drawing.bounds;
    Viewport viewport{{}, 1, {1280, 800}};
    viewport = fitted(viewport, all, {20, 20, 20, 20});
    reportFrames(qPrintable(QStringLiteral("    everything (%1)").arg(viewport.zoom, 0, 'f', 4)), scene, viewport);
    for (const double zoom : {0.05, 0.13, 0.25, 0.37, 0.7, 1.0, 2.0}) {
        viewport.zoom = zoom;
        reportFrames(qPrintable(QStringLiteral("    zoom %1").arg(zoom)), scene, viewport);
    }
}

} // namespace

int main(int argc, char **argv)
{
    const QApplication application(argc, argv);
    reportView("modules", inceptionLike(10000 / 8));
    for (const int operators : {500, 3900, 5000, 20000})
        measure("modules", inceptionLike(operators / 8));
    measure("chains", chains(70, 71));
    measure("chains", chains(140, 143));
    return 0;
}
