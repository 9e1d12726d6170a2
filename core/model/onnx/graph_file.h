#pragma once

// A graph of a model file with its names looked up and its nodes in order, and the constants read from it so far: once,
// however many sizes are tried for its inputs.

#include "model/onnx/constant.h"
#include "model/onnx/file_names.h"
#include "support/result.h"

#include <filesystem>
#include <memory>
#include <unordered_map>
#include <vector>

namespace onnx {
class GraphProto;
class TensorProto;
class ValueInfoProto;
} // namespace onnx

namespace stagecraft {

class GraphFile {
public:
    // Refuses what nodeOrder refuses. `graph` outlives this; weights are taken out of it as they are read, so that they
    // are in memory once, but for those that an exporter has to copy, where `keepsOrigin`.
    [[nodiscard]] static Result<GraphFile> open(onnx::GraphProto &graph, const std::filesystem::path &folder,
                                                bool keepsOrigin);

    [[nodiscard]] const FileNames &names() const { return m_names; }
    [[nodiscard]] const std::vector<int> &order() const { return m_order; } // of nodes

    // Null where the file has none of that name.
    [[nodiscard]] const onnx::TensorProto *initializer(NameId name) const;
    // What the file says about a tensor that is no input.
    [[nodiscard]] const onnx::ValueInfoProto *declared(NameId name) const;

    // The initializer's values; null where there is none, or of a type that is not read (text).
    [[nodiscard]] Result<std::shared_ptr<const Constant>> readInitializer(NameId name);

    // What nodes of constants made, for the next sizes; null where none did yet.
    [[nodiscard]] std::shared_ptr<const Constant> made(NameId name) const;
    void keepMade(NameId name, std::shared_ptr<const Constant> constant);

private:
    GraphFile(onnx::GraphProto &graph, std::filesystem::path folder, bool keepsOrigin);

    std::filesystem::path m_folder;
    bool m_keepsOrigin;
    FileNames m_names;
    std::vector<int> m_order;
    std::unordered_map<NameId, onnx::TensorProto *> m_initializers;
    std::unordered_map<NameId, const onnx::ValueInfoProto *> m_declared;
    std::unordered_map<NameId, std::shared_ptr<const Constant>> m_constants;
};

} // namespace stagecraft
