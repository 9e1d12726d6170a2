#pragma once

// What became of each node while a file is read: counts by type, and the changes of the passes that are part of
// reading. begin(), then one of the others, for each node.

#include "model/source_graph.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace stagecraft {

class ReadReport {
public:
    void begin(std::string_view type);
    void folded(std::string name);  // empty: the node itself is a constant
    void leftOut(std::string name); // it passes a tensor on
    void added(bool isOpaque);      // as the next operator of the graph

    void finish(SourceGraph &source, const RewriteOptions &options);

private:
    std::vector<TypeReport> m_types;
    std::unordered_map<std::string, std::uint32_t> m_places;
    std::uint32_t m_current = 0;
    std::vector<std::uint32_t> m_typeOf; // by operator
    std::vector<PassChange> m_folded;
    std::vector<PassChange> m_leftOut;
};

} // namespace stagecraft
