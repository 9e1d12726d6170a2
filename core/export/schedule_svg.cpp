#include "export/schedule_svg.h"

#include "export/schedule_drawing.h"
#include "support/markup_text.h"

#include <fmt/format.h>

namespace stagecraft {
namespace {

std::string svgOf(const DrawnBox &box)
{
    std::string text =
        fmt::format(R"(<rect x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" rx="{:.1f}" fill="#{:06x}")", box.x,
                    box.y, box.width, box.height, box.radius, box.fill);
    if (box.frame)
        text += fmt::format(R"( stroke="#{:06x}" stroke-width="2")", *box.frame);
    return text + (box.tip.empty() ? "/>\n" : fmt::format("><title>{}</title></rect>\n", escaped(box.tip)));
}

std::string svgOf(const DrawnText &text)
{
    return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"{:.1f}\" fill=\"#{:06x}\"{}>{}</text>\n", text.x,
                       text.y, text.size, text.colour, text.isBold ? " font-weight=\"600\"" : "", escaped(text.text));
}

std::string svgOf(const DrawnArrow &arrow)
{
    const double neck = arrow.toY - DrawnArrow::kHead;
    return fmt::format("<path d=\"M{0:.1f},{1:.1f} C{0:.1f},{2:.1f} {3:.1f},{4:.1f} {3:.1f},{5:.1f}\" fill=\"none\" "
                       "stroke=\"#{6:06x}\"/>\n<path d=\"M{3:.1f},{7:.1f} l-3.5,-5 h7 z\" fill=\"#{6:06x}\"/>\n",
                       arrow.fromX, arrow.fromY, arrow.fromY + arrow.bend(), arrow.toX, arrow.toY - arrow.bend(), neck,
                       arrow.colour, arrow.toY);
}

} // namespace

std::string scheduleSvg(const Graph &graph, const RatedResult &result, bool dark)
{
    const ScheduleDrawing drawing = drawSchedule(graph, result, dark);
    std::string text = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.1f}\" height=\"{1:.1f}\" viewBox=\"0 0 {0:.1f} {1:.1f}\""
        " font-family=\"'DejaVu Sans', 'Segoe UI', Helvetica, Arial, sans-serif\">\n"
        "<rect width=\"{0:.1f}\" height=\"{1:.1f}\" fill=\"#{2:06x}\"/>\n",
        drawing.width, drawing.height, drawing.background);
    for (const DrawnArrow &arrow : drawing.arrows)
        text += svgOf(arrow);
    for (const DrawnBox &box : drawing.boxes)
        text += svgOf(box);
    for (const DrawnText &each : drawing.texts)
        text += svgOf(each);
    return text + "</svg>\n";
}

} // namespace stagecraft
