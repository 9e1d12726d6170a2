#include "export/study_tables.h"

#include "export/schedule_tables.h"
#include "results/schedule_words.h"
#include "support/number_text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sstream>

namespace stagecraft {
namespace {

std::string cellText(const CrossLatency &cell, TableFor use)
{
    if (use == TableFor::Programs)
        return exactText(cell.us);
    return (cell.isAtLeast ? "at least " : "") + plainLatency(cell.us) + (cell.isSumOfStages ? " (sum of stages)" : "");
}

} // namespace

std::string tradeoffCsv(std::span<const StudyPoint> points)
{
    using Number = nlohmann::json; // with enough digits to read back the same
    const StudyFronts fronts = frontsOf(points);
    std::ostringstream text;
    text << "strategy,r,s,single_source,latency_us,provenance,sum_of_stages,stages,transitions,stage_measurements,"
            "search_seconds,measure_seconds,front,live_peak_bytes,memory_front\n";
    for (std::size_t i = 0; i < points.size(); ++i) {
        const auto &[point, found, blocks, asked, refusal, livePeakBytes] = points[i];
        const TimedSchedule &schedule = *found;
        const SearchRecord &record = schedule.search;
        text << toString(point.strategies) << ',' << point.r << ',' << point.s << ',' << Number(point.singleSource)
             << ',' << Number(*schedule.latencyUs()) << ',' << provenanceOf(schedule) << ','
             << Number(schedule.measured.isSumOfStages()) << ',' << schedule.stages.size() << ',' << record.transitions
             << ',' << record.stageMeasurements << ',' << Number(record.searchSeconds) << ','
             << Number(record.measureSeconds) << ',' << Number(bool(fronts.ofMeasurements[i])) << ','
             << (livePeakBytes ? fmt::format("{}", *livePeakBytes) : std::string()) << ','
             << Number(bool(fronts.ofMemory[i])) << '\n';
    }
    return text.str();
}

Table tradeoffTable(const std::string &model, std::span<const StudyPoint> points)
{
    Table table{.title = model + ": latency and cost of the search",
                .columns = {"strategy", "r", "s", "Pareto front", "latency", "stages", "transitions",
                            "stage measurements", "search", "live peak", "least memory"},
                .numbers = 5};
    const StudyFronts fronts = frontsOf(points);
    for (std::size_t i = 0; i < points.size(); ++i) {
        const PruningPoint &point = points[i].point;
        const TimedSchedule &schedule = *points[i].schedule;
        const SearchRecord &search = schedule.search;
        const auto &livePeakBytes = points[i].livePeakBytes;
        if (table.facts.empty())
            table.facts = fmt::format("Batch {}, {}, on {}, {}.", schedule.context.batch, schedule.context.precision,
                                      schedule.context.device, provenanceWords(schedule));
        table.rows.push_back(
            {std::string(toString(point.strategies)) + (point.singleSource ? ", single source" : ""),
             fmt::format("{}", point.r), fmt::format("{}", point.s), fronts.ofMeasurements[i] ? "yes" : "",
             latencyOf(schedule), fmt::format("{}", schedule.stages.size()), grouped(search.transitions),
             grouped(search.stageMeasurements), plainLatency((search.searchSeconds + search.measureSeconds) * 1e6),
             livePeakBytes ? plainBytes(static_cast<double>(*livePeakBytes)) : "", fronts.ofMemory[i] ? "yes" : ""});
    }
    return table;
}

Table sizesTable(const std::string &model, const std::string &parameter, std::span<const SizePoint> points)
{
    Table table{.title = model + ": gain by " + parameter, .columns = {parameter}, .numbers = 7};
    for (const std::string_view name : kSizeSchedules)
        table.columns.emplace_back(name);
    table.columns.insert(table.columns.end(), {"gain of Greedy", "gain of IOS-Both", "stages"});
    for (const SizePoint &point : points) {
        if (table.facts.empty())
            table.facts = fmt::format("{}, on {}, {}; gains are over {}. {}.", point.found->context.precision,
                                      point.found->context.device, provenanceWords(*point.found),
                                      kSizeSchedules.front(), crossingText(points, kSizeIos, parameter));
        std::vector<std::string> &row = table.rows.emplace_back(std::vector{grouped(point.size)});
        for (const TimingInRounds &times : point.times)
            row.push_back(plainLatency(times.timing.latencyUs));
        for (const std::size_t schedule : {kSizeGreedy, kSizeIos})
            row.push_back(gainText(point, schedule));
        row.push_back(fmt::format("{}", point.found->stages.size()));
    }
    return table;
}

std::string sizesCsv(const std::string &parameter, std::span<const SizePoint> points)
{
    std::string text = parameter + ",sequential_us,greedy_us,ios_both_us,greedy_gain,gain,gain_low,gain_high,verdict,"
                                   "provenance,stages\n";
    for (const SizePoint &point : points) {
        const SpeedupEstimate &gain = point.gain(kSizeIos);
        text += fmt::format("{}", point.size);
        for (const TimingInRounds &times : point.times)
            text += "," + exactText(times.timing.latencyUs);
        const auto bound = [&](double value) { return point.hasInterval() ? exactText(value) : std::string(); };
        text += fmt::format(",{},{},{},{},{},{},{}\n", exactText(point.gain(kSizeGreedy).speedup),
                            exactText(gain.speedup), bound(gain.low), bound(gain.high), toString(gain.verdict),
                            provenanceOf(*point.found), point.found->stages.size());
    }
    return text;
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
