#pragma once

// A model as it is opened, for tests that do not look at the schedule in its file.

#include "flow/open_model.h"

#include <string>
#include <utility>

namespace stagecraft::test {

inline Result<Model> openedModel(const std::string &spec, const ModelReadOptions &options = {})
{
    return openModel(spec, options).map([](OpenedModel opened) { return std::move(opened.model); });
}

} // namespace stagecraft::test
