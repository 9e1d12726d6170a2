#pragma once

// Typed indices: an OperatorId is not a TensorId. An id is an index into the container that issued it.

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>

namespace stagecraft {

template <typename Tag>
struct Id {
    static constexpr std::uint32_t kInvalid = std::numeric_limits<std::uint32_t>::max();

    std::uint32_t value = kInvalid;

    [[nodiscard]] constexpr bool isValid() const { return value != kInvalid; }
    [[nodiscard]] constexpr std::size_t index() const { return value; }
    [[nodiscard]] static constexpr Id fromIndex(std::size_t index) { return Id{static_cast<std::uint32_t>(index)}; }

    friend constexpr auto operator<=>(Id, Id) = default; // NOLINT(modernize-use-nullptr): clang-tidy 14 errs
};

using OperatorId = Id<struct OperatorTag>;
using TensorId = Id<struct TensorTag>;

} // namespace stagecraft

template <typename Tag>
struct std::hash<stagecraft::Id<Tag>> {
    std::size_t operator()(stagecraft::Id<Tag> id) const noexcept { return std::hash<std::uint32_t>{}(id.value); }
};
