#pragma once

// How the engine reports failure: a function that can fail returns a value or an Error.

#include "support/try.h"

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace stagecraft {

template <typename E>
class unexpected {
public:
    explicit unexpected(E error) : m_error(std::move(error)) {}

    [[nodiscard]] const E &value() const & { return m_error; }
    [[nodiscard]] E &&value() && { return std::move(m_error); }

private:
    E m_error;
};

template <typename T, typename E>
class expected {
public:
    expected() = default; // a default value
    expected(T value) : m_state(std::in_place_index<0>, std::move(value)) {}
    expected(unexpected<E> error) : m_state(std::in_place_index<1>, std::move(error).value()) {}

    [[nodiscard]] explicit operator bool() const { return m_state.index() == 0; }
    [[nodiscard]] T &operator*() & { return *std::get_if<0>(&m_state); }
    [[nodiscard]] const T &operator*() const & { return *std::get_if<0>(&m_state); }
    [[nodiscard]] T &&operator*() && { return std::move(*std::get_if<0>(&m_state)); }
    [[nodiscard]] T *operator->() { return std::get_if<0>(&m_state); }
    [[nodiscard]] const T *operator->() const { return std::get_if<0>(&m_state); }
    [[nodiscard]] const E &error() const { return *std::get_if<1>(&m_state); }

private:
    std::variant<T, E> m_state;
};

template <typename E>
class expected<void, E> {
public:
    expected() = default;
    expected(unexpected<E> error) : m_error(std::move(error).value()) {}

    [[nodiscard]] explicit operator bool() const { return !m_error; }
    [[nodiscard]] const E &error() const { return *m_error; }

private:
    std::optional<E> m_error;
};

enum class ErrorCode {
    WrongUse,     // an invalid request
    InvalidInput, // a file or value was refused
    DeviceFailed, // the processor or a library could not do it
};

struct Error {
    ErrorCode code = ErrorCode::InvalidInput;
    std::string message;              // the reason, one sentence without a full stop
    std::string remedy;               // what can be done about it; may be empty
    std::vector<std::string> context; // outermost first: "operator conv1"
};

template <typename T>
using Result = expected<T, Error>;

[[nodiscard]] inline unexpected<Error> fail(ErrorCode code, std::string message, std::string remedy = {})
{
    return unexpected<Error>(Error{code, std::move(message), std::move(remedy), {}});
}

// A file or value that is not accepted.
[[nodiscard]] inline unexpected<Error> refused(std::string message, std::string remedy = {})
{
    return fail(ErrorCode::InvalidInput, std::move(message), std::move(remedy));
}

// Adds where it happened, as the outermost entry of the context.
[[nodiscard]] inline unexpected<Error> within(std::string where, Error error)
{
    error.context.insert(error.context.begin(), std::move(where));
    return unexpected<Error>(std::move(error));
}

} // namespace stagecraft
