#include "desktop/areas/search/search_line.h"

#include "desktop/areas/search/waiting_line.h"
#include "flow/find_schedule.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace stagecraft {

SearchLine::SearchLine(Document *document, ResultQueue *queue, WaitingLine *waiting, QObject *parent)
    : QObject(parent), m_document(document), m_queue(queue), m_waiting(waiting)
{
    connect(queue, &ResultQueue::measuringStarted, document->results(), &Results::setRunning);
    connect(queue, &ResultQueue::searchFinished, this, &SearchLine::end);
}

void SearchLine::add(PlannedSearch planned)
{
    m_planned.push_back(std::move(planned));
    startNext();
}

void SearchLine::startNext()
{
    if (!m_queue->isSearching() && !m_planned.empty()) {
        m_underWay = std::move(m_planned.front());
        m_planned.erase(m_planned.begin());
        m_queue->search(m_underWay.target, m_underWay.work ? m_underWay.work : workOn(m_underWay));
    }
    emit changed();
}

ResultQueue::Work SearchLine::workOn(const PlannedSearch &planned)
{
    return [this, target = planned.target, results = planned.results, options = planned.options,
            beside = m_document->added().beside(planned.results)](
               const ResultQueue::Open &open, const JobLane::Context &context) -> Result<JobLane::Delivery> {
        TRY_AS(auto opened, open());
        std::vector<ResultBeside> all = beside;
        for (const auto &[id, kind, streams] : results) {
            if (context.stop.stop_requested())
                break;
            begin(id, context);
            const auto progress = [this, id, &context, session = opened.session.get()](const SearchProgress &now) {
                tellMembers(*session, context);
                context.report([this, id, now] {
                    m_document->results()->setProgress(id, now);
                    emit progressed(id, now);
                });
            };
            const auto timed = [this, id, &context](std::int64_t schedules, double bestUs) {
                context.report([this, id, schedules, bestUs] { emit timedSchedules(id, schedules, bestUs); });
            };
            const auto ordering = [this, &context](std::size_t stage, std::size_t stages) {
                context.report([this, stage, stages] {
                    emit choosingLaunchOrders(static_cast<qint64>(stage), static_cast<qint64>(stages));
                });
            };
            SearchRequest request{.kind = kind, .options = options};
            if (streams)
                request.streams = streams;
            TRY_AS(auto found, findSchedule(*target.model, *opened.session, opened.device, request,
                                            {.search = progress, .searchForStreams = timed, .launchOrders = ordering},
                                            context.stop));
            const bool isBaseline = !streams && found.blocks.empty();
            const auto schedule = std::make_shared<const TimedSchedule>(std::move(found.schedule));
            std::erase_if(all, [&](const ResultBeside &before) { return before.id == id; });
            all.push_back({id, schedule, isBaseline});
            context.report([this, id, schedule, isBaseline, blocks = std::move(found.blocks)] {
                m_document->results()->setMade(id, schedule, blocks);
                const ScheduleResult *result = m_document->results()->shelf().find(id);
                if (result && !isBaseline && result->settings == m_document->next()->settings())
                    m_document->results()->setCurrent(id);
            });
            if (found.refusal)
                context.report([this, id, stages = schedule->search.stagesRefused, example = *found.refusal] {
                    emit stagesLeftOut(id, stages, example);
                });
        }
        if (std::ranges::any_of(all, &ResultBeside::isBaseline)) {
            std::ranges::stable_sort(all, std::ranges::greater(), &ResultBeside::isBaseline);
            timeInRounds(all, *opened.session, context);
        }
        tellMembers(*opened.session, context);
        return JobLane::Delivery();
    };
}

void SearchLine::tellMembers(const DeviceSession &session, const JobLane::Context &context)
{
    if (const DeviceMembers *members = session.members())
        context.report([this, counts = members->counts()] { emit membersChanged(counts); });
}

void SearchLine::begin(ResultId id, const JobLane::Context &context)
{
    context.report([this, id] {
        m_searched = id;
        m_waiting->setSearched(id);
        m_document->results()->setRunning(id);
        emit started(id);
    });
}

