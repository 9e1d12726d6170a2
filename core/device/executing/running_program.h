#pragma once

// What programs run on this machine, for people.

#include <optional>
#include <string>

namespace stagecraft {

// "stagecraft-cli optimize nasnet -d cpu (process 1234)": the program that the process works for, which for a worker is
// the one that started it. Empty: there is no such process.
[[nodiscard]] std::string runningProgram(int process);

// The process that a worker works for; the process itself if it is no worker. Empty: there is no such process.
[[nodiscard]] std::optional<int> workingFor(int process);

} // namespace stagecraft
