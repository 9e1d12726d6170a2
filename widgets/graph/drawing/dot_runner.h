#pragma once

// Graphviz's dot as a separate program, whose licence does not allow linking it here. Widgets start no programs, so the
// application passes in a runner. A drawing creates one, calls it for each part and destroys it, all on one thread.

#include "support/result.h"

#include <functional>
#include <memory>
#include <stop_token>
#include <string>

namespace stagecraft {

class DotRunner {
public:
    virtual ~DotRunner() = default;

    // Takes a graph in the DOT language and returns dot's raw answer (-Tjson0). Cancelled: a stop was requested. Other
    // errors: dot is missing, ended, took too long or wrote too much.
    [[nodiscard]] virtual Result<std::string> layOut(const std::string &graph, const std::stop_token &stop) = 0;
};

using DotRunnerFactory = std::function<std::unique_ptr<DotRunner>()>;

} // namespace stagecraft
