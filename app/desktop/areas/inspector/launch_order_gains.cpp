#include "desktop/areas/inspector/launch_order_gains.h"

#include "flow/find/order_launches.h"
#include "flow/open_model.h"
#include "results/schedule_words.h"

#include <algorithm>
#include <utility>

namespace stagecraft {
namespace {

constexpr std::size_t kStagesKept = 64;

Result<LaunchOrderGain> gainOf(const Model &model, const Stage &stage, DeviceSession &session,
                               const std::stop_token &stop)
{
    TRY_AS(const auto asItIs, session.stageLatency(stage, stop));
    TRY_AS(auto fastest, fastestLaunchOrder(stage, *model.graph, session, stop));
    return LaunchOrderGain{asItIs.timing.latencyUs, std::move(fastest)};
}

} // namespace

LaunchOrderGains::LaunchOrderGains(Document *document, std::shared_ptr<Measurers> measurers, QObject *parent)
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

std::optional<LaunchOrderGains::Asked> LaunchOrderGains::askedBy(const Selected &selected) const
{
    const RatedResult &front = m_document->results()->front();
    const bool isStage = front.schedule && selected.stage && !selected.op &&
                         *selected.stage < front.schedule->stages.size() && !front.schedule->streams;
    if (!isStage || !m_document->next()->model() || !front.schedule->layouts.empty() ||
        isOfOlderSimulator(*front.schedule) || !m_document->editor()->checkMeasurable(front.id) ||
        m_document->results()->deviceOf(front.id).provenance != Provenance::Simulated)
        return std::nullopt;
    const Stage &stage = front.schedule->stages[*selected.stage];
    return hasLaunchOrders(stage) ? std::optional(Asked{front.id, stage}) : std::nullopt;
}

std::optional<LaunchOrderGain> LaunchOrderGains::gainFor(const Selected &selected) const
{
    const auto asked = askedBy(selected);
    const auto known = asked ? std::ranges::find(m_known, *asked, &Known::asked) : m_known.end();
    return known != m_known.end() ? known->gain : std::nullopt;
}

void LaunchOrderGains::request(const Selected &selected)
{
    const auto asked = askedBy(selected);
    if (asked && std::ranges::find(m_known, *asked, &Known::asked) == m_known.end() && m_underWay != asked)
        start(*asked);
}

// An answer that came to its end too early is none.
void LaunchOrderGains::start(const Asked &asked)
{
    m_underWay = asked;
    m_lane.start([this, target = m_document->results()->targetOf(asked.id), asked,
                  measurers = m_measurers](const JobLane::Context &context) -> JobLane::Delivery {
        auto opened =
            measurers->open(target.model->graph, target.deviceId, Urgency::Study, {}, onnxFileOf(*target.model));
        if (!opened)
            return [this, error = opened.error()] { emit failed(error); };
        const auto gain = gainOf(*target.model, asked.stage, *opened->session, context.stop);
        if (context.stop.stop_requested())
            return [] {};
        return [this, asked, known = gain ? std::optional(*gain) : std::nullopt] {
            m_known.push_back({asked, known});
            if (m_known.size() > kStagesKept)
                m_known.pop_front();
            emit changed();
        };
    });
}

} // namespace stagecraft
