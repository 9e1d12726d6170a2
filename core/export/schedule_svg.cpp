#include "export/schedule_svg.h"

#include "export/schedule_drawing.h"
#include "support/markup_text.h"

#include <array>
#include <cstdio>

namespace stagecraft {
namespace {

std::string number(double value)
{
    std::array<char, 32> digits{};
    std::snprintf(digits.data(), digits.size(), "%.1f", value);
    return digits.data();
}

std::string attribute(const char *name, const std::string &value)
{
    return std::string(" ") + name + "=\"" + value + '"';
}

std::string hex(int colour)
{
    std::array<char, 16> digits{};
    std::snprintf(digits.data(), digits.size(), "#%06x", static_cast<unsigned>(colour));
    return digits.data();
}

std::string svgOf(const DrawnBox &box)
{
    std::string text = "<rect" + attribute("x", number(box.x)) + attribute("y", number(box.y)) +
                       attribute("width", number(box.width)) + attribute("height", number(box.height)) +
                       attribute("rx", number(box.radius)) + attribute("fill", hex(box.fill));
    if (box.frame)
        text += attribute("stroke", hex(*box.frame)) + attribute("stroke-width", "2");
    return text + (box.tip.empty() ? "/>\n" : "><title>" + escaped(box.tip) + "</title></rect>\n");
}

std::string svgOf(const DrawnText &text)
{
    return "<text" + attribute("x", number(text.x)) + attribute("y", number(text.y)) +
           attribute("font-size", number(text.size)) + attribute("fill", hex(text.colour)) +
           (text.isBold ? attribute("font-weight", "600") : "") + '>' + escaped(text.text) + "</text>\n";
}

} // namespace

std::string scheduleSvg(const Graph &graph, const NamedSchedule &named, bool dark)
{
    const ScheduleDrawing drawing = drawSchedule(graph, named, dark);
    const std::string size = attribute("width", number(drawing.width)) + attribute("height", number(drawing.height));
    std::string text = "<svg xmlns=\"http://www.w3.org/2000/svg\"" + size +
                       attribute("viewBox", "0 0 " + number(drawing.width) + ' ' + number(drawing.height)) +
                       attribute("font-family", "'DejaVu Sans', 'Segoe UI', Helvetica, Arial, sans-serif") +
                       ">\n<rect" + size + attribute("fill", hex(drawing.background)) + "/>\n";
    for (const DrawnBox &box : drawing.boxes)
        text += svgOf(box);
    for (const DrawnText &each : drawing.texts)
        text += svgOf(each);
    return text + "</svg>\n";
}

} // namespace stagecraft
