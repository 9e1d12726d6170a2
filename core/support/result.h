#pragma once

// How this code reports failure. A function that can fail for a reason outside the code returns Result<T>; no exception
// crosses a folder. TRY (support/try.h) passes an error on. The text for people is made from an Error in one place
// (core/support/error_text.h).

#include "support/try.h"

#include <string>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

namespace stagecraft {

enum class ErrorCode {
    WrongUse,     // invalid request (r = 0, unknown device); exit status 2
    InvalidInput, // a file or value was refused; exit status 3
    DeviceFailed, // a device could not answer; exit status 4
    Cancelled,    // a stop was requested; exit status 130
};

struct Error {
    ErrorCode code = ErrorCode::InvalidInput;
    std::string message;              // the reason, one sentence without a full stop
    std::string remedy;               // what the person can do about it; may be empty
    std::vector<std::string> context; // outermost first: the file, then "operator conv1", ...
};

template <typename T>
using Result = tl::expected<T, Error>;

[[nodiscard]] inline tl::unexpected<Error> fail(ErrorCode code, std::string message, std::string remedy = {})
{
    return tl::unexpected<Error>(Error{code, std::move(message), std::move(remedy), {}});
}

// A file or value that is not accepted.
[[nodiscard]] inline tl::unexpected<Error> refused(std::string message, std::string remedy = {})
{
    return fail(ErrorCode::InvalidInput, std::move(message), std::move(remedy));
}

// Adds where it happened, as the outermost entry of the context.
[[nodiscard]] inline tl::unexpected<Error> within(std::string where, Error error)
{
    error.context.insert(error.context.begin(), std::move(where));
    return tl::unexpected<Error>(std::move(error));
}

} // namespace stagecraft
