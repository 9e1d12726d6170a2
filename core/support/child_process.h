#pragma once

// Programs that this one starts, works with over two descriptors, and ends. They have their own process group: Ctrl+C
// in a terminal goes to this program alone, which then stops them properly. One that may ask a person for a password
// stays in this program's group, since others cannot read from the terminal, and ignores Ctrl+C; it may have something
// to give back elsewhere, such as a job in a queue, and is asked to end (SIGTERM) when this program ends at once
// (askChildrenToEnd). Signals that are blocked or ignored here are not so there. Threads: any.

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace stagecraft {

// Where a child reads and writes; -1: as this program does.
struct ChildDescriptors {
    int input = -1;
    int output = -1;
    int errors = -1;
};

enum class Passwords { None, Asked }; // Asked: it may read passwords from the terminal

// `arguments`: the program first, by path or as found in PATH. Returns its process, or the number of the system's error
// (std::strerror), negative.
[[nodiscard]] int startChild(std::vector<std::string> arguments, const ChildDescriptors &descriptors,
                             Passwords passwords = Passwords::None);

// Asks those to end that may read passwords, and lets no more of them start: this program is about to end.
void askChildrenToEnd();

// What a program writes to standard output; its standard error is dropped. Empty: it could not be started, failed, or
// took longer, and was killed.
[[nodiscard]] std::optional<std::string> outputOf(std::vector<std::string> arguments, std::chrono::milliseconds time);

// The first program of this name in the absolute folders of PATH; empty: none has it.
[[nodiscard]] std::string programInPath(const std::string &name);

// Its exit status, as of waitpid, once it has ended. Empty: it still runs.
[[nodiscard]] std::optional<int> endedWithin(int child, std::chrono::milliseconds time);

// "was killed by signal 11 (Segmentation fault)", "ended with status 2".
[[nodiscard]] std::string exitText(int status);

// Kills it. One that is stuck in a driver stays until the driver returns; it is not waited for here.
void killChild(int child);

} // namespace stagecraft
