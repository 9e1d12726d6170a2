#pragma once

// Errors about a model file. Callers add the operator or the tensor as context.

#include "support/result.h"

#include <string>
#include <utility>

namespace stagecraft {

[[nodiscard]] inline tl::unexpected<Error> refuseModel(std::string message,
                                                       std::string remedy = "Export the model again")
{
    return fail(ErrorCode::InvalidInput, std::move(message), std::move(remedy));
}

inline constexpr const char *kConsistentShapes = "Export the model again with consistent shapes";

// The shapes that operators read and write do not fit.
[[nodiscard]] inline tl::unexpected<Error> refuseShapes(std::string message)
{
    return refuseModel(std::move(message), kConsistentShapes);
}

// The graph has something that an ONNX file of it cannot express.
[[nodiscard]] inline tl::unexpected<Error> refuseToWrite(std::string message)
{
    return refuseModel(std::move(message), "Keep the original model file");
}

} // namespace stagecraft
