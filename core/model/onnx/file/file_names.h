#pragma once

// The tensor names of a model file as numbers: every name is looked up once, and tables indexed by name are lists.

#include "support/ids.h"
#include "support/name_index.h"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace onnx {
class GraphProto;
} // namespace onnx

namespace stagecraft {

using NameId = Id<struct FileNameTag>;

class FileNames {
public:
    // Keeps views of the graph's names: the graph must outlive this.
    explicit FileNames(const onnx::GraphProto &graph);

    [[nodiscard]] std::size_t size() const { return m_texts.size(); }
    [[nodiscard]] std::string_view text(NameId id) const { return m_texts[id.index()]; }
    // Invalid for the empty name, and if no node, input, output or initializer has it.
    [[nodiscard]] NameId find(std::string_view name) const;

    // The node's readNames and outputs, by place; invalid if left out.
    [[nodiscard]] std::span<const NameId> reads(int node) const { return m_reads.of(node); }
    [[nodiscard]] std::span<const NameId> makes(int node) const { return m_makes.of(node); }

private:
    struct Lists { // one list per node, stored one after the other
        std::vector<std::uint32_t> ends;
        std::vector<NameId> all;

        [[nodiscard]] std::span<const NameId> of(int node) const;
    };

    NameId add(std::string_view name);

    std::vector<std::string_view> m_texts;
    NameIndex m_index;
    Lists m_reads;
    Lists m_makes;
};

} // namespace stagecraft
