#pragma once

// Guesses latencies of unknown stages, to decide what to ask for first. Proofs never use them.
//
// Concurrent groups take between the slowest of them and their sum: max + a_k (sum - max), where a_k is learned for
// every number of groups k from known stages. A group takes a share of the sum of its operators. Where a model of the
// device has been learned (search/order), it says instead how much more or less a stage takes than its parts let
// expect.

#include "search/order/learned_order.h"
#include "search/stages/chain.h"
#include "search/stages/stage_table.h"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace stagecraft {

class Predictor {
public:
    // `order`: null: without a model.
    Predictor(std::span<const StateSpace> spaces, const StageTable &table, LearnedOrder *order);

    // Learns from what is known and guesses the rest.
    void refresh();

    [[nodiscard]] double latencyUs(std::uint32_t index) const { return m_latencyUs[index]; }
    [[nodiscard]] SpaceCosts costs(std::size_t space) const { return {m_costs[space], m_version}; }

private:
    static constexpr std::size_t kMost = 16; // groups or operators that are told apart

    struct Ratio {
        double over = 0, under = 0;
    };

    // Of a concurrent stage its groups, of any other its operators; those that are no stage by themselves are missing.
    [[nodiscard]] std::span<const std::uint32_t> parts(std::uint32_t index) const;
    // Of a stage that has all its parts; empty otherwise.
    [[nodiscard]] std::vector<double> partsUs(std::uint32_t index) const;
    [[nodiscard]] bool allKnown(std::span<const std::uint32_t> parts) const;
    void learn();
    void teach();
    void compareWithParts(const LatencyModel &model);
    void compareWithParts(const LatencyModel &model, bool concurrent);
    void guess(std::uint32_t index);

    std::span<const StateSpace> m_spaces;
    const StageTable &m_table;
    LearnedOrder *m_order;
    std::int64_t m_orderVersion = 0;
    std::vector<float> m_ratios;                // by the model: of a latency to the guess from the parts; 0: none
    std::vector<std::uint32_t> m_firstOperator; // operators of merges and one-group stages, as classes
    std::vector<std::uint32_t> m_operators;
    std::vector<std::uint32_t> m_bySize; // classes of one group before the others, small before large
    std::vector<double> m_latencyUs;
    std::vector<std::vector<double>> m_costs;
    std::uint64_t m_version = 0;
    std::array<double, kMost + 1> m_concurrent{};  // a_k
    std::array<double, kMost + 1> m_interleaved{}; // share of the sum of a group's operators
};

} // namespace stagecraft
