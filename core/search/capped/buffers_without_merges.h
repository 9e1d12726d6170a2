#pragma once

// What is live in a stage of a schedule without merges, from the operators that ran before it and those of the stage.

#include "graph/graph.h"
#include "plan/tensors.h"
#include "search/stages/block_view.h"
#include "support/result.h"

#include <cstddef>
#include <vector>

namespace stagecraft {

// Without merges a tensor lies in the same buffer whatever the schedule: what is live follows from who touches it.
class BuffersWithoutMerges {
public:
    // Errors: those of planning the graph.
    [[nodiscard]] static Result<BuffersWithoutMerges> make(const Graph &graph, const plan::TensorPlan &tensors);

    // What matters of them inside one block.
    class InBlock {
    public:
        // `isBefore`: by operator of the graph, those of earlier blocks.
        InBlock(const BuffersWithoutMerges &all, const std::vector<bool> &isBefore, const BlockView &view);

        // In a stage behind the operators of the block that are done.
        [[nodiscard]] std::size_t liveBytes(OperatorSet done, OperatorSet stage) const;

    private:
        struct Entry {
            std::size_t bytes = 0;
            OperatorSet users = 0;
            bool hasBegun = false; // before the block
            bool goesOn = false;   // behind it
        };
        std::vector<Entry> m_entries;
        std::size_t m_throughoutBytes = 0;
    };

private:
    struct Buffer {
        std::size_t bytes = 0;          // padded; 0: workspace
        std::vector<std::size_t> users; // operators
        bool livesFirst = false;        // from the start: an input of the graph
        bool livesLast = false;         // to the end: an output
    };
    std::vector<Buffer> m_buffers;
};

} // namespace stagecraft
