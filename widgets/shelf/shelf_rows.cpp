#include "widgets/shelf/shelf_rows.h"

#include "results/schedule_words.h"
#include "search/search_words.h"
#include "timing/profile_words.h"
#include "timing/simulator_version.h"
#include "widgets/base/format.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QLocale>

#include <algorithm>
#include <cmath>

namespace stagecraft {
namespace {

QString words(const char *text)
{
    return QCoreApplication::translate("Shelf", text);
}

QString fromStd(std::string_view text)
{
    return QString::fromUtf8(text);
}

QString deviceTitle(const ShelfContext &context, const std::string &id)
{
    const auto found = context.deviceTitles.find(id);
    return found != context.deviceTitles.end() ? found->second : fromStd(id);
}

// How the tool bar's settings differ, for a search that otherwise fits: "r 2".
QString toolBarInstead(const ScheduleResult &result, const ShelfContext &context)
{
    if (result.origin != Origin::Searched || result.settings != context.chosen)
        return {};
    QStringList parts;
    const auto add = [&](const char *name, std::optional<int> mine, std::optional<int> asked) {
        if (mine != asked)
            parts << (asked ? QStringLiteral("%1 %2").arg(QLatin1String(name)).arg(*asked)
                            : words("any %1").arg(QLatin1String(name)));
    };
    add("r", result.asked.r, context.asked.r);
    add("s", result.asked.s, context.asked.s);
    if (result.asked.singleSource != context.asked.singleSource)
        parts << (context.asked.singleSource ? words("single source") : words("not single source"));
    return parts.join(QStringLiteral(", "));
}

QString detailOf(const Shelf &shelf, const ScheduleResult &result, const ShelfContext &context)
{
    QStringList parts;
    const auto waits = context.waits.find(result.id);
    if (result.isUnderWay() && waits != context.waits.end())
        parts << waits->second;
    else if (result.state == ResultState::Waiting)
        parts << words("waits");
    else if (result.state == ResultState::Running)
        parts << words(result.schedule                     ? "being measured again"
                       : result.origin == Origin::Searched ? "searching"
                       : result.origin == Origin::Layouts  ? "choosing layouts"
                                                           : "being measured");
    if (result.state == ResultState::Running && result.id == context.running && !context.timeLeft.isEmpty())
        parts << context.timeLeft;
    QString made = fromStd(madeByText(shelf, result));
    if (const QString instead = toolBarInstead(result, context); !instead.isEmpty())
        made += words(" ≠ tool bar: %1").arg(instead);
    if (!result.name.empty())
        parts << fromStd(result.title);
    parts << made;
    if (const auto peak = context.livePeakBytes.find(result.id); peak != context.livePeakBytes.end())
        parts << bytesText(static_cast<double>(peak->second));
    if (const std::string equal = equalText(shelf, result.id); !equal.empty())
        parts << fromStd(equal);
    return parts.join(QStringLiteral(" · "));
}

// The latency and its parts, each with a label.
QStringList latencyLines(const Shelf &shelf, const ScheduleResult &result)
{
    QStringList lines;
    const bool atLeast = result.schedule->leavesOutWork();
    const auto add = [&](const QString &what, double us, const QString &more = {}) {
        lines << QStringLiteral("%1: %2%3").arg(what, latencyText(us, atLeast), more);
    };
    for (const MeasuredHow how : {MeasuredHow::InRounds, MeasuredHow::Alone, MeasuredHow::SumOfStages}) {
        const auto part = shelf.latency(result.id, how);
        if (!part)
            continue;
        QString more = part->halfWidthUs > 0 ? QStringLiteral(" ± %1").arg(latencyText(part->halfWidthUs)) : QString();
        if (part->runs > 0)
            more += words(", %1 in %2")
                        .arg(plural(part->runs, how == MeasuredHow::InRounds ? "round" : "run"),
                             plural(part->measurements, "measurement"));
        add(fromStd(toString(how)), part->us, more);
    }
    if (result.schedule->hasStageLatencies())
        add(words("stages alone, added up"), result.schedule->sumOfStagesUs());
    if (result.record().sumUs > 0)
        add(words("the proof is of"), result.record().sumUs);
    return lines;
}

QString spokenOf(const ShelfRow &row)
{
    QStringList parts{row.name};
    if (!row.letters.isEmpty())
        parts << words("shown in pane %1").arg(row.letters);
    else if (row.isShown)
        parts << words("shown");
    if (row.isBaseline)
        parts << words("baseline");
    if (row.isPinned)
        parts << words("pinned");
    if (row.isVerified)
        parts << words("verified");
    for (const QString &part :
         {row.latency, row.interval, row.speedup, row.detail, row.proofText, row.reason, row.note}) {
        if (!part.isEmpty())
            parts << part;
    }
    if (row.isDisturbed)
        parts << words("disturbed while measured");
    return parts.join(QStringLiteral(", "));
}

} // namespace

ShelfRow shelfRow(const Shelf &shelf, ResultId id, const ShelfContext &context)
{
    const ScheduleResult &result = *shelf.find(id);
    ShelfRow row;
    row.id = id;
    row.name = fromStd(result.shownName());
    row.detail = detailOf(shelf, result, context);
    row.note = fromStd(result.state == ResultState::Failed ? result.trouble : result.note);
    row.reason = context.isOpen ? fromStd(whyNotFitting(result.settings, context.chosen)) : QString();
    row.state = result.state;
    row.isShown = id == context.shown;
    if (const auto letters = context.letters.find(id); letters != context.letters.end())
        row.letters = letters->second;
    row.isPinned = result.isPinned;
    if (const auto verified = context.verified.find(id); verified != context.verified.end())
        row.isVerified = verified->second.isSafe;
    row.isBaseline = id == shelf.baseline(result.settings);
    const bool atLeast = result.schedule && result.schedule->leavesOutWork();
    if (const auto latency = shelf.latency(id)) {
        row.latency = shortLatencyText(latency->us, atLeast);
        row.provenance = latency->provenance;
        row.isDisturbed = latency->isDisturbed || (result.schedule && disturbedStages(*result.schedule) > 0);
        if (latency->halfWidthUs > 0)
            row.interval = QStringLiteral("± %1").arg(percentText(latency->halfWidthUs / latency->us));
        if (latency->how == MeasuredHow::SumOfStages)
            row.interval = words("sum of stages");
    } else if (result.isUnderWay() && result.bestUs > 0) {
        row.latency = words("best %1").arg(latencyText(result.bestUs));
    }
    if (const auto speedup = shelf.speedup(id); speedup && !row.isBaseline)
        row.speedup = QStringLiteral("%1×").arg(*speedup, 0, 'f', 2);
    if (result.schedule) {
        row.proof = proofOf(result);
        row.proofText = fromStd(outcomeText(result.record()));
        const double gap = result.record().gap;
        if (row.proof == Proof::Gap)
            row.gap = std::isfinite(gap) ? words("gap %1").arg(percentText(gap)) : words("gap unknown");
    }
    row.spoken = spokenOf(row);
    return row;
}

QString shelfToolTip(const Shelf &shelf, ResultId id, const ShelfContext &context)
{
    const ScheduleResult &result = *shelf.find(id);
    const ShelfRow row = shelfRow(shelf, id, context);
    QStringList lines{row.name};
    if (!row.reason.isEmpty())
        lines << words("Does not fit the tool bar: %1").arg(row.reason);
    if (!row.detail.isEmpty())
        lines << row.detail;
    if (!row.note.isEmpty())
        lines << row.note;
    if (result.schedule) {
        lines << latencyLines(shelf, result);
        if (const auto &errors = result.schedule->measured.simulationErrors)
            lines << fromStd(simulatedText(*errors));
        if (const auto peak = context.livePeakBytes.find(id); peak != context.livePeakBytes.end())
            lines << words("memory: %1 of tensors live at once, planned")
                         .arg(bytesText(static_cast<double>(peak->second)));
        if (const auto verified = context.verified.find(id); verified != context.verified.end())
            lines << verified->second.text;
        if (!row.proofText.isEmpty())
            lines << words("search: %1").arg(row.proofText);
        if (const std::size_t disturbed = disturbedStages(*result.schedule); disturbed > 0)
            lines << words("%1 of %2 stages were disturbed while timed")
                         .arg(disturbed)
                         .arg(result.schedule->stages.size());
        if (isOfOlderSimulator(result.settings))
            lines << words("simulated by an older simulator: not compared with new results");
        lines << words("%1, %2, batch %3, %4")
                     .arg(fromStd(result.settings.model.name), deviceTitle(context, result.settings.device))
                     .arg(result.settings.batch)
                     .arg(fromStd(result.settings.precision));
        lines << words("model sha256 %1").arg(fromStd(result.settings.model.sha256.substr(0, 12)));
        if (const std::string reading = readingText(result.settings.model); !reading.empty())
            lines << words("read %1").arg(fromStd(reading));
        lines << QLocale().toString(QDateTime::fromSecsSinceEpoch(result.madeAtSeconds), QLocale::ShortFormat);
    }
    return lines.join(QLatin1Char('\n'));
}

QString rowText(const ShelfRow &row)
{
    QStringList parts{row.name, row.detail, row.latency, row.reason};
    parts.removeAll(QString());
    return parts.join(QStringLiteral(" · "));
}

std::vector<ShelfRowGroup> shelfRows(const Shelf &shelf, const ShelfContext &context, ShelfOrder order,
                                     const QString &filter)
{
    std::vector<ShelfRowGroup> groups;
    for (const ShelfGroup &group : grouped(shelf, order, filter.toStdString())) {
        ShelfRowGroup rows;
        const RunContext &settings = group.settings;
        rows.settings = settings;
        rows.fits = context.isOpen && settings == context.chosen;
        rows.title = words("%1, batch %2").arg(fromStd(settings.model.name)).arg(settings.batch);
        rows.device = deviceTitle(context, settings.device);
        if (isOfOlderSimulator(settings))
            rows.device += words(", older simulator");
        if (settings.precision != "fp32" && settings.precision != kPrecisionNotStated)
            rows.title += QStringLiteral(", ") + fromStd(settings.precision);
        double slowestUs = 0;
        for (const ResultId id : shelf.fitting(settings)) { // from the whole group, not only its filtered rows
            const auto latency = shelf.latency(id);
            slowestUs = std::max(slowestUs, latency ? latency->us : 0);
        }
        for (const ResultId id : group.results) {
            ShelfRow row = shelfRow(shelf, id, context);
            const auto latency = shelf.latency(id);
            row.share = latency && slowestUs > 0 ? latency->us / slowestUs : 0;
            rows.rows.push_back(std::move(row));
        }
        groups.push_back(std::move(rows));
    }
    return groups;
}

} // namespace stagecraft
