#pragma once

// Reads ONNX files of any exporter. Shapes are propagated and small integer computations on shapes are carried out
// here, not by the onnx library, which crashes on some real files.
//
// Refused, naming the operator and the reason: files that are not ONNX, are cut short or have no graph; cycles; tensors
// that no operator or two operators produce; shapes that do not fit or are absurd; weights that are missing, of the
// wrong size, or in an external file outside the model's folder. Kept: operators without a rule (OperatorKind::Unknown,
// with the shapes that are known), listed in the report.

#include "model/opening_budget.h"
#include "model/source_graph.h"
#include "support/result.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft {

struct OnnxImportOptions {
    std::int64_t batch = 0;                // 0: the file's own, or 1 if the file leaves it open
    bool keepSource = false;               // for exportOnnx, which copies from it; needs memory
    std::optional<GivenInputs> given = {}; // if it is executed: then one of constants alone is read, too
    Reading reading = {};
    bool keepFolded = false; // nodes that become constants, to be looked at
    // What opening may take, and whether it is to stop (Cancelled); null: the usual one.
    std::shared_ptr<WorkBudget> budget = {};
};

[[nodiscard]] Result<SourceGraph> importOnnx(const std::filesystem::path &path, const OnnxImportOptions &options = {});

// Reads from memory; `folder` is where external data is read from.
[[nodiscard]] Result<SourceGraph> importOnnxBytes(std::string_view bytes, const std::string &name,
                                                  const std::filesystem::path &folder,
                                                  const OnnxImportOptions &options = {});

// The inputs with sizes besides the batch that the file leaves open, with the program's first proposal, also where the
// file is refused because none fits.
[[nodiscard]] Result<std::vector<OpenInput>> onnxOpenInputs(const std::filesystem::path &path);

} // namespace stagecraft
