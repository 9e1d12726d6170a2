#include "reproduction/reproduction_plots.h"

#include "reproduction/reproduction_numbers.h"
#include "support/number_text.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace stagecraft {

namespace {

constexpr const char *kNamespace = "http://www.w3.org/2000/svg";
constexpr double kPlotWidth = 660; // wider figures continue below
constexpr double kBarTop = 18;
constexpr double kBarHeight = 120;
constexpr double kLineHeight = kBarTop + kBarHeight + 26;
constexpr double kBar = 9;
constexpr double kBarGap = 4;
constexpr double kGroupGap = 24;
constexpr double kCharacter = 6.2; // width of a label character, on average

std::string px(double value)
{
    return fixedText(value, 1);
}

std::string bar(const char *kind, double x, double width, double height, double base, const std::string &tip)
{
    return fmt::format(R"(<rect class="bar-{}" x="{}" y="{}" width="{}" height="{}"><title>{}</title></rect>)", kind,
                       px(x), px(base - height), px(width), px(height), escaped(tip));
}

std::string label(double x, double y, const char *anchor, const std::string &text)
{
    return fmt::format(R"(<text x="{}" y="{}" text-anchor="{}">{}</text>)", px(x), px(y), anchor, escaped(text));
}

std::string opened(double width, double height, const std::string &label, const std::string &style)
{
    // An SVG inside an HTML page needs no namespace.
    const std::string space = style.empty() ? "" : fmt::format("xmlns=\"{}\" ", kNamespace);
    return fmt::format(R"(<svg {0}viewBox="0 0 {1} {2}" width="{1}" height="{2}" role="img" aria-label="{3}">{4})",
                       space, px(width), px(height), escaped(label),
                       style.empty() ? "" : "<style type=\"text/css\">" + style + "</style>");
}

double largestOf(const FigureRow &row)
{
    double largest = 0;
    for (const FigureCell &cell : row.cells)
        largest = std::max({largest, cell.published.value_or(0), cell.ours.value_or(0)});
    return largest;
}

// The bars of one row, starting at `left` and `base`.
std::string barGroup(const Figure &figure, const FigureRow &row, double left, double base, double scale)
{
    const double largest = largestOf(row);
    const double top = base - kBarHeight * largest / scale;
    std::string svg = label(left, top - 5, "start", numberText(largest) + " " + unitText(figure.unit));
    double x = left;
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
        const FigureCell &cell = row.cells[i];
        const auto tip = [&](const char *whose, double value) {
            return fmt::format("{}, {}, {}: {} {}", row.label, figure.columns[i], whose, numberText(value),
                               unitText(figure.unit));
        };
        if (cell.published)
            svg += bar("published", x, kBar, kBarHeight * *cell.published / scale, base,
                       tip("published", *cell.published));
        if (cell.ours)
            svg += bar("ours", x + kBar, kBar, kBarHeight * *cell.ours / scale, base, tip("ours", *cell.ours));
        x += 2 * kBar + kBarGap;
    }
    return svg + label(left, base + 15, "start", row.label);
}

} // namespace

std::string plotStyle(const PlotColours &colours)
{
    return "text { fill: " + colours.text +
           "; font-family: sans-serif; font-size: 11px; } .bar-ours, .dot { fill: " + colours.ours +
           "; } .bar-published { fill: " + colours.published + "; } .axis { stroke: " + colours.line +
           "; } .tie { stroke: " + colours.text + "; } .band { fill: " + colours.band + "; opacity: 0.5; }";
}

