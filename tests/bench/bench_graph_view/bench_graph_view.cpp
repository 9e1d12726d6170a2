// The time for graph layout and for frames at 1280x800 (software raster), for 500 to 20,000 operators.
// QT_QPA_PLATFORM=offscreen bench_graph_view

#include "desktop/dot_process.h"
#include "search/search.h"
#include "support/inception_like.h"
#include "widgets/graph/graph_painter.h"
#include "widgets/graph/graph_scene.h"

#include <QElapsedTimer>
#include <QGuiApplication>
#include <QImage>
#include <QPainter>

#include <algorithm>
#include <cstdio>

using namespace stagecraft;
using namespace stagecraft::test;

namespace {

constexpr int kFrames = 15;

double elapsedMs(const QElapsedTimer &timer)
{
    return static_cast<double>(timer.nsecsElapsed()) / 1e6;
}

double medianFrameMs(const GraphScene &scene, GraphViewport viewport)
{
    QImage image(1280, 800, QImage::Format_ARGB32_Premultiplied);
    std::vector<double> times;
    for (int frame = 0; frame < kFrames; ++frame) {
        viewport = panned(viewport, QPointF(3, 7)); // the picture moves: every frame differs
        QElapsedTimer timer;
        timer.start();
        QPainter painter(&image);
        painter.fillRect(image.rect(), scene.theme.canvas);
        paintGraph(painter, scene, viewport, QRectF(image.rect()));
        painter.end();
        times.push_back(elapsedMs(timer));
    }
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
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
    const Schedule schedule = greedySchedule(*model.graph, model.blocks);
    QElapsedTimer timer;
    timer.start();
    GraphLabels labels = graphLabels(*model.graph, model.blocks, QFont());
    const double labelsMs = elapsedMs(timer);
    timer.restart();
    DotProcess dot;
    GraphLayout layout = *layoutGraph(*model.graph, model.blocks, labels.sizes, &dot);
    const double layoutMs = elapsedMs(timer);
    timer.restart();
    GraphScene scene;
    scene.prepared = prepared(std::move(labels), std::move(layout));
    scene.theme = themeFor(QPalette(Qt::white, Qt::white));
    scene.fonts = graphFonts(QFont());
    scene.styles = nodeStyles({*model.graph,
                               scene.prepared->layout,
                               stagePlaces(*model.graph, &schedule),
                               {},
                               Colouring::Stage,
                               scene.theme});
    scene.blockStages = stagesOfBlocks(&schedule, model.blocks.size());
    const double sceneMs = elapsedMs(timer);

    std::printf("%s, %zu operators: labels %.1f ms, layout %.1f ms, scene %.1f ms\n", name, model.graph->size(),
                labelsMs, layoutMs, sceneMs);
    const QRectF all = scene.prepared->layout.bounds;
    GraphViewport viewport{{}, 1, {1280, 800}};
    viewport = fitted(viewport, all, {20, 20, 20, 20});
    std::printf("    fit all (%.4f): %.2f ms\n", viewport.zoom, medianFrameMs(scene, viewport));
    for (const double zoom : {0.05, 0.13, 0.25, 0.37, 0.7, 1.0, 2.0}) {
        viewport.zoom = zoom;
        std::printf("    zoom %.2f: %.2f ms\n", zoom, medianFrameMs(scene, viewport));
    }
}

} // namespace

int main(int argc, char **argv)
{
    const QGuiApplication application(argc, argv);
    for (const int operators : {500, 3900, 5000, 20000})
        measure("modules", inceptionLike(operators / 8));
    measure("chains", chains(70, 71));
    measure("chains", chains(140, 143));
    return 0;
}
