#pragma once

// How both programs open a model: a built-in name, an ONNX file or an IOS JSON file becomes a Model.

#include "model/model.h"
#include "support/result.h"

#include <cstdint>
#include <string>
#include <vector>

namespace stagecraft {

struct OpenOptions {
    std::int64_t batch = 0;  // 0: the model's own, or 1 if it leaves it open
    bool keepOrigin = false; // for ONNX files, for exportOnnx
};

[[nodiscard]] Result<Model> openModel(const std::string &spec, const OpenOptions &options = {});

// Refuses to overwrite a file that the model was read from, including its external data. `output` is a path.
[[nodiscard]] Result<void> refuseOverwritingModel(const std::string &output, const Model &model);

// Adds the model's name to a device's error about the model.
[[nodiscard]] tl::unexpected<Error> withinModel(const Model &model, Error error);

struct BuiltInModel {
    std::string name;
    std::string title;
};

[[nodiscard]] std::vector<BuiltInModel> builtInModels();

} // namespace stagecraft
