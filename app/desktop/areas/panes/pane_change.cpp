#include "desktop/areas/panes/pane_change.h"

#include "timing/simulator_version.h"
#include "timing/statistics/verdict.h"
#include "widgets/base/format.h"

#include <QCoreApplication>

namespace stagecraft {
namespace {

QString paneWords(const char *text)
{
    return QCoreApplication::translate("SchedulePane", text);
}

SpeedupEstimate judgeResults(const Shelf &shelf, ResultId id, ResultId first, double us, double firstUs)
{
    const auto provenance = [&](ResultId of) { return shelf.latency(of)->provenance; };
    if (const auto rounds = shelf.sharedRounds(id, first))
        return judge(rounds->others->roundsUs, rounds->mine->roundsUs);
    if (provenance(id) == Provenance::Simulated && provenance(first) == Provenance::Simulated)
        return judgeExact(firstUs, us);
    return {};
}

} // namespace

PaneChange changeAgainst(const Document &document, ResultId id, ResultId first)
{
    const Shelf &shelf = document.results()->shelf();
    const ScheduleResult *mine = shelf.find(id);
    const ScheduleResult *others = shelf.find(first);
    const auto latency = shelf.latency(id);
    const auto firstLatency = shelf.latency(first);
    if (!mine || !others || !latency || !firstLatency)
        return {};
    if (mine->settings.model != others->settings.model)
        return {{}, paneWords("Another model: not compared"), false};
    if (isOfOlderSimulator(mine->settings) != isOfOlderSimulator(others->settings))
        return {{}, paneWords("Simulated by an older simulator: not compared"), false};
    if ((latency->how == MeasuredHow::SumOfStages) != (firstLatency->how == MeasuredHow::SumOfStages))
        return {{}, paneWords("A sum of stages and a time of the whole do not compare"), false};
    PaneChange change;
    const double batch = static_cast<double>(mine->settings.batch);
    const double firstBatch = static_cast<double>(others->settings.batch);
    change.isPerImage = batch != firstBatch;
    const double ratio = (latency->us / batch) / (firstLatency->us / firstBatch);
    change.text = signedPercentText(ratio - 1);
    if (mine->settings != others->settings) {
        change.detail = paneWords("Not of the same settings: a number, no verdict");
        return change;
    }
    const SpeedupEstimate judged = judgeResults(shelf, id, first, latency->us, firstLatency->us);
    const bool isAssumed =
        latency->provenance == Provenance::Assumed || firstLatency->provenance == Provenance::Assumed;
    if (judged.verdict == Verdict::None && isAssumed) {
        change.detail = paneWords("Assumed from published figures: a number, no verdict");
        return change;
    }
    if (judged.verdict == Verdict::None) {
        change.detail = paneWords("Not timed in rounds with each other: a number, no verdict");
        return change;
    }
    const std::string_view word = toString(judged.verdict);
    change.text += QStringLiteral(", ") + QString::fromUtf8(word);
    return change;
}

} // namespace stagecraft
