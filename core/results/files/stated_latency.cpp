#include "results/files/stated_latency.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string>
#include <utility>

namespace stagecraft {
namespace {

constexpr double kLongestUs = 1e12;

std::string_view trimmed(std::string_view text)
{
    const auto first = text.find_first_not_of(" \t\r");
    return first == std::string_view::npos ? std::string_view()
                                           : text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

} // namespace

Result<double> latencyUsFromText(std::string_view text)
{
    std::string stated(trimmed(text));
    std::ranges::replace(stated, ',', '.');
    double number = 0;
    const auto [end, error] = std::from_chars(stated.data(), stated.data() + stated.size(), number);
    const std::string_view unit =
        trimmed(std::string_view(stated).substr(static_cast<std::size_t>(end - stated.data())));
    const std::string remedy = "Write a number with its unit, as in 3.9 ms, 3900 us or 0.0039 s.";
    if (error != std::errc{})
        return fail(ErrorCode::WrongUse, "\"" + std::string(text) + "\" is no latency", remedy);
    constexpr std::array<std::pair<std::string_view, double>, 5> kUnits{
        {{"us", 1}, {"\u00b5s", 1}, {"\u03bcs", 1}, {"ms", 1e3}, {"s", 1e6}}};
    const auto known = std::ranges::find(kUnits, unit, &std::pair<std::string_view, double>::first);
    if (known == kUnits.end())
        return fail(ErrorCode::WrongUse,
                    unit.empty() ? "the latency has no unit" : "the unit " + std::string(unit) + " is not known",
                    remedy);
    const double us = number * known->second;
    if (!std::isfinite(us) || us <= 0 || us > kLongestUs)
        return fail(ErrorCode::WrongUse, "\"" + std::string(text) + "\" is no latency", remedy);
    return us;
}

Result<double> latencyUsFromFile(std::string_view content)
{
    const auto json = nlohmann::json::parse(content, nullptr, false);
    if (json.is_object()) {
        const auto latency = json.find("latency_us");
        if (latency != json.end() && latency->is_number() && latency->get<double>() > 0)
            return latency->get<double>();
        return fail(ErrorCode::InvalidInput, "the file has no latency_us",
                    "Take the answer of stagecraft-cli measure --json, or a text as 3.9 ms.");
    }
    auto us = latencyUsFromText(content.substr(0, content.find('\n')));
    if (!us)
        us.error().code = ErrorCode::InvalidInput;
    return us;
}

} // namespace stagecraft
