#include "device/pool/stage_tasks.h"

#include <algorithm>
#include <utility>

namespace stagecraft {

void StageTasks::want(std::vector<WantedStage> stages)
{
    m_wanted.clear();
    std::erase_if(m_tasks, [this](const auto &entry) {
        return entry.second.state == State::Waiting && entry.second.refusedBy == kNobody && entry.first != m_asked;
    });
    for (WantedStage &wanted : stages) {
        const bool isNew = !m_timedBy.contains(wanted.signature) &&
                           m_tasks.try_emplace(wanted.signature, Task{.stage = std::move(wanted.stage)}).second;
        const auto task = m_tasks.find(wanted.signature);
        if (isNew || (task != m_tasks.end() && task->second.state == State::Waiting))
            m_wanted.push_back(wanted.signature);
    }
}

void StageTasks::ask(const WantedStage &asked)
{
    m_tasks.try_emplace(asked.signature, Task{.stage = asked.stage});
    m_asked = asked.signature;
}

bool StageTasks::isAnswered() const
{
    return m_asked && m_tasks.at(*m_asked).state == State::Done;
}

StageTasks::Answered StageTasks::takeAnswer()
{
    const StageSignature signature = *std::exchange(m_asked, std::nullopt);
    Task &task = m_tasks.at(signature);
    const bool isFirst = m_timedBy.insert_or_assign(signature, task.member).second;
    Answered answered{task.member, std::move(*task.answer), isFirst};
    m_tasks.erase(signature);
    return answered;
}

void StageTasks::clear()
{
    m_wanted.clear();
    std::erase_if(m_tasks, [](const auto &entry) { return entry.second.state == State::Waiting; });
}

bool StageTasks::mayTake(std::size_t member, const StageSignature &signature, const Task &task) const
{
    if (task.state != State::Waiting)
        return false;
    if (task.refusedBy == member && m_members.working() > 1)
        return false;
    const auto before = m_timedBy.find(signature); // its session knows the stage
    return before == m_timedBy.end() || before->second == member || before->second == task.refusedBy ||
           !m_members.works(before->second);
}

std::optional<StageSignature> StageTasks::nextFor(std::size_t member) const
{
    if (m_asked && mayTake(member, *m_asked, m_tasks.at(*m_asked)))
        return m_asked;
    const auto next = std::ranges::find_if(
        m_wanted, [&](const StageSignature &signature) { return mayTake(member, signature, m_tasks.at(signature)); });
    return next == m_wanted.end() ? std::nullopt : std::optional(*next);
}

bool StageTasks::isWaiting(const StageSignature &signature) const
{
    const auto task = m_tasks.find(signature);
    return task != m_tasks.end() && task->second.state == State::Waiting;
}

Stage StageTasks::begin(const StageSignature &signature, std::size_t member)
{
    Task &task = m_tasks.at(signature);
    task.state = State::UnderWay;
    task.member = member;
    std::erase(m_wanted, signature);
    return task.stage;
}

void StageTasks::giveBack(const StageSignature &signature)
{
    m_tasks.at(signature).state = State::Waiting;
    m_wanted.push_front(signature);
}

bool StageTasks::take(const StageSignature &signature, std::size_t member, Result<StageLatency> answer)
{
    Task &task = m_tasks.at(signature);
    if (!answer && answer.error().code == ErrorCode::Cancelled) {
        if (m_asked == signature)
            task.state = State::Waiting;
        else
            m_tasks.erase(signature);
        return false;
    }
    const bool isRefused = !answer && answer.error().code == ErrorCode::DeviceFailed;
    if (isRefused && task.refusedBy == kNobody && m_members.working() > 1) {
        task.refusedBy = member;
        giveBack(signature);
        return false;
    }
    std::erase(m_wanted, signature);
    task.member = member;
    task.state = State::Done;
    task.answer = std::move(answer);
    return true;
}

} // namespace stagecraft
