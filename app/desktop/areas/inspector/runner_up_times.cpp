#include "desktop/areas/inspector/runner_up_times.h"

#include "flow/explain/stage_trials.h"
#include "flow/open_model.h"
#include "schedule/other_strategies.h"

#include <algorithm>
#include <utility>

namespace stagecraft {
namespace {

constexpr std::size_t kBlocksKept = 64;

} // namespace

RunnerUpTimes::RunnerUpTimes(Document *document, std::shared_ptr<Measurers> measurers, QObject *parent)
    : QObject(parent), m_document(document), m_measurers(std::move(measurers))
{
    connect(&m_lane, &JobLane::busyChanged, this, [this](bool busy) {
        if (!busy)
            m_underWay.reset();
        emit busyChanged();
    });
    connect(&m_lane, &JobLane::workFailed, this, [this](const QString &reason) {
        emit failed({ErrorCode::DeviceFailed, reason.toStdString(), {}, {}});
    });
}

std::optional<RunnerUpTimes::Asked> RunnerUpTimes::askedBy(const Selected &selected) const
{
    const RatedResult &front = m_document->results()->front();
    if (!front.schedule || !m_document->next()->model() || selected.op ||
        !m_document->editor()->checkMeasurable(front.id))
        return std::nullopt;
    const auto &stages = front.schedule->stages;
    const auto block =
        selected.stage && *selected.stage < stages.size() ? stages[*selected.stage].block : selected.block;
    const std::vector<BlockSearch> search = m_document->results()->searchOf(front.id);
    const auto searched = std::ranges::find(search, block, &BlockSearch::block);
    std::vector<Stage> others;
    if (selected.stage && *selected.stage < stages.size())
        others = otherStrategies(*m_document->next()->model()->graph, stages[*selected.stage]);
    const bool hasRunnersUp = searched != search.end() && !searched->runnersUp.empty();
    if (!block || (!hasRunnersUp && others.empty()))
        return std::nullopt;
    return Asked{front.id, *block, stages, std::move(others)};
}

const RunnerUpTimes::Known *RunnerUpTimes::find(const Asked &asked) const
{
    const auto known = std::ranges::find(m_known, asked, &Known::asked);
    return known != m_known.end() ? &*known : nullptr;
}

std::vector<RunnerUpTime> RunnerUpTimes::timesFor(const Selected &selected) const
{
    const auto asked = askedBy(selected);
    const Known *known = asked ? find(*asked) : nullptr;
    return known ? known->times : std::vector<RunnerUpTime>{};
}

void RunnerUpTimes::request(const Selected &selected)
{
    if (m_document->results()->deviceOf(m_document->results()->current()).provenance == Provenance::Simulated)
        requestNow(selected);
}

void RunnerUpTimes::requestNow(const Selected &selected)
{
    if (const auto asked = askedBy(selected); asked && !find(*asked) && m_underWay != asked)
        start(*asked);
}

void RunnerUpTimes::start(const Asked &asked)
{
    m_underWay = asked;
    std::vector<Stage> stages = asked.others;
    for (const BlockSearch &searched : m_document->results()->searchOf(asked.id)) {
        for (std::size_t i = 0; searched.block == asked.block && i < searched.runnersUp.size(); ++i) {
            const Stage &stage = searched.runnersUp[i].stage;
            const bool isAsked = std::ranges::find(stages, stage) != stages.end();
            if (!isAsked && std::ranges::find(asked.stages, stage) == asked.stages.end())
                stages.push_back(stage);
        }
    }
    m_lane.start([this, target = m_document->results()->targetOf(asked.id), asked, stages = std::move(stages),
                  schedule = m_document->results()->front().schedule,
                  measurers = m_measurers](const JobLane::Context &context) -> JobLane::Delivery {
        const auto failed = [&](const Error &error) { return [this, error] { emit this->failed(error); }; };
        auto opened =
            measurers->open(target.model->graph, target.deviceId, Urgency::Study, {}, onnxFileOf(*target.model));
        if (!opened)
            return failed(opened.error());
        const auto trials = tryStages(*target.model, *schedule, stages, *opened->session, context.stop);
        if (!trials)
            return failed(trials.error());
        std::vector<RunnerUpTime> times;
        for (std::size_t i = 0; i < stages.size(); ++i) {
            if (trials->more[i])
                times.push_back({stages[i], *trials->more[i], trials->sources});
        }
        return [this, known = Known{asked, std::move(times)}] {
            m_known.push_back(known);
            if (m_known.size() > kBlocksKept)
                m_known.pop_front();
            emit changed();
        };
    });
}

} // namespace stagecraft
