#pragma once

// The formats in which a model can be given: what a text names, and how it is read. The program opens every model
// through this table; a format is one row of it (model_reader.cpp).

#include "model/opening_budget.h"
#include "model/source_graph.h"
#include "support/result.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace stagecraft {

struct ModelReadOptions {
    std::int64_t batch = 0;                // 0: the model's own, or 1 if it leaves it open
    bool keepSource = false;               // for exportOnnx, which copies from it; needs memory
    std::optional<GivenInputs> given = {}; // of a model that is executed
    Reading reading = {};                  // of a model file; other models consist of units and know their sizes
    bool keepFolded = false;               // nodes of a model file that become constants, to be looked at
    // What opening may take, and whether it is to stop (Cancelled); null: the usual one. Of one opening.
    std::shared_ptr<WorkBudget> budget = {};
};

struct ModelReader {
    std::string_view format; // "an .onnx file"; empty: not a file
    // Whether the text names a model of this format; nothing is read.
    bool (*sniff)(const std::string &text);
    // The report of the reading is part of the result. Errors name the file.
    Result<SourceGraph> (*open)(const std::string &text, const ModelReadOptions &options);
};

[[nodiscard]] std::span<const ModelReader> modelReaders();

// The model that the text names. WrongUse, with the names that are known: there is no such model; InvalidInput: a file
// of another kind, or the reader refuses it.
[[nodiscard]] Result<SourceGraph> readModel(const std::string &text, const ModelReadOptions &options = {});

} // namespace stagecraft
