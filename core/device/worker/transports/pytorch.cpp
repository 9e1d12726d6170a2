#include "device/worker/transports/pytorch.h"

#include "device/worker/transports/pytorch_parts.h"
#include "support/child_process.h"

#include <cstdlib>

namespace stagecraft {

const std::string &pytorchWorkerText()
{
    static const std::string text = [] {
        std::string all;
        for (const PytorchPart &part : pytorchParts())
            all.append(all.empty() ? "" : "\n\n").append(part.text);
        return all;
    }();
    return text;
}

std::string pytorchPython()
{
    const char *named = std::getenv("STAGECRAFT_PYTHON");
    std::string python = named && *named ? named : programInPath("python3");
    return python.empty() ? "/usr/bin/python3" : python; // to say what is missing
}

std::vector<std::string> pytorchWorkerCommand(const std::string &python)
{
    return {python, "-c", pytorchWorkerText()};
}

} // namespace stagecraft
