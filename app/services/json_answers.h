#pragma once

// What the keys of the JSON answers of stagecraft-cli mean: resources/help/json_answers.json, which is part of the
// program, as values and as text for a terminal and for the help of the window. tst_cli_json holds every answer against
// it.

#include <string>
#include <string_view>
#include <vector>

namespace stagecraft {

// "blocks[].states?": of each element of the list `blocks` the key `states`, which may be absent. "*" stands for any
// name. The kind is a JSON type ("text", "true or false", "list", "object"), for a number its unit, or "part NAME" for
// an object that is described once and met in several answers; "or null" may follow.
struct JsonKey {
    std::string path;
    std::string kind;
    std::string meaning;
};

struct JsonAnswer {
    std::string name;   // "info", "latencies-list"
    std::string call;   // "stagecraft-cli info MODEL --json"
    std::string format; // value of the key `format`; empty: has none
    std::string purpose;
    std::vector<JsonKey> keys;
};

struct JsonAnswers {
    std::vector<std::string> notes; // for all answers
    std::vector<JsonAnswer> answers;
    std::vector<JsonAnswer> parts; // objects that several answers hold
};

[[nodiscard]] const JsonAnswers &jsonAnswers();

[[nodiscard]] std::string jsonAnswersText();
[[nodiscard]] std::string jsonAnswerText(const JsonAnswer &answer); // with the parts it refers to
[[nodiscard]] std::string jsonAnswersHtml();

} // namespace stagecraft
