#pragma once

// The one way both programs open a model: a built-in name, an ONNX file or an IOS JSON file becomes a Model.

#include "model/model.h"
#include "support/result.h"

#include <cstdint>
#include <string>
#include <vector>

namespace stagecraft {

struct OpenOptions {
    std::int64_t batch = 0;  // 0: the model's own, 1 where it leaves it open
    bool keepOrigin = false; // of ONNX files, for exportOnnx
};

[[nodiscard]] Result<Model> openModel(const std::string &spec, const OpenOptions &options = {});

// Refuses to write over a file that the model was read from, its external data included. `output` is a path.
[[nodiscard]] Result<void> refuseOverwritingModel(const std::string &output, const Model &model);

// A refusal of what the model holds, by a device, names the model.
[[nodiscard]] tl::unexpected<Error> withinModel(const Model &model, Error error);

struct BuiltInModel {
    std::string name;
    std::string title;
};

[[nodiscard]] std::vector<BuiltInModel> builtInModels();

} // namespace stagecraft
