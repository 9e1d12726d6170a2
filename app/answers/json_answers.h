#pragma once

// The meaning of the keys in the JSON answers of stagecraft-cli, from resources/help/json_answers.json, as values and
// as text for a terminal and for the help of the window. tst_cli_json checks every answer against it.

#include <string>
#include <string_view>
#include <vector>

namespace stagecraft {

// "blocks[].states?": the key `states`, which may be absent, in each element of the list `blocks`. "*" stands for any
// name. The kind is a JSON type ("text", "true or false", "list", "object"), the unit of a number, or "part NAME" for
// an object that several answers share; "or null" may follow.
struct JsonKey {
    std::string path;
    std::string kind;
    std::string meaning;
};

struct JsonAnswer {
    std::string name;   // "info", "latencies-list"
    std::string call;   // "stagecraft-cli info MODEL --json"
    std::string format; // value of the key `format`; empty: none
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
