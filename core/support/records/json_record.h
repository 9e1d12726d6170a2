#pragma once

// Records (support/records/record.h) as JSON objects and back. Only for sources that include nlohmann's JSON.

#include "support/records/object_reader.h"
#include "support/records/record.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <iterator>
#include <optional>
#include <ranges>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

namespace stagecraft {

template <Record T>
void writeMembers(nlohmann::ordered_json &object, const T &record);

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
inline constexpr bool kIsNullIf = false;
template <typename T>
inline constexpr bool kIsNullIf<NullIf<T>> = true;
template <typename T>
inline constexpr bool kIsZeroIfEmpty = false;
template <typename T>
inline constexpr bool kIsZeroIfEmpty<ZeroIfEmpty<T>> = true;

template <typename T>
inline constexpr bool kIsVariant = false;
template <typename... T>
inline constexpr bool kIsVariant<std::variant<T...>> = true;

template <typename T>
[[nodiscard]] nlohmann::ordered_json jsonOf(const T &value)
{
    using Ordered = nlohmann::ordered_json;
    if constexpr (Record<const T>) {
        Ordered object = Ordered::object();
        writeMembers(object, value);
        return object;
    } else if constexpr (kIsOptional<T>) {
        return value ? jsonOf(*value) : Ordered();
    } else if constexpr (kIsVariant<T>) {
        return std::visit([](const auto &each) { return jsonOf(each); }, value);
    } else if constexpr (kIsNullIf<T>) {
        return value.number == value.value ? Ordered() : Ordered(value.number);
    } else if constexpr (kIsZeroIfEmpty<T>) {
        return value.number.value_or(0);
    } else if constexpr (HasWords<T>) {
        return std::ranges::find(Words<T>::table, value, &Word<T>::value)->text;
    } else if constexpr (std::is_enum_v<T>) {
        return toString(value);
    } else if constexpr (ByName<T>) {
        Ordered object = Ordered::object();
        for (const auto &[name, each] : value)
            object[std::string(name)] = jsonOf(each);
        return object;
    } else if constexpr (std::ranges::range<T> && !std::is_convertible_v<T, std::string_view> &&
                         !std::is_same_v<T, Ordered>) {
        Ordered list = Ordered::array();
        for (const auto &each : value)
            list.push_back(jsonOf(each));
        return list;
    } else {
        return value;
    }
}

// Adds the members to an object; what is not known is left out.
template <Record T>
void writeMembers(nlohmann::ordered_json &object, const T &record)
{
    eachMember(record, [&](const Field &field, const auto &value, bool isKnown = true) {
        if (field.key == "*")
            object.update(jsonOf(value));
        else if (!field.key.empty() && isKnown)
            object[std::string(field.key)] = jsonOf(value);
    });
}

template <Record T>
void readMembers(ObjectReader &reader, T &record);

// Enumerators, maps and lists of other things than records are left to the caller, as is what is computed.
template <typename T>
void readMember(ObjectReader &reader, const Field &field, T &value)
{
    const auto refuse = [&](std::string_view isNot) {
        reader.fail(refuseAt(reader.where(), '"' + std::string(field.key) + "\" is not " + std::string(isNot)));
    };
    const auto readObject = [&](const nlohmann::json &object, auto &into) {
        ObjectReader inner(object, reader.where() + ": " + std::string(field.key));
        readMembers(inner, into);
        if (auto read = inner.result(); !read)
            reader.fail(tl::unexpected(std::move(read.error())));
    };
    if constexpr (kIsNullIf<T>) {
        reader.orNull(field.key, value.number, value.value);
    } else if constexpr (kIsZeroIfEmpty<T>) {
        int number = 0;
        reader.optional(field.key, number);
        if (number > 0)
            value.number = number;
    } else if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, std::string>) {
        field.isRequired ? reader.required(field.key, value) : reader.optional(field.key, value);
    } else if constexpr (HasWords<T>) {
        std::string text;
        reader.required(field.key, text);
        std::string known;
        for (const auto &[each, word] : Words<T>::table) {
            if (word == text)
                value = each;
            known += (known.empty() ? "" : ", ") + std::string(word);
        }
        if (std::ranges::find(Words<T>::table, text, &Word<T>::text) == std::end(Words<T>::table))
            reader.fail(
                refuseAt(reader.where(), '"' + std::string(field.key) + "\" is \"" + text + "\", not one of " + known));
    } else if constexpr (!std::is_enum_v<T> && !ByName<T>) {
        const auto found = reader.object().find(field.key);
        if (found == reader.object().end() || found->is_null())
            return;
        if constexpr (Record<T>) {
            found->is_object() ? readObject(*found, value) : refuse("an object");
        } else if constexpr (!kIsOptional<T>) {
            if constexpr (Record<std::ranges::range_value_t<T>>) {
                if (!found->is_array())
                    return refuse("a list");
                for (const nlohmann::json &entry : *found) {
                    if (!entry.is_object())
                        return reader.fail(refuseAt(reader.where(),
                                                    "an entry of \"" + std::string(field.key) + "\" is not an object"));
                    readObject(entry, value.emplace_back());
                }
            }
        } else if constexpr (Record<typename T::value_type>) {
            found->is_object() ? readObject(*found, value.emplace()) : refuse("an object");
        } else {
            static_assert(!std::is_enum_v<typename T::value_type>, "words that may be missing are left to the caller");
            reader.optional(field.key, value.emplace());
        }
    }
}

template <Record T>
void readMembers(ObjectReader &reader, T &record)
{
    eachMember(record, [&]<typename Value>(const Field &field, Value &&value, bool = true) {
        if constexpr (!std::is_const_v<std::remove_reference_t<Value>> &&
                      (std::is_lvalue_reference_v<Value> || kIsNullIf<Value> || kIsZeroIfEmpty<Value>))
            readMember(reader, field, value);
    });
}

// Reads the members that the object has; the others keep their values. Errors: InvalidInput, naming the place.
template <Record T>
[[nodiscard]] Result<void> readMembers(const nlohmann::json &object, const std::string &where, T &record)
{
    ObjectReader reader(object, where);
    readMembers(reader, record);
    return reader.result();
}

} // namespace stagecraft
