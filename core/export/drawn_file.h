#pragma once

// What draws gives to what writes. A header of its own: the command line hands it on without knowing the formats.

#include <string>
#include <vector>

namespace stagecraft {

// A picture, or the report of a shelf, as a file.
struct DrawnFile {
    std::string bytes;
    double scale = 1;                      // that a picture is drawn at
    std::vector<std::string> remarks = {}; // for people
};

} // namespace stagecraft
