// The comparison of results and the table of specialisation.

#include "export/schedule_tables.h"
#include "pictures/picture_page.h"
#include "pictures/view_pictures.h"
#include "results/schedule_words.h"
#include "support/number_text.h"
#include "support/shown_text.h"
#include "widgets/base/format.h"
#include "widgets/study/specialization_view.h"

#include <algorithm>

namespace stagecraft {
namespace {

QString shown(const std::string &text)
{
    return QString::fromStdString(shownText(text));
}

std::vector<PictureCell> header(const QStringList &titles, qsizetype numbers)
{
    std::vector<PictureCell> cells;
    for (qsizetype i = 0; i < titles.size(); ++i)
        cells.push_back({.text = titles[i], .isNumber = i >= titles.size() - numbers, .isStrong = true});
    return cells;
}

QString searchText(const SearchRecord &search)
{
    if (search.stageMeasurements == 0 && search.states == 0)
        return QStringLiteral("no search");
    return QStringLiteral("r %1, s %2").arg(shown(boundText(search.r)), shown(boundText(search.s)));
}

} // namespace

Picture comparisonPicture(const ExportRequest &request, const Theme &theme)
{
    double slowest = 0;
    for (const RatedResult &result : request.results)
        slowest = std::max(slowest, result.schedule->latencyUs().value_or(0));
    std::vector<std::vector<PictureCell>> rows{header(
        {QStringLiteral("schedule"), QStringLiteral("latency"), QStringLiteral("speed-up"), QStringLiteral("stages")},
        2)};
    const TimedSchedule &first = request.schedule();
    for (const RatedResult &result : request.results) {
        const TimedSchedule &schedule = *result.schedule;
        const auto latency = schedule.latencyUs();
        PictureCell latencyShown{.text = latency ? latencyText(*latency, schedule.leavesOutWork())
                                                 : QStringLiteral("not measured"),
                                 .below = shown(provenanceWords(schedule))};
        if (latency && slowest > 0)
            latencyShown.bar = *latency / slowest;
        rows.push_back({{.text = shown(result.name), .below = searchText(schedule.search), .isStrong = true},
                        std::move(latencyShown),
                        {.text = result.speedup ? shown(speedupText(*result.speedup)) : QString(), .isNumber = true},
                        {.text = shown(stagesCell(schedule)), .isNumber = true}});
    }
    return withHeading(
        QStringLiteral("%1: comparison of schedules").arg(shown(request.model->name)),
        shown(settingsText(first) + (request.baseline.empty() ? "" : ". Speed-up over " + request.baseline)), theme,
        tablePicture(rows, theme));
}

Picture specialisationPicture(const ExportRequest &request, const Theme &theme)
{
    const SpecialisationTable &table = *request.specialisation;
    QStringList titles{QStringLiteral("run on")};
    for (const std::string &place : table.places)
        titles << QStringLiteral("made for %1").arg(shown(place));
    std::vector<std::vector<PictureCell>> rows{header(titles, titles.size() - 1)};
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
        const double best = table.bestOf(i).value_or(0);
        std::vector<PictureCell> row{
            {.text = shown(table.places[i]), .below = shown(table.rows[i].provenance), .isStrong = true}};
        for (const auto &cell : table.rows[i].cells) {
            if (!cell) {
                row.push_back({.text = QStringLiteral("not known"), .isNumber = true});
                continue;
            }
            const bool isBest = cell->us <= best;
            row.push_back(
                {.text = shortLatencyText(cell->us, cell->isAtLeast),
                 .below = (isBest ? QStringLiteral("best of the row") : signedPercentText(cell->us / best - 1)) +
                          (cell->isSumOfStages ? QStringLiteral(", sum of stages") : QString()),
                 .fill = crossCellFill(theme, cell->us / best - 1),
                 .isNumber = true});
        }
        rows.push_back(std::move(row));
    }
    return withHeading(QStringLiteral("%1: specialisation").arg(shown(request.model->name)),
                       QStringLiteral("Latencies of the schedules that were made for one place, run on another"), theme,
                       tablePicture(rows, theme));
}

} // namespace stagecraft
