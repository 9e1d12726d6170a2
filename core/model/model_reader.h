#pragma once

// The formats in which a model can be given: what a text names, and how it is read. The program opens every model
// through this table; a format is one row of it (model_reader.cpp).

#include "model/open_request.h"
#include "model/source_graph.h"
#include "support/result.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft {

struct ModelReader {
    std::string_view format; // "an .onnx file"; empty: built-in networks, which are no files
    std::string_view ending; // ".onnx"; empty as well
    // The report of the reading is part of the result. Errors name the file.
    Result<SourceGraph> (*open)(const OpenRequest &request);

    // Whether the text names a model of this format; nothing is read.
    [[nodiscard]] bool sniff(const std::string &text) const;
};

[[nodiscard]] std::span<const ModelReader> modelReaders();
// Whether the text names a model of any format.
[[nodiscard]] bool namesModel(const std::string &text);
// Of files: ".onnx", ".json".
[[nodiscard]] std::vector<std::string> modelEndings();

// The model that the request names. WrongUse, with the names that are known: there is no such model; InvalidInput: a
// file of another kind, or the reader refuses it.
[[nodiscard]] Result<SourceGraph> readModel(const OpenRequest &request);

} // namespace stagecraft
