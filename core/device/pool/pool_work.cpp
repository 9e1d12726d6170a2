#include "device/pool/pool_work.h"

#include "device/pool/common_stages.h"
#include "support/error_text.h"
#include "support/stop_here.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace stagecraft {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kLongestPause{60'000};

double secondsSince(Clock::time_point begin)
{
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

} // namespace

PoolWork::PoolWork(std::vector<PoolPlace> places, PoolOptions options, Device::Waiting told)
    : m_members(places.size()), m_options(std::move(options)), m_told(std::move(told))
{
    for (std::size_t i = 0; i < places.size(); ++i) {
        m_members[i].counts.device = places[i].device;
        m_members[i].place = std::move(places[i]);
        m_members[i].pause = m_options.comesBackAfter;
    }
    Lock lock(m_mutex);
    for (std::size_t i = 0; i < m_members.size(); ++i)
        m_members[i].thread = std::jthread([this, i](const std::stop_token &stop) { work(i, stop); });
    waitUntil(lock, stopHere(), [this] { return std::ranges::all_of(m_members, &Member::isTried); });
}

PoolWork::~PoolWork()
{
    {
        const Lock lock(m_mutex);
        for (Member &member : m_members) {
            member.thread.request_stop();
            if (member.underWay)
                member.underWay->request_stop();
        }
    }
    for (Member &member : m_members)
        member.thread.join();
}

std::optional<Error> PoolWork::lost() const
{
    const Lock lock(m_mutex);
    return lostNow();
}

// A member that was lost has one attempt to come back before the pool gives up.
std::optional<Error> PoolWork::lostNow() const
{
    if (m_fatal)
        return m_fatal;
    const auto isOut = [](const Member &member) { return member.isLeftOut || (!member.isOpen && member.isTried); };
    if (!std::ranges::all_of(m_members, isOut))
        return std::nullopt;
    const auto first = std::ranges::find_if(m_members, [](const Member &member) { return member.trouble.has_value(); });
    return within("no member of the pool is left; " + first->place.device, *first->trouble).value();
}

std::vector<MemberCounts> PoolWork::counts() const
{
    const Lock lock(m_mutex);
    std::vector<MemberCounts> result;
    for (const Member &member : m_members)
        result.push_back(member.counts);
    return result;
}

std::size_t PoolWork::working() const
{
    return static_cast<std::size_t>(std::ranges::count_if(m_members, &Member::works));
}

void PoolWork::tell(Lock &lock, const std::string &text)
{
    if (!m_options.tell)
        return;
    lock.unlock();
    m_options.tell(text);
    lock.lock();
}

template <typename Until>
void PoolWork::waitUntil(Lock &lock, const std::stop_token &stop, const Until &until)
{
    for (;;) {
        m_changed.wait(lock, stop, [&] { return until() || m_waitChanged; });
        if (std::exchange(m_waitChanged, false) && m_told) {
            const auto waiting =
                std::ranges::find_if(m_members, [](const Member &member) { return member.wait.has_value(); });
            const auto wait = waiting == m_members.end() ? std::nullopt : waiting->wait;
            lock.unlock();
            m_told(wait);
            lock.lock();
        }
        if (until() || stop.stop_requested())
            return;
    }
}

// --- what the caller asks ---

void PoolWork::want(std::vector<WantedStage> stages)
{
    const Lock lock(m_mutex);
    m_isIdle = false;
    m_wanted.clear();
    std::erase_if(m_tasks, [this](const auto &entry) {
        return entry.second.state == State::Waiting && entry.second.refusedBy == kNobody && entry.first != m_asked;
    });
    if (m_common.empty() && working() > 1)
        chooseCommon(stages);
    for (WantedStage &wanted : stages) {
        const bool isNew = !m_timedBy.contains(wanted.signature) &&
                           m_tasks.try_emplace(wanted.signature, Task{.stage = std::move(wanted.stage)}).second;
        const auto task = m_tasks.find(wanted.signature);
        if (isNew || (task != m_tasks.end() && task->second.state == State::Waiting))
            m_wanted.push_back(wanted.signature);
    }
    m_changed.notify_all();
}

