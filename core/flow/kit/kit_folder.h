#pragma once

// The folder that a kit is: the worker for PyTorch, the model, the stages to measure, and what to do. There,
//   python3 stagecraft_pytorch.py kit FOLDER
// measures them and writes NAME.latencies.jsonl into it, a recording (device/recorded/recorded_latencies.h) that
// `rec:` opens here. Interrupted, it goes on where it was.
//
//   kit.json               format "stagecraft-kit", version 1: model, batch, device, round, and the recording's header
//   open.bin               the request that opens the model (device/worker/request_bytes.h)
//   stages.bin             the requests for the stages, in the order in which they are worth most
//   stages.jsonl           a line for each: the lines of the recording that its answer makes, without the numbers
//   NAME.latencies.jsonl   what earlier kits measured; the recording goes on
//   stagecraft_pytorch.py, README.md, MANIFEST.sha256

#include "device/recorded/recorded_latencies.h"
#include "device/worker/python_statements.h"
#include "export/cpp_project/export_folder.h"
#include "flow/kit/kit_plan.h"
#include "model/model.h"

#include <filesystem>
#include <optional>
#include <string>

namespace stagecraft {

struct KitContents {
    const Model &model;
    const KitPlan &plan;
    std::string device;                   // "pytorch:cuda:0"; empty: chosen there
    const RecordedLatencies *before = {}; // what earlier kits measured; null: this is the first
    std::string workerText;               // of stagecraft_pytorch.py
    PythonMaker python;
};

struct WrittenKit {
    WrittenFolder folder;
    std::string recording; // name of the file that it makes
    std::int64_t round = 1;
    std::size_t stages = 0;
    std::size_t places = 0; // lines of the recording that they make
};

// Replaces nothing but an empty folder or a kit that was not run. Errors: InvalidInput (the folder, an operator that
// there is no code for in PyTorch).
[[nodiscard]] Result<WrittenKit> writeKit(const KitContents &contents, const std::filesystem::path &folder);

} // namespace stagecraft
