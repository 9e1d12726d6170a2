#pragma once

// Hands the stages that a search asks for and wants to the members of a pool, each of which has a session and a thread
// of its own.
//
// A stage that is asked for goes before those that are only wanted. A member whose device is lost gives its stage back,
// and is opened again after a pause; a stage is refused once two members have refused it. What was measured ahead is
// kept until it is asked for. Before anything is wanted, the members time a few stages in common
// (device/pool/common_stages.h), and those that disagree are left out. Threads: one caller; counts() from any.

#include "device/device.h"

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

namespace stagecraft {

struct PoolOptions {
    std::function<void(const std::string &)> tell; // a member was lost, came back, or is left out; from any thread
    std::size_t stagesInCommon = 5;
    std::chrono::milliseconds comesBackAfter{2000}; // doubled after each attempt that fails, up to a minute
};

// Opens the member's device anew, on the thread of the member.
using OpenMember = std::function<Result<std::unique_ptr<DeviceSession>>(Device::Waiting)>;

struct PoolPlace {
    std::string device; // id of the member
    OpenMember open;
};

class PoolWork {
public:
    // Opens all members and waits for them, until a stop is requested (support/stop_here.h).
    PoolWork(std::vector<PoolPlace> places, PoolOptions options, Device::Waiting told);
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
    using Errand = std::function<bool(DeviceSession &)>;
    bool run(const Errand &errand);
    bool runOn(std::size_t member, const Errand &errand);
    [[nodiscard]] std::size_t size() const { return m_members.size(); }

private:
    enum class State { Waiting, UnderWay, Done };

    struct Task {
        Stage stage;
        State state = State::Waiting;
        std::size_t member = kNobody;    // that has it under way, or had it
        std::size_t refusedBy = kNobody; // the first one
        std::optional<Result<StageLatency>> answer{};
    };

    struct Member {
        PoolPlace place;
        std::unique_ptr<DeviceSession> session; // used by its thread alone
        MemberCounts counts;
        bool isOpen = false;
        bool isTried = false;     // to open it, since it was lost
        bool hasAnswered = false; // since it was opened
        bool isLeftOut = false;   // it disagrees
        std::optional<Error> trouble;
        std::chrono::milliseconds pause{};
        std::vector<StageLatency> inCommon; // by stage in common; a latency of 0: refused
        bool isCompared = false;
        const Errand *errand = nullptr;
        bool isDone = false; // the errand
        bool isAnswered = false;
        std::optional<std::stop_source> underWay; // of the stage
        std::optional<DeviceWait> wait;
        std::jthread thread;

        [[nodiscard]] bool works() const { return isOpen && !isLeftOut; }
    };

    static constexpr std::size_t kNobody = ~std::size_t{0};
    using Lock = std::unique_lock<std::mutex>;

    void work(std::size_t member, const std::stop_token &stop);
    void open(std::size_t member, Lock &lock, const std::stop_token &stop);
    [[nodiscard]] bool hasWork(std::size_t member) const;
    void doErrand(std::size_t member, Lock &lock);
    void timeInCommon(std::size_t member, Lock &lock);
    void timeStage(std::size_t member, Lock &lock);
    void close(std::size_t member, Lock &lock, Error why);
    void take(std::size_t member, const StageSignature &signature, Result<StageLatency> answer);
    void chooseCommon(const std::vector<WantedStage> &stages);
    void compare();
    void leaveOut(std::size_t member, std::string why);
    [[nodiscard]] bool hasToCompare(std::size_t member) const;
    void keepCommon(std::size_t member);
    [[nodiscard]] bool mayTake(std::size_t member, const StageSignature &signature, const Task &task) const;
    [[nodiscard]] std::optional<StageSignature> nextFor(std::size_t member) const;
    [[nodiscard]] std::size_t working() const;
    [[nodiscard]] std::optional<Error> lostNow() const;
    void count(std::size_t member, const StageSignature &signature, const Result<StageLatency> &answer);
    // Waits on the caller's thread, and tells it what members wait for.
    template <typename Until>
    void waitUntil(Lock &lock, const std::stop_token &stop, const Until &until);
    void tell(Lock &lock, const std::string &text);

    mutable std::mutex m_mutex; // protects what follows, but for the sessions
    std::condition_variable_any m_changed;
    std::vector<Member> m_members;
    PoolOptions m_options;
    Device::Waiting m_told;
    bool m_waitChanged = false;
    std::optional<Error> m_fatal;
    bool m_isIdle = false; // stopped: nothing is asked for until the next question
    std::vector<WantedStage> m_common;
    std::unordered_map<StageSignature, Task> m_tasks;
    std::deque<StageSignature> m_wanted;
    std::optional<StageSignature> m_asked;
    std::unordered_map<StageSignature, std::size_t> m_timedBy; // what was asked for
};

} // namespace stagecraft
