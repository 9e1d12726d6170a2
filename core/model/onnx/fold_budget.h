#pragma once

// How much one file may have carried out while it is read: a few bytes can ask for any number of elements. The file's
// own constants add to it, for weights are rearranged several times before they are used. What is beyond it stays an
// operator.

#include "model/onnx/node.h"

#include <cstdint>
#include <string>

namespace stagecraft {

class FoldBudget {
public:
    static constexpr std::int64_t kMade = std::int64_t{1} << 24U;     // elements made, at most 8 bytes each
    static constexpr std::int64_t kGoneOver = std::int64_t{1} << 28U; // coordinates and elements looked at
    static constexpr std::int64_t kPerOwn = 8;                        // of both, for every element of the file's own

    void addOwn(std::int64_t elements);
    // False, and nothing is taken, where it is more than is left.
    [[nodiscard]] bool take(std::int64_t made, std::int64_t goneOver);

    [[nodiscard]] std::int64_t refusals() const { return m_refusals; }
    // For the first operator that was refused, and about the others.
    [[nodiscard]] std::string refusalText() const;

private:
    std::int64_t m_made = kMade;
    std::int64_t m_goneOver = kGoneOver;
    std::int64_t m_refusals = 0;
};

// Takes what carrying the node out would need; its inputs are constants. Asked before anything is made.
[[nodiscard]] bool takeFor(const OnnxNode &node, FoldBudget &budget);

} // namespace stagecraft
