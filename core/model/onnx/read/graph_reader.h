#pragma once

// One reading of the graph of a model file, front to back, with the nodes that the file has now and with the sizes that
// are tried (read_graph.h reads it as often as it takes). Nodes that compute with constants are folded, and those that
// pass a tensor on are left out.

#include "model/onnx/file/graph_file.h"
#include "model/onnx/file/node.h"
#include "model/onnx/file/onnx_source.h"
#include "model/onnx/read/file_values.h"
#include "model/onnx/read/fold_budget.h"
#include "model/onnx/read/folded_record.h"
#include "model/onnx/read/input_shapes.h"
#include "model/onnx/read/known_nodes.h"
#include "model/onnx/read/output_use.h"
#include "model/onnx/read/read_report.h"
#include "model/onnx/read/repeated_nodes.h"
#include "model/onnx_import.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace onnx {
class GraphProto;
class ModelProto;
class NodeProto;
class ValueInfoProto;
} // namespace onnx

namespace stagecraft {

// Of the operators without a domain.
[[nodiscard]] std::int64_t opsetOf(const onnx::ModelProto &model);

class GraphReader {
public:
    // `folding`: of all readings of the file. All but `request` and `sizes` outlive this.
    GraphReader(const std::shared_ptr<onnx::ModelProto> &model, GraphFile &file, const std::string &name,
                const std::filesystem::path &folder, const OpenRequest &request, const AssumedSizes &sizes,
                FoldBudget &folding);

    // Once.
    [[nodiscard]] Result<SourceGraph> read();

    // Afterwards, whatever came of it: nodes that stand for others.
    [[nodiscard]] const KnownNodes &known() const { return m_known; }
    [[nodiscard]] std::int64_t opset() const { return m_opset; }
    [[nodiscard]] bool assumedSizes() const { return m_inputShapes.assumes(); }

private:
    void note(ImportNote::Severity severity, std::string operatorName, std::string text);

    [[nodiscard]] Result<void> readInputs();
    // Null if no array is given for it.
    [[nodiscard]] const GivenInput *givenTo(const onnx::ValueInfoProto &input) const;
    // A given input that decides sizes becomes a constant.
    [[nodiscard]] bool fixGiven(const onnx::ValueInfoProto &input, NameId name, const GivenInput *given);

    [[nodiscard]] Result<void> readNode(int index);
    // Whether nothing matters of the node but its type and the shapes and types of what it reads: tensors without known
    // values. Fills m_operands.
    [[nodiscard]] bool mayRepeat(const onnx::NodeProto &proto, std::span<const NameId> reads);
    [[nodiscard]] Result<void> addRepeated(const RepeatedNodes::Made &made, const onnx::NodeProto &proto, NameId makes);
    [[nodiscard]] Result<void> readByRules(int index);
    [[nodiscard]] Result<void> readOperands(OnnxNode &node, std::span<const NameId> reads);
    void remarkTraining(const OnnxNode &node);
    // Without the pass, only shapes are computed: without them nothing is known of what follows.
    [[nodiscard]] bool mayFold(const OnnxNode &node, const std::vector<Constant> &constants) const;
    [[nodiscard]] std::optional<std::vector<Constant>> foldAligned(const OnnxNode &node);
    [[nodiscard]] Result<void> leaveFolded(const OnnxNode &node, int index, std::vector<Constant> constants);
    // A node that produces constants does so only once; afterwards its own values are dropped.
    void defineFolded(onnx::NodeProto &proto, std::span<const NameId> names, std::vector<Constant> constants);
    [[nodiscard]] SourceNode sourceOf(const OnnxNode &node, std::span<const NameId> reads) const;
    // For a Reshape to a constant shape that starts with the file's batch, if another batch is asked for.
    void adoptBatch(OnnxNode &node);

    [[nodiscard]] Result<void> addOperator(const OnnxNode &node, std::span<const NameId> makes, bool isUnit);
    // Outputs without a name in the file do not exist.
    [[nodiscard]] Result<std::vector<Tensor>> outputsOf(const OnnxNode &node, std::span<const NameId> makes,
                                                        const Operator &op);

    // The name in the graph of a tensor of the file.
    [[nodiscard]] NameId shownName(NameId name) const;
    // The names of the graph's tensors are those of the file: compared as numbers.
    [[nodiscard]] bool takeName(NameId name);
    [[nodiscard]] std::string uniqueName(const onnx::NodeProto &proto);

    [[nodiscard]] Result<SourceGraph> finish();

    onnx::GraphProto &m_proto;
    GraphFile &m_file;
    const FileNames &m_names;
    const std::filesystem::path &m_folder;
    OpenRequest m_request;
    SourceGraph m_source;
    InputShapes m_inputShapes;
    OutputUse m_outputUse;
    GraphBuilder m_builder;
    FileValues m_values;
    FoldedRecord m_folded; // if requested
    std::shared_ptr<OnnxSource> m_onnx = std::make_shared<OnnxSource>();
    SourceNode m_lastNode; // for the operator that is being added
    RepeatedNodes m_repeated;
    bool m_mayRepeat = false;         // the node that is being read
    std::vector<TensorId> m_operands; // of that, if it may repeat
    std::int64_t m_opset = 1;
    std::vector<bool> m_isTaken;                  // by the graph's tensors; the last is the empty name
    std::unordered_set<NameId> m_outputs;         // outputs of the file
    std::unordered_map<NameId, NameId> m_renamed; // tensor to the output whose name it takes
    std::set<std::string> m_unknown;
    const bool m_foldsConstants;
    const bool m_removesIdentities;
    ReadReport m_report;
    std::set<NameId> m_decideSizes; // names whose given values become constants
    KnownNodes m_known;
    FoldBudget &m_foldBudget;
    std::string m_firstUnfolded; // first operator beyond the folding budget
};

} // namespace stagecraft
