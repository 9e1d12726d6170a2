#pragma once

// Options as words behind a name, separated by colons: ":tf32:streams" of "gpu:0:tf32:streams".

#include "support/result.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft {

struct OptionWord {
    std::string_view word;
    std::string_view choice; // of which one word can be given: "precision"; empty: it stands by itself
};

// What can stand behind a name, and what is told whoever writes something else.
struct OptionWords {
    std::span<const OptionWord> known;
    std::string_view
        form; // "Use gpu:<number>, then any of ..., separated by colons, as in <example>": the two of these
    std::string_view example;

    // `words` is empty or begins with a colon. WrongUse, with the known words as remedy: an unknown word, or two words
    // of one choice. `id`: the whole name, for the message.
    [[nodiscard]] Result<std::vector<std::string_view>> read(std::string_view id, std::string_view words) const;

    // "the device <id> is not known: <reason>", with the known words as remedy.
    [[nodiscard]] tl::unexpected<Error> refusal(std::string_view id, std::string_view reason,
                                                std::string_view word = {}) const;

    [[nodiscard]] std::vector<std::string> names() const;
};

} // namespace stagecraft
