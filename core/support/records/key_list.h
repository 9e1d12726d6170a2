#pragma once

// The keys of a record as JSON, for help and for tests.

#include "support/records/json_record.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace stagecraft {

template <Record T>
void addKeys(std::vector<JsonKey> &keys, const std::string &prefix);

// `path`: without the mark of what may be absent.
template <typename T>
void addKey(std::vector<JsonKey> &keys, const std::string &path, const Field &field, const std::string &mark,
            const std::string &orNull = {})
{
    const auto add = [&](std::string_view kind) {
        const auto isHere = [&](const JsonKey &key) { return key.path == path || key.path == path + '?'; };
        if (!field.means.empty() && std::ranges::none_of(keys, isHere))
            keys.push_back({path + mark, std::string(kind) + orNull, std::string(field.means)});
    };
    constexpr bool isText = std::is_convertible_v<T, std::string_view> || std::is_enum_v<T>;
    if constexpr (kIsOptional<T>) {
        addKey<typename T::value_type>(keys, path, field, mark, " or null");
    } else if constexpr (Record<T>) {
        add(kPartName<T>.empty() ? "object" : "part " + std::string(kPartName<T>));
        if (kPartName<T>.empty())
            addKeys<T>(keys, path + ".");
    } else if constexpr (kIsNullIf<T>) {
        addKey<decltype(T::value)>(keys, path, field, mark, " or null");
    } else if constexpr (isText) {
        add("text");
    } else if constexpr (kIsVariant<T>) {
        add("text or list of text");
    } else if constexpr (std::is_same_v<T, bool>) {
        add("true or false");
    } else if constexpr (ByName<T>) {
        using Value = std::remove_cvref_t<decltype(std::declval<std::ranges::range_value_t<T> &>().second)>;
        const bool isWhole = !orNull.empty(); // the field is about the map, not about each value
        if (isWhole)
            add("object");
        addKey<Value>(keys, field.key == "*" ? path : path + ".*", isWhole ? Field{field.key} : field, {});
    } else if constexpr (std::ranges::range<T>) {
        if (orNull.empty())
            addKey<std::ranges::range_value_t<T>>(keys, path + "[]", field, mark);
        else
            add("list of counts");
    } else { // ZeroIfEmpty, too
        add(toString(field.unit));
    }
}

template <Record T>
void addKeys(std::vector<JsonKey> &keys, const std::string &prefix)
{
    const T example{};
    eachMember(example, [&]<typename Value, typename... Known>(const Field &field, const Value &, Known...) {
        const std::string path = prefix + std::string(field.key);
        constexpr bool mayBeUnknown = sizeof...(Known) > 0;
        if constexpr (mayBeUnknown && kIsOptional<Value>)
            addKey<typename Value::value_type>(keys, path, field, "?");
        else
            addKey<Value>(keys, path, field, mayBeUnknown ? "?" : "");
    });
}

template <Record T>
[[nodiscard]] std::vector<JsonKey> keysOf()
{
    std::vector<JsonKey> keys;
    addKeys<T>(keys, {});
    return keys;
}

} // namespace stagecraft
