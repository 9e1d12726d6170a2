#pragma once

// How both programs open a model: what a reader (model/model_reader.h) returns becomes a Model.

#include "graph/model_file.h"
#include "model/generator.h"
#include "model/model.h"
#include "model/open_request.h"
#include "schedule/timed_schedule.h"
#include "support/result.h"

#include <optional>
#include <string>
#include <vector>

namespace stagecraft {

struct OpenedModel {
    Model model;
    std::optional<TimedSchedule> embedded; // that is part of the file (export --format onnx)
};

[[nodiscard]] Result<OpenedModel> openModel(const OpenRequest &request);

// The ONNX file that the model was read from; empty: it was read from none.
[[nodiscard]] std::optional<ModelFile> onnxFileOf(const Model &model);

// Of a model file that is refused: the inputs whose sizes it leaves open, with proposals. Empty: there are none.
[[nodiscard]] std::vector<OpenInput> openInputsOf(const std::string &spec);

// Refuses to overwrite a file that the model was read from, including its external data. `output` is a path.
[[nodiscard]] Result<void> refuseOverwritingModel(const std::string &output, const Model &model);

// Adds the model's name to a device's error about the model.
[[nodiscard]] tl::unexpected<Error> withinModel(const Model &model, Error error);

// "squeezenet", "moe:tokens=1" with the sizes that differ from the usual ones, the stem of a file's name.
[[nodiscard]] std::string nameOfModel(const std::string &spec);

// Of the models of a union: their names, each told apart from the others.
[[nodiscard]] std::vector<std::string> namesInUnion(const std::vector<std::string> &specs);

struct BuiltInModel {
    std::string name;
    std::string title;
    std::vector<GeneratorParameter> parameters = {}; // of NAME:PARAMETER=VALUE,...; empty: its sizes are fixed
};

[[nodiscard]] std::vector<BuiltInModel> builtInModels();

} // namespace stagecraft
