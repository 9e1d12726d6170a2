#pragma once

// Several models as one: an ordinary model whose graph is their union (graph/graph_union.h). In text: their specs,
// joined by "+".

#include "model/model.h"
#include "support/result.h"

#include <span>
#include <string>
#include <vector>

namespace stagecraft {

// Its blocks are those of the first model, then those of the second. Errors: WrongUse for fewer than two;
// InvalidInput, naming the model: it has no operators.
[[nodiscard]] Result<Model> unionOf(std::span<const Model> models);

// The specs of "resnet50+nets/a+b.onnx": each names a model. Empty: the text names one model or none, or a file has it
// as its name.
[[nodiscard]] std::vector<std::string> specsOfUnion(const std::string &text);

[[nodiscard]] std::string joinedSpecs(std::span<const std::string> specs); // "resnet50+nets/b.onnx"

// The files that a spec names, of one model or several, with the folder they are in: it can be opened from elsewhere.
[[nodiscard]] std::string absoluteSpec(const std::string &spec);

} // namespace stagecraft
