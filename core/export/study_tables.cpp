#include "export/study_tables.h"

#include "export/pruning_csv.h"
#include "export/schedule_tables.h"
#include "results/schedule_words.h"
#include "support/number_text.h"

#include <fmt/format.h>

namespace stagecraft {
namespace {

std::string cellText(const CrossLatency &cell, TableFor use)
{
    if (use == TableFor::Programs)
        return exactText(cell.us);
    return (cell.isAtLeast ? "at least " : "") + plainLatency(cell.us) + (cell.isSumOfStages ? " (sum of stages)" : "");
}

std::vector<PruningRow> rowsOf(std::span<const TradeoffPoint> points)
{
    std::vector<PruningRow> rows;
    rows.reserve(points.size());
    for (const TradeoffPoint &each : points)
        rows.push_back({each.point, each.schedule.get(), each.livePeakBytes});
    markFronts(rows);
    return rows;
}

} // namespace

std::string tradeoffCsv(std::span<const TradeoffPoint> points)
{
    return pruningCsv(rowsOf(points));
}

Table tradeoffTable(const std::string &model, std::span<const TradeoffPoint> points)
{
    Table table{.title = model + ": latency and cost of the search",
                .columns = {"strategy", "r", "s", "Pareto front", "latency", "stages", "transitions",
                            "stage measurements", "search", "live peak", "least memory"},
                .numbers = 5};
    for (const PruningRow &row : rowsOf(points)) {
        const PruningPoint &point = row.point;
        const Schedule *schedule = row.schedule;
        const SearchRecord &search = schedule->search;
        if (table.facts.empty())
            table.facts = fmt::format("Batch {}, {}, on {}, {}.", schedule->batch, schedule->precision,
                                      schedule->device, provenanceWords(*schedule));
        table.rows.push_back({std::string(toString(point.strategies)) + (point.singleSource ? ", single source" : ""),
                              std::to_string(point.r), std::to_string(point.s), row.isOnFront ? "yes" : "",
                              latencyOf(*schedule), std::to_string(schedule->stages.size()),
                              grouped(search.transitions), grouped(search.stageMeasurements),
                              plainLatency((search.searchSeconds + search.measureSeconds) * 1e6),
                              row.livePeakBytes ? plainBytes(static_cast<double>(*row.livePeakBytes)) : "",
                              row.isOnMemoryFront ? "yes" : ""});
    }
    return table;
}

std::optional<double> SpecialisationTable::bestOf(std::size_t row) const
{
    std::optional<double> best;
    for (const auto &cell : rows[row].cells) {
        if (cell && (!best || cell->us < *best))
            best = cell->us;
    }
    return best;
}

Table specialisationTable(const std::string &model, const SpecialisationTable &table, TableFor use)
{
    const bool isForPrograms = use == TableFor::Programs;
    Table made{.title = model + ": schedules run on what they were not made for",
               .facts = "Rows: run on. Columns: made for.",
               .columns = {isForPrograms ? "run on / made for, us" : "run on", "provenance"},
               .numbers = table.places.size()};
    for (const std::string &place : table.places)
        made.columns.push_back((isForPrograms ? "" : "made for ") + place);
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
        std::vector<std::string> &cells =
            made.rows.emplace_back(std::vector{table.places[i], table.rows[i].provenance});
        for (const auto &cell : table.rows[i].cells)
            cells.push_back(cell ? cellText(*cell, use) : "");
    }
    return made;
}

} // namespace stagecraft