Result<StageLatency> PoolWork::latency(const WantedStage &asked, const std::stop_token &stop)
{
    Lock lock(m_mutex);
    m_isIdle = false;
    Task &task = m_tasks.try_emplace(asked.signature, Task{.stage = asked.stage}).first->second;
    m_asked = asked.signature;
    m_changed.notify_all();
    waitUntil(lock, stop, [&] { return task.state == State::Done || lostNow(); });
    m_asked.reset();
    if (task.state == State::Done && !m_fatal) {
        Result<StageLatency> answer = std::move(*task.answer);
        count(task.member, asked.signature, answer);
        m_tasks.erase(asked.signature);
        return answer;
    }
    if (const auto error = lostNow())
        return tl::unexpected(*error);
    m_isIdle = true;
    m_wanted.clear();
    for (const Member &member : m_members) {
        if (member.underWay)
            member.underWay->request_stop();
    }
    std::erase_if(m_tasks, [](const auto &entry) { return entry.second.state == State::Waiting; });
    return fail(ErrorCode::Cancelled, "stopped");
}

// Asked for the first time: it is not in vain.
void PoolWork::count(std::size_t member, const StageSignature &signature, const Result<StageLatency> &answer)
{
    const bool isTimed = !answer || answer->kind != LatencyKind::Stored;
    const bool isFirst = m_timedBy.insert_or_assign(signature, member).second;
    if (!isTimed)
        return;
    --m_members[member].counts.inVain;
    m_members[member].counts.stages += isFirst ? 1 : 0;
}

bool PoolWork::run(const Errand &errand)
{
    for (std::size_t i = 0; i < m_members.size(); ++i) {
        if (runOn(i, errand))
            return true;
    }
    return false;
}

bool PoolWork::runOn(std::size_t index, const Errand &errand)
{
    Lock lock(m_mutex);
    m_wanted.clear();
    std::erase_if(m_tasks, [](const auto &entry) { return entry.second.state == State::Waiting; });
    Member &member = m_members[index];
    if (!member.works())
        return false;
    member.errand = &errand;
    member.isDone = false;
    m_changed.notify_all();
    waitUntil(lock, {}, [&] { return member.isDone; });
    return member.isAnswered;
}

// --- what members do ---

void PoolWork::work(std::size_t index, const std::stop_token &stop)
{
    const StopHere whileOpening(stop);
    Lock lock(m_mutex);
    Member &member = m_members[index];
    while (!stop.stop_requested()) {
        if (!member.isOpen) {
            open(index, lock, stop);
            continue;
        }
        m_changed.wait(lock, stop, [&] { return hasWork(index); });
        if (stop.stop_requested())
            break;
        member.counts.isAtWork = true;
        if (member.errand)
            doErrand(index, lock);
        else if (hasToCompare(index))
            timeInCommon(index, lock);
        else
            timeStage(index, lock);
        member.counts.isAtWork = false;
        m_changed.notify_all();
    }
    const auto session = std::exchange(member.session, nullptr); // ends here, on its thread
    lock.unlock();
}

void PoolWork::open(std::size_t index, Lock &lock, const std::stop_token &stop)
{
    Member &member = m_members[index];
    if (member.isTried) {
        m_changed.wait_for(lock, stop, member.pause, [] { return false; });
        if (stop.stop_requested())
            return;
        member.pause = std::min(2 * member.pause, kLongestPause);
    }
    const bool wasLost = member.counts.timesLost > 0 || member.isTried;
    lock.unlock();
    auto session = member.place.open([this, index](const std::optional<DeviceWait> &wait) {
        const Lock told(m_mutex);
        m_members[index].wait = wait;
        m_waitChanged = true;
        m_changed.notify_all();
    });
    lock.lock();
    member.wait.reset();
    member.isTried = true;
    if (session) {
        member.hasAnswered = false;
        member.session = std::move(*session);
        member.isOpen = true;
        member.trouble.reset();
        member.counts.leftOut.clear();
        member.pause = m_options.comesBackAfter;
    } else {
        member.trouble = session.error();
        member.counts.leftOut = errorText(session.error());
    }
    m_changed.notify_all();
    if (stop.stop_requested())
        return;
    if (wasLost && member.isOpen)
        tell(lock, member.place.device + " is back in the pool");
    else if (!wasLost && !member.isOpen)
        tell(lock, fmt::format("{} takes no part in the pool: {}", member.place.device, member.counts.leftOut));
}

