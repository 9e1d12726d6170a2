#pragma once

// Graphviz's dot as a program of its own (its licence forbids to link it with this window). Widgets start no programs:
// who may do so hands one in. A layout makes one, asks it part by part and destroys it, all on one thread.

#include "support/result.h"

#include <functional>
#include <memory>
#include <stop_token>
#include <string>

namespace stagecraft {

class DotRunner {
public:
    virtual ~DotRunner() = default;

    // A graph in the DOT language in, dot's answer (-Tjson0) out, as it came. Cancelled: a stop was requested. Any
    // other error: dot is missing, ended, took too long or said too much.
    [[nodiscard]] virtual Result<std::string> layOut(const std::string &graph, const std::stop_token &stop) = 0;
};

using DotRunnerFactory = std::function<std::unique_ptr<DotRunner>()>;

} // namespace stagecraft
