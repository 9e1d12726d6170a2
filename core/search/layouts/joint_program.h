#pragma once

// The dynamic program over (S, copies, kind of the last stage) and its bounds (search/layouts/joint_search.h has the
// mathematics). Private to layout.

#include "search/layouts/joint_search.h"
#include "search/layouts/joint_space.h"
#include "search/layouts/layout_states.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace stagecraft {

// By block, stage of its space: those that may be used.
using AllowedStages = std::vector<std::vector<bool>>;

struct JointPath {
    std::vector<Stage> stages;
    LayoutAssignment layouts;
};

class JointProgram {
public:
    // Empty `allowed`: every stage.
    JointProgram(JointSpace &space, AllowedStages allowed, const JointOptions &options, const char *step);

    // Evaluates stages until the path of least h is evaluated in full.
    [[nodiscard]] Result<void> tighten();
    // h at the start: of every schedule in every layout. Infinity: there is none.
    [[nodiscard]] double lowerBoundUs() const { return m_toGo.front().front().us.front(); }
    // The stages of that path.
    [[nodiscard]] AllowedStages bestStages() const;

    struct Limits {
        double us = kImpossible; // of the path
        std::size_t states = std::numeric_limits<std::size_t>::max();
        std::size_t statesOfSet = std::numeric_limits<std::size_t>::max(); // the dearest of a set are left out
        std::int64_t steps = std::numeric_limits<std::int64_t>::max();     // conversions of one tensor looked at
    };
    // The best path below the limit; empty: there is none, or states or steps exceeded theirs. isComplete() says
    // whether no state was left out.
    [[nodiscard]] Result<std::optional<JointPath>> solve(const Limits &limits);
    [[nodiscard]] bool isComplete() const { return m_isComplete; }
    [[nodiscard]] std::int64_t states() const { return m_states; }
    [[nodiscard]] std::int64_t transitions() const { return m_transitions; }

private:
    struct State {
        CopiesOfCut copies;
        double us = 0;            // of everything up to here
        std::uint32_t before = 0; // index among the states of `rest`
        std::uint32_t rest = 0;
        std::uint32_t stage = 0;
        std::uint32_t variant = 0;
        std::uint64_t option = 0; // of the conversions before the stage
    };
    using States = std::vector<State>;
    struct ToGo {
        std::array<double, 2> us{kImpossible, kImpossible}; // by whether the last stage was concurrent
        std::array<std::uint32_t, 2> stage{};               // the next one
        std::array<std::uint32_t, 2> target{};
    };
    using Reads = std::vector<std::pair<std::uint32_t, LayoutSet>>;
    // What the first tensors that a stage reads were converted to.
    struct Conversion {
        CopiesOfCut copies;
        double us = 0; // without boundaries
        std::size_t hops = 0;
        std::size_t tensors = 0;
        std::uint64_t option = 0; // the ways taken, as digits: the same whatever was left out
    };
    // The conversions of one option, one way for each tensor read.
    using Ways = std::vector<const CopiesWay *>;

    [[nodiscard]] bool isAllowed(std::size_t block, std::uint32_t stage) const
    {
        return m_allowed.empty() || m_allowed[block][stage];
    }
    [[nodiscard]] double betweenUs(bool isFirst, bool earlierConcurrent, bool laterConcurrent) const;
    [[nodiscard]] double conversionBoundariesUs(bool isFirst, bool before, std::optional<bool> after,
                                                std::size_t conversions) const;
    void findToGo();
    template <typename Visit>
    void combine(std::size_t block, const Reads &reads, double mostUs, const Conversion &soFar, Ways &ways,
                 const Visit &visit);
    template <typename Visit>
    void forEachOption(std::size_t block, std::uint32_t target, bool isFirst, const State &state,
                       const StageVariant &variant, bool isConcurrent, double mostUs, const Visit &visit);
    // Empty: the limit of steps was met.
    [[nodiscard]] Result<std::optional<States>> statesOf(std::size_t block, std::uint32_t target, const Limits &limits);
    void keepFirst(States &states, std::size_t count);
    [[nodiscard]] States firstStates() const;
    [[nodiscard]] States handedOver(std::size_t block) const;
    [[nodiscard]] Reads outputs() const;
    template <typename Visit>
    void forEachEnd(const State &state, const Visit &visit);
    [[nodiscard]] JointPath retrace(std::uint32_t last, std::uint64_t endOption, double us);
    [[nodiscard]] Result<void> goOn();

    JointSpace &m_space;
    AllowedStages m_allowed;
    const JointOptions &m_options;
    const char *m_step;
    std::size_t m_layouts;
    std::vector<std::vector<ToGo>> m_toGo;       // by block, state
    std::vector<std::vector<States>> m_statesOf; // by block, state
    bool m_isComplete = true;
    std::int64_t m_states = 0;
    std::int64_t m_transitions = 0;
    std::int64_t m_steps = 0;
};

} // namespace stagecraft
