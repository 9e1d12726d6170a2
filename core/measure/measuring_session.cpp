#include "measure/measuring_session.h"

#include "schedule/verify.h"
#include "timing/latency_quality.h"

#include <chrono>
#include <optional>
#include <utility>

namespace stagecraft {

namespace {

std::shared_ptr<SharedSession> alone(std::unique_ptr<DeviceSession> session)
{
    auto shared = std::make_shared<SharedSession>();
    shared->hold(std::move(session));
    return shared;
}

} // namespace

void SharedSession::hold(std::unique_ptr<DeviceSession> opened)
{
    traits = traitsOf(*opened);
    session = std::move(opened);
}

MeasuringSession::MeasuringSession(Shared shared, const Graph &graph, Urgency urgency, Device::Waiting told)
    : ForwardingSession(shared.session->session), m_shared(std::move(shared)), m_graph(graph), m_urgency(urgency),
      m_told(std::move(told)), m_signer(graph)
{
    if (m_shared.turns)
        m_shared.turns->begin(m_urgency);
}

MeasuringSession::MeasuringSession(std::unique_ptr<DeviceSession> session, const Graph &graph)
    : MeasuringSession({alone(std::move(session)), nullptr, nullptr, {}}, graph, Urgency::Study)
{
}

MeasuringSession::~MeasuringSession()
{
    if (m_shared.turns)
        m_shared.turns->end(m_urgency);
    if (m_shared.onClosed)
        m_shared.onClosed();
}

template <typename Ask>
std::invoke_result_t<Ask> MeasuringSession::inTurn(const std::stop_token &stop, const Ask &ask)
{
    const bool isAlone = !isNoisy() && !isStudy(); // exact answers: a session for each
    if (!m_shared.turns || isAlone) {
        auto answer = ask();
        m_shared.session->isLost = session().isLost();
        return answer;
    }
    const Turns::Turn turn = m_shared.turns->take(m_shared.session.get(), m_urgency, stop);
    if (!turn)
        return fail(ErrorCode::Cancelled, "stopped");
    m_shared.session->onWaiting = m_told;
    auto answer = ask();
    m_shared.session->onWaiting = {};
    m_shared.session->isLost = session().isLost();
    m_shared.session->hasFailed = !answer && answer.error().code == ErrorCode::DeviceFailed;
    return answer;
}

std::optional<StageLatency> MeasuringSession::ofThisRun(const StageSignature &signature) const
{
    const auto timing = m_shared.known ? m_shared.known->ofThisRun(signature) : std::nullopt;
    return timing ? std::optional(StageLatency{*timing, LatencyKind::Stored}) : std::nullopt;
}

void MeasuringSession::share(const StageQuestion &question, const Result<StageLatency> &latency)
{
    if (latency && m_shared.known && !isTable())
        m_shared.known->add(question.signature ? *question.signature : m_signer.sign(question.stage), latency->timing);
}

// A timing that anybody took since counts; its kind and the time it took stay those of the first.
std::optional<Result<StageLatency>> MeasuringSession::remembered(const StageSignature &signature)
{
    const auto known = ofThisRun(signature);
    const auto mine = m_remembered.find(signature);
    if (mine == m_remembered.end())
        return known;
    auto &[latency, seconds] = mine->second;
    if (latency && m_shared.known && !known)
        return std::nullopt; // measured again, and disturbed
    m_savedSeconds += seconds;
    if (latency && known)
        latency->timing = known->timing;
    return latency;
}

std::vector<StageSample> MeasuringSession::samples()
{
    const auto asked = inTurn({}, [this] { return Result<std::vector<StageSample>>(session().samples()); });
    return asked.value_or(std::vector<StageSample>{});
}

void MeasuringSession::want(std::vector<WantedStage> stages)
{
    std::erase_if(stages, [&](const WantedStage &wanted) {
        return ofThisRun(wanted.signature) || m_remembered.contains(wanted.signature);
    });
    // Others may be asking: what they asked for must not be put aside meanwhile. Nobody waits for this to come about.
    (void)inTurn({}, [&]() -> Result<void> {
        ForwardingSession::want(std::move(stages));
        return {};
    });
}

Result<StageLatency> MeasuringSession::stageLatency(const StageQuestion &question, std::stop_token stop)
{
    using Clock = std::chrono::steady_clock;
    if (question.signature) {
        if (isStudy())
            m_asked.insert(*question.signature);
        if (auto known = remembered(*question.signature))
            return std::move(*known);
    }
    double seconds = 0;
    double waited = 0;
    const auto begin = Clock::now();
    auto latency = inTurn(stop, [&] {
        const auto turn = Clock::now();
        waited = std::chrono::duration<double>(turn - begin).count();
        auto answer = ForwardingSession::stageLatency(question, stop);
        seconds = std::chrono::duration<double>(Clock::now() - turn).count();
        return answer;
    });
    share(question, latency);
    if (!isStudy())
        return latency;
    m_savedSeconds -= waited;
    if (!question.signature)
        return latency;
    const bool isRefused = !latency && latency.error().code == ErrorCode::DeviceFailed;
    if (isRefused || (latency && latency->kind != LatencyKind::Stored))
        ++m_measurements;
    if (isRefused || (latency && !latency->timing.isDisturbed()))
        m_remembered.insert_or_assign(*question.signature, Remembered{latency, seconds});
    return latency;
}

// A new latency replaces the one that is remembered.
Result<StageLatency> MeasuringSession::measureStage(const Stage &stage, std::stop_token stop)
{
    auto latency = inTurn(stop, [&] { return ForwardingSession::measureStage(stage, stop); });
    if (!latency || isTable())
        return latency;
    const StageSignature signature = m_signer.sign(stage);
    if (m_shared.known)
        m_shared.known->add(signature, latency->timing);
    const auto mine = m_remembered.find(signature);
    if (mine == m_remembered.end())
        return latency;
    if (latency->timing.isDisturbed())
        m_remembered.erase(mine);
    else
        mine->second.latency =
            StageLatency{latency->timing, mine->second.latency ? mine->second.latency->kind : latency->kind};
    return latency;
}

// Stage by stage, so that others have their turns in between. What is disturbed is measured once more: these stages
// matter. None of it counts as asked by a study.
Result<ScheduleMeasurement> MeasuringSession::measureSchedule(const Schedule &schedule, std::stop_token stop)
{
    if (!m_shared.known || schedule.streams)
        return inTurn(stop, [&] { return ForwardingSession::measureSchedule(schedule, stop); });
    ScheduleMeasurement measurement;
    for (const Stage &stage : measuresStages() ? schedule.stages : std::vector<Stage>()) {
        TRY(verifyStage(m_graph, stage));
        const StageSignature signature = m_signer.sign(stage);
        const StageQuestion question(stage, signature);
        auto latency = ofThisRun(signature);
        if (!latency) {
            TRY_AS(latency, inTurn(stop, [&] { return ForwardingSession::stageLatency(question, stop); }));
            if (latency->timing.isDisturbed()) {
                TRY_AS(latency, better(*latency, measureStage(stage, stop)));
            }
            share(question, *latency);
        }
        measurement.stages.push_back(std::move(*latency));
    }
    TRY_AS(measurement.whole, measureWhole(schedule, stop));
    if (measurement.whole.timing.isDisturbed()) {
        TRY_AS(measurement.whole, better(measurement.whole, measureWhole(schedule, stop)));
    }
    return measurement;
}

Result<ScheduleLatency> MeasuringSession::measureWhole(const Schedule &schedule, std::stop_token stop)
{
    return inTurn(stop, [&] { return ForwardingSession::measureWhole(schedule, stop); });
}

Result<Timeline> MeasuringSession::timeline(const Schedule &schedule, std::stop_token stop)
{
    return inTurn(stop, [&] { return ForwardingSession::timeline(schedule, stop); });
}

Result<std::vector<HostTensor>> MeasuringSession::run(const Schedule &schedule, std::vector<HostTensor> inputs,
                                                      std::stop_token stop)
{
    return inTurn(stop, [&] { return ForwardingSession::run(schedule, std::move(inputs), stop); });
}

Result<std::vector<std::size_t>> MeasuringSession::workspaceBytes(const Stage &stage, std::stop_token stop)
{
    return inTurn(stop, [&] { return ForwardingSession::workspaceBytes(stage, stop); });
}

// Lets others go first between two stages. What is remembered of them was undisturbed and stays.
Result<std::int64_t> MeasuringSession::measureAgain(const std::function<bool()> &goOn, std::stop_token stop)
{
    std::int64_t helped = 0;
    for (bool isInterrupted = true; isInterrupted;) {
        isInterrupted = false;
        const auto mayGoOn = [&] {
            isInterrupted = m_shared.turns && m_shared.turns->isWantedMore(m_shared.session.get(), m_urgency);
            return !isInterrupted && goOn();
        };
        TRY_AS(const auto more, inTurn(stop, [&] { return session().disturbed()->measureAgain(mayGoOn, stop); }));
        helped += more;
    }
    return helped;
}

} // namespace stagecraft
