#pragma once

// Executes a plan without a backend: every operator writes values that only depend on the tensor and the element, and
// checks that what it reads is what its producers wrote. Joins, slices and merges move values as a backend would.

#include "plan/plan.h"

#include <QString>

#include <functional>
#include <span>

namespace stagecraft::test {

// Addresses of a view's elements in its buffer, row-major.
void forEachElement(const plan::View &view, const std::function<void(std::int64_t)> &visit);

enum class GroupOrder { Ascending, Descending, InTurns };

// What is wrong; empty: nothing. `plan` is arranged.
[[nodiscard]] QString wrongValue(const Graph &graph, const plan::TensorPlan &tensors, const plan::Plan &plan,
                                 GroupOrder order);
// Of streams, whose launches run in this order.
[[nodiscard]] QString wrongValue(const Graph &graph, const plan::TensorPlan &tensors, const plan::Plan &plan,
                                 std::span<const std::size_t> launches);

} // namespace stagecraft::test
