#pragma once

// Standard output and standard error as people see them. Whatever reaches them passes shownText (support/shown_text.h)
// line by line, so that no name in a file commands the terminal; the program's own "\r\033[K" (begin the line anew)
// stays what it is. A JSON document keeps its meaning: it has no raw controls below U+007F, and above they are spelled
// as in JSON.

#include "support/result.h"

#include <memory>

namespace stagecraft {

class Terminal {
public:
    Terminal();
    ~Terminal();
    Terminal(const Terminal &) = delete;
    Terminal &operator=(const Terminal &) = delete;

    // Standard output is a file that the command writes: its text for people goes to standard error.
    void releaseOutput();
    // All that was printed has arrived; the answer of a full disk.
    [[nodiscard]] Result<void> finish();

private:
    class Buffer;

    std::unique_ptr<Buffer> m_output;
    std::unique_ptr<Buffer> m_errors;
};

} // namespace stagecraft
