#include "engine/reproduction_numbers.h"
#include "engine/reproduction_report.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

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
p.note, .soft { color: var(--soft); } table { border-collapse: collapse; margin: .6rem 0; font-variant-numeric: tabular-nums; }
th, td { padding: .25rem .8rem; text-align: right; border-bottom: 1px solid var(--line); } th { font-weight: 600; }
th:first-child, td:first-child { text-align: left; } td small { color: var(--soft); display: block; }
.fitted { font-style: italic; } .holds { color: var(--good); } .differs { color: var(--bad); }
svg { display: block; margin: .6rem 0; max-width: 100%; height: auto; } svg text { fill: var(--soft); font: 11px system-ui, sans-serif; }
.bar-ours, .dot { fill: var(--ours); } .bar-published { fill: var(--published); } .axis { stroke: var(--line); }
.tie { stroke: var(--soft); } .band { fill: var(--line); opacity: .5; }
)css";

std::string escaped(const std::string &text)
{
    std::string safe;
    for (const char c : text) {
        switch (c) {
        case '&': safe += "&amp;"; break;
        case '<': safe += "&lt;"; break;
        case '>': safe += "&gt;"; break;
        case '"': safe += "&quot;"; break;
        default: safe += c;
        }
    }
    return safe;
}

std::string px(double value)
{
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.1f", value);
    return text.data();
}

std::string bar(const char *kind, double x, double width, double height, double base, const std::string &tip)
{
    return std::string("<rect class=\"bar-") + kind + "\" x=\"" + px(x) + "\" y=\"" + px(base - height) +
           "\" width=\"" + px(width) + "\" height=\"" + px(height) + "\"><title>" + escaped(tip) + "</title></rect>";
}

std::string label(double x, double y, const char *anchor, const std::string &text)
{
    return "<text x=\"" + px(x) + "\" y=\"" + px(y) + "\" text-anchor=\"" + anchor + "\">" + escaped(text) + "</text>";
}

// One group of bars per row, each row to its own scale, since rows span orders of magnitude: published beside ours.
std::string bars(const Figure &figure)
{
    constexpr double kHeight = 150;
    constexpr double kTop = 16;
    constexpr double kBar = 9;
    constexpr double kGap = 28;
    const double group = std::max(figure.columns.size() * (2 * kBar + 4) + kGap, 92.0);
    const double width = figure.rows.size() * group + 10;
    std::string svg = "<svg viewBox=\"0 0 " + px(width) + " " + px(kTop + kHeight + 22) + "\" width=\"" + px(width) +
                      "\" role=\"img\" aria-label=\"" + escaped(figure.title) + "\">";
    for (std::size_t row = 0; row < figure.rows.size(); ++row) {
        double largest = 0;
        for (const FigureCell &cell : figure.rows[row].cells)
            largest = std::max({largest, cell.published.value_or(0), cell.ours.value_or(0)});
        const double base = kTop + kHeight;
        double x = static_cast<double>(row) * group + 8;
        svg += label(x, kTop - 5, "start", numberText(largest) + " " + figure.unit);
        for (std::size_t i = 0; i < figure.rows[row].cells.size() && largest > 0; ++i) {
            const FigureCell &cell = figure.rows[row].cells[i];
            const auto tip = [&](const char *whose, double value) {
                return figure.rows[row].label + ", " + figure.columns[i] + ", " + whose + ": " + numberText(value) +
                       " " + figure.unit;
            };
            if (cell.published)
                svg += bar("published", x, kBar, kHeight * *cell.published / largest, base,
                           tip("published", *cell.published));
            if (cell.ours)
                svg += bar("ours", x + kBar, kBar, kHeight * *cell.ours / largest, base, tip("ours", *cell.ours));
            x += 2 * kBar + 4;
        }
        svg += label(static_cast<double>(row) * group + 8, base + 15, "start", figure.rows[row].label);
    }
    svg += "<line class=\"axis\" x1=\"0\" x2=\"" + px(width) + "\" y1=\"" + px(kTop + kHeight) + "\" y2=\"" +
           px(kTop + kHeight) + "\"/>";
    return svg + "</svg>";
}

