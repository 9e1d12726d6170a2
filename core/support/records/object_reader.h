#pragma once

// Checked reading of the members of one JSON object. Only for sources that include nlohmann's JSON themselves.

#include "support/result.h"

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace stagecraft {

// A refusal of the value at a place.
[[nodiscard]] inline tl::unexpected<Error> refuseAt(std::string where, std::string reason)
{
    return within(std::move(where), Error{ErrorCode::InvalidInput, std::move(reason), {}, {}});
}

// Reads members of one object and keeps the first error.
class ObjectReader {
public:
    ObjectReader(const nlohmann::json &object, std::string where) : m_object(object), m_where(std::move(where)) {}

    template <typename T>
    void optional(std::string_view key, T &value)
    {
        const auto found = m_object.find(key);
        if (found == m_object.end() || found->is_null() || m_error)
            return;
        if (isA<T>(*found))
            value = found->template get<T>();
        else
            m_error = refuseAt(m_where, quoted(key) + " is not " + nameOf<T>()).value();
    }

    template <typename T>
    void required(std::string_view key, T &value)
    {
        const auto found = m_object.find(key);
        if (!m_error && (found == m_object.end() || found->is_null()))
            m_error = refuseAt(m_where, quoted(key) + " is missing").value();
        optional(key, value);
    }

    // What null stands for.
    template <typename T>
    void orNull(std::string_view key, T &value, T null)
    {
        const auto found = m_object.find(key);
        if (found != m_object.end() && found->is_null())
            value = null;
        else
            optional(key, value);
    }

    [[nodiscard]] const nlohmann::json &object() const { return m_object; }
    [[nodiscard]] const std::string &where() const { return m_where; }
    void fail(tl::unexpected<Error> error)
    {
        if (!m_error)
            m_error = std::move(error.value());
    }

    [[nodiscard]] Result<void> result() const
    {
        return m_error ? Result<void>(tl::unexpected(*m_error)) : Result<void>{};
    }

private:
    static std::string quoted(std::string_view key) { return '"' + std::string(key) + '"'; }

    template <typename T>
    static bool isA(const nlohmann::json &json)
    {
        if constexpr (std::is_same_v<T, std::string>)
            return json.is_string();
        else if constexpr (std::is_same_v<T, bool>)
            return json.is_boolean();
        else if constexpr (std::is_floating_point_v<T>)
            return json.is_number();
        else
            return json.is_number_integer() && (json.is_number_unsigned() ? json.get<std::uint64_t>() <= kLargest<T>
                                                                          : json.get<std::int64_t>() >= 0);
    }

    template <typename T>
    static constexpr std::uint64_t kLargest = static_cast<std::uint64_t>(std::numeric_limits<T>::max());

    template <typename T>
    static const char *nameOf()
    {
        if constexpr (std::is_same_v<T, std::string>)
            return "text";
        else if constexpr (std::is_same_v<T, bool>)
            return "true or false";
        else if constexpr (std::is_floating_point_v<T>)
            return "a number";
        else
            return "a whole number of at least 0";
    }

    const nlohmann::json &m_object;
    std::string m_where;
    std::optional<Error> m_error;
};

} // namespace stagecraft
