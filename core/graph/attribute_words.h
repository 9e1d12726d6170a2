#pragma once

// The attributes of an operator as people read them: "Stride", "2 × 2". UTF-8, escaped for display.

#include "graph/graph.h"

#include <string>
#include <vector>

namespace stagecraft {

struct AttributeWords {
    std::string key;
    std::string value;

    friend bool operator==(const AttributeWords &, const AttributeWords &) = default;
};

// Of a unit of several operators: their types and names.
[[nodiscard]] std::vector<AttributeWords> attributeWords(const Operator &op);

} // namespace stagecraft
