#pragma once

// Hands the stages that a search asks for and wants to the members of a pool, each of which has a session and a thread
// of its own.
//
// Which stage is whose turn, see device/pool/stage_tasks.h. A member whose device is lost gives its stage back, and is
// opened again after a pause. What was measured ahead is kept until it is asked for. Before anything is wanted, the
// members time a few stages in common (device/pool/common_stages.h), and those that disagree are left out. Members may
// be added and taken out while the pool works (PoolOptions::members): who is taken out ends its stage first. Threads:
// one caller; counts() and size() from any.

#include "device/device.h"
#include "device/pool/pool_file.h"
#include "device/pool/pool_member.h"
#include "device/pool/stage_tasks.h"

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace stagecraft {

struct PoolOptions {
    std::function<void(const std::string &)> tell; // a member was lost, came back, or is left out; from any thread
    std::size_t stagesInCommon = 5;
    std::chrono::milliseconds comesBackAfter{2000}; // doubled after each attempt that fails, up to a minute
    // Who is a member now: asked again and again on a thread of the pool. Without ids nothing changes; what is wrong is
    // told once. Null: members stay the same.
    std::function<PoolMembers()> members{};
    std::chrono::milliseconds looksAfter{1000};
};

// Of the member with this id.
using OpenerOf = std::function<OpenMember(const std::string &device)>;

class PoolWork {
public:
    // Opens all members and waits for them, until a stop is requested (support/stop_here.h).
    PoolWork(const std::vector<std::string> &members, OpenerOf openerOf, PoolOptions options, Device::Waiting told);
    ~PoolWork();
    PoolWork(const PoolWork &) = delete;
    PoolWork &operator=(const PoolWork &) = delete;

    // Why no member works; empty: one does.
    [[nodiscard]] std::optional<Error> lost() const;
    [[nodiscard]] std::vector<MemberCounts> counts() const;

    void want(std::vector<WantedStage> stages);
    [[nodiscard]] Result<StageLatency> latency(const WantedStage &asked, const std::stop_token &stop);

    // Runs on the thread of the member, or of the first that works. True: it was answered, or refused for a reason of
    // its own; after false, if the device is lost, the next member gets it. Nothing is wanted any more. False: no
    // member works.
    using Errand = PoolErrand;
    bool run(const Errand &errand);
    bool runOn(std::size_t member, const Errand &errand);
    // With members that were lost or taken out.
    [[nodiscard]] std::size_t size() const;

private:
    using Lock = std::unique_lock<std::mutex>;

    void add(const std::string &device);
    void watch(const std::stop_token &stop);
    void follow(const PoolMembers &now, Lock &lock);
    void work(std::size_t member, const std::stop_token &stop);
    void stayOut(std::size_t member, Lock &lock, const std::stop_token &stop);
    void open(std::size_t member, Lock &lock, const std::stop_token &stop);
    [[nodiscard]] bool hasWork(std::size_t member) const;
    void doErrand(std::size_t member, Lock &lock);
    void timeInCommon(std::size_t member, Lock &lock);
    void timeStage(std::size_t member, Lock &lock);
    void close(std::size_t member, Lock &lock, Error why);
    void take(std::size_t member, const StageSignature &signature, Result<StageLatency> answer);
    void chooseCommon(const std::vector<WantedStage> &stages);
    void compare();
    [[nodiscard]] bool hasToCompare(std::size_t member) const;
    void keepCommon(std::size_t member);
    [[nodiscard]] std::size_t working() const;
    [[nodiscard]] std::optional<Error> lostNow() const;
    void count(const StageTasks::Answered &answered);
    // Waits on the caller's thread, and tells it what members wait for.
    template <typename Until>
    void waitUntil(Lock &lock, const std::stop_token &stop, const Until &until);
    void tell(Lock &lock, const std::string &text);

    mutable std::mutex m_mutex; // protects what follows, but for the sessions
    std::condition_variable_any m_changed;
    std::deque<PoolMember> m_members; // none ever moves or goes
    OpenerOf m_openerOf;
    PoolOptions m_options;
    Device::Waiting m_told;
    bool m_waitChanged = false;
    std::optional<Error> m_fatal;
    bool m_isIdle = false; // stopped: nothing is asked for until the next question
    std::vector<WantedStage> m_common;
    StageTasks m_tasks;
    std::set<std::string> m_toldWrong;
    std::jthread m_watching; // null: members stay the same
};

} // namespace stagecraft
