// Layouts are chosen on the lane of searches, for the stages of a result.

#include "desktop/work/jobs.h"
#include "flow/layouts/layouts_of_schedule.h"

#include <utility>

namespace stagecraft {

void Jobs::chooseLayouts(const LayoutsToChoose &what)
{
    m_searching.start([this, what, find = m_services.findDevice, open = opener(Urgency::Search, &Jobs::searchWaits)](
                          const JobLane::Context &context) -> JobLane::Delivery {
        context.report([this, id = what.id] { emit searchStarted(id); });
        const auto ended = [this](const Error &error) -> JobLane::Delivery {
            return [this, error] {
                if (error.code == ErrorCode::Cancelled)
                    emit searchStopped();
                else
                    emit measureFailed(error);
                emit searchFinished();
            };
        };
        const Model &model = *what.target.model;
        auto opened = open(what.target);
        if (!opened)
            return ended(opened.error());
        DeviceSession &session = *opened->session;
        const auto device = find(what.target.deviceId); // opens graphs of operators in each layout
        if (!device)
            return ended(device.error());
        auto costs = layoutCostsOn(
            model, **device, kTensorLayouts,
            [&](std::int64_t done, std::int64_t all) {
                context.report([this, done, all] { emit layoutsProfiled(done, all); });
            },
            context.stop);
        if (!costs)
            return ended(costs.error());
        LayoutSearchOptions options;
        options.stop = context.stop;
        options.progress = [&](std::int64_t done, std::int64_t all) {
            context.report([this, done, all] { emit layoutsSearched(done, all); });
        };
        auto made =
            layoutsOfSchedule(model, *what.of.schedule, std::move(costs->costs), session, opened->device, options);
        if (!made)
            return ended(made.error());
        const ChosenLayouts chosen{what.id, std::make_shared<const Schedule>(std::move(made->schedule)),
                                   QString::fromStdString(made->text),
                                   std::make_shared<const LayoutChoice>(std::move(made->choice))};
        context.report([this, chosen] { emit layoutsChosen(chosen); });
        if (session.isNoisy()) {
            std::vector<ResultId> ids{what.of.id, what.id};
            std::vector<Schedule> schedules{*what.of.schedule, *chosen.schedule};
            if (what.baseline.schedule) {
                ids.push_back(what.baseline.id);
                schedules.push_back(*what.baseline.schedule);
            }
            const auto told = [&](const RoundsProgress &progress) {
                context.report([this, progress] { emit timingInRounds(progress); });
            };
            if (auto times = measureSchedulesInRounds(schedules, session, kDefaultRounds, context.stop, told))
                context.report([this, ids, times = std::move(*times)] { emit timedInRounds(ids, times); });
        }
        return [this] { emit searchFinished(); };
    });
}

void Jobs::explainLayout(const std::shared_ptr<const LayoutChoice> &choice, OperatorId op)
{
    m_explaining.start([this, choice, op](const JobLane::Context &context) -> JobLane::Delivery {
        LayoutSearchOptions options;
        options.stop = context.stop;
        const auto reason = whyNotFastest(*choice, op, options);
        if (!reason) // stopped
            return {};
        return [this, choice, op, reason = *reason] { emit layoutExplained(choice, op, reason); };
    });
}

} // namespace stagecraft
