#pragma once

// The whole space of one block in memory: states, the stages that can occur, and every transition as a pair of numbers
// (the state that is left, the stage that ends it). Eight bytes a transition.

#include "search/interrupt.h"
#include "search/states.h"
#include "search/transitions.h"

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

// Every transition of a block, or the ones that still matter.
struct TransitionTable {
    std::vector<std::size_t> firstTransition{0, 0}; // per state, and one past the last
    std::vector<Transition> transitions;            // per state: first the ones whose stage is not concurrent
    std::vector<std::size_t> firstConcurrent{0};    // per state: the first transition whose stage is concurrent

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
    OperatorSetIndex concurrent; // stages with concurrent execution by their operators

    [[nodiscard]] Stage stage(std::uint32_t index) const
    {
        return view.stage(stages[index].operators, stages[index].strategy);
    }
};

// Builds a space piece by piece: what was built when it is interrupted is kept for the next piece.
class SpaceBuilder {
public:
    enum class Outcome { Done, Interrupted, TooLarge };

    SpaceBuilder(BlockView view, const SearchOptions &options) : m_options(options) { m_space.view = std::move(view); }

    Outcome build(const SpaceLimits &limits, const Interrupt &interrupt);

    // How much of it is built, from 0 to 1: a guess, as if a state had as many transitions as its sinks have subsets.
    [[nodiscard]] double builtShare() const;
    // After Done, once.
    [[nodiscard]] StateSpace take() { return std::move(m_space); }

private:
    SearchOptions m_options;
    StateSpace m_space;
    bool m_hasStates = false;
    std::uint32_t m_nextState = 1;
    OperatorSetIndex m_merged;
    std::vector<Transition> m_concurrent; // of the state under way
};

// Nothing if the space is beyond the limits or the search was interrupted.
[[nodiscard]] std::optional<StateSpace> buildStateSpace(BlockView view, const SearchOptions &options,
                                                        const SpaceLimits &limits, const Interrupt &interrupt);

// The space of one schedule: all operators of the view as one stage.
[[nodiscard]] StateSpace singleStageSpace(BlockView view, Strategy strategy);

} // namespace stagecraft
