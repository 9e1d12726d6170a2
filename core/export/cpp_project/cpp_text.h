#pragma once

// Text of a model as C++: names become identifiers and literals that mean nothing else to a compiler, whatever they
// hold.

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>

namespace stagecraft {

// Lower-case ASCII letters, digits and underscores, not a keyword, at most 48 characters: "fire2/squeeze1x1" becomes
// "fire2_squeeze1x1". `fallback` is used where nothing of the name is left, and put before a leading digit.
[[nodiscard]] std::string identifierFrom(std::string_view name, std::string_view fallback);

// Identifiers of one scope: each is given once; a second "conv" becomes "conv_2".
class Identifiers {
public:
    [[nodiscard]] std::string add(std::string_view name, std::string_view fallback);

private:
    std::set<std::string> m_taken;
};

// A std::string expression of printable ASCII on one line, without trigraphs and with its zeros.
[[nodiscard]] std::string cppString(std::string_view text);
[[nodiscard]] std::string cppFloat(float value);
[[nodiscard]] std::string cppNumber(double value);
[[nodiscard]] std::string cppList(std::span<const std::int64_t> values); // "{1, 64, 55, 55}"

// For comments and documents: printable ASCII on one line, at most 80 characters; the rest as "?" and "...".
[[nodiscard]] std::string plainText(std::string_view text);

} // namespace stagecraft
