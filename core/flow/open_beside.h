#pragma once

// What opens a model beside the one that is open, as a union (model/union/model_union.h), and what takes one away
// again. Each model stays as it is read: its batch, the sizes of its inputs, units and passes.

#include "model/model.h"
#include "model/open_request.h"

#include <cstddef>
#include <string>

namespace stagecraft {

// The models of `open`, which may be a union itself, and then the one that `spec` names.
[[nodiscard]] OpenRequest besideRequest(const Model &open, const std::string &spec);

[[nodiscard]] OpenRequest aloneRequest(const Model &both, std::size_t model); // one part of a union

// The union without its part `model`; with one left, that model alone.
[[nodiscard]] OpenRequest withoutRequest(const Model &both, std::size_t model);

} // namespace stagecraft
