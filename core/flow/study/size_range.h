#pragma once

// The sizes of a sweep: PARAMETER=FROM..TO, of a generator's parameter or of the batch.

#include "model/open_request.h"
#include "support/result.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft {

inline constexpr std::string_view kBatchParameter = "batch";
inline constexpr std::size_t kMostSizes = 1000;

struct SizeRange {
    std::string parameter;
    std::vector<std::int64_t> sizes; // ascending, each once
};

// "tokens=1..4096" doubles from 1 to 4,096, "tokens=1..4096:x4" goes on by that factor, "batch=8..64:8" has 8 sizes at
// equal distances. Both ends are sizes. WrongUse: something else, or more than kMostSizes.
[[nodiscard]] Result<SizeRange> sizeRange(std::string_view text);

// The model at a size. WrongUse, with what it has: it has no such parameter, states it already, or its range excludes
// the size.
[[nodiscard]] Result<OpenRequest> atSize(OpenRequest request, const std::string &parameter, std::int64_t size);

// The model with the parameter as it is unless told, or without a batch, so that it can be swept.
[[nodiscard]] OpenRequest leftOpen(OpenRequest request, const std::string &parameter);

// What a sweep of the model can go over: the parameters of its generator that it leaves open, and the batch.
[[nodiscard]] std::vector<std::string> sweepableParameters(const std::string &spec);

} // namespace stagecraft
