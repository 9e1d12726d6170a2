#pragma once

// A stage of a schedule in the IOS JSON format, as in the file: model/ios/stages.h reads it, flow/open/ios_schedule.h
// makes a schedule of it.

#include <cstddef>
#include <string>
#include <vector>

namespace stagecraft {

struct IosStage {
    std::size_t block = 0; // of the file
    std::vector<std::vector<std::string>> groups;
    std::vector<std::string> merged = {}; // of a stage of one node: the operators that it stands for, if several
};

} // namespace stagecraft
