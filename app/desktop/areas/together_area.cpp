#include "desktop/areas/together_area.h"

#include "desktop/areas/search/search_line.h"
#include "desktop/document/document.h"
#include "desktop/frame/panels.h"
#include "desktop/work/services.h"
#include "flow/open_beside.h"
#include "model/union/model_union.h"
#include "widgets/base/shown_name.h"
#include "widgets/study/together_view.h"

#include <QApplication>
#include <QClipboard>

#include <algorithm>
#include <utility>

namespace stagecraft {
namespace {

constexpr qint64 kSearchesAlone = static_cast<qint64>(kUnionModels);

QString titleOf(const CoRunPlan &plan)
{
    QString title = QString::fromStdString(nameOf(plan));
    title[0] = title[0].toUpper();
    return title;
}

// The models of a union, each as it is read there.
Result<std::vector<Model>> openParts(const Services &services, const Model &both)
{
    std::vector<Model> models;
    for (std::size_t i = 0; i < both.parts.size(); ++i) {
        TRY_AS(auto opened, services.openModel(aloneRequest(both, i)));
        models.push_back(std::move(opened.model));
    }
    TRY_AS(const auto again, unionOf(models));
    if (again.sha256 != both.sha256)
        return within(both.source,
                      Error{ErrorCode::InvalidInput, "a file has changed since it was opened", "Open both again", {}});
    return models;
}

} // namespace

TogetherArea::TogetherArea(const AreaContext &context, SearchLine &searches)
    : Area(context), m_searches(searches), m_view(new TogetherView(&window())),
      m_options(std::make_unique<SearchOptions>())
{
    actions().add("plan_together", {}, QStringLiteral("Ctrl+Alt+J"), [this] { plan(); });
    actions().add("copy_together", QStringLiteral("&Copy what both take as text"), {},
                  [this] { QApplication::clipboard()->setText(togetherText(m_view->facts())); });
    actions().add("copy_together_picture", QStringLiteral("Copy &picture of both"), {},
                  [this] { QApplication::clipboard()->setImage(m_view->picture()); });
    offerMenu(m_view, {"plan_together", "copy_together", "copy_together_picture"});
    connect(m_view, &TogetherView::startRequested, this, &TogetherArea::plan);
    connect(m_view, &TogetherView::stopRequested, &queue(), &ResultQueue::stopSearch);
    connect(m_view, &TogetherView::chosen, this, &TogetherArea::choose);
    connect(&m_searches, &SearchLine::ended, this, [this] { m_view->setRunning(false); });
    connect(&results(), &Results::timelineChanged, this, &TogetherArea::show);
}

std::vector<Dock> TogetherArea::docks() const
{
    return {{17, QStringLiteral("Both models"), "together", m_view, QStringLiteral("Alt+Shift+T")}};
}

void TogetherArea::setOptions(const SearchOptions &options)
{
    *m_options = options;
}

QString TogetherArea::whyNotPlan() const
{
    const ModelPtr &model = next().model();
    if (!model)
        return QStringLiteral("no model is open");
    if (model->parts.empty())
        return QStringLiteral("one model is open: add another with File > Add model");
    if (model->parts.size() != kUnionModels)
        return QStringLiteral("plans are for two models, and %1 are open").arg(model->parts.size());
    if (next().device().provenance == Provenance::Recorded)
        return QStringLiteral("the device has recorded stages of one model, and none that two share");
    return {};
}

void TogetherArea::refresh()
{
    const QString why = whyNotPlan();
    actions()["plan_together"]->setEnabled(why.isEmpty());
    actions()["plan_together"]->setText(why.isEmpty() ? QStringLiteral("Plan &both together")
                                                      : QStringLiteral("Plan &both together (%1)").arg(why));
    actions()["plan_together"]->setToolTip(
        QStringLiteral("Stages and streams over both models that are open, with when each has its result"));
    m_view->setWhyNot(why);
    show();
    for (const char *copy : {"copy_together", "copy_together_picture"})
        actions()[copy]->setEnabled(!m_view->facts().isEmpty());
}

void TogetherArea::plan()
{
    if (!whyNotPlan().isEmpty())
        return;
    CoRunRequest request{.alone = *m_options};
    if (const auto deadline = m_view->deadline())
        request.deadline = CoRunDeadline{deadline->model, deadline->us};
    const Made made{added().addTogether(QStringLiteral("Both together")),
                    added().addTogether(QStringLiteral("One after another")),
                    added().addTogether(QStringLiteral("Side by side, no plan"))};
    PlannedSearch planned{next().target(), {}, *m_options};
    for (const ResultId id : {made.inTurn, made.sideBySide, made.together})
        planned.results.push_back(ResultToMake{id});
    planned.work = workOn(made, planned.target, request);
    m_searches.add(std::move(planned));
    panels().show(m_view);
}

ResultQueue::Work TogetherArea::workOn(const Made &made, const Target &target, const CoRunRequest &request)
{
    return [this, made, target, request, settings = next().settings(), source = services()](
               const ResultQueue::Open &open, const JobLane::Context &context) -> Result<JobLane::Delivery> {
        m_searches.begin(made.together, context);
        context.report([this] { m_view->setRunning(true); });
        TRY_AS(const auto models, openParts(source, *target.model));
        TRY_AS(const auto both, open());
        std::array<Measurers::Opened, kUnionModels> own;
        CoRunCallbacks told;
        for (std::size_t i = 0; i < kUnionModels; ++i) {
            TRY_AS(own[i], source.measurers->open(models[i].graph, target.deviceId, Urgency::Search, {},
                                                  onnxFileOf(models[i])));
            const QString what =
                QStringLiteral("searching for %1 alone, model").arg(shownName(target.model->parts[i].name));
            told.alone[i] = [this, &context, what, i](const SearchProgress &) {
                context.report([this, what, i] { emit progressed(what, static_cast<qint64>(i) + 1, kSearchesAlone); });
            };
        }
        const auto timed = [this, &context, id = made.together](std::int64_t asked, double bestUs) {
            context.report([this, id, asked, bestUs] {
                results().setProgress(id, {.bestUs = bestUs});
                emit m_searches.timedSchedules(id, asked, bestUs);
            });
        };
        told.stages = timed;
        told.streams = timed;
        told.rounds = [this, &context](const RoundsProgress &now) {
            context.report([this, now] { emit m_searches.timingInRounds(now); });
        };
        const CoRunSessions sessions{{own[0].session.get(), own[1].session.get()}, both.session.get()};
        TRY_AS(auto found, coRun(models, *target.model, sessions, both.device, request, told, context.stop));
        context.report([this, made, settings, kept = std::make_shared<const CoRunPlans>(std::move(found))] {
            keep(made, settings, kept);
        });
        return JobLane::Delivery();
    };
}

void TogetherArea::keep(const Made &made, const RunContext &settings, const std::shared_ptr<const CoRunPlans> &found)
{
    std::erase_if(m_kept, [&](const Kept &before) { return before.settings == settings; });
    m_kept.push_back({settings, found});
    const auto firstOf = [&](CoRunKind kind) { return std::ranges::find(found->plans, kind, &CoRunPlan::kind); };
    set(made.inTurn, *found, *firstOf(CoRunKind::OneAfterAnother));
    if (const auto apart = firstOf(CoRunKind::SideBySide); apart != found->plans.end())
        set(made.sideBySide, *found, *apart);
    set(made.together, *found, found->plan());
    const ScheduleResult *result = results().shelf().find(made.together);
    if (result && result->settings == next().settings())
        results().setCurrent(made.together);
    if (found->isStopped)
        tell(QStringLiteral("Stopped: the best plan so far is on the shelf"), 8000);
}

void TogetherArea::set(ResultId id, const CoRunPlans &found, const CoRunPlan &plan)
{
    std::vector<ModelShare> models;
    for (std::size_t i = 0; i < kUnionModels; ++i)
        models.push_back({found.both.parts[i].name, plan.endsUs[i] / plan.latencyUs(), found.aloneUs(i)});
    results().setMade(id, std::make_shared<const TimedSchedule>(plan.schedule), {});
    results().setModels(id, models);
    results().setTimeline(id, plan.timeline);
}

const TogetherArea::Kept *TogetherArea::kept() const
{
    const auto found = std::ranges::find(m_kept, next().settings(), &Kept::settings);
    return found == m_kept.end() ? nullptr : &*found;
}

// Results that say when each model ends, or whose timelines do.
void TogetherArea::addShelf(TogetherFacts &facts)
{
    const ModelPtr &model = next().model();
    for (const ResultId id : results().fitting()) {
        const ScheduleResult &result = *results().shelf().find(id);
        const auto latency = results().shelf().latency(id);
        const auto timeline = results().timelineOf(id);
        if (!result.schedule || !latency || (result.models.size() != kUnionModels && !timeline))
            continue;
        TogetherPlan plan{QString::fromStdString(result.shownName()), latency->us};
        if (result.models.size() != kUnionModels) {
            plan.endsUs = endsOfModels(model->parts, timeline->timeline(), latency->us);
        } else {
            for (std::size_t i = 0; i < kUnionModels; ++i) {
                plan.endsUs[i] = result.models[i].endsAt * latency->us;
                facts.aloneUs[i] = result.models[i].aloneUs;
            }
        }
        if (result.record().strategy == inTurnStrategy())
            facts.inTurnUs = latency->us;
        if (id == results().current()) {
            facts.shown = facts.plans.size();
            facts.provenance = latency->provenance;
        }
        facts.plans.push_back(std::move(plan));
        m_rows.emplace_back(id);
    }
}

void TogetherArea::addTimes(TogetherFacts &facts) const
{
    const auto add = [&](ResultId id) {
        const ScheduleResult *result = results().shelf().find(id);
        const auto timeline = results().timelineOf(id);
        if (!result || !result->schedule || !timeline)
            return;
        if (const auto parts = scheduleTimeParts(*result->schedule, *timeline))
            facts.times.push_back({QString::fromStdString(result->shownName()), parts->whole, parts->sources});
    };
    for (const Shown &row : m_rows) {
        const auto *id = std::get_if<ResultId>(&row);
        if (id && *id != results().current() && results().shelf().find(*id)->record().strategy == inTurnStrategy()) {
            add(*id);
            break;
        }
    }
    add(results().current());
}

void TogetherArea::show()
{
    TogetherFacts facts;
    m_rows.clear();
    const ModelPtr &model = next().model();
    if (model && model->parts.size() == kUnionModels) {
        for (std::size_t i = 0; i < kUnionModels; ++i)
            facts.models[i] = shownName(model->parts[i].name);
        addShelf(facts);
        const Kept *more = kept();
        for (std::size_t i = 0; more && i < more->found->plans.size(); ++i) {
            const CoRunPlan &plan = more->found->plans[i];
            const auto isIt = [&](const Shown &row) {
                const auto *id = std::get_if<ResultId>(&row);
                return id && hasSameOrder(*results().shelf().find(*id)->schedule, plan.schedule);
            };
            if (std::ranges::any_of(m_rows, isIt))
                continue;
            facts.plans.push_back({QString::fromStdString(nameOf(plan)), plan.latencyUs(), plan.endsUs});
            m_rows.emplace_back(i);
        }
        markFront(facts.plans);
        addTimes(facts);
    }
    m_view->setFacts(facts);
}

void TogetherArea::choose(std::size_t row)
{
    if (row >= m_rows.size())
        return;
    if (const auto *id = std::get_if<ResultId>(&m_rows[row])) {
        results().setCurrent(*id);
        return;
    }
    const Kept *more = kept();
    if (!more)
        return;
    const auto found = more->found; // what it is made of changes with the shelf
    const CoRunPlan &plan = found->plans[std::get<std::size_t>(m_rows[row])];
    const ResultId id = added().addTogether(titleOf(plan));
    set(id, *found, plan);
    results().setCurrent(results().setDone(id));
}

} // namespace stagecraft
