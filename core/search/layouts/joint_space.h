#pragma once

// What the joint program runs over: the spaces of all blocks, the tensors that are live in them, and what stages and
// conversions take (search/layouts/joint_search.h has the mathematics). Private to layout.

#include "search/layouts/conversions.h"
#include "search/layouts/joint_search.h"
#include "search/layouts/stage_variants.h"
#include "search/stages/state_space.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace stagecraft {

// Conversions after which all wanted copies of a tensor exist; each makes a wanted copy, or one that a later one starts
// from.
struct CopiesWay {
    LayoutSet copies = 0; // afterwards
    double us = 0;        // without boundaries
    std::vector<ConversionHop> hops;
};

class CopiesWays {
public:
    CopiesWays(ConversionTable table, std::size_t layouts, double chainUs);

    // For each set of copies that may come out, the cheapest way with a boundary for each conversion; computed when it
    // is asked for first. Empty: impossible.
    [[nodiscard]] const std::vector<CopiesWay> &of(LayoutSet copies, LayoutSet wanted);

private:
    void follow(LayoutSet wanted, const CopiesWay &soFar, std::vector<CopiesWay> &found) const;

    ConversionTable m_table;
    LayoutIndex m_layouts;
    double m_chainUs;
    std::vector<std::optional<std::vector<CopiesWay>>> m_ways; // [copies * sets + wanted]
};

// Tensors that may be live inside a block, each with a slot. Slot 0 says whether the last stage was concurrent.
class BlockTensors {
public:
    BlockTensors(const Graph &graph, const Blocks &blocks, const LayoutProblem &problem, std::size_t block,
                 const BlockView &view);

    [[nodiscard]] std::size_t slots() const { return m_tensors.size(); } // slot 0 included
    [[nodiscard]] std::uint32_t tensor(std::size_t slot) const { return m_tensors[slot]; }
    [[nodiscard]] std::size_t slotOf(std::uint32_t tensor) const { return m_slotOf[tensor]; }
    // Somebody reads it once `done` has run.
    [[nodiscard]] bool isLive(std::size_t slot, OperatorSet done) const
    {
        return m_isReadLater[slot] || (m_readers[slot] & ~done) != 0;
    }

private:
    std::vector<std::uint32_t> m_tensors; // by slot
    std::vector<OperatorSet> m_readers;   // by slot: in the block
    std::vector<bool> m_isReadLater;      // by slot: in a later block, or an output
    std::vector<std::size_t> m_slotOf;    // by tensor
};

// Spaces of all blocks, and what their stages take in their layouts, evaluated on demand.
class JointSpace {
public:
    static Result<JointSpace> make(const Graph &graph, const Blocks &blocks, const LayoutProblem &problem,
                                   LayoutStageSource &source, const JointOptions &options);

    // The same stages in fewer layouts: `problem` has a part of the choices.
    [[nodiscard]] JointSpace with(const LayoutProblem &problem) const;

    [[nodiscard]] const LayoutProblem &problem() const { return *m_problem; }
    [[nodiscard]] std::size_t blocks() const { return m_spaces->size(); }
    [[nodiscard]] const StateSpace &block(std::size_t index) const { return (*m_spaces)[index]; }
    [[nodiscard]] const BlockTensors &tensors(std::size_t block) const { return (*m_tensors)[block]; }
    [[nodiscard]] CopiesWays &waysOf(std::uint32_t tensor) { return m_ways[m_problem->tensors[tensor].conversions]; }
    [[nodiscard]] const BoundaryCost &boundary() const { return m_boundary; }

    [[nodiscard]] bool isEvaluated(std::size_t block, std::uint32_t stage) const
    {
        return m_variants[block][stage].has_value();
    }
    // The least of the variants, or what is known before they are evaluated.
    [[nodiscard]] double atLeastUs(std::size_t block, std::uint32_t stage) const { return m_atLeastUs[block][stage]; }
    [[nodiscard]] Result<const std::vector<StageVariant> *> evaluated(std::size_t block, std::uint32_t stage,
                                                                      const std::stop_token &stop);
    [[nodiscard]] std::int64_t evaluations() const { return m_evaluations; }
    // Every stage that was evaluated was so in all its layouts.
    [[nodiscard]] bool isComplete() const { return m_isComplete; }
    [[nodiscard]] std::int64_t stages() const;

private:
    JointSpace() = default;

    void forgetVariants();

    const Graph *m_graph = nullptr;
    const LayoutProblem *m_problem = nullptr;
    LayoutStageSource *m_source = nullptr;
    std::size_t m_mostLayouts = 0; // of a stage
    BoundaryCost m_boundary;
    std::shared_ptr<const std::vector<StateSpace>> m_spaces;
    std::shared_ptr<const std::vector<BlockTensors>> m_tensors;
    std::vector<CopiesWays> m_ways;                                                // by conversion table
    std::vector<std::vector<std::optional<std::vector<StageVariant>>>> m_variants; // by block, stage
    std::vector<std::vector<double>> m_atLeastUs;                                  // by block, stage
    std::int64_t m_evaluations = 0;
    bool m_isComplete = true;
};

} // namespace stagecraft
