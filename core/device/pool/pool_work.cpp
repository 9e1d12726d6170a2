#include "device/pool/pool_work.h"

#include "device/pool/common_stages.h"
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

PoolWork::PoolWork(const std::vector<std::string> &members, OpenerOf openerOf, PoolOptions options,
                   Device::Waiting told)
    : m_openerOf(std::move(openerOf)), m_options(std::move(options)), m_told(std::move(told)),
      m_tasks({[this](std::size_t member) { return m_members[member].works(); }, [this] { return working(); }})
{
    Lock lock(m_mutex);
    for (const std::string &device : members)
        add(device);
    waitUntil(lock, stopHere(), [this] { return std::ranges::all_of(m_members, &PoolMember::isTried); });
    if (m_options.members)
        m_watching = std::jthread([this](const std::stop_token &stop) { watch(stop); });
}

PoolWork::~PoolWork()
{
    m_watching = {}; // which adds members
    {
        const Lock lock(m_mutex);
        for (PoolMember &member : m_members) {
            member.thread.request_stop();
            if (member.underWay)
                member.underWay->request_stop();
        }
    }
    for (PoolMember &member : m_members)
        member.thread.join();
}

std::size_t PoolWork::size() const
{
    const Lock lock(m_mutex);
    return m_members.size();
}

std::optional<Error> PoolWork::lost() const
{
    const Lock lock(m_mutex);
    return lostNow();
}

std::optional<Error> PoolWork::lostNow() const
{
    if (m_fatal)
        return m_fatal;
    if (!std::ranges::all_of(m_members, &PoolMember::isOut))
        return std::nullopt;
    const auto first =
        std::ranges::find_if(m_members, [](const PoolMember &member) { return member.trouble.has_value(); });
    return within("no member of the pool is left; " + first->counts.device, *first->trouble).value();
}

std::vector<MemberCounts> PoolWork::counts() const
{
    const Lock lock(m_mutex);
    std::vector<MemberCounts> result;
    for (const PoolMember &member : m_members)
        result.push_back(member.counts);
    return result;
}

std::size_t PoolWork::working() const
{
    return static_cast<std::size_t>(std::ranges::count_if(m_members, &PoolMember::works));
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
                std::ranges::find_if(m_members, [](const PoolMember &member) { return member.wait.has_value(); });
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
    if (m_common.empty() && working() > 1)
        chooseCommon(stages);
    m_tasks.want(std::move(stages));
    m_changed.notify_all();
}

Result<StageLatency> PoolWork::latency(const WantedStage &asked, const std::stop_token &stop)
{
    Lock lock(m_mutex);
    m_isIdle = false;
    m_tasks.ask(asked);
    m_changed.notify_all();
    waitUntil(lock, stop, [&] { return m_tasks.isAnswered() || lostNow(); });
    if (m_tasks.isAnswered() && !m_fatal) {
        StageTasks::Answered answered = m_tasks.takeAnswer();
        count(answered);
        return std::move(answered.answer);
    }
    m_tasks.endQuestion();
    if (const auto error = lostNow())
        return tl::unexpected(*error);
    m_isIdle = true;
    m_tasks.clear();
    for (const PoolMember &member : m_members) {
        if (member.underWay)
            member.underWay->request_stop();
    }
    return fail(ErrorCode::Cancelled, "stopped");
}

// Asked for the first time: it is not in vain.
void PoolWork::count(const StageTasks::Answered &answered)
{
    const bool isTimed = !answered.answer || answered.answer->kind != LatencyKind::Stored;
    if (!isTimed)
        return;
    MemberCounts &counts = m_members[answered.member].counts;
    --counts.inVain;
    counts.stages += answered.isFirst ? 1 : 0;
}

bool PoolWork::run(const Errand &errand)
{
    for (std::size_t i = 0; i < size(); ++i) {
        if (runOn(i, errand))
            return true;
    }
    return false;
}

bool PoolWork::runOn(std::size_t index, const Errand &errand)
{
    Lock lock(m_mutex);
    m_tasks.clear();
    PoolMember &member = m_members[index];
    if (!member.works())
        return false;
    member.errand = &errand;
    member.isDone = false;
    m_changed.notify_all();
    waitUntil(lock, {}, [&] { return member.isDone; });
    return member.isAnswered;
}

