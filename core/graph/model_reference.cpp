#include "graph/model_reference.h"

#include "operators/values/tensor.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace stagecraft {
namespace {

constexpr std::array<std::pair<Units, std::string_view>, 3> kUnits{
    {{Units::Ios, "ios"}, {Units::Tvm, "tvm"}, {Units::None, "none"}}};

} // namespace

std::string_view toString(Units units)
{
    return std::ranges::find(kUnits, units, &std::pair<Units, std::string_view>::first)->second;
}

std::optional<Units> unitsFromString(std::string_view text)
{
    const auto *found = std::ranges::find(kUnits, text, &std::pair<Units, std::string_view>::second);
    return found == kUnits.end() ? std::nullopt : std::optional(found->first);
}

std::optional<std::vector<std::int64_t>> sizesFromText(std::string_view text)
{
    std::vector<std::int64_t> sizes;
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t end = std::min(text.find('x', at), text.size());
        std::int64_t size = 0;
        const auto [rest, error] = std::from_chars(text.data() + at, text.data() + end, size);
        if (error != std::errc() || rest != text.data() + end)
            return std::nullopt;
        sizes.push_back(size);
        at = end + 1;
    }
    return sizes;
}

std::string toString(const Reading &reading)
{
    std::string text;
    const auto add = [&](const std::string &part) { text += (text.empty() ? "with " : ", ") + part; };
    if (reading.units != Reading{}.units)
        add("units " + std::string(toString(reading.units)));
    for (const std::string &pass : reading.without)
        add("without " + pass);
    for (const auto &[input, sizes] : reading.sizes)
        add(input + "=" + toString(Shape{sizes}));
    for (const auto &[op, parts] : reading.splits)
        add(op + " split into " + std::to_string(parts) + (reading.splitByRows.contains(op) ? " by rows" : ""));
    for (const std::string &op : reading.apart)
        add(op + " apart");
    for (const std::string &op : reading.joinedAfter)
        add("blocks joined after " + op);
    for (const std::string &op : reading.cutAfter)
        add("block cut after " + op);
    return text;
}

} // namespace stagecraft
