#pragma once

// What the equation of an Einsum says: which dimensions stay and which are summed over.

#include "support/result.h"

#include <cstdint>
#include <string>
#include <vector>

namespace stagecraft::kernels {

struct EinsumPlan {
    std::vector<std::int64_t> outputDims;
    std::vector<std::int64_t> summedDims;
    // By operand: how far a step along each of those dimensions leads in it.
    std::vector<std::vector<std::int64_t>> outputStrides;
    std::vector<std::vector<std::int64_t>> summedStrides;
};

// `shapes`: of the operands. Refuses an equation that does not fit them.
[[nodiscard]] Result<EinsumPlan> planEinsum(const std::string &equation,
                                            const std::vector<std::vector<std::int64_t>> &shapes);

} // namespace stagecraft::kernels