// --- who is a member ---

void PoolWork::add(const std::string &device)
{
    const std::size_t index = m_members.size();
    PoolMember &member = m_members.emplace_back();
    member.counts.device = device;
    member.openDevice = m_openerOf(device);
    member.pause = m_options.comesBackAfter;
    member.thread = std::jthread([this, index](const std::stop_token &stop) { work(index, stop); });
}

void PoolWork::watch(const std::stop_token &stop)
{
    Lock lock(m_mutex);
    for (;;) {
        m_changed.wait_for(lock, stop, m_options.looksAfter, [] { return false; });
        if (stop.stop_requested())
            return;
        lock.unlock();
        const PoolMembers now = m_options.members();
        lock.lock();
        follow(now, lock);
    }
}

void PoolWork::follow(const PoolMembers &now, Lock &lock)
{
    std::vector<std::string> told;
    for (const std::string &text : now.wrong) {
        if (m_toldWrong.insert(text).second)
            told.push_back(text);
    }
    std::vector<std::string> fresh = now.ids;
    for (std::size_t i = 0; i < m_members.size() && !now.ids.empty(); ++i) {
        PoolMember &member = m_members[i];
        const auto named = std::ranges::find(fresh, member.counts.device);
        const bool isNamed = named != fresh.end();
        if (isNamed)
            fresh.erase(named);
        if (isNamed != member.isTakenOut)
            continue;
        member.isTakenOut = !isNamed;
        told.push_back(member.counts.device + (isNamed ? " is in the pool again" : " was taken out of the pool"));
    }
    for (const std::string &device : fresh) {
        add(device);
        told.push_back(device + " was added to the pool");
    }
    compare(); // the others may have waited for who was taken out
    m_changed.notify_all();
    for (const std::string &text : told)
        tell(lock, text);
}

// --- what members do ---

