#pragma once

// What verify says of a plan, for people.

#include "answers/verify_answer.h"

namespace stagecraft {

void printVerified(const answers::VerifiedFile &verified);

} // namespace stagecraft
