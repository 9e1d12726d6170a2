#include "desktop/areas/layouts_area.h"

#include "desktop/areas/layouts/layout_choices.h"
#include "desktop/areas/search/search_line.h"
#include "desktop/document/document.h"
#include "desktop/work/services.h"
#include "flow/layouts/layouts_of_schedule.h"

#include <QKeySequence>

#include <utility>

namespace stagecraft {

LayoutsArea::LayoutsArea(const AreaContext &context, SearchLine &searches)
    : Area(context), m_searches(searches), m_choices(new LayoutChoices(&document(), &selection(), this))
{
    actions()
        .add("layouts", {}, QStringLiteral("Ctrl+Shift+Y"), [this] { choose(); })
        ->setToolTip(QStringLiteral(
            "One layout per tensor for the stages of the result shown, of least total latency (Ctrl+Shift+Y)"));
    connect(m_choices, &LayoutChoices::changed, this, &LayoutsArea::choiceChanged);
    connect(m_choices, &LayoutChoices::busyChanged, this, &LayoutsArea::busyChanged);
}

bool LayoutsArea::isBusy() const
{
    return m_choices->isBusy();
}

void LayoutsArea::refresh()
{
    const QString why = m_choices->whyNotChoose();
    actions()["layouts"]->setEnabled(why.isEmpty());
    actions()["layouts"]->setText(why.isEmpty() ? QStringLiteral("Choose la&youts")
                                                : QStringLiteral("Choose la&youts (%1)").arg(why));
}

void LayoutsArea::choose()
{
    const ResultId of = results().current();
    if (!m_choices->whyNotChoose().isEmpty())
        return;
    const Shelf &shelf = results().shelf();
    std::vector<ResultBeside> beside{{of, shelf.find(of)->schedule}};
    const ResultId baseline = shelf.baseline(shelf.find(of)->settings);
    if (const ScheduleResult *against = shelf.find(baseline); against && against->schedule && baseline != of)
        beside.push_back({baseline, against->schedule});
    PlannedSearch planned{results().targetOf(of), {ResultToMake{added().addLayouts(of)}}, {}};
    planned.work = workOn(planned.results.front().id, planned.target, beside);
    m_searches.add(std::move(planned));
}

ResultQueue::Work LayoutsArea::workOn(ResultId id, const Target &target, const std::vector<ResultBeside> &beside)
{
    return [this, id, target, beside, find = services().findDevice](
               const ResultQueue::Open &open, const JobLane::Context &context) -> Result<JobLane::Delivery> {
        m_searches.begin(id, context);
        const Model &model = *target.model;
        TRY_AS(auto opened, open());
        TRY_AS(const auto device, find(target.deviceId)); // opens graphs of operators in each layout
        const auto tellSteps = [&](const QString &what) {
            return [this, &context, what](std::int64_t done, std::int64_t all) {
                context.report([this, what, done, all] { emit progressed(what, done, all); });
            };
        };
        TRY_AS(auto costs, layoutCostsOn(model, *device, kTensorLayouts,
                                         tellSteps(QStringLiteral("timing operators and conversions in each layout")),
                                         context.stop));
        LayoutSearchOptions options;
        options.stop = context.stop;
        options.progress = tellSteps(QStringLiteral("choosing layouts, operator"));
        TRY_AS(auto made, layoutsOfSchedule(model, *beside.front().schedule, std::move(costs.costs), *opened.session,
                                            opened.device, options));
        const auto schedule = std::make_shared<const TimedSchedule>(std::move(made.schedule));
        const auto choice = std::make_shared<const LayoutChoice>(std::move(made.choice));
        context.report([this, id, schedule, choice, text = QString::fromStdString(made.text)] {
            m_choices->keep(id, schedule, choice);
            results().setLayouts(id, schedule, text);
            const ScheduleResult *result = results().shelf().find(id);
            if (result && result->settings == next().settings())
                results().setCurrent(id);
        });
        std::vector<ResultBeside> all = beside;
        all.insert(all.begin() + 1, {id, schedule});
        m_searches.timeInRounds(all, *opened.session, context);
        return JobLane::Delivery();
    };
}

} // namespace stagecraft
