#include "model/onnx/file/attribute_text.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <onnx/onnx_pb.h>
#include <optional>
#include <string_view>
#include <vector>

namespace stagecraft {
namespace {

std::string listing(const std::vector<std::string> &items)
{
    std::string line = "[";
    for (const std::string &item : items)
        line += (line.size() > 1 ? ", " : "") + item;
    return line + "]";
}

std::string number(float value)
{
    char buffer[32];
    std::snprintf(buffer, sizeof buffer, "%.9g", static_cast<double>(value));
    const std::string text = buffer;
    return text.find_first_of(".en") == std::string::npos ? text + ".0" : text; // n: inf and nan
}

std::optional<std::int64_t> wholeNumber(std::string_view text)
{
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

std::optional<float> realNumber(std::string_view text)
{
    float value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

std::vector<std::string> itemsOf(std::string_view list)
{
    std::vector<std::string> items;
    while (!list.empty()) {
        const std::size_t comma = std::min(list.find(", "), list.size());
        items.emplace_back(list.substr(0, comma));
        list.remove_prefix(std::min(comma + 2, list.size()));
    }
    return items;
}

void parseList(std::string_view list, onnx::AttributeProto &attribute)
{
    const std::vector<std::string> items = itemsOf(list);
    const auto isWhole = [](const std::string &item) { return wholeNumber(item).has_value(); };
    const auto isReal = [](const std::string &item) { return realNumber(item).has_value(); };
    if (std::ranges::all_of(items, isWhole)) {
        attribute.set_type(onnx::AttributeProto::INTS);
        for (const std::string &item : items)
            attribute.add_ints(*wholeNumber(item));
    } else if (std::ranges::all_of(items, isReal)) {
        attribute.set_type(onnx::AttributeProto::FLOATS);
        for (const std::string &item : items)
            attribute.add_floats(*realNumber(item));
    } else {
        attribute.set_type(onnx::AttributeProto::STRINGS);
        for (const std::string &item : items)
            attribute.add_strings(item);
    }
}

} // namespace

std::string attributeText(const onnx::AttributeProto &attribute)
{
    std::vector<std::string> items;
    switch (attribute.type()) {
    case onnx::AttributeProto::INT: return std::to_string(attribute.i());
    case onnx::AttributeProto::FLOAT: return number(attribute.f());
    case onnx::AttributeProto::STRING: return attribute.s();
    case onnx::AttributeProto::INTS:
        for (const std::int64_t value : attribute.ints())
            items.push_back(std::to_string(value));
        return listing(items);
    case onnx::AttributeProto::FLOATS:
        for (const float value : attribute.floats())
            items.push_back(number(value));
        return listing(items);
    case onnx::AttributeProto::STRINGS: return listing({attribute.strings().begin(), attribute.strings().end()});
    case onnx::AttributeProto::TENSOR: return "(tensor)";
    case onnx::AttributeProto::GRAPH: return "(graph)";
    default: return "(other)";
    }
}

bool parseAttribute(const std::string &text, onnx::AttributeProto &attribute)
{
    if (text == "(tensor)" || text == "(graph)" || text == "(other)")
        return false;
    if (text.starts_with('[') && text.ends_with(']')) {
        parseList(std::string_view(text).substr(1, text.size() - 2), attribute);
    } else if (const auto whole = wholeNumber(text)) {
        attribute.set_type(onnx::AttributeProto::INT);
        attribute.set_i(*whole);
    } else if (const auto real = realNumber(text)) {
        attribute.set_type(onnx::AttributeProto::FLOAT);
        attribute.set_f(*real);
    } else {
        attribute.set_type(onnx::AttributeProto::STRING);
        attribute.set_s(text);
    }
    return true;
}

} // namespace stagecraft