// Its device is lost.
void PoolWork::close(std::size_t index, Lock &lock, Error why)
{
    Member &member = m_members[index];
    member.isOpen = false;
    member.wait.reset();
    member.isTried = !member.hasAnswered;
    if (std::exchange(member.errand, nullptr)) {
        member.isDone = true;
        member.isAnswered = false;
    }
    member.isCompared = false;
    member.inCommon.clear();
    ++member.counts.timesLost;
    member.counts.leftOut = errorText(why);
    member.trouble = std::move(why);
    compare(); // the others may have waited for it
    m_changed.notify_all();
    auto session = std::exchange(member.session, nullptr);
    lock.unlock(); // it may take a while
    session.reset();
    lock.lock();
    tell(lock,
         fmt::format("{} was lost, and the others of the pool go on: {}", member.place.device, member.counts.leftOut));
}

bool PoolWork::hasWork(std::size_t index) const
{
    const Member &member = m_members[index];
    if (member.errand)
        return true;
    if (member.isLeftOut)
        return false;
    if (hasToCompare(index))
        return member.inCommon.size() < m_common.size() && !m_isIdle;
    return nextFor(index).has_value();
}

bool PoolWork::mayTake(std::size_t index, const StageSignature &signature, const Task &task) const
{
    if (task.state != State::Waiting)
        return false;
    if (task.refusedBy == index && working() > 1)
        return false;
    const auto before = m_timedBy.find(signature); // its session knows the stage
    return before == m_timedBy.end() || before->second == index || before->second == task.refusedBy ||
           !m_members[before->second].works();
}

std::optional<StageSignature> PoolWork::nextFor(std::size_t index) const
{
    if (m_asked && mayTake(index, *m_asked, m_tasks.at(*m_asked)))
        return m_asked;
    const auto next = std::ranges::find_if(
        m_wanted, [&](const StageSignature &signature) { return mayTake(index, signature, m_tasks.at(signature)); });
    return next == m_wanted.end() ? std::nullopt : std::optional(*next);
}

void PoolWork::doErrand(std::size_t index, Lock &lock)
{
    Member &member = m_members[index];
    const Errand *errand = std::exchange(member.errand, nullptr);
    lock.unlock();
    const bool isAnswered = (*errand)(*member.session);
    const bool isLost = member.session->isLost();
    lock.lock();
    member.isAnswered = isAnswered || !isLost;
    member.isDone = true;
    if (isLost)
        close(index, lock, {ErrorCode::DeviceFailed, "its device was lost", {}, {}});
}

void PoolWork::timeStage(std::size_t index, Lock &lock)
{
    const auto signature = nextFor(index);
    if (!signature)
        return;
    Member &member = m_members[index];
    Task &task = m_tasks.at(*signature);
    task.state = State::UnderWay;
    task.member = index;
    std::erase(m_wanted, *signature);
    const std::stop_token stop = member.underWay.emplace().get_token();
    const Stage stage = task.stage;
    lock.unlock();
    const auto begin = Clock::now();
    Result<StageLatency> answer = member.session->stageLatency({stage, *signature}, stop);
    const double seconds = secondsSince(begin);
    const bool isLost = !answer && member.session->isLost();
    lock.lock();
    member.underWay.reset();
    member.counts.seconds += seconds;
    if (isLost) {
        if (m_isIdle) {
            m_tasks.erase(*signature);
        } else {
            task.state = State::Waiting;
            m_wanted.push_front(*signature);
        }
        close(index, lock, std::move(answer.error()));
        return;
    }
    take(index, *signature, std::move(answer));
}

