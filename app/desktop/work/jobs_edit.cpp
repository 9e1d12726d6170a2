// Edits are measured before everything queued; a newer edit replaces the previous one.

#include "desktop/work/jobs.h"
#include "flow/compare_edit.h"

#include <utility>

namespace stagecraft {

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
        const bool isNoisy = opened->session->isNoisy();
        EditToCompare asked{*edit.edited, *edit.known, {}, kDefaultRounds};
        if (isNoisy && edit.original) {
            asked.beside.push_back(*edit.original);
            if (edit.baseline.schedule)
                asked.beside.push_back(*edit.baseline.schedule);
        }
        const auto told = [&](const Stage &stage, const Timing &timing) {
            context.report([this, id = edit.id, stage, timing] { emit stageMeasured(id, stage, timing); });
        };
        auto outcome =
            compareEdit(*edit.target.model, *opened->session, opened->device, std::move(asked), context.stop, told);
        if (!outcome)
            return failed(outcome.error());
        const auto edited = std::make_shared<const Schedule>(std::move(outcome->edited));
        const auto times = outcome->rounds > 0 ? std::move(outcome->times) : std::vector<TimingInRounds>();
        context.report([this, id = edit.id, from = edit.from, baseline = edit.baseline.id, edited, times] {
            emit editMeasured(id, edited);
            std::vector<ResultId> ids{from, id, baseline};
            ids.resize(times.size());
            if (!times.empty())
                emit timedInRounds(ids, times);
        });
        for (const ChangedSpan &span : isNoisy ? edit.spans : std::vector<ChangedSpan>{}) {
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
