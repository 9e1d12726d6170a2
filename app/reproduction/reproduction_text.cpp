#include "reproduction/reproduction_numbers.h"
#include "reproduction/reproduction_report.h"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

namespace stagecraft {

namespace {

using Rows = std::vector<std::vector<std::string>>;

// First column to the left, the others to the right.
std::string aligned(const Rows &rows)
{
    std::vector<std::size_t> widths;
    for (const auto &row : rows) {
        widths.resize(std::max(widths.size(), row.size()));
        for (std::size_t i = 0; i < row.size(); ++i)
            widths[i] = std::max(widths[i], row[i].size());
    }
    std::string text;
    for (const auto &row : rows) {
        std::string line = "  ";
        for (std::size_t i = 0; i < row.size(); ++i) {
            const std::string padding(widths[i] - row[i].size(), ' ');
            line += i == 0 ? row[i] + padding : "  " + padding + row[i];
        }
        text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    }
    return text;
}

std::string figureText(const Figure &figure)
{
    Rows rows{{figure.rowsAre}};
    for (const std::string &column : figure.columns)
        rows.front().push_back(column);
    for (const FigureRow &row : figure.rows) {
        rows.push_back({row.label});
        for (const FigureCell &cell : row.cells) {
            std::string text = cell.ours ? numberText(*cell.ours) : "-";
            if (cell.published)
                text += " (" + numberText(*cell.published) + ")";
            if (const auto error = cell.error(); error && figure.compared)
                text += " " + errorPercentText(*error) + (cell.role == FigureRole::Fitted ? " f" : "  ");
            rows.back().push_back(std::move(text));
        }
    }
    std::string text = figure.title + (figure.unit.empty() ? "" : ", " + figure.unit) + "\n" + aligned(rows);
    if (const ErrorSummary errors = errorsOf(figure); errors.entries > 0)
        text += "  " + summaryText(errors) + "\n";
    if (!figure.note.empty())
        text += "  " + figure.note + "\n";
    return text;
}

} // namespace

std::string reproductionText(const Reproduction &reproduction)
{
    std::string text = reproduction.subject + " on " + reproduction.deviceId + " (" + reproduction.deviceTitle + "), " +
                       reproduction.provenance + (reproduction.judged.empty() ? "" : ", " + reproduction.judged) + "\n";
    if (!reproduction.calibration.empty())
        text += "Calibrated on: " + reproduction.calibration + "\n";
    const ErrorSummary errors = errorsOf(reproduction);
    text += errors.entries > 0
                ? fmt::format("Each entry: ours ({}) error; f: used in the calibration, all others are predictions\n",
                              reproduction.theirs)
                : "Each entry: ours (published, on a V100: another device, so that nothing is an error)\n";
    for (const Figure &figure : reproduction.figures)
        text += "\n" + figureText(figure);
    if (!reproduction.claims.empty())
        text += "\nWhat the paper says\n";
    for (const Claim &claim : reproduction.claims)
        text += std::string(claim.holds ? "  holds   " : "  differs ") + claim.text +
                (claim.numbers.empty() ? "" : ": " + claim.numbers) + "\n";
    if (!reproduction.notReproduced.empty())
        text += "\nNot compared\n";
    for (const std::string &reason : reproduction.notReproduced)
        text += "  " + reason + "\n";
    if (errors.entries > 0)
        text += "\nIn all: " + summaryText(errors) +
                "\nPredictions alone: " + summaryText(errorsOf(reproduction, FigureRole::Predicted)) + "\n";
    return text;
}

} // namespace stagecraft
