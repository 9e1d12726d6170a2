#pragma once

// With what compositions are written: steps, one after the other, and what they read. Private to core/operators.

#include "operators/composed/composed.h"

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft::composed {

[[nodiscard]] Source operand(std::size_t place);
[[nodiscard]] Source constant(Constant value);
[[nodiscard]] Source whole(std::vector<std::int64_t> values); // a list of integers

// Adds steps; each call returns what the step makes.
class Composer {
public:
    explicit Composer(const NodeFacts &node) : m_node(node) {}

    [[nodiscard]] const NodeFacts &node() const { return m_node; }

    Source step(std::string type, std::vector<Source> inputs, std::vector<NamedAttribute> attributes = {});

    // A real number of the type in which the node computes.
    [[nodiscard]] Source number(float value) const;

    // An operand with its scale and zero point behind it, one for all or by place of `axis`.
    Source dequantized(std::size_t place, std::int64_t axis = 1);
    Source quantized(Source value, std::size_t scale);

    // Attributes of the node with these names.
    [[nodiscard]] std::vector<NamedAttribute> taken(std::initializer_list<std::string_view> names) const;

    [[nodiscard]] Steps made(std::vector<std::optional<Source>> results);

private:
    const NodeFacts &m_node;
    Steps m_made;
};

// attention.cpp: Attention of opset 23 and 24.
[[nodiscard]] Result<Steps> attention(Composer &compose);
[[nodiscard]] std::string unknownAttention(const NodeFacts &node); // see unknownForm

} // namespace stagecraft::composed
