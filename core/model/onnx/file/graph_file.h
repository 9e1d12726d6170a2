#pragma once

// A graph of a model file with its names looked up, its nodes in order, and the constants read so far: once, however
// many input sizes are tried.

#include "model/onnx/file/constant.h"
#include "model/onnx/file/file_names.h"
#include "support/result.h"

#include <filesystem>
#include <memory>
#include <string>
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
    // Refuses what nodeOrder refuses, and initializers of one name that are not alike. `graph` outlives this. Weights
    // are moved out of it as they are read, so that they are in memory once.
    [[nodiscard]] static Result<GraphFile> open(onnx::GraphProto &graph, const std::filesystem::path &folder);

    [[nodiscard]] const FileNames &names() const { return m_names; }
    [[nodiscard]] const std::vector<int> &order() const { return m_order; } // of the nodes

    // Null if the file has none with this name.
    [[nodiscard]] const onnx::TensorProto *initializer(NameId name) const;
    // What the file states about a tensor that is not an input.
    [[nodiscard]] const onnx::ValueInfoProto *declared(NameId name) const;

    // The initializer's values; null if there is none, or its type is not supported (strings).
    [[nodiscard]] Result<std::shared_ptr<const Constant>> readInitializer(NameId name);

    // The constants read so far, for the same graph with other nodes; by name.
    using Constants = std::unordered_map<std::string, std::shared_ptr<const Constant>>;
    [[nodiscard]] Constants take();
    void give(const Constants &constants);

    // Constants produced by nodes, to be reused for other input sizes; null if there are none yet.
    [[nodiscard]] std::shared_ptr<const Constant> made(NameId name) const;
    void keepMade(NameId name, std::shared_ptr<const Constant> constant);

private:
    GraphFile(onnx::GraphProto &graph, std::filesystem::path folder);

    [[nodiscard]] Result<void> findInitializers(onnx::GraphProto &graph);

    std::filesystem::path m_folder;
    FileNames m_names;
    std::vector<int> m_order;
    std::unordered_map<NameId, onnx::TensorProto *> m_initializers;
    std::unordered_map<NameId, const onnx::ValueInfoProto *> m_declared;
    std::unordered_map<NameId, std::shared_ptr<const Constant>> m_constants;
};

} // namespace stagecraft
