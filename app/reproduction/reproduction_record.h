#pragma once

// The members of a reproduction, for its JSON and the list of its keys.

#include "reproduction/reproduction.h"
#include "support/records/record.h"

namespace stagecraft {

void eachMember(Of<ErrorSummary> auto &errors, auto &&visit)
{
    visit({"entries", "entries that were compared", Unit::Count}, errors.entries);
    visit({"mean_absolute_percent", "mean of the absolute errors", Unit::Percent}, errors.meanPercent);
    visit({"worst_percent", "the largest absolute error", Unit::Percent}, errors.worstPercent);
}
template <>
inline constexpr std::string_view kPartName<ErrorSummary> = "errors";

void eachMember(Of<FigureCell> auto &cell, auto &&visit)
{
    visit({"published", "what the paper says, or what others measured; null: nothing", Unit::OfFigure}, cell.published);
    visit({"ours", "what this program computes; null: nothing", Unit::OfFigure}, cell.ours);
    visit({"error", "ours against published, less 1", Unit::Share}, cell.error());
    visit({"fitted", "whether the device was fitted on it"}, cell.role == FigureRole::Fitted);
}

void eachMember(Of<FigureRow> auto &row, auto &&visit)
{
    visit({"label", "heading of the row"}, row.label);
    visit({"cells", "an entry, one per column"}, row.cells);
}

void eachMember(Of<Figure> auto &figure, auto &&visit)
{
    visit({"id", "its name for programs"}, figure.id);
    visit({"title", "its name for people"}, figure.title);
    visit({"unit", "unit of published and ours"}, figure.unit);
    visit({"rows_are", "what a row is, for example network"}, figure.rowsAre);
    visit({"note", "what to know about it; may be empty"}, figure.note);
    visit({"compared", "whether it counts in the errors"}, figure.compared);
    visit({"plotted", "whether the page has a plot of it"}, figure.plotted);
    visit({"columns", "headings"}, figure.columns);
    visit({"rows", "a row"}, figure.rows);
    visit({"errors", "over the figure"}, errorsOf(figure));
}

void eachMember(Of<Claim> auto &claim, auto &&visit)
{
    visit({"text", "the sentence"}, claim.text);
    visit({"holds", "whether it holds here"}, claim.holds);
    visit({"numbers", "what it was decided by"}, claim.numbers);
}

void eachMember(Of<Reproduction> auto &reproduction, auto &&visit)
{
    visit({"subject", "whose numbers ours are beside"}, reproduction.subject);
    visit({"theirs", "what those numbers are: published or measured"}, reproduction.theirs);
    visit({"device", "the device"}, reproduction.deviceId);
    visit({"title", "its name for people"}, reproduction.deviceTitle);
    visit({"provenance", "of our latencies: measured, recorded or simulated"}, reproduction.provenance);
    visit({"calibration", "what the numbers of the device rest on"}, reproduction.calibration);
    visit({"judged", "how far a simulated device is from measured kernels; empty: another device"},
          reproduction.judged);
    visit({"errors", "over all figures"}, errorsOf(reproduction));
    visit({"figures", "a table or figure"}, reproduction.figures);
    visit({"claims", "a sentence of the paper"}, reproduction.claims);
    visit({"not_compared", "what the paper has and this program does not"}, reproduction.notReproduced);
}

} // namespace stagecraft
