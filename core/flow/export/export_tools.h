#pragma once

// What an export needs, and what it says of itself.

#include "device/device.h"
#include "export/formats.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace stagecraft {

struct ExportWritten {
    std::size_t files = 1;
    std::uint64_t bytes = 0;
    std::vector<std::string> remarks = {}; // for people
    std::vector<std::string> names = {};   // of a shelf: in the folder, in the order of the shelf
    std::vector<std::string> leftOut = {}; // of a shelf: results without a schedule, with the reason
};

// What an export needs from others.
struct ExportTools {
    // Of "cpu", on which a C++ project for it is run once.
    std::function<Result<std::unique_ptr<Device>>(const std::string &id)> findDevice;
    // What a C++ project for CUDA refuses; a plan needs no GPU.
    std::function<Result<void>(const Graph &graph, const Schedule &schedule)> checkOnCuda;
    // The file of a request that is drawn. In the window: not for background threads, so made before.
    std::function<Result<DrawnFile>(const ExportRequest &request)> draw;
};

} // namespace stagecraft
