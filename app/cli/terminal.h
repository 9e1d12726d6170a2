#pragma once

// Standard output and standard error as people see them. All text passes shownText (support/shown_text.h) line by line,
// so that no name in a file can command the terminal; the program's own "\r\033[K" (restart the line) stays as it is. A
// JSON document keeps its meaning: it has no raw control characters below U+007F, and those above are escaped as in
// JSON.

#include "support/result.h"

#include <memory>

namespace stagecraft {

class Terminal {
public:
    Terminal();
    ~Terminal();
    Terminal(const Terminal &) = delete;
    Terminal &operator=(const Terminal &) = delete;

    // Standard output is a file that the command writes: text for people goes to standard error.
    void releaseOutput();
    // Flushes and reports errors, such as a full disk.
    [[nodiscard]] Result<void> finish();

private:
    class Buffer;

    std::unique_ptr<Buffer> m_output;
    std::unique_ptr<Buffer> m_errors;
};

} // namespace stagecraft
