#pragma once

// The answer of "profile", for programs and for people.

#include "answers/profile_answer.h"
#include "flow/import_profile.h"
#include "model/model.h"

#include <cstddef>
#include <string>

namespace stagecraft {

[[nodiscard]] answers::ProfileAnswer profileAnswer(const Model &model, const ImportedProfile &imported);

// `most`: of operators and of unmapped kernels that are listed, the longest.
void printProfile(const answers::ProfileAnswer &answer, std::size_t most);

} // namespace stagecraft