void PoolWork::take(std::size_t index, const StageSignature &signature, Result<StageLatency> answer)
{
    Task &task = m_tasks.at(signature);
    if (!answer && answer.error().code == ErrorCode::Cancelled) {
        if (m_asked == signature)
            task.state = State::Waiting;
        else
            m_tasks.erase(signature);
        return;
    }
    const bool isRefused = !answer && answer.error().code == ErrorCode::DeviceFailed;
    if (isRefused && task.refusedBy == kNobody && working() > 1) {
        task.state = State::Waiting;
        task.refusedBy = index;
        m_wanted.push_front(signature);
        return;
    }
    m_members[index].hasAnswered = true;
    const bool isTimed = !answer || answer->kind != LatencyKind::Stored;
    m_members[index].counts.inVain += isTimed ? 1 : 0;
    task.state = State::Done;
    task.answer = std::move(answer);
}

// --- stages in common ---

// From everywhere in the list.
void PoolWork::chooseCommon(const std::vector<WantedStage> &stages)
{
    const std::size_t most = std::min(m_options.stagesInCommon, stages.size());
    for (std::size_t i = 0; i < most; ++i)
        m_common.push_back(stages[i * stages.size() / most]);
}

bool PoolWork::hasToCompare(std::size_t index) const
{
    return !m_common.empty() && !m_members[index].isCompared;
}

void PoolWork::timeInCommon(std::size_t index, Lock &lock)
{
    Member &member = m_members[index];
    const Stage stage = m_common[member.inCommon.size()].stage;
    const std::stop_token stop = member.underWay.emplace().get_token();
    lock.unlock();
    const auto begin = Clock::now();
    auto answer = member.session->measureStage(stage, stop);
    const double seconds = secondsSince(begin);
    const bool isLost = !answer && member.session->isLost();
    lock.lock();
    member.underWay.reset();
    member.counts.seconds += seconds;
    if (isLost) {
        close(index, lock, std::move(answer.error()));
        return;
    }
    if (!answer && answer.error().code == ErrorCode::Cancelled)
        return;
    member.hasAnswered = member.hasAnswered || answer;
    ++member.counts.inCommon;
    member.inCommon.push_back(answer ? std::move(*answer) : StageLatency{});
    compare();
}

void PoolWork::leaveOut(std::size_t index, std::string why)
{
    Member &member = m_members[index];
    member.isLeftOut = true;
    member.trouble = Error{ErrorCode::DeviceFailed, why, {}, {}};
    member.counts.leftOut = std::move(why);
}

// Once every member that works has timed all of them; later those that have.
void PoolWork::compare()
{
    if (m_common.empty())
        return;
    const bool isFirst = std::ranges::none_of(m_members, &Member::isCompared);
    std::vector<std::size_t> indices;
    std::vector<TimedInCommon> timed;
    for (std::size_t i = 0; i < m_members.size(); ++i) {
        const Member &member = m_members[i];
        if (!member.works())
            continue;
        if (member.inCommon.size() < m_common.size()) {
            if (isFirst)
                return;
            continue;
        }
        auto &own = timed.emplace_back(TimedInCommon{member.place.device, {}});
        for (const StageLatency &latency : member.inCommon)
            own.latenciesUs.push_back(latency.timing.latencyUs);
        indices.push_back(i);
    }
    const auto leftOut = membersToLeaveOut(timed);
    if (!leftOut) {
        m_fatal = leftOut.error();
        return;
    }
    m_fatal.reset(); // a third member may have decided
    for (const MemberLeftOut &each : *leftOut)
        leaveOut(indices[each.member], each.why);
    for (const std::size_t index : indices)
        m_members[index].isCompared = m_members[index].works();
    const auto agreed = std::ranges::find_if(m_members, &Member::isCompared);
    if (isFirst && agreed != m_members.end())
        keepCommon(static_cast<std::size_t>(agreed - m_members.begin()));
}

// The member's answers are those of the search as well, so that no stage is timed again.
void PoolWork::keepCommon(std::size_t index)
{
    Member &member = m_members[index];
    for (std::size_t i = 0; i < m_common.size(); ++i) {
        const StageSignature &signature = m_common[i].signature;
        const auto task = m_tasks.find(signature);
        const Timing &timing = member.inCommon[i].timing;
        if (task == m_tasks.end() || task->second.state != State::Waiting || timing.latencyUs <= 0 ||
            timing.isDisturbed())
            continue;
        std::erase(m_wanted, signature);
        --member.counts.inCommon;
        task->second.member = index;
        take(index, signature, member.inCommon[i]);
    }
}

} // namespace stagecraft