void SearchLine::timeInRounds(const std::vector<ResultBeside> &results, DeviceSession &session,
                              const JobLane::Context &context)
{
    if (!session.isNoisy())
        return;
    std::vector<ResultId> ids;
    std::vector<Schedule> schedules;
    for (const ResultBeside &result : results) {
        ids.push_back(result.id);
        schedules.push_back(*result.schedule);
    }
    const auto told = [&](const RoundsProgress &progress) {
        context.report([this, progress] { emit timingInRounds(progress); });
    };
    if (auto times = measureSchedulesInRounds(schedules, session, kDefaultRounds, context.stop, told))
        context.report([this, ids, times = std::move(*times)] { m_document->results()->setTimedInRounds(ids, times); });
}

// Removes unfinished results, except baselines, which are then measured without the search.
void SearchLine::end()
{
    const PlannedSearch over = std::exchange(m_underWay, {});
    m_searched = {};
    m_waiting->setSearched({});
    const std::vector<ResultId> inLine = m_queue->inLine();
    std::vector<ResultToMake> missing;
    ResultId done;
    for (const ResultToMake &made : over.results) {
        const ScheduleResult *result = m_document->results()->shelf().find(made.id);
        if (result && result->schedule)
            done = m_document->results()->setDone(made.id);
        else if (result && result->isFound())
            m_document->results()->drop(made.id);
        else if (result && made.id != m_queue->measured() && std::ranges::find(inLine, made.id) == inLine.end())
            missing.push_back(made);
    }
    measureBaselines(over.target, missing);
    emit ended(done);
    startNext();
}

void SearchLine::stopAll()
{
    if (m_queue->isSearching()) {
        m_queue->stopSearch();
        return;
    }
    for (const ResultId id : m_queue->inLine())
        stop(id);
    stop(m_queue->measured());
}

// Ends what makes or measures a result, which stays as it was before or with the best so far; one that has nothing yet
// goes, but for a baseline, which says why it has none.
void SearchLine::stop(ResultId id)
{
    const ScheduleResult *result = m_document->results()->shelf().find(id);
    if (!result || !result->isUnderWay())
        return;
    const auto isIt = [id](const ResultToMake &other) { return other.id == id; };
    if (std::ranges::any_of(m_underWay.results, isIt)) {
        m_queue->stopSearch();
    } else if (result->isFound()) {
        takeOut(id);
    } else if (m_queue->drop(id)) {
        if (result->schedule)
            m_document->results()->setDone(id);
        else if (result->origin == Origin::Baseline)
            m_document->results()->setFailed(id, QStringLiteral("stopped before it was measured"));
        else
            m_document->results()->drop(id);
    }
}

void SearchLine::takeOut(ResultId id)
{
    if (m_queue->drop(id))
        m_document->results()->setDone(id);
    const auto isIt = [id](const ResultToMake &other) { return other.id == id; };
    for (PlannedSearch &planned : m_planned) {
        if (std::erase_if(planned.results, isIt) > 0)
            m_document->results()->drop(id);
    }
    std::erase_if(m_planned, [](const PlannedSearch &planned) { return planned.results.empty(); });
    if (std::ranges::any_of(m_underWay.results, isIt)) {
        m_queue->cancelSearch();
        end();
    }
}

void SearchLine::measureBaselines()
{
    if (m_document->next()->model())
        measureBaselines(m_document->next()->target(), m_document->added().addBaselines());
}

void SearchLine::measureBaselines(const Target &target, const std::vector<ResultToMake> &baselines)
{
    for (const auto &[id, kind, streams] : baselines) {
        const auto work = [this, target, id, kind](const ResultQueue::Open &open,
                                                   const JobLane::Context &context) -> Result<JobLane::Delivery> {
            TRY_AS(auto opened, open());
            TRY_AS(auto baseline,
                   findSchedule(*target.model, *opened.session, opened.device, {kind}, {}, context.stop));
            return [this, id, schedule = std::make_shared<const TimedSchedule>(std::move(baseline.schedule))] {
                m_document->results()->setMade(id, schedule, {});
            };
        };
        m_queue->measure(id, ResultQueue::Turn::OfBaseline, target, work);
    }
}

// Those of what was shown before; they are measured when it is opened again.
void SearchLine::dropBaselinesInLine()
{
    for (const ResultId id : m_queue->dropBaselinesInLine())
        m_document->results()->drop(id);
}

void SearchLine::cancel()
{
    m_planned.clear();
    m_queue->cancelSearch();
    m_queue->cancelMeasuring();
}

} // namespace stagecraft