std::string barsSvg(const Figure &figure, const std::string &style)
{
    std::size_t longest = 0;
    double largest = 0;
    for (const FigureRow &row : figure.rows) {
        longest = std::max(longest, row.label.size());
        largest = std::max(largest, largestOf(row));
    }
    const double bars = static_cast<double>(figure.columns.size()) * (2 * kBar + kBarGap) + kGroupGap;
    const double group = std::max({bars, 64.0, static_cast<double>(longest) * kCharacter + kBarGap});
    const auto perLine = std::max<std::size_t>(1, static_cast<std::size_t>(kPlotWidth / group));
    const std::size_t lines = (figure.rows.size() + perLine - 1) / perLine;
    const double width = static_cast<double>(std::min(perLine, figure.rows.size())) * group + 10;
    std::string svg = opened(width, static_cast<double>(lines) * kLineHeight, figure.title, style);
    for (std::size_t row = 0; row < figure.rows.size(); ++row) {
        const double scale = figure.columns.size() == 1 ? largest : largestOf(figure.rows[row]);
        const std::size_t line = row / perLine;
        if (scale > 0)
            svg += barGroup(figure, figure.rows[row], static_cast<double>(row % perLine) * group + 8,
                            static_cast<double>(line) * kLineHeight + kBarTop + kBarHeight, scale);
    }
    for (std::size_t i = 0; i < lines; ++i) {
        const std::string y = px(static_cast<double>(i) * kLineHeight + kBarTop + kBarHeight);
        svg += fmt::format(R"(<line class="axis" x1="0" x2="{0}" y1="{1}" y2="{1}"/>)", px(width), y);
    }
    return svg + "</svg>";
}

std::string overviewSvg(const Reproduction &reproduction, const std::string &style)
{
    constexpr double kSize = 380;
    constexpr double kFrom = -2; // log10 ms
    constexpr double kTo = 2.2;
    const auto at = [](double ms) { return 40 + (std::log10(ms) - kFrom) / (kTo - kFrom) * kSize; };
    const double offset = std::log10(1.1) / (kTo - kFrom) * kSize;
    const double bottom = kSize + 10;
    const auto y = [&](double ms) { return bottom + 40 - at(ms); };
    std::string svg = opened(440, 430, "Published against ours", style);
    svg +=
        fmt::format(R"(<polygon class="band" points="{0},{1} {2},{3} {2},{4} {0},{5}"/>)", px(40), px(bottom - offset),
                    px(40 + kSize), px(bottom - kSize - offset), px(bottom - kSize + offset), px(bottom + offset));
    svg += fmt::format(R"(<line class="tie" x1="40" y1="{}" x2="{}" y2="{}"/>)", px(bottom), px(40 + kSize),
                       px(bottom - kSize));
    for (const double tick : {0.01, 0.1, 1.0, 10.0, 100.0}) {
        svg += fmt::format(R"(<line class="axis" x1="{0}" x2="{0}" y1="10" y2="{1}"/>)", px(at(tick)), px(bottom));
        svg += fmt::format(R"(<line class="axis" x1="40" x2="{0}" y1="{1}" y2="{1}"/>)", px(40 + kSize), px(y(tick)));
        svg +=
            label(at(tick), bottom + 15, "middle", numberText(tick)) + label(34, y(tick) + 4, "end", numberText(tick));
    }
    for (const Figure &figure : reproduction.figures) {
        const double toMs = figure.unit == "us" ? 0.001 : 1;
        if (!figure.compared || (figure.unit != "us" && figure.unit != "ms"))
            continue;
        for (const FigureRow &row : figure.rows) {
            for (std::size_t i = 0; i < row.cells.size(); ++i) {
                const FigureCell &cell = row.cells[i];
                if (!cell.error() || *cell.published <= 0 || *cell.ours <= 0)
                    continue;
                svg +=
                    fmt::format(R"(<circle class="dot" r="3.2" cx="{}" cy="{}"><title>{}: {}, {}: {}</title></circle>)",
                                px(at(*cell.published * toMs)), px(y(*cell.ours * toMs)), escaped(figure.title),
                                escaped(row.label), escaped(figure.columns[i]), errorPercentText(*cell.error()));
            }
        }
    }
    svg += label(40 + kSize / 2, bottom + 32, "middle", "published, ms") + label(44, 22, "start", "ours, ms");
    return svg + "</svg>";
}

} // namespace stagecraft
