#pragma once

// How the device "onnxruntime" runs, as its id says: onnxruntime, then the number of threads, then any of
//   level     extended (as exported folders run, the default), all (what else ONNX Runtime knows, too)
//   parallel  ORT_PARALLEL without a file of streams: ONNX Runtime chooses them, and no schedule is kept
// separated by colons: onnxruntime, onnxruntime:4, onnxruntime:2:all.

#include "support/result.h"

#include <string>
#include <string_view>

namespace stagecraft {

struct OptionWords;

struct OnnxRuntimeOptions {
    int threads = 0; // 0: all processors that the program may use
    bool isAll = false;
    bool isParallel = false;

    friend bool operator==(const OnnxRuntimeOptions &, const OnnxRuntimeOptions &) = default;
};

[[nodiscard]] bool isOnnxRuntime(std::string_view id);
[[nodiscard]] OptionWords onnxRuntimeOptionWords();

// WrongUse: not the id of such a device, or an unknown option, with the known ones as remedy.
[[nodiscard]] Result<OnnxRuntimeOptions> onnxRuntimeOptionsFrom(std::string_view id);

// The shortest id with these options.
[[nodiscard]] std::string toId(const OnnxRuntimeOptions &options);

} // namespace stagecraft
