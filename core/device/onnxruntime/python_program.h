#pragma once

// A Python program as a child process that answers a line of JSON for each line of JSON it is sent
// (resources/onnxruntime/measure.py). It ends when this object does, or the program that has it. One request at a time.

#include "support/result.h"

#include <nlohmann/json_fwd.hpp>

#include <chrono>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace stagecraft {

struct PythonModule {
    std::string name; // as it is imported
    std::string text;
};

class PythonProgram {
public:
    // Calls `call`, such as "measure.serve()", in `python`, a path or a name in PATH. A module may import those before.
    PythonProgram(std::string python, std::vector<PythonModule> modules, const std::string &call);
    ~PythonProgram();
    PythonProgram(const PythonProgram &) = delete;
    PythonProgram &operator=(const PythonProgram &) = delete;

    // Errors: DeviceFailed, naming the Python.
    [[nodiscard]] Result<void> start();
    // Asks one that was started. The answer is an object. Errors: DeviceFailed, with what it said last: it ended, or
    // took longer than `limit`, if there is one, and was ended; with its "error" member, if it answers with one.
    // Cancelled: it was ended, since it cannot be interrupted.
    [[nodiscard]] Result<nlohmann::json> ask(const nlohmann::json &request, const std::stop_token &stop,
                                             std::optional<std::chrono::milliseconds> limit = {});
    // Ends it, if it runs.
    void stop();

    [[nodiscard]] bool isRunning();

private:
    [[nodiscard]] bool send(const std::string &text) const;
    [[nodiscard]] Result<std::string> line(const std::stop_token &stop, std::optional<std::chrono::milliseconds> limit);
    [[nodiscard]] tl::unexpected<Error> lost();
    [[nodiscard]] std::string lastError() const; // the last line that it wrote to standard error
    void kill();
    void forget();

    std::string m_python;
    std::vector<PythonModule> m_modules;
    std::string m_boot; // what Python is started with: it makes the modules from its first line, and calls
    int m_child = -1;
    int m_errors = -1;
    int m_socket = -1;
    std::string m_received;
};

} // namespace stagecraft
