#pragma once

// Guesses latencies of unknown stages, to decide what to ask for first. Proofs never use them.
//
// Concurrent groups take between the slowest of them and their sum: max + a_k (sum - max), where a_k is learned for
// every number of groups k from known stages. A group takes a share of the sum of its operators.

#include "search/stages/chain.h"
#include "search/stages/stage_table.h"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace stagecraft {

class Predictor {
public:
    Predictor(std::span<const StateSpace> spaces, const StageTable &table);

    // Learns from what is known and guesses the rest.
    void refresh();

    [[nodiscard]] double latencyUs(std::uint32_t index) const { return m_latencyUs[index]; }
    [[nodiscard]] SpaceCosts costs(std::size_t space) const { return {m_costs[space], m_version}; }

private:
    static constexpr std::size_t kMost = 16; // groups or operators that are told apart

    struct Ratio {
        double over = 0, under = 0;
    };

    void learn();
    void guess(std::uint32_t index);

    std::span<const StateSpace> m_spaces;
    const StageTable &m_table;
    std::vector<std::uint32_t> m_firstOperator; // operators of one-group stages, as classes
    std::vector<std::uint32_t> m_operators;
    std::vector<std::uint32_t> m_bySize; // classes of one group before the others, small before large
    std::vector<double> m_latencyUs;
    std::vector<std::vector<double>> m_costs;
    std::uint64_t m_version = 0;
    std::array<double, kMost + 1> m_concurrent{};  // a_k
    std::array<double, kMost + 1> m_interleaved{}; // share of the sum of a group's operators
};

} // namespace stagecraft
