#pragma once

// A model as it is opened, for tests that do not look at the schedule in its file.

#include "flow/open_model.h"

#include <string>
#include <utility>

namespace stagecraft::test {

inline Result<Model> openedModel(const std::string &spec, OpenRequest request = {})
{
    request.spec = spec;
    return openModel(request).map([](OpenedModel opened) { return std::move(opened.model); });
}

} // namespace stagecraft::test
