#pragma once

// The stages that a pool is asked for, and those that are only wanted: who has which under way, and what was answered.
//
// What is asked for goes first, then what is wanted, in order. A stage is refused once two members have refused it. A
// member whose session has timed a stage gets it again. Threads: its owner's lock is held.

#include "schedule/stage_latency_source.h"
#include "schedule/stage_signature.h"
#include "support/result.h"

#include <cstddef>
#include <deque>
#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

namespace stagecraft {

class StageTasks {
public:
    struct Members {
        std::function<bool(std::size_t member)> works;
        std::function<std::size_t()> working; // how many
    };
    struct Answered {
        std::size_t member = 0; // that timed it
        Result<StageLatency> answer;
        bool isFirst = false; // the stage was not asked for before
    };

    explicit StageTasks(Members members) : m_members(std::move(members)) {}

    // In the place of what was wanted before and is not under way.
    void want(std::vector<WantedStage> stages);
    void ask(const WantedStage &asked);
    [[nodiscard]] bool isAnswered() const; // what is asked for
    [[nodiscard]] Answered takeAnswer();   // ends the question
    void endQuestion() { m_asked.reset(); }
    // Nobody wants what is not under way.
    void clear();

    [[nodiscard]] std::optional<StageSignature> nextFor(std::size_t member) const;
    [[nodiscard]] bool isWaiting(const StageSignature &signature) const;
    // Under way from now on.
    [[nodiscard]] Stage begin(const StageSignature &signature, std::size_t member);
    // Was not answered: the next one in line for the others.
    void giveBack(const StageSignature &signature);
    void drop(const StageSignature &signature) { m_tasks.erase(signature); }
    // False: it was cancelled, or another member is asked.
    bool take(const StageSignature &signature, std::size_t member, Result<StageLatency> answer);

private:
    enum class State { Waiting, UnderWay, Done };

    static constexpr std::size_t kNobody = ~std::size_t{0};

    struct Task {
        Stage stage;
        State state = State::Waiting;
        std::size_t member = kNobody;    // that has it under way, or had it
        std::size_t refusedBy = kNobody; // the first one
        std::optional<Result<StageLatency>> answer{};
    };

    [[nodiscard]] bool mayTake(std::size_t member, const StageSignature &signature, const Task &task) const;

    Members m_members;
    std::unordered_map<StageSignature, Task> m_tasks;
    std::deque<StageSignature> m_wanted;
    std::optional<StageSignature> m_asked;
    std::unordered_map<StageSignature, std::size_t> m_timedBy; // what was asked for
};

} // namespace stagecraft
