#pragma once

// What became of each node while a file is read: counts by type, the changes of the passes that are part of reading,
// and remarks, one note for all similar operators. For each node begin(), then folded(), leftOut() or added().

#include "model/source_graph.h"

#include <cstdint>
#include <map>
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
    void added();                   // as the next operator of the graph

    void remarkKept(std::string name, const std::string &text); // about an operator that is kept as in the file
    void remarkAll(std::string name, const std::string &text);  // about any other

    // After the graph is built. Operators without a cost get notes of their own.
    void finish(SourceGraph &source, const Reading &reading);

private:
    struct Remark {
        std::string operatorName; // the first of them
        int count = 0;
    };
    using Remarks = std::map<std::string, Remark>; // by text

    void addNotes(SourceGraph &source) const;

    std::vector<TypeReport> m_types;
    std::unordered_map<std::string, std::uint32_t> m_places;
    std::uint32_t m_current = 0;
    std::vector<std::uint32_t> m_typeOf; // by operator
    std::vector<PassChange> m_folded;
    std::vector<PassChange> m_leftOut;
    Remarks m_kept;
    Remarks m_others;
};

} // namespace stagecraft
