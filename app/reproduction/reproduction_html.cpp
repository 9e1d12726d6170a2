#include "reproduction/reproduction_numbers.h"
#include "reproduction/reproduction_plots.h"
#include "reproduction/reproduction_report.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>

namespace stagecraft {

namespace {

constexpr const char *kStyle = R"css(
:root { color-scheme: light dark; --ink: #1d2733; --soft: #64707d; --line: #d5dbe1; --ours: #0072b2; --published: #b9c2cb;
  --paper: #ffffff; --good: #00795a; --bad: #b3430e; }
@media (prefers-color-scheme: dark) { :root { --ink: #e3e8ee; --soft: #98a4b0; --line: #37424e; --ours: #56b4e9;
  --published: #5c6874; --paper: #161c23; --good: #3fc79a; --bad: #f08a4b; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 62rem; margin: 2rem auto;
  padding: 0 1rem; }
h1 { font-size: 1.6rem; margin-bottom: .2rem; } h2 { font-size: 1.15rem; margin: 2.4rem 0 .4rem; }
.soft { color: var(--soft); } table { border-collapse: collapse; margin: .6rem 0; font-variant-numeric: tabular-nums; }
th, td { padding: .25rem .8rem; text-align: right; border-bottom: 1px solid var(--line); } th { font-weight: 600; }
th:first-child, td:first-child { text-align: left; } td small { color: var(--soft); }
.holds { color: var(--good); } .differs { color: var(--bad); }
svg { display: block; margin: .6rem 0; max-width: 100%; height: auto; } svg text { fill: var(--soft); font: 11px system-ui, sans-serif; }
.bar-ours, .dot { fill: var(--ours); } .bar-published { fill: var(--published); } .axis { stroke: var(--line); }
.tie { stroke: var(--soft); } .band { fill: var(--line); opacity: .5; }
)css";

// How a page shows a plot: the bars of a figure, or the overview for null.
using Plot = std::function<std::string(const Figure *)>;

// Only elements and attributes that QTextBrowser supports.
std::string cellHtml(const Figure &figure, const FigureCell &cell)
{
    std::string html = "<td align=\"right\">";
    if (cell.ours)
        html += cell.role == FigureRole::Fitted ? "<i>" + numberText(*cell.ours) + "</i>" : numberText(*cell.ours);
    if (cell.published) {
        html += (cell.ours ? "<br/>" : "") + std::string("<small>") + numberText(*cell.published);
        if (const auto error = cell.error(); error && figure.compared)
            html += " &middot; " + errorPercentText(*error);
        html += "</small>";
    }
    return html + "</td>";
}

std::string table(const Figure &figure)
{
    std::string html = "<table cellspacing=\"0\"><tr><th align=\"left\">" + escaped(figure.rowsAre) + "</th>";
    for (const std::string &column : figure.columns)
        html += "<th align=\"right\">" + escaped(column) + "</th>";
    html += "</tr>\n";
    for (const FigureRow &row : figure.rows) {
        html += "<tr><td>" + escaped(row.label) + "</td>";
        for (const FigureCell &cell : row.cells)
            html += cellHtml(figure, cell);
        html += "</tr>\n";
    }
    return html + "</table>\n";
}

std::string section(const Figure &figure, const Plot &plot)
{
    const std::string unit = figure.unit.empty() ? "" : ", " + escaped(unitText(figure.unit));
    std::string html = fmt::format("<h2 id=\"{}\">{}{}</h2>\n", escaped(figure.id), escaped(figure.title), unit);
    const ErrorSummary errors = errorsOf(figure);
    if (errors.entries > 0)
        html += "<p class=\"soft\">" + summaryText(errors) + "</p>\n";
    if (figure.plotted) {
        html += plot(&figure);
        if (figure.columns.size() > 1)
            html += fmt::format("<p class=\"soft\">Bars of a group, left to right: {}.</p>\n",
                                escaped(fmt::format("{}", fmt::join(figure.columns, ", "))));
    }
    html += table(figure);
    if (!figure.note.empty())
        html += "<p class=\"soft\">" + escaped(figure.note) + "</p>\n";
    return html;
}

std::string summaryHtml(const Reproduction &reproduction)
{
    const ErrorSummary errors = errorsOf(reproduction);
    if (errors.entries == 0)
        return "In the tables, the large number is ours, the small one the published, measured on a V100: another "
               "device, so that nothing is an error.";
    return fmt::format(
        "In all: <b>{}</b>; predictions alone: <b>{}</b>. In the tables, the large number is ours, the small one the "
        "{}, with the error; numbers in italics were used in the calibration, all others are predictions.",
        summaryText(errors), summaryText(errorsOf(reproduction, FigureRole::Predicted)), escaped(reproduction.theirs));
}

std::string body(const Reproduction &reproduction, const Plot &plot)
{
    std::string html =
        fmt::format("<h1>{} on {}</h1>\n<p class=\"soft\">{}, numbers are <b>{}</b>{}.", escaped(reproduction.subject),
                    escaped(reproduction.deviceTitle), escaped(reproduction.deviceId), escaped(reproduction.provenance),
                    reproduction.judged.empty() ? "" : ", " + escaped(reproduction.judged));
    if (!reproduction.calibration.empty())
        html += " Calibrated on: " + escaped(reproduction.calibration) + ".";
    html += "</p>\n<p>" + summaryHtml(reproduction);
    if (std::ranges::any_of(reproduction.figures, &Figure::plotted))
        html += " In the plots, grey bars are published, blue bars ours.";
    html += "</p>\n";
    if (errorsOf(reproduction).entries > 0) {
        html +=
            fmt::format("<h2>{} against ours</h2>\n", reproduction.theirs == "measured" ? "Measured" : "Published") +
            plot(nullptr);
        html += "<p class=\"soft\">Every time of the tables below; the band is 10 % to either side.</p>\n";
    }
    if (!reproduction.claims.empty())
        html += "<h2>What the paper says</h2>\n<ul>\n";
    for (const Claim &claim : reproduction.claims)
        html += fmt::format("<li><span class=\"{0}\">{0}</span> {1}{2}</li>\n", claim.holds ? "holds" : "differs",
                            escaped(claim.text), claim.numbers.empty() ? "" : ": " + escaped(claim.numbers));
    if (!reproduction.claims.empty())
        html += "</ul>\n";
    for (const Figure &figure : reproduction.figures)
        html += section(figure, plot);
    if (reproduction.notReproduced.empty())
        return html;
    html += "<h2>Not compared</h2>\n<ul>\n";
    for (const std::string &reason : reproduction.notReproduced)
        html += "<li>" + escaped(reason) + "</li>\n";
    return html + "</ul>\n";
}

} // namespace

std::string reproductionHtml(const Reproduction &reproduction)
{
    const auto plot = [&](const Figure *figure) {
        return (figure ? barsSvg(*figure) : overviewSvg(reproduction)) + "\n";
    };
    return fmt::format("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{} on "
                       "{}</title><style>{}</style></head><body>\n{}</body></html>\n",
                       escaped(reproduction.subject), escaped(reproduction.deviceId), kStyle, body(reproduction, plot));
}

std::string reproductionHelp(const Reproduction &reproduction)
{
    return body(reproduction, [](const Figure *figure) {
        return fmt::format("<div><img src=\"{}{}\"/></div>\n", kPlotFolder,
                           figure ? escaped(figure->id) : std::string(kOverviewPlot));
    });
}

} // namespace stagecraft
