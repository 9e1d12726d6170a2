#include "export/pytorch_module/python_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <set>

namespace stagecraft {
namespace {

bool isKeyword(const std::string &word)
{
    static const std::set<std::string_view> keywords{
        "and",      "as",     "assert",  "async", "await", "break",  "class", "continue", "def",  "del",  "elif",
        "else",     "except", "finally", "for",   "from",  "global", "if",    "import",   "in",   "is",   "lambda",
        "nonlocal", "not",    "or",      "pass",  "raise", "return", "try",   "while",    "with", "yield"};
    return keywords.contains(word);
}

} // namespace

std::string PythonIdentifiers::add(std::string_view name, std::string_view fallback)
{
    std::string identifier = m_identifiers.add(name, fallback);
    return isKeyword(identifier) ? m_identifiers.add(identifier + "_1", fallback) : identifier;
}

std::string pythonString(std::string_view text)
{
    const bool isPlain = std::ranges::all_of(text, [](char c) { return c >= 0x20 && c < 0x7F; });
    std::string quoted = isPlain ? "\"" : "b\"";
    for (const char c : text) {
        if (c < 0x20 || c >= 0x7F)
            quoted += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
        else
            quoted += c == '"' || c == '\\' ? std::string{'\\', c} : std::string{c};
    }
    return quoted + (isPlain ? "\"" : R"(".decode("utf-8", "surrogateescape"))");
}

std::string pythonFloat(float value)
{
    if (!std::isfinite(value))
        return std::isnan(value) ? "float(\"nan\")" : value > 0 ? "float(\"inf\")" : "float(\"-inf\")";
    std::array<char, 64> digits{};
    const auto end = std::to_chars(digits.begin(), digits.end(), value).ptr;
    std::string text(digits.begin(), end);
    return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

std::string pythonTuple(std::span<const std::int64_t> values)
{
    return fmt::format("({}{})", fmt::join(values, ", "), values.size() == 1 ? "," : "");
}

} // namespace stagecraft
