#pragma once

#include "rewrite/form_units.h"

namespace stagecraft::test {

// The units alone.
inline Result<Graph> formedUnits(Graph graph, const std::set<std::string> &keptApart = {},
                                 const RewriteOptions &options = {})
{
    return formUnits(std::move(graph), keptApart, options).map([](FormedUnits &&formed) {
        return std::move(formed.graph);
    });
}

} // namespace stagecraft::test
