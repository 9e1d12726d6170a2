// The graph with its stages, as the graph view shows it, and the schedule.

#include "export/schedule_drawing.h"
#include "export/schedule_tables.h"
#include "pictures/picture_page.h"
#include "pictures/view_pictures.h"
#include "schedule/model_colours.h"
#include "widgets/base/format.h"
#include "widgets/base/model_marks.h"
#include "widgets/base/shown_name.h"
#include "widgets/graph/paint/graph_painter.h"

#include <qcustomplot.h>

#include <QPainterPath>

#include <cmath>
#include <limits>
#include <memory>

namespace stagecraft {
namespace {

GraphScene sceneOf(const Model &model, const TimedSchedule *schedule, const Theme &theme)
{
    const Graph &graph = *model.graph;
    GraphLabels labels = graphLabels(graph, model.blocks, pictureFont());
    GraphDrawing drawing = *drawGraph(graph, model.blocks, labels.sizes); // never stopped
    GraphScene scene;
    scene.prepared = prepared(std::move(labels), std::move(drawing));
    scene.theme = theme;
    scene.fonts = graphFonts(pictureFont());
    scene.smallNames = std::make_shared<FittedNames>(scene.fonts.name);
    const auto places = stagePlaces(graph, schedule);
    const Colouring colouring = schedule ? Colouring::Stage : Colouring::Type;
    scene.styles = nodeStyles({graph,
                               scene.prepared->drawing,
                               places,
                               HeatScale{},
                               StageChanges{},
                               ShownLayouts{},
                               colouring,
                               theme,
                               {},
                               ModelMarks(graph)});
    scene.blockStages = stagesOfBlocks(schedule, model.blocks.size());
    return scene;
}

QColor colourOf(int rgb)
{
    return QColor::fromRgb(static_cast<QRgb>(rgb));
}

void paintDrawing(QCPPainter &painter, const ScheduleDrawing &drawing)
{
    painter.fillRect(QRectF(0, 0, std::ceil(drawing.width), std::ceil(drawing.height)), colourOf(drawing.background));
    for (const DrawnArrow &arrow : drawing.arrows) {
        const QPointF from(arrow.fromX, arrow.fromY);
        const QPointF to(arrow.toX, arrow.toY);
        QPainterPath path(from);
        path.cubicTo(from + QPointF(0, arrow.bend()), to - QPointF(0, arrow.bend()),
                     to - QPointF(0, DrawnArrow::kHead));
        painter.setPen(colourOf(arrow.colour));
        painter.setBrush(Qt::NoBrush);
        painter.drawPath(path);
        painter.setPen(Qt::NoPen);
        painter.setBrush(colourOf(arrow.colour));
        painter.drawPolygon(
            QPolygonF({to, to + QPointF(-3.5, -DrawnArrow::kHead), to + QPointF(3.5, -DrawnArrow::kHead)}));
    }
    for (const DrawnBox &box : drawing.boxes) {
        painter.setPen(box.frame ? QPen(colourOf(*box.frame), 2) : QPen(Qt::NoPen));
        painter.setBrush(colourOf(box.fill));
        painter.drawRoundedRect(QRectF(box.x, box.y, box.width, box.height), box.radius, box.radius);
    }
    for (const DrawnText &text : drawing.texts) {
        QFont font = pictureFont();
        font.setPixelSize(static_cast<int>(text.size));
        font.setWeight(text.isBold ? QFont::DemiBold : QFont::Normal);
        painter.setFont(font);
        painter.setPen(colourOf(text.colour));
        painter.drawText(QPointF(text.x, text.y), QString::fromStdString(text.text));
    }
}

} // namespace

Picture graphPicture(const ExportRequest &request, const Theme &theme)
{
    const Model &model = *request.model;
    const RatedResult *result = request.results.empty() ? nullptr : &request.results.front();
    const auto scene =
        std::make_shared<const GraphScene>(sceneOf(model, result ? result->schedule.get() : nullptr, theme));
    const QRectF bounds = scene->prepared->drawing.bounds;
    const Picture body{{}, bounds.size(), [=](QCPPainter &painter) {
                           const Viewport whole{bounds.center(), 1, bounds.size()};
                           paintGraph(painter, *scene, whole, QRectF(QPointF(), bounds.size()),
                                      std::numeric_limits<std::size_t>::max());
                       }};
    QString facts = QStringLiteral("%1 in %2")
                        .arg(plural(static_cast<std::int64_t>(model.graph->size()), "operator"),
                             plural(static_cast<std::int64_t>(model.blocks.size()), "block"));
    QString title = QString::fromStdString(model.name);
    if (result) {
        const std::string latency = latencyOf(*result->schedule);
        title += QStringLiteral(": ") + QString::fromStdString(result->name);
        facts += QStringLiteral(", %1, %2%3. Colours and numbers are stages, letters are groups, M is merged")
                     .arg(plural(static_cast<std::int64_t>(result->schedule->stages.size()), "stage"),
                          QString::fromStdString(settingsText(*result->schedule)),
                          latency.empty() ? QString() : QStringLiteral(", ") + QString::fromStdString(latency));
    } else {
        facts += QStringLiteral(", batch %1. Colours are types of operators").arg(model.graph->batch());
    }
    const auto models = ModelMarks(*model.graph).parts();
    for (std::size_t i = 0; i < models.size(); ++i)
        facts += QStringLiteral("%1 %2: bars with %3")
                     .arg(i == 0 ? QLatin1String(".") : QLatin1String(","), shownName(models[i].name),
                          QLatin1String(kModelBars[i % kModelBars.size()].words));
    return withHeading(title, facts, theme, body);
}

Picture schedulePicture(const ExportRequest &request)
{
    const RatedResult &result = request.results.front();
    const ScheduleDrawing drawing = drawSchedule(*request.model->graph, result, request.style.dark);
    return {QString::fromStdString(result.name + " of " + request.model->name),
            QSizeF(std::ceil(drawing.width), std::ceil(drawing.height)),
            [drawing](QCPPainter &painter) { paintDrawing(painter, drawing); }};
}

} // namespace stagecraft
