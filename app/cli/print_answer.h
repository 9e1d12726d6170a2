#pragma once

// --json: the answer of a command, as a record of app/answers.

#include "answers/answer_parts.h"
#include "cli/command_line.h"
#include "support/records/json_record.h"

#include <fmt/format.h>

namespace stagecraft {

// Begins with its format and version.
template <typename Answer>
void printAnswer(const Answer &answer)
{
    Json document{{"format", fmt::format("stagecraft-{}", Answer::kTitle.format)}, {"version", 1}};
    writeMembers(document, answer);
    printJson(document);
}

} // namespace stagecraft
