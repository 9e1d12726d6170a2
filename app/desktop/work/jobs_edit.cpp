// Edits are measured before everything queued; a newer edit replaces the previous one.

#include "desktop/work/jobs.h"
#include "flow/compare_edit.h"

#include <utility>

namespace stagecraft {
namespace {

// Measures the whole schedule; on a noisy device in rounds with the source of the edit and the baseline.
Result<std::vector<TimingInRounds>> timeWhole(Schedule &edited, const EditToMeasure &edit, DeviceSession &session,
                                              const std::stop_token &stop)
{
    if (session.isNoisy() && edit.original) {
        std::vector<Schedule> all{*edit.original, edited};
        if (edit.baseline.schedule)
            all.push_back(*edit.baseline.schedule);
        auto times = measureSchedulesInRounds(all, session, kDefaultRounds, stop);
        if (times)
            edited.timing = (*times)[1].timing;
        return times;
    }
    TRY_AS(const auto whole, session.measureWhole(edited, stop));
    edited.timing = whole.timing;
    edited.isSumOfStages = whole.isSumOfStages;
    return std::vector<TimingInRounds>{};
}

} // namespace

void Jobs::measureEdit(const EditToMeasure &edit)
{
    Measuring next{edit.id, Turn::OfEdit};
    next.work = [this, edit, open = opener(Urgency::User, &Jobs::measuringWaits)](
                    const JobLane::Context &context) -> JobLane::Delivery {
        const auto failed = [&](const Error &error) {
            return [this, id = edit.id, error] { emit measureAgainFailed(id, error); };
        };
        auto opened = open(edit.target);
        if (!opened)
            return failed(opened.error());
        auto edited = std::make_shared<Schedule>(*edit.edited);
        edited->stageTimings.clear();
        const auto told = [&](std::size_t stage) {
            context.report([this, id = edit.id, timed = edited->stages[stage], timing = edited->stageTimings[stage]] {
                emit stageMeasured(id, timed, timing);
            });
        };
        if (const auto timed = timeStages(*edited, *edit.known, *opened->session, context.stop, told); !timed)
            return failed(timed.error());
        describeDevice(*edited, *edit.target.model, opened->device);
        const auto times = timeWhole(*edited, edit, *opened->session, context.stop);
        if (!times)
            return failed(times.error());
        context.report([this, id = edit.id, from = edit.from, baseline = edit.baseline.id, edited, times = *times] {
            emit editMeasured(id, edited);
            std::vector<ResultId> ids{from, id, baseline};
            ids.resize(times.size());
            if (!times.empty())
                emit timedInRounds(ids, times);
        });
        for (const ChangedSpan &span : opened->session->isNoisy() ? edit.spans : std::vector<ChangedSpan>{}) {
            const auto timed = timeSpan(span, *opened->session, kDefaultRounds, context.stop);
            if (!timed)
                return failed(timed.error());
            context.report([this, id = edit.id, timed = *timed] { emit spanTimed(id, timed); });
        }
        return {};
    };
    std::erase_if(m_toMeasure, [&](const Measuring &waiting) { return waiting.id == edit.id; });
    if (measured() == edit.id)
        startMeasuring(std::move(next)); // in the place of its previous version
    else
        measure(std::move(next));
}

void Jobs::dropEdit(ResultId id)
{
    std::erase_if(m_toMeasure, [&](const Measuring &each) { return each.id == id && each.turn == Turn::OfEdit; });
    if (measured() == id && m_measuredTurn == Turn::OfEdit)
        m_measuring.cancel();
}

} // namespace stagecraft
