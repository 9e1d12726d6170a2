#include "results/files/reading_json.h"

#include "support/records/json_record.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

namespace stagecraft {
namespace {

using Json = nlohmann::json;

constexpr std::uint64_t kLargestSize = std::uint64_t{1} << 24U; // of an input

Result<void> readSplits(const Json &json, OperatorSplits &splits)
{
    const auto found = json.find("splits");
    if (found == json.end())
        return {};
    if (!found->is_object())
        return refuseAt("reading", "\"splits\" is not a JSON object");
    for (const auto &[op, parts] : found->items()) {
        if (!parts.is_number_unsigned() || parts.get<std::uint64_t>() > kLargestSize)
            return refuseAt("reading", "the parts of " + op + " are not a whole number");
        splits[op] = parts.get<std::int64_t>();
    }
    return {};
}

} // namespace

Result<void> readReading(const Json &json, Reading &reading)
{
    if (!json.is_object())
        return refuseAt("reading", "is not a JSON object");
    std::string units;
    ObjectReader reader(json, "reading");
    reader.optional("units", units);
    if (auto result = reader.result(); !result)
        return result;
    reading.units = unitsFromString(units).value_or(Units::Ios);
    const auto without = json.find("without");
    for (const Json &pass : without == json.end() ? Json::array() : *without) {
        if (!pass.is_string())
            return refuseAt("reading", "a pass is not text");
        reading.without.insert(pass.get<std::string>());
    }
    TRY(readSplits(json, reading.splits));
    const auto shapes = json.find("shapes");
    if (shapes == json.end())
        return {};
    if (!shapes->is_object())
        return refuseAt("reading", "\"shapes\" is not a JSON object");
    for (const auto &[input, sizes] : shapes->items()) {
        std::vector<std::int64_t> &shape = reading.sizes[input];
        for (const Json &size : sizes.is_array() ? sizes : Json::array({sizes})) {
            if (!size.is_number_unsigned() || size.get<std::uint64_t>() > kLargestSize)
                return refuseAt("reading", "a size of the input " + input + " is not a whole number");
            shape.push_back(size.get<std::int64_t>());
        }
    }
    return {};
}

} // namespace stagecraft
