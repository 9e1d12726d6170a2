#pragma once

// Text of a model as Python: names become identifiers and literals that mean nothing else, whatever they hold.

#include "export/cpp_project/cpp_text.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace stagecraft {

// Identifiers of one scope, none of them a keyword.
class PythonIdentifiers {
public:
    [[nodiscard]] std::string add(std::string_view name, std::string_view fallback);

private:
    Identifiers m_identifiers;
};

// An expression of printable ASCII on one line. Names that are not UTF-8 are as Python reads them from a command line.
[[nodiscard]] std::string pythonString(std::string_view text);
[[nodiscard]] std::string pythonFloat(float value);
[[nodiscard]] std::string pythonTuple(std::span<const std::int64_t> values); // "(1, 64)", "(3,)"

} // namespace stagecraft
