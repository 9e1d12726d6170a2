#pragma once

// Records (support/records/record.h) as JSON objects and back. Only for sources that include nlohmann's JSON.

#include "support/records/object_reader.h"
#include "support/records/record.h"

#include <nlohmann/json.hpp>

#include <optional>
#include <ranges>
#include <string>
#include <type_traits>
#include <utility>

namespace stagecraft {

// What becomes of a member that is not known.
enum class Absent { LeftOut, Null };

template <Record T>
void write(nlohmann::ordered_json &object, const T &record, Absent absent = Absent::LeftOut);

// A map, or a list of pairs: values by name.
template <typename T>
concept ByName = std::ranges::range<T> && requires(const std::ranges::range_value_t<T> &entry)
{
    std::string(entry.first);
    entry.second;
};

template <typename T>
inline constexpr bool kIsOptional = false;
template <typename T>
inline constexpr bool kIsOptional<std::optional<T>> = true;
template <typename T>
inline constexpr bool kIsOrInfinity = false;
template <typename T>
inline constexpr bool kIsOrInfinity<OrInfinity<T>> = true;

// Enumerators are written as toString() has them.
template <typename T>
[[nodiscard]] nlohmann::ordered_json jsonOf(const T &value)
{
    using Json = nlohmann::ordered_json;
    if constexpr (Record<const T>) {
        Json object = Json::object();
        write(object, value);
        return object;
    } else if constexpr (kIsOptional<T>) {
        return value ? jsonOf(*value) : Json();
    } else if constexpr (kIsOrInfinity<T>) {
        return value.number;
    } else if constexpr (std::is_enum_v<T>) {
        return toString(value);
    } else if constexpr (ByName<T>) {
        Json object = Json::object();
        for (const auto &[name, each] : value)
            object[std::string(name)] = jsonOf(each);
        return object;
    } else if constexpr (std::ranges::range<T> && !std::is_convertible_v<T, std::string_view> &&
                         !std::is_same_v<T, Json>) {
        Json list = Json::array();
        for (const auto &each : value)
            list.push_back(jsonOf(each));
        return list;
    } else {
        return value;
    }
}

// Adds the members to an object.
template <Record T>
void write(nlohmann::ordered_json &object, const T &record, Absent absent)
{
    eachMember(record, [&](const Field &field, const auto &value, bool isKnown = true) {
        if (field.key == "*")
            object.update(jsonOf(value));
        else if (isKnown || absent == Absent::Null)
            object[std::string(field.key)] = isKnown ? jsonOf(value) : nlohmann::ordered_json();
    });
}

} // namespace stagecraft
