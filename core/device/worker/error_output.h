#pragma once

// What a program writes to standard error: the last of it, for messages, and its lines, for a person.

#include <chrono>
#include <string>
#include <vector>

namespace stagecraft::worker {

class ErrorOutput {
public:
    ErrorOutput() = default;
    ~ErrorOutput();
    ErrorOutput(const ErrorOutput &) = delete;
    ErrorOutput &operator=(const ErrorOutput &) = delete;

    // Makes a new pipe and forgets what was said. Returns the end that the program gets, to be closed here once it has
    // it; negative: there is none.
    [[nodiscard]] int open();
    void read(); // what has come; does not wait
    void close();

    [[nodiscard]] const std::string &last() const { return m_last; }
    // Whole lines, each once, a moment after they came: those of a program that ends at once stand in its error.
    [[nodiscard]] std::vector<std::string> takeLines();

private:
    int m_descriptor = -1;
    std::string m_last;
    std::string m_untold;
    std::chrono::steady_clock::time_point m_came;
};

} // namespace stagecraft::worker
