#pragma once

// The file that a graph was read from, for devices that hand the model to another program: what the graph does not hold
// is copied from there.

#include "graph/model_reference.h"

#include <string>

namespace stagecraft {

struct ModelFile {
    std::string path;
    std::string sha256;
    Reading reading = {};

    friend bool operator==(const ModelFile &, const ModelFile &) = default;
};

} // namespace stagecraft
