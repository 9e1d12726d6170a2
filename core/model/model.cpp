#include "model/model.h"

#include <algorithm>

namespace stagecraft {

const PassReport *ImportReport::find(std::string_view pass) const
{
    const auto found = std::ranges::find(passes, pass, &PassReport::pass);
    return found == passes.end() ? nullptr : &*found;
}

} // namespace stagecraft
