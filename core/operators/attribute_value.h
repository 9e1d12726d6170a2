#pragma once

// The value of an attribute of an operator that is kept as in the model file. Text is only for people, signatures and
// files: it always tells whole numbers from others, which have a point or an exponent.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace stagecraft {

// A value that the program does not keep: a tensor, a graph.
struct NotKept {
    explicit NotKept(std::string text) : what(std::move(text)) {}

    std::string what; // "(tensor)"

    friend bool operator==(const NotKept &, const NotKept &) = default;
};

using AttributeValue = std::variant<std::int64_t, float, std::string, std::vector<std::int64_t>, std::vector<float>,
                                    std::vector<std::string>, NotKept>;

// "3", "0.5", "linear", "[1, 2]".
[[nodiscard]] std::string toString(const AttributeValue &value);

// The value as another type, where it has one: numbers convert, a number is a list of one. Otherwise `fallback`.
[[nodiscard]] std::int64_t asInteger(const AttributeValue &value, std::int64_t fallback);
[[nodiscard]] float asReal(const AttributeValue &value, float fallback);
[[nodiscard]] std::vector<std::int64_t> asIntegers(const AttributeValue &value);
[[nodiscard]] std::vector<float> asReals(const AttributeValue &value);

using NamedAttribute = std::pair<std::string, AttributeValue>;

// The value with this name; null if there is none.
[[nodiscard]] const AttributeValue *find(const std::vector<NamedAttribute> &attributes, std::string_view name);

} // namespace stagecraft
