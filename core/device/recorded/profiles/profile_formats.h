#pragma once

// The readers behind the rows of profile_reader.cpp, a source each; see ProfileReader there.

#include "device/recorded/profiles/profile_reader.h"

namespace stagecraft::profiles {

// PyTorch (torch.profiler, kineto): trace events, times in microseconds with or without three decimals.
[[nodiscard]] bool isPyTorch(std::string_view bytes);
[[nodiscard]] Result<Profile> readPyTorch(std::span<const ProfileFile> files, const std::stop_token &stop);

// ONNX Runtime (SessionOptions::EnableProfiling): trace events of nodes, times of the host.
[[nodiscard]] bool isOnnxRuntime(std::string_view bytes);
[[nodiscard]] Result<Profile> readOnnxRuntime(std::span<const ProfileFile> files, const std::stop_token &stop);

// TensorRT (trtexec --exportProfile, --exportLayerInfo, --exportTimes, and the metadata its engine explorer writes).
[[nodiscard]] bool isTensorRt(std::string_view bytes);
[[nodiscard]] Result<Profile> readTensorRt(std::span<const ProfileFile> files, const std::stop_token &stop);

// Nsight Systems (nsys export --type sqlite).
[[nodiscard]] bool isNsight(std::string_view bytes);
[[nodiscard]] Result<Profile> readNsight(std::span<const ProfileFile> files, const std::stop_token &stop);

// What this program exports (export/trace.h).
[[nodiscard]] bool isOwnChromeTrace(std::string_view bytes);
[[nodiscard]] Result<Profile> readOwnChromeTrace(std::span<const ProfileFile> files, const std::stop_token &stop);
[[nodiscard]] bool isOwnPerfettoTrace(std::string_view bytes);
[[nodiscard]] Result<Profile> readOwnPerfettoTrace(std::span<const ProfileFile> files, const std::stop_token &stop);

} // namespace stagecraft::profiles
