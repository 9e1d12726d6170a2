#pragma once

// Which tensors and operators the cpu device can execute at all, and which of them are for oneDNN.

#include "graph/graph.h"

#include <cstddef>
#include <optional>

namespace stagecraft::cpu {

inline constexpr std::size_t kMostDimensions = 12; // of oneDNN's tensors

// Whether a tensor holds real numbers of up to 32 bits, and a number of them that is known and not zero: those are for
// oneDNN. Operators that read or make others run through the program's own definition (onednn/evaluated.h).
[[nodiscard]] bool isForReals(const Tensor &tensor);
[[nodiscard]] bool needsEvaluation(const Graph &graph, const Operator &op);
// An operator that is kept as in the model file: that definition is for those only.
[[nodiscard]] bool isKept(const Operator &op);

// Why a tensor cannot be held.
enum class TensorFault { UnknownShape, OtherType, TooManyDimensions, NoValues };
[[nodiscard]] std::optional<TensorFault> faultOf(const Tensor &tensor);

struct FaultyTensor {
    TensorId tensor;
    TensorFault fault;
};
// The first of the tensors that an operator reads or makes which keeps it from running.
[[nodiscard]] std::optional<FaultyTensor> faultOf(const Graph &graph, const Operator &op);

} // namespace stagecraft::cpu
