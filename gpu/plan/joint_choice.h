#pragma once

// Makes several choices that influence each other: the engines of convolutions that run concurrently.

#include <functional>
#include <span>
#include <vector>

namespace stagecraft::gpu {

// `cost` of one candidate for each choice, by index. Starts with the first candidates and changes one at a time, in
// turn, while that saves more than `worthwhile` of the cost, for at most `rounds` rounds. The cost of each combination
// is asked for once.
[[nodiscard]] std::vector<std::size_t>
chooseJointly(std::span<const std::size_t> candidates,
              const std::function<double(const std::vector<std::size_t> &)> &cost, double worthwhile, int rounds);

} // namespace stagecraft::gpu
