#pragma once

// The meaning of the keys in the JSON answers of stagecraft-cli, from their records, as values and as text for a
// terminal and for the help of the window. tst_cli_json checks every answer against it.

#include "support/records/record.h"

#include <string>
#include <string_view>
#include <vector>

namespace stagecraft {

struct JsonAnswer {
    std::string name; // "info", "latencies-list"
    std::string call; // "stagecraft-cli info MODEL --json"; empty: a part
    std::string purpose;
    std::vector<JsonKey> keys;
};

struct JsonAnswers {
    std::vector<std::string> notes; // for all answers
    std::vector<JsonAnswer> answers;
    std::vector<JsonAnswer> parts; // objects shared by several answers
};

[[nodiscard]] const JsonAnswers &jsonAnswers();

[[nodiscard]] std::string jsonAnswersText();
[[nodiscard]] std::string jsonAnswerText(const JsonAnswer &answer); // with the parts it refers to
[[nodiscard]] std::string jsonAnswersHtml();

} // namespace stagecraft