// Every compared time, published across, ours up, both logarithmic, with a band of 10 %.
std::string overview(const Reproduction &reproduction)
{
    constexpr double kSize = 380;
    constexpr double kFrom = -2; // log10 ms
    constexpr double kTo = 2.2;
    const auto at = [](double ms) { return 40 + (std::log10(ms) - kFrom) / (kTo - kFrom) * kSize; };
    const double offset = std::log10(1.1) / (kTo - kFrom) * kSize;
    const double bottom = kSize + 10;
    const auto y = [&](double ms) { return bottom + 40 - at(ms); };
    std::string svg = "<svg viewBox=\"0 0 440 430\" width=\"440\" role=\"img\" aria-label=\"Published against ours\">";
    svg += "<polygon class=\"band\" points=\"" + px(40) + "," + px(bottom - offset) + " " + px(40 + kSize) + "," +
           px(bottom - kSize - offset) + " " + px(40 + kSize) + "," + px(bottom - kSize + offset) + " " + px(40) + "," +
           px(bottom + offset) + "\"/>";
    svg += "<line class=\"tie\" x1=\"40\" y1=\"" + px(bottom) + "\" x2=\"" + px(40 + kSize) + "\" y2=\"" +
           px(bottom - kSize) + "\"/>";
    for (const double tick : {0.01, 0.1, 1.0, 10.0, 100.0}) {
        svg += "<line class=\"axis\" x1=\"" + px(at(tick)) + "\" x2=\"" + px(at(tick)) + "\" y1=\"10\" y2=\"" +
               px(bottom) + "\"/><line class=\"axis\" x1=\"40\" x2=\"" + px(40 + kSize) + "\" y1=\"" + px(y(tick)) +
               "\" y2=\"" + px(y(tick)) + "\"/>";
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
                svg += "<circle class=\"dot\" r=\"3.2\" cx=\"" + px(at(*cell.published * toMs)) + "\" cy=\"" +
                       px(y(*cell.ours * toMs)) + "\"><title>" +
                       escaped(figure.title + ": " + row.label + ", " + figure.columns[i] + ": " +
                               errorPercentText(*cell.error())) +
                       "</title></circle>";
            }
        }
    }
    svg += label(40 + kSize / 2, bottom + 32, "middle", "published, ms") + label(44, 22, "start", "ours, ms");
    return svg + "</svg>";
}

std::string table(const Figure &figure)
{
    std::string html = "<table><tr><th>" + escaped(figure.rowsAre) + "</th>";
    for (const std::string &column : figure.columns)
        html += "<th>" + escaped(column) + "</th>";
    html += "</tr>\n";
    for (const FigureRow &row : figure.rows) {
        html += "<tr><td>" + escaped(row.label) + "</td>";
        for (const FigureCell &cell : row.cells) {
            html += cell.role == FigureRole::Fitted ? "<td class=\"fitted\">" : "<td>";
            html += cell.ours ? numberText(*cell.ours) : "";
            if (cell.published)
                html += "<small>" + numberText(*cell.published);
            if (const auto error = cell.error(); error && figure.compared)
                html += " &middot; " + errorPercentText(*error);
            html += cell.published ? "</small></td>" : "</td>";
        }
        html += "</tr>\n";
    }
    return html + "</table>\n";
}

std::string section(const Figure &figure)
{
    std::string html = "<h2 id=\"" + escaped(figure.id) + "\">" + escaped(figure.title) +
                       (figure.unit.empty() ? "" : ", " + escaped(figure.unit)) + "</h2>\n";
    const ErrorSummary errors = errorsOf(figure);
    if (errors.entries > 0)
        html += "<p class=\"soft\">" + summaryText(errors) + "</p>\n";
    if (figure.compared) {
        html += bars(figure);
        if (figure.columns.size() > 1) {
            html += "<p class=\"note\">Bars of a group, left to right: ";
            for (std::size_t i = 0; i < figure.columns.size(); ++i)
                html += (i == 0 ? "" : ", ") + escaped(figure.columns[i]);
            html += ".</p>\n";
        }
    }
    html += table(figure);
    if (!figure.note.empty())
        html += "<p class=\"note\">" + escaped(figure.note) + "</p>\n";
    return html;
}

} // namespace

std::string reproductionHtml(const Reproduction &reproduction)
{
    std::string html = "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>The IOS paper on " +
                       escaped(reproduction.deviceId) + "</title><style>" + kStyle + "</style></head><body>\n";
    html += "<h1>The IOS paper on " + escaped(reproduction.deviceTitle) + "</h1>\n<p class=\"soft\">" +
            escaped(reproduction.deviceId) + ", numbers are " + escaped(reproduction.provenance) + ".";
    if (!reproduction.calibration.empty())
        html += " Calibrated on: " + escaped(reproduction.calibration) + ".";
    html += "</p>\n<p>In all: <b>" + summaryText(errorsOf(reproduction)) +
            "</b>. In the tables, the large number is ours, the small one the published, with the error; numbers in "
            "italics were used in the calibration, all others are predictions. In the plots, grey bars are published, "
            "blue bars ours.</p>\n";
    html += "<h2>Published against ours</h2>\n" + overview(reproduction);
    html += "<p class=\"note\">Every time of the tables below; the band is 10 % to either side.</p>\n";
    html += "<h2>What the paper says</h2>\n<ul>\n";
    for (const Claim &claim : reproduction.claims)
        html += std::string("<li><span class=\"") + (claim.holds ? "holds\">holds" : "differs\">differs") + "</span> " +
                escaped(claim.text) + (claim.numbers.empty() ? "" : ": " + escaped(claim.numbers)) + "</li>\n";
    html += "</ul>\n";
    for (const Figure &figure : reproduction.figures)
        html += section(figure);
    html += "<h2>Not compared</h2>\n<ul>\n";
    for (const std::string &reason : reproduction.notReproduced)
        html += "<li>" + escaped(reason) + "</li>\n";
    return html + "</ul>\n</body></html>\n";
}

} // namespace stagecraft