void PoolWork::work(std::size_t index, const std::stop_token &stop)
{
    const StopHere whileOpening(stop);
    Lock lock(m_mutex);
    PoolMember &member = m_members[index];
    while (!stop.stop_requested()) {
        if (member.isTakenOut) {
            stayOut(index, lock, stop);
            continue;
        }
        if (!member.isOpen) {
            open(index, lock, stop);
            continue;
        }
        m_changed.wait(lock, stop, [&] { return member.isTakenOut || hasWork(index); });
        if (stop.stop_requested() || member.isTakenOut)
            continue;
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

void PoolWork::stayOut(std::size_t index, Lock &lock, const std::stop_token &stop)
{
    PoolMember &member = m_members[index];
    member.takeOut();
    m_changed.notify_all();
    auto session = std::exchange(member.session, nullptr);
    lock.unlock(); // it may take a while
    session.reset();
    lock.lock();
    m_changed.wait(lock, stop, [&] { return !member.isTakenOut; });
    member.isTried = false;
    member.pause = m_options.comesBackAfter;
}

void PoolWork::open(std::size_t index, Lock &lock, const std::stop_token &stop)
{
    PoolMember &member = m_members[index];
    if (member.isTried) {
        m_changed.wait_for(lock, stop, member.pause, [&] { return member.isTakenOut; });
        if (stop.stop_requested() || member.isTakenOut)
            return;
        member.pause = std::min(2 * member.pause, kLongestPause);
    }
    const bool wasLost = member.counts.timesLost > 0 || member.isTried;
    lock.unlock();
    auto session = member.openDevice([this, index](const std::optional<DeviceWait> &wait) {
        const Lock told(m_mutex);
        m_members[index].wait = wait;
        m_waitChanged = true;
        m_changed.notify_all();
    });
    lock.lock();
    member.opened(std::move(session), m_options.comesBackAfter);
    m_changed.notify_all();
    if (stop.stop_requested())
        return;
    if (wasLost && member.isOpen)
        tell(lock, member.counts.device + " is back in the pool");
    else if (!wasLost && !member.isOpen)
        tell(lock, fmt::format("{} takes no part in the pool: {}", member.counts.device, member.counts.leftOut));
}

// Its device is lost.
void PoolWork::close(std::size_t index, Lock &lock, Error why)
{
    PoolMember &member = m_members[index];
    member.lose(std::move(why));
    compare(); // the others may have waited for it
    m_changed.notify_all();
    auto session = std::exchange(member.session, nullptr);
    lock.unlock(); // it may take a while
    session.reset();
    lock.lock();
    tell(lock,
         fmt::format("{} was lost, and the others of the pool go on: {}", member.counts.device, member.counts.leftOut));
}

bool PoolWork::hasWork(std::size_t index) const
{
    const PoolMember &member = m_members[index];
    if (member.errand)
        return true;
    if (member.isLeftOut)
        return false;
    if (hasToCompare(index))
        return member.inCommon.size() < m_common.size() && !m_isIdle;
    return m_tasks.nextFor(index).has_value();
}

void PoolWork::doErrand(std::size_t index, Lock &lock)
{
    PoolMember &member = m_members[index];
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
    const auto signature = m_tasks.nextFor(index);
    if (!signature)
        return;
    PoolMember &member = m_members[index];
    const Stage stage = m_tasks.begin(*signature, index);
    const std::stop_token stop = member.underWay.emplace().get_token();
    lock.unlock();
    const auto begin = Clock::now();
    Result<StageLatency> answer = member.session->stageLatency({stage, *signature}, stop);
    const double seconds = secondsSince(begin);
    const bool isLost = !answer && member.session->isLost();
    lock.lock();
    member.underWay.reset();
    member.counts.seconds += seconds;
    if (isLost) {
        if (m_isIdle)
            m_tasks.drop(*signature);
        else
            m_tasks.giveBack(*signature);
        close(index, lock, std::move(answer.error()));
        return;
    }
    take(index, *signature, std::move(answer));
}

void PoolWork::take(std::size_t index, const StageSignature &signature, Result<StageLatency> answer)
{
    const bool isTimed = !answer || answer->kind != LatencyKind::Stored;
    if (!m_tasks.take(signature, index, std::move(answer)))
        return;
    m_members[index].hasAnswered = true;
    m_members[index].counts.inVain += isTimed ? 1 : 0;
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
    PoolMember &member = m_members[index];
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

// Once every member that works has timed all of them; later those that have.
void PoolWork::compare()
{
    if (m_common.empty())
        return;
    const bool isFirst = std::ranges::none_of(m_members, &PoolMember::isCompared);
    std::vector<std::size_t> indices;
    std::vector<TimedInCommon> timed;
    for (std::size_t i = 0; i < m_members.size(); ++i) {
        const PoolMember &member = m_members[i];
        if (!member.works())
            continue;
        if (member.inCommon.size() < m_common.size()) {
            if (isFirst)
                return;
            continue;
        }
        timed.push_back(member.timedInCommon());
        indices.push_back(i);
    }
    const auto leftOut = membersToLeaveOut(timed);
    if (!leftOut) {
        m_fatal = leftOut.error();
        return;
    }
    m_fatal.reset(); // a third member may have decided
    for (const MemberLeftOut &each : *leftOut)
        m_members[indices[each.member]].leaveOut(each.why);
    for (const std::size_t index : indices)
        m_members[index].isCompared = m_members[index].works();
    const auto agreed = std::ranges::find_if(m_members, &PoolMember::isCompared);
    if (isFirst && agreed != m_members.end())
        keepCommon(static_cast<std::size_t>(agreed - m_members.begin()));
}

// The member's answers are those of the search as well, so that no stage is timed again.
void PoolWork::keepCommon(std::size_t index)
{
    PoolMember &member = m_members[index];
    for (std::size_t i = 0; i < m_common.size(); ++i) {
        const StageSignature &signature = m_common[i].signature;
        const Timing &timing = member.inCommon[i].timing;
        if (!m_tasks.isWaiting(signature) || timing.latencyUs <= 0 || timing.isDisturbed())
            continue;
        --member.counts.inCommon;
        take(index, signature, member.inCommon[i]);
    }
}

} // namespace stagecraft
