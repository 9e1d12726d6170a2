#include "results/files/reading_json.h"

#include "support/records/json_record.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>
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

Result<void> readNames(const Json &json, const char *member, const char *what, std::set<std::string> &names)
{
    const auto found = json.find(member);
    for (const Json &name : found == json.end() ? Json::array() : *found) {
        if (!name.is_string())
            return refuseAt("reading", std::string(what) + " is not text");
        names.insert(name.get<std::string>());
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
    TRY(readNames(json, "without", "a pass", reading.without));
    TRY(readNames(json, "split_by_rows", "an operator that is split by rows", reading.splitByRows));
    TRY(readNames(json, "apart", "an operator that is apart", reading.apart));
    TRY(readNames(json, "joined_after", "an operator after which blocks are joined", reading.joinedAfter));
    TRY(readNames(json, "cut_after", "an operator after which a block is cut", reading.cutAfter));
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
