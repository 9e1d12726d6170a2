#include "export/cpp_project/cpp_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fmt/format.h>

namespace stagecraft {
namespace {

constexpr std::size_t kMaxIdentifier = 48;
constexpr std::size_t kMaxPlain = 80;

bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}

// Keywords of C and C++, names with a meaning of their own in either or in CMake, and those of the exported code.
bool isReserved(const std::string &name)
{
    // clang-format off
    static const std::set<std::string_view> kNames{
        "alignas", "alignof", "and", "and_eq", "asm", "assert", "auto", "bitand", "bitor", "bool", "break", "case",
        "catch", "char", "char8_t", "char16_t", "char32_t", "class", "compl", "concept", "const", "consteval",
        "constexpr", "constinit", "const_cast", "continue", "co_await", "co_return", "co_yield", "decltype",
        "default", "delete", "do", "double", "dynamic_cast", "else", "enum", "errno", "explicit", "export", "extern",
        "false", "final", "float", "for", "friend", "goto", "if", "inline", "int", "import", "linux", "long", "main",
        "module", "mutable", "namespace", "new", "noexcept", "not", "not_eq", "nullptr", "operator", "or", "or_eq",
        "override", "private", "protected", "public", "register", "reinterpret_cast", "requires", "restrict",
        "return", "short", "signed", "sizeof", "static", "static_assert", "static_cast", "stderr", "stdin", "stdout",
        "struct", "switch", "template", "this", "thread_local", "throw", "true", "try", "typedef", "typeid",
        "typename", "union", "unix", "unsigned", "using", "virtual", "void", "volatile", "wchar_t", "while", "xor",
        "xor_eq", "all", "clean", "dnnl", "edit_cache", "engine", "help", "install", "package", "rebuild_cache",
        "stages", "std", "tensors", "test",
    };
    // clang-format on
    return kNames.contains(name);
}

template <typename T>
std::string shortest(T value)
{
    std::array<char, 64> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
    return {text.data(), end};
}

std::string quoted(std::string_view text)
{
    std::string literal = "\"";
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\' || c == '?') {
            literal += {'\\', c};
        } else if (byte >= 0x20 && byte < 0x7F) {
            literal += c;
        } else {
            literal += fmt::format("\\{:03o}", byte); // three digits: a digit that follows is not part of it
        }
    }
    return literal + '"';
}

} // namespace

std::string identifierFrom(std::string_view name, std::string_view fallback)
{
    std::string identifier;
    for (char c : name) {
        if (c >= 'A' && c <= 'Z')
            c = static_cast<char>(c - 'A' + 'a');
        const bool isWord = (c >= 'a' && c <= 'z') || isDigit(c);
        if (isWord)
            identifier += c;
        else if (!identifier.empty() && identifier.back() != '_')
            identifier += '_';
        if (identifier.size() == kMaxIdentifier)
            break;
    }
    while (identifier.ends_with('_'))
        identifier.pop_back();
    if (identifier.empty())
        return std::string(fallback);
    if (isDigit(identifier.front()))
        identifier = fmt::format("{}_{}", fallback, identifier);
    return isReserved(identifier) ? fmt::format("{}_{}", fallback, identifier) : identifier;
}

std::string Identifiers::add(std::string_view name, std::string_view fallback)
{
    const std::string wanted = identifierFrom(name, fallback);
    std::string given = wanted;
    for (int number = 2; !m_taken.insert(given).second; ++number)
        given = fmt::format("{}_{}", wanted, number);
    return given;
}

std::string cppString(std::string_view text)
{
    if (text.find('\0') == std::string_view::npos)
        return quoted(text);
    return fmt::format("std::string({}, {})", quoted(text), text.size());
}

std::string cppFloat(float value)
{
    if (std::isnan(value))
        return "NAN";
    if (std::isinf(value))
        return value < 0 ? "-INFINITY" : "INFINITY";
    const std::string text = shortest(value);
    return text + (text.find_first_of(".e") == std::string::npos ? ".0F" : "F");
}

std::string cppNumber(double value)
{
    return shortest(value);
}

std::string cppList(std::span<const std::int64_t> values)
{
    return fmt::format("{{{}}}", fmt::join(values, ", "));
}

std::string plainText(std::string_view text)
{
    std::string plain;
    for (const char c : text.substr(0, kMaxPlain)) {
        const bool isPlain = c >= 0x20 && c < 0x7F && c != '\\' && c != '`' && c != '<' && c != '*';
        plain += isPlain ? c : '?';
    }
    return text.size() > kMaxPlain ? plain + "..." : plain;
}

} // namespace stagecraft
