#pragma once

// Reads the fields of a node in the IOS JSON format. A field that is missing, has another type, is negative or is
// absurdly large is refused with an InvalidInput error that names the field; the caller adds the node's name.

#include "operators/operator.h"
#include "support/result.h"

#include <nlohmann/json.hpp>
#include <optional>

namespace stagecraft::ios {

using Json = nlohmann::json;

// Null if the node is not an object or has no such member.
[[nodiscard]] const Json *member(const Json &node, const char *key);

[[nodiscard]] Result<std::string> text(const Json &node, const char *key);
[[nodiscard]] std::optional<std::int64_t> integer(const Json &value);
[[nodiscard]] Result<std::vector<std::int64_t>> integers(const Json &node, const char *key, std::size_t count);
[[nodiscard]] Result<Window> window(const Json &node); // kernel, stride and padding of a convolution or a pool
[[nodiscard]] Result<Activation> activation(const std::string &name);

} // namespace stagecraft::ios
