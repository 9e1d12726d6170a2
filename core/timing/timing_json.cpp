#include "timing/timing_json.h"

#include "support/records/json_record.h"
#include "timing/timing_record.h"

#include <cmath>
#include <fmt/format.h>
#include <string>
#include <utility>

namespace stagecraft {
namespace {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;

constexpr int kMaxMhz = 1'000'000; // far beyond any clock
constexpr int kMaxRuns = 1'000'000'000;

tl::unexpected<Error> isNot(std::string_view key, const std::string &what)
{
    return fail(ErrorCode::InvalidInput, fmt::format("\"{}\" is {}", key, what));
}

Result<void> readMember(const Field &field, const Json &member, double &us)
{
    if (!member.is_number() || !std::isfinite(member.get<double>()))
        return isNot(field.key, "not a number");
    if (member.get<double>() < 0)
        return isNot(field.key, "negative");
    us = member.get<double>();
    return {};
}

Result<void> readMember(const Field &field, const Json &member, int &value)
{
    const auto isWithin = [&](int lowest, int highest) {
        return member.is_number_integer() && member >= Json(lowest) && member <= Json(highest);
    };
    if (field.unit == Unit::MHz) {
        value = isWithin(1, kMaxMhz - 1) ? member.get<int>() : 0;
        return {};
    }
    if (!isWithin(0, kMaxRuns))
        return isNot(field.key, fmt::format("{}, not a whole number from 0 to {}", member.dump(), kMaxRuns));
    value = member.get<int>() > 1 ? member.get<int>() : 0;
    return {};
}

Result<void> readMember(const Field &, const Json &member, std::string &text)
{
    text = member.is_string() ? member.get<std::string>() : std::string();
    return {};
}

} // namespace

void addTiming(OrderedJson &json, const Timing &timing)
{
    writeMembers(json, timing);
}

Result<std::optional<Timing>> timingFrom(const Json &object)
{
    if (const auto latency = object.find("latency_us"); latency == object.end() || latency->is_null())
        return std::nullopt;
    Timing timing;
    Result<void> read;
    eachMember(timing, [&](const Field &field, auto &value, bool = true) {
        const auto member = object.find(std::string(field.key));
        if (read && member != object.end() && !member->is_null())
            read = readMember(field, *member, value);
    });
    TRY(read);
    if (timing.meanUs == 0)
        timing.meanUs = timing.latencyUs;
    return timing;
}

} // namespace stagecraft
