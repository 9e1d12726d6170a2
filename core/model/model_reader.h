#pragma once

// The formats in which a model can be given: what a text names, and how it is read. The program opens every model
// through this table; a format is one row of it (model_reader.cpp).

#include "model/open_request.h"
#include "model/source_graph.h"
#include "support/result.h"

#include <span>
#include <string>
#include <string_view>

namespace stagecraft {

struct ModelReader {
    std::string_view format; // "an .onnx file"; empty: not a file
    // Whether the text names a model of this format; nothing is read.
    bool (*sniff)(const std::string &text);
    // The report of the reading is part of the result. Errors name the file.
    Result<SourceGraph> (*open)(const OpenRequest &request);
};

[[nodiscard]] std::span<const ModelReader> modelReaders();

// The model that the request names. WrongUse, with the names that are known: there is no such model; InvalidInput: a
// file of another kind, or the reader refuses it.
[[nodiscard]] Result<SourceGraph> readModel(const OpenRequest &request);

} // namespace stagecraft
