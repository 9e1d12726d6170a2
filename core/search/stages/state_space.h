#pragma once

// The whole space of one block in memory: states, possible stages, and every transition as a pair of numbers (the
// remaining state, the stage that ends it). Eight bytes per transition.

#include "search/interrupt.h"
#include "search/stages/states.h"
#include "search/stages/transitions.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace stagecraft {

struct Transition {
    std::uint32_t rest = 0;  // state
    std::uint32_t stage = 0; // index into StateSpace::stages
};

struct SpaceStage {
    OperatorSet operators = 0;
    Strategy strategy = Strategy::Concurrent;
    bool concurrent = false; // several groups
};

struct SpaceLimits {
    std::size_t states = 1'000'000;
    std::size_t transitions = 30'000'000;
    std::size_t stages = 1'000'000;
};

// All transitions of a block, or those that still matter.
struct TransitionTable {
    std::vector<std::size_t> firstTransition{0, 0}; // per state, and one past the last
    std::vector<Transition> transitions;            // per state: first those whose stage is not concurrent
    std::vector<std::size_t> firstConcurrent{0};    // per state: the first transition with a concurrent stage

    [[nodiscard]] std::span<const Transition> single(std::uint32_t state) const
    {
        return {transitions.data() + firstTransition[state], transitions.data() + firstConcurrent[state]};
    }
    [[nodiscard]] std::span<const Transition> concurrent(std::uint32_t state) const
    {
        return {transitions.data() + firstConcurrent[state], transitions.data() + firstTransition[state + 1]};
    }
};

struct StateSpace : TransitionTable {
    BlockView view;
    States states;
    std::vector<SpaceStage> stages;
    OperatorSetIndex concurrent; // concurrent stages by their operators

    [[nodiscard]] Stage stage(std::uint32_t index) const
    {
        return view.stage(stages[index].operators, stages[index].strategy);
    }
};

// Builds a space piece by piece: after an interruption, the next piece continues.
class SpaceBuilder {
public:
    enum class Outcome { Done, Interrupted, TooLarge };

    SpaceBuilder(BlockView view, const SearchOptions &options) : m_options(options) { m_space.view = std::move(view); }

    Outcome build(const SpaceLimits &limits, const Interrupt &interrupt);

    // The share that is built, from 0 to 1: estimated as if a state had a transition for each subset of its sinks.
    [[nodiscard]] double builtShare() const;
    // Call once, after Done.
    [[nodiscard]] StateSpace take() { return std::move(m_space); }

private:
    SearchOptions m_options;
    StateSpace m_space;
    bool m_hasStates = false;
    std::uint32_t m_nextState = 1;
    OperatorSetIndex m_merged, m_fused;
    std::vector<Transition> m_concurrent; // of the current state
};

// Empty if the space exceeds the limits or the search was interrupted.
[[nodiscard]] std::optional<StateSpace> buildStateSpace(BlockView view, const SearchOptions &options,
                                                        const SpaceLimits &limits, const Interrupt &interrupt);

// The space with one schedule: all operators of the view as one stage.
[[nodiscard]] StateSpace singleStageSpace(BlockView view, Strategy strategy);

} // namespace stagecraft
