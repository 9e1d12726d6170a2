#include "timing/timing_json.h"

#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

namespace stagecraft {
namespace {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;

constexpr int kMaxMhz = 1'000'000; // far beyond any clock
constexpr int kMaxRuns = 1'000'000'000;

tl::unexpected<Error> isNot(const char *key, const std::string &what)
{
    return fail(ErrorCode::InvalidInput, fmt::format("\"{}\" is {}", key, what));
}

// Null if it is missing.
const Json &memberOf(const Json &object, const char *key)
{
    static const Json null;
    const auto found = object.find(key);
    return found == object.end() ? null : *found;
}

// Leaves `value` unchanged if the member is missing.
Result<void> readMicroseconds(const Json &object, const char *key, double &value)
{
    const Json &member = memberOf(object, key);
    if (member.is_null())
        return {};
    if (!member.is_number() || !std::isfinite(member.get<double>()))
        return isNot(key, "not a number");
    if (member.get<double>() < 0)
        return isNot(key, "negative");
    value = member.get<double>();
    return {};
}

Result<void> readRuns(const Json &object, int &runs)
{
    const Json &member = memberOf(object, "runs");
    if (member.is_null())
        return {};
    if (!member.is_number_integer() || member < Json(0) || member > Json(kMaxRuns))
        return isNot("runs", fmt::format("{}, not a whole number from 0 to {}", member.dump(), kMaxRuns));
    runs = member.get<int>() > 1 ? member.get<int>() : 0;
    return {};
}

int mhzFrom(const Json &object, const char *key)
{
    const Json &member = memberOf(object, key);
    return member.is_number_integer() && member > Json(0) && member < Json(kMaxMhz) ? member.get<int>() : 0;
}

} // namespace

OrderedJson timingJson(const Timing &timing)
{
    const bool spread = timing.hasSpread();
    const ClockRates &clocks = timing.clocks;
    const auto mhz = [](int value) { return value > 0 ? OrderedJson(value) : OrderedJson(); };
    return {{"latency_us", timing.latencyUs},
            {"mean_us", spread ? OrderedJson(timing.meanUs) : OrderedJson()},
            {"stddev_us", spread ? OrderedJson(timing.stddevUs) : OrderedJson()},
            {"runs", spread ? OrderedJson(timing.runs) : OrderedJson()},
            {"clock_mhz", mhz(clocks.coreMhz)},
            {"memory_clock_mhz", mhz(clocks.memoryMhz)},
            {"slowed_by", clocks.slowedBy.empty() ? OrderedJson() : OrderedJson(clocks.slowedBy)}};
}

void addTiming(OrderedJson &json, const Timing &timing)
{
    const OrderedJson members = timingJson(timing);
    for (const auto &[key, value] : members.items()) {
        if (!value.is_null())
            json[key] = value;
    }
}

Result<std::optional<Timing>> timingFrom(const Json &object)
{
    if (memberOf(object, "latency_us").is_null())
        return std::nullopt;
    Timing timing;
    TRY(readMicroseconds(object, "latency_us", timing.latencyUs));
    for (const auto &[key, value] : {std::pair{"mean_us", &timing.meanUs}, std::pair{"stddev_us", &timing.stddevUs}}) {
        TRY(readMicroseconds(object, key, *value));
    }
    TRY(readRuns(object, timing.runs));
    if (timing.meanUs == 0)
        timing.meanUs = timing.latencyUs;
    timing.clocks = {mhzFrom(object, "clock_mhz"), mhzFrom(object, "memory_clock_mhz"), {}};
    if (const Json &slowedBy = memberOf(object, "slowed_by"); slowedBy.is_string())
        timing.clocks.slowedBy = slowedBy.get<std::string>();
    return timing;
}

} // namespace stagecraft
