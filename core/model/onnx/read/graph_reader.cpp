// Past 500 lines: one class, the state of reading one graph; what needs no such state is in the neighbouring files.

#include "model/onnx/read/graph_reader.h"

#include "graph/cost_basis.h"
#include "model/onnx/convert/convert.h"
#include "model/onnx/file/element_types.h"
#include "model/onnx/file/external_values.h"
#include "model/onnx/file/graph_file.h"
#include "model/onnx/file/onnx_source.h"
#include "model/onnx/read/check_node.h"
#include "model/onnx/read/fold_node.h"
#include "model/onnx/read/given_inputs.h"
#include "model/onnx/read/graph_rewriter.h"
#include "model/onnx/read/inline_functions.h"
#include "model/onnx/read/input_shapes.h"
#include "model/onnx/read/known_nodes.h"
#include "model/onnx/read/node_order.h"
#include "model/onnx/read/old_forms.h"
#include "model/onnx/read/output_use.h"
#include "model/onnx/read/read_branches.h"
#include "model/onnx/read/read_report.h"
#include "model/onnx/read/repeated_nodes.h"
#include "model/onnx/read/sparse_tensors.h"
#include "model/onnx/refusal.h"
#include "operators/folding/size_bounds.h"
#include "operators/schema.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <onnx/onnx_pb.h>
#include <set>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace stagecraft {
namespace {

std::int64_t opsetOf(const onnx::ModelProto &model)
{
    std::int64_t opset = 1;
    for (const auto &import : model.opset_import()) {
        if (import.domain().empty() || import.domain() == "ai.onnx")
            opset = std::max(opset, import.version());
    }
    return opset;
}

class GraphReader {
public:
    GraphReader(const std::shared_ptr<onnx::ModelProto> &model, GraphFile &file, const std::string &name,
                const std::filesystem::path &folder, const OpenRequest &request, const AssumedSizes &sizes,
                FoldBudget &folding)
        : m_proto(*model->mutable_graph()), m_file(file), m_names(file.names()), m_folder(folder), m_request(request),
          m_inputShapes(request, sizes, m_source.report), m_outputUse(model->graph()), m_builder(name),
          m_values(m_names.size()), m_isTaken(m_names.size() + 1), m_foldBudget(folding)
    {
        m_foldBudget.beginReading();
        m_onnx->file = model;
        m_opset = opsetOf(*model);
        if (request.given)
            m_decideSizes = namesThatDecideSizes(m_proto, m_names);
    }

    [[nodiscard]] const KnownNodes &known() const { return m_known; }
    [[nodiscard]] std::int64_t opset() const { return m_opset; }
    [[nodiscard]] bool assumedSizes() const { return m_inputShapes.assumes(); }

    Result<SourceGraph> read()
    {
        m_builder.trustTensorNames();
        const std::vector<int> &order = m_file.order();
        m_builder.reserve(order.size(), static_cast<std::size_t>(m_proto.input_size()));
        m_source.report.dataFiles = externalFiles(m_proto, m_folder);
        renamePassedOutputs();
        TRY(readInputs());
        constexpr std::size_t kAhead = 8;
        for (std::size_t place = 0; place < order.size(); ++place) {
            TRY(m_request.budget->goOn());
            if (place + kAhead < order.size())
                m_builder.prefetchName(m_proto.node(order[place + kAhead]).name());
            const int i = order[place];
            if (auto ok = readNode(i); !ok) {
                const auto &node = m_proto.node(i);
                std::string &remedy = ok.error().remedy;
                if (remedy.empty())
                    remedy = kConsistentShapes;
                if (assumedSizes() || remedy == kConsistentShapes)
                    remedy = m_inputShapes.remedy().value_or(remedy);
                return within(fmt::format("operator {} ({})", nodeLabel(node), node.op_type()), std::move(ok.error()));
            }
        }
        return finish();
    }

private:
    void note(ImportNote::Severity severity, std::string operatorName, std::string text)
    {
        m_source.report.notes.push_back({severity, std::move(operatorName), std::move(text)});
    }

    // A node that passes its input on is left out. If it produces an output of the graph, its input takes the name of
    // that output, if possible.
    void renamePassedOutputs()
    {
        for (const auto &output : m_proto.output())
            m_outputs.insert(m_names.find(output.name()));
        const auto passes = [](const auto &node) {
            const std::string_view type = node.op_type();
            return type == "Identity" || type == "Dropout";
        };
        if (!m_removesIdentities || std::ranges::none_of(m_proto.node(), passes))
            return;
        std::vector<bool> isMade(m_names.size());
        for (int i = 0; i < m_proto.node_size(); ++i) {
            for (const NameId made : m_names.makes(i)) {
                if (made.isValid())
                    isMade[made.index()] = true;
            }
        }
        for (int i = m_proto.node_size(); i-- > 0;) {
            const auto &node = m_proto.node(i);
            if (!passes(node) || node.input_size() < 1 || node.output_size() < 1 ||
                m_outputUse.outputsOf(node).size() > 1 || node.doc_string() == kUnitMark)
                continue;
            const NameId input = m_names.reads(i).front();
            const NameId target = shownName(m_names.makes(i).front());
            if (m_outputs.contains(target) && input.isValid() && isMade[input.index()] && !m_outputs.contains(input))
                m_renamed.emplace(input, target);
        }
    }

    // The name in the graph of a tensor of the file.
    [[nodiscard]] NameId shownName(NameId name) const
    {
        const auto renamed = m_renamed.find(name);
        return renamed == m_renamed.end() ? name : renamed->second;
    }

    // Null if no array is given for it.
    [[nodiscard]] const GivenInput *givenTo(const onnx::ValueInfoProto &input) const
    {
        if (!m_request.given)
            return nullptr;
        auto given = m_request.given->find(input.name());
        const auto isInput = [&](const auto &each) { return !m_file.initializer(m_names.find(each.name())); };
        if (given == m_request.given->end() && std::ranges::count_if(m_proto.input(), isInput) == 1)
            given = m_request.given->find({});
        return given == m_request.given->end() ? nullptr : &given->second;
    }

    // A given input that decides sizes becomes a constant.
    bool fixGiven(const onnx::ValueInfoProto &input, NameId name, const GivenInput *given)
    {
        auto fixed = given && given->values && m_decideSizes.contains(name)
                         ? constantInput(*given->values, input.type().tensor_type().elem_type())
                         : std::nullopt;
        if (!fixed)
            return false;
        define(name, {{}, std::make_shared<const Constant>(std::move(*fixed))});
        m_source.report.fixedInputs.push_back(input.name());
        note(ImportNote::Severity::Info, {},
             fmt::format("The input {} decides sizes; its given values are constants", input.name()));
        return true;
    }

    bool isTrue(const std::string &name)
    {
        const NameId id = m_names.find(name);
        const auto value = id.isValid() ? resolve(id) : Result<std::optional<OperandFacts>>();
        const Constant *constant = value && *value ? (*value)->constant.get() : nullptr;
        return constant && constant->size() == 1 && constant->asInts().front() != 0;
    }

    Result<void> readInputs()
    {
        std::vector<std::string> names;
        m_inputShapes.adoptBatch(m_proto);
        for (const auto &input : m_proto.input())
            m_inputShapes.adoptNames(input, givenTo(input));
        for (const auto &input : m_proto.input()) {
            const NameId name = m_names.find(input.name());
            if (m_file.initializer(name))
                continue; // old files list weights among the inputs
            names.push_back(input.name());
            const GivenInput *given = givenTo(input);
            if (fixGiven(input, name, given))
                continue;
            auto shape = m_inputShapes.shapeOf(input, given);
            if (!shape)
                return within("input " + input.name(), std::move(shape.error()));
            const DataType type = dataTypeOf(input.type().tensor_type().elem_type());
            if (!takeName(name))
                return refuseName(input.name());
            TRY_AS(auto added, m_builder.addInput(input.name(), std::move(*shape), type));
            define(name, {added, nullptr});
        }
        return m_inputShapes.checkChosen(names);
    }

    // What a name of the file stands for: a tensor, a constant, or neither while it is unknown.
    struct FileValue {
        TensorId tensor;
        std::shared_ptr<const Constant> constant;
    };

    static tl::unexpected<Error> refuseName(std::string_view name)
    {
        return refuseModel("two tensors are named " + std::string(name));
    }

    // The names of the graph's tensors are those of the file: compared as numbers.
    bool takeName(NameId name)
    {
        const std::size_t index = name.isValid() ? name.index() : m_names.size();
        const bool isFree = !m_isTaken[index];
        m_isTaken[index] = true;
        return isFree;
    }

    void define(NameId name, FileValue value)
    {
        if (name.isValid())
            m_values[name.index()] = std::move(value);
    }

    // Empty for names left out, and for constants of an unsupported type (strings).
    Result<std::optional<OperandFacts>> resolve(NameId name)
    {
        if (!name.isValid())
            return std::nullopt;
        FileValue &value = m_values[name.index()];
        if (!value.constant && !value.tensor.isValid()) {
            TRY_AS(auto read, m_file.readInitializer(name));
            if (!read)
                return std::nullopt;
            m_foldBudget.addOwn(static_cast<std::int64_t>(read->size()));
            value.constant = std::move(read);
        }
        if (value.constant)
            return OperandFacts{{}, Shape{value.constant->dims}, value.constant->type, value.constant};
        const Tensor &tensor = m_builder.tensor(value.tensor);
        const auto bound = m_bounds.empty() ? m_bounds.end() : m_bounds.find(name);
        return OperandFacts{value.tensor, tensor.shape, tensor.type, nullptr,
                            bound == m_bounds.end() ? nullptr : bound->second};
    }

    // A node that produces constants does so only once; afterwards its own values are dropped.
    void defineFolded(onnx::NodeProto &proto, std::span<const NameId> names, std::vector<Constant> constants)
    {
        const bool isConstant = proto.op_type() == "Constant";
        for (std::size_t i = 0; i < constants.size() && i < names.size(); ++i) {
            auto constant = std::make_shared<const Constant>(std::move(constants[i]));
            define(names[i], {{}, constant});
            if (isConstant)
                m_file.keepMade(names[i], std::move(constant));
        }
        if (isConstant && !constants.empty() && !m_request.keepSource)
            google::protobuf::RepeatedPtrField<onnx::AttributeProto>().Swap(proto.mutable_attribute());
    }

    // If requested: the node as it stands in the file, with what it makes of constants.
    void keepFolded(FoldedNode::Why why, const OnnxNode &node, int index, std::span<const Constant> constants)
    {
        if (!m_request.keepFolded)
            return;
        FoldedNodes &folded = m_source.folded;
        FoldedNode &kept = folded.nodes.emplace_back(
            FoldedNode{why, nodeLabel(*node.proto), std::string(node.type), m_builder.size(), {}, {}, {}});
        for (std::size_t i = 0; i < node.inputs.size(); ++i) {
            if (const auto made = m_foldedTensors.find(m_names.reads(index)[i]); made != m_foldedTensors.end())
                kept.folded.push_back(made->second);
            else if (node.isTensor(i))
                kept.reads.push_back(node.inputs[i]->tensor);
        }
        const std::span<const NameId> makes = m_names.makes(index);
        for (std::size_t i = 0; i < constants.size() && i < makes.size(); ++i) {
            if (!makes[i].isValid())
                continue;
            m_foldedTensors[makes[i]] = folded.tensors.size();
            kept.makes.push_back(folded.tensors.size());
            folded.tensors.push_back(
                {std::string(m_names.text(makes[i])), Shape{constants[i].dims}, constants[i].type, {}});
        }
    }

    void noteReadsOfFolded(int index)
    {
        for (const NameId name : m_names.reads(index)) {
            if (const auto made = m_foldedTensors.find(name); made != m_foldedTensors.end())
                m_source.folded.readers.push_back({OperatorId::fromIndex(m_builder.size() - 1), made->second});
        }
    }

    // Whether nothing matters of the node but its type and the shapes and types of what it reads: tensors without known
    // values. Fills m_operands.
    bool mayRepeat(const onnx::NodeProto &proto, std::span<const NameId> reads)
    {
        if (m_request.keepSource || !RepeatedNodes::mayRepeat(proto) || proto.doc_string() == kUnitMark)
            return false;
        m_operands.clear();
        for (const NameId name : reads) {
            const TensorId tensor = name.isValid() ? m_values[name.index()].tensor : TensorId{};
            if (!tensor.isValid() || (!m_bounds.empty() && m_bounds.contains(name)))
                return false;
            m_operands.push_back(tensor);
        }
        return true;
    }

    Result<void> addRepeated(const RepeatedNodes::Made &made, const onnx::NodeProto &proto, NameId makes)
    {
        m_report.begin(proto.op_type());
        const NameId shown = shownName(makes);
        if (!takeName(shown))
            return refuseName(m_names.text(shown));
        Operator op = repeated(made.op, uniqueName(proto), m_operands);
        Tensor output = made.output;
        output.name = m_names.text(shown);
        m_report.added();
        TRY_AS(auto added, m_builder.addWithOutput(std::move(op), std::move(output)));
        define(makes, {added, nullptr});
        return {};
    }

    Result<void> readNode(int index)
    {
        const onnx::NodeProto &proto = m_proto.node(index);
        if (m_names.makes(index).empty()) {
            note(ImportNote::Severity::Info, nodeLabel(proto), "It makes nothing, and is left out");
            return {};
        }
        m_mayRepeat = mayRepeat(proto, m_names.reads(index));
        const NameId makes = m_mayRepeat ? m_names.makes(index).front() : NameId{};
        const auto *made = m_mayRepeat ? m_repeated.find(proto.op_type(), m_operands, m_builder) : nullptr;
        return made ? addRepeated(*made, proto, makes) : readByRules(index);
    }

    Result<void> readByRules(int index)
    {
        onnx::NodeProto &proto = *m_proto.mutable_node(index);
        const std::span<const NameId> reads = m_names.reads(index);
        const std::span<const NameId> makes = m_names.makes(index);
        if (proto.op_type() == "Constant") {
            if (auto made = m_file.made(makes.front())) {
                m_report.begin(proto.op_type());
                m_report.folded({});
                define(makes.front(), {{}, std::move(made)});
                return {};
            }
        }
        OnnxNode node;
        node.proto = &proto;
        node.opset = m_opset;
        node.outputs = m_outputUse.outputsOf(proto);
        node.outputCount = std::max<std::size_t>(1, node.outputs.size());
        node.attributes = attributesOf(proto);
        node.type = typeOf(proto);
        if (node.outputs.size() > 1 && node.type != "Unique") {
            if (auto fits = checkOutputCount(node, mostOutputs(node.type)); !fits)
                return fits;
        }
        if (auto fits = checkNode(node); !fits)
            return fits;
        node.inputs.reserve(reads.size());
        for (const NameId name : reads) {
            TRY_AS(auto value, resolve(name));
            if (const auto *unread = value || !name.isValid() ? nullptr : m_file.initializer(name))
                note(ImportNote::Severity::Warning, nodeLabel(proto),
                     fmt::format("It reads {}, whose values are of a type that the program does not read ({})",
                                 unread->name(), elementTypeName(unread->data_type())));
            node.inputs.push_back(std::move(value));
        }
        m_known.note(node, index, [&](const std::string &name) { return isTrue(name); });
        if (node.outputs.size() < 2 && isInTraining(node)) {
            // Old files list the statistics of training although they mean inference.
            const bool runs = node.type == "BatchNormalization" && node.opset < 14;
            m_report.remarkAll(nodeLabel(proto),
                               runs ? "The file has it in training mode; it is scheduled and executed as in inference"
                                    : "The file has it in training mode; it is scheduled as in inference, but not "
                                      "executed");
            if (!runs)
                m_source.report.inTraining.push_back(nodeLabel(proto));
        }
        m_report.begin(node.type);
        bool isUnit = proto.doc_string() == kUnitMark;
        if (const auto passed = passedInput(node); passed && !isUnit) {
            const OperandFacts input = passedOn(node, *node.inputs[*passed]);
            const bool loses = m_outputs.contains(makes.front()) && input.tensor.isValid() &&
                               m_builder.tensor(input.tensor).name != proto.output(0);
            if (!loses && (m_removesIdentities || input.constant)) {
                m_report.leftOut(nodeLabel(proto));
                if (input.constant)
                    keepFolded(FoldedNode::Why::PassesConstant, node, index, {&*input.constant, 1});
                define(makes.front(), {input.tensor, input.constant});
                if (input.bound && makes.front().isValid())
                    m_bounds[makes.front()] = input.bound;
                return {};
            }
            node.type = "Identity";
            node.attributes.clear(); // of a Cast to the type that its input has
            node.inputs = {input};
            isUnit = loses;
        }
        const std::int64_t refusals = m_foldBudget.refusals();
        if (auto constants = foldAligned(node); constants && mayFold(node, *constants)) {
            m_report.folded(node.inputs.empty() ? std::string() : nodeLabel(proto));
            if (auto fits = checkOutputCount(node, constants->size()); !fits)
                return fits;
            if (node.type == "DequantizeLinear")
                constants->front().storedType = node.constant(0)->type;
            if (!node.inputs.empty())
                keepFolded(FoldedNode::Why::Evaluated, node, index, *constants);
            defineFolded(proto, makes, std::move(*constants));
            if (m_request.keepSource && node.type == "DequantizeLinear" && makes.front().isValid()) {
                const auto made = m_values[makes.front().index()].constant;
                m_onnx->quantised.emplace(made->values.identity(), SourceQuantised{made, sourceOf(node, reads)});
            }
            return {};
        }
        adoptBatch(node);
        if (node.type == "ConstantOfShape")
            adoptRepeatedValue(node, m_folder);
        if (node.type == "If" && node.isTensor(0))
            readBranches(node, m_folder, m_foldBudget);
        if (m_request.keepSource)
            m_lastNode = sourceOf(node, reads);
        alignOldBroadcast(node);
        node.name = uniqueName(proto);
        if (refusals == 0 && m_foldBudget.refusals() > 0)
            m_firstUnfolded = node.name;
        return addOperator(node, makes, isUnit).map([&] { noteReadsOfFolded(index); });
    }

    [[nodiscard]] SourceNode sourceOf(const OnnxNode &node, std::span<const NameId> reads) const
    {
        SourceNode source{node.proto, {}, node.outputs};
        for (std::size_t i = 0; i < reads.size(); ++i) {
            SourceOperand operand{node.isTensor(i), node.has(i) ? node.inputs[i]->constant : nullptr, nullptr};
            if (!node.has(i))
                operand.stored = m_file.initializer(reads[i]);
            source.operands.push_back(std::move(operand));
        }
        return source;
    }

    // Without the pass, only shapes are computed: without them nothing is known of what follows.
    [[nodiscard]] bool mayFold(const OnnxNode &node, const std::vector<Constant> &constants) const
    {
        const auto isReal = [](const Constant &constant) { return constant.isFloat(); };
        return m_foldsConstants || node.inputs.empty() || std::ranges::none_of(constants, isReal);
    }

    std::optional<std::vector<Constant>> foldAligned(const OnnxNode &node)
    {
        if (node.opset >= 7)
            return foldNode(node, m_folder, m_foldBudget);
        OnnxNode aligned = node;
        alignOldBroadcast(aligned);
        return foldNode(aligned, m_folder, m_foldBudget);
    }

    // For a Reshape to a constant shape that starts with the file's batch, if another batch is asked for.
    void adoptBatch(OnnxNode &node)
    {
        const Constant *target = node.type == "Reshape" ? node.constant(1) : nullptr;
        const auto ownBatch = m_inputShapes.ownBatch();
        if (!target || target->isFloat() || target->size() == 0 || !ownBatch || *ownBatch == m_request.batch ||
            !node.shape(0).known || node.shape(0).batch() != m_request.batch)
            return;
        std::vector<std::int64_t> dims = target->asInts();
        if (dims.front() != *ownBatch)
            return;
        dims.front() = m_request.batch;
        node.inputs[1]->constant = std::make_shared<Constant>(intConstant(target->dims, std::move(dims)));
        note(ImportNote::Severity::Info, nodeLabel(*node.proto), "The batch in its target shape is replaced");
    }

    std::string uniqueName(const onnx::NodeProto &proto)
    {
        std::string name = nodeLabel(proto);
        if (m_builder.reserveName(name))
            return name;
        std::string other = fmt::format("{} {}", name, proto.output_size() > 0 ? proto.output(0) : "");
        for (int i = 2; !m_builder.reserveName(other); ++i)
            other = fmt::format("{} {}", name, i);
        note(ImportNote::Severity::Info, other, "The file has several operators named " + name);
        return other;
    }

    Result<void> addOperator(const OnnxNode &node, std::span<const NameId> makes, bool isUnit)
    {
        TRY_AS(auto converted, convertNode(node));
        Operator &op = converted.op;
        op.name = node.name;
        const bool passesReals =
            node.type == "Identity" && node.isTensor(0) && kernelType(node.inputs[0]->type) == DataType::Float32;
        if (passesReals && (isUnit || !unknownAttribute(node))) {
            op = Operator{node.name, "Identity", OperatorKind::Join, GenericAttributes{}, {{node.inputs[0]->tensor}},
                          {},        {}};
            converted.remark.clear();
        }
        if (isUnit)
            m_source.keptApart.insert(node.name);
        const bool shapesKnown =
            std::ranges::all_of(node.inputs, [](const auto &input) { return !input || input->shape.known; });
        if (shapesKnown && !converted.remark.empty())
            m_report.remarkKept(node.name, converted.remark);
        if (shapesKnown && !hasArithmetic(op))
            m_unknown.insert(node.type);
        keepPlaces(node, op);
        TRY_AS(auto outputs, outputsOf(node, makes, op));
        const bool isAsInFile = std::holds_alternative<GenericAttributes>(op.attributes);
        m_report.added();
        TRY_AS(auto added, m_builder.add(std::move(op), std::move(outputs)));
        if (m_request.keepSource && isAsInFile)
            m_onnx->nodes.emplace(node.name, std::move(m_lastNode));
        std::size_t next = 0;
        for (std::size_t i = 0; i < node.outputs.size(); ++i) {
            if (node.outputs[i].empty())
                continue;
            define(makes[i], {added[next], nullptr});
            if (auto bound = i == 0 ? largestValues(node) : nullptr)
                m_bounds[makes[i]] = std::move(bound);
            ++next;
        }
        // Whether an Identity stays depends on its names.
        const bool isByRules =
            converted.remark.empty() && node.type == node.proto->op_type() && node.type != "Identity";
        if (m_mayRepeat && isByRules && !m_bounds.contains(makes.front()))
            m_repeated.remember(node.type, m_operands, m_builder.lastOperator(), added.front(), m_builder);
        return {};
    }

    // Of outputs, where one before them has no name.
    static void keepPlaces(const OnnxNode &node, Operator &op)
    {
        auto *generic = std::get_if<GenericAttributes>(&op.attributes);
        if (!generic || std::ranges::none_of(node.outputs, &std::string_view::empty))
            return;
        for (std::size_t i = 0; i < node.outputs.size(); ++i) {
            if (!node.outputs[i].empty())
                generic->outputPlaces.push_back(static_cast<std::int64_t>(i));
        }
    }

    // Outputs without a name in the file do not exist.
    Result<std::vector<Tensor>> outputsOf(const OnnxNode &node, std::span<const NameId> makes, const Operator &op)
    {
        TRY_AS(auto shapes, inferShapes(node));
        TRY(checkByTable(op, shapes));
        std::vector<Tensor> outputs;
        for (std::size_t i = 0; i < node.outputs.size(); ++i) {
            if (node.outputs[i].empty())
                continue;
            Shape shape = shapes ? std::move((*shapes)[i]) : Shape{{}, false};
            if (!shape.known)
                shape = declaredShape(makes[i]);
            const NameId shown = shownName(makes[i]);
            if (!shape.known)
                shape = declaredShape(shown); // an output of the model, which a branch makes
            if (!takeName(shown))
                return refuseName(m_names.text(shown));
            outputs.push_back({std::string(m_names.text(shown)), std::move(shape), outputTypeOf(node, i), {}});
        }
        if (outputs.empty())
            return refuseModel("it has no output");
        return outputs;
    }

    // The operator table decides the shapes of the kinds it knows.
    Result<void> checkByTable(const Operator &op, std::optional<std::vector<Shape>> &shapes) const
    {
        const bool hasRule = op.kind == OperatorKind::Conv || op.kind == OperatorKind::Pool ||
                             op.kind == OperatorKind::Join || op.kind == OperatorKind::Activation ||
                             (op.kind == OperatorKind::Gemm && !op.parameters.empty());
        const bool isKept = op.kind == OperatorKind::Activation && shapes && shapes->size() == 1; // the input's shape
        if (!hasRule || isKept)
            return {};
        const bool isOne = op.inputs.size() == 1 && op.inputs.front().size() == 1;
        std::vector<Shape> operands;
        for (const auto &part : op.inputs) {
            for (const TensorId input : part) {
                if (!isOne)
                    operands.push_back(m_builder.tensor(input).shape);
            }
        }
        TRY_AS(auto shape, inferShape(op, isOne ? std::span(&m_builder.tensor(op.inputs.front().front()).shape, 1)
                                                : std::span<const Shape>(operands)));
        shapes.emplace(1).front() = std::move(shape);
        return {};
    }

    static DataType outputTypeOf(const OnnxNode &node, std::size_t output)
    {
        // Its type is that of a constant which the program cannot read: 8-bit floating point, 4-bit integers.
        constexpr int kZeroPoint = 2;
        if (node.type == "QuantizeLinear" && node.proto->input_size() > kZeroPoint && !node.has(kZeroPoint) &&
            !node.proto->input(kZeroPoint).empty())
            return DataType::Other;
        return resultType(node, output);
    }

    // The shape stated in the file, for a tensor without a shape rule.
    [[nodiscard]] Shape declaredShape(NameId name) const
    {
        const auto *info = m_file.declared(name);
        if (!info || !info->type().tensor_type().has_shape())
            return Shape{{}, false};
        Shape shape;
        for (const auto &dim : info->type().tensor_type().shape().dim()) {
            if (!dim.has_dim_value() || dim.dim_value() < 1)
                return Shape{{}, false};
            shape.dims.push_back(dim.dim_value());
        }
        if (const auto ownBatch = m_inputShapes.ownBatch();
            !shape.dims.empty() && ownBatch && shape.dims[0] == ownBatch)
            shape.dims[0] = m_request.batch;
        return elementCount(shape.dims) ? shape : Shape{{}, false};
    }

    Result<SourceGraph> finish()
    {
        std::vector<TensorId> outputs;
        for (const auto &output : m_proto.output()) {
            m_source.report.outputs.push_back(output.name());
            const NameId name = m_names.find(output.name());
            TRY_AS(const auto value, resolve(name));
            if (!value)
                return refuseModel("nothing makes its output " + output.name());
            const std::shared_ptr<const Constant> &constant = value->constant;
            m_onnx->outputs.push_back({&output, constant});
            if (constant)
                m_source.report.constantOutputs.push_back({output.name(), constant});
            const TensorId tensor = value->tensor;
            if (constant || !m_builder.tensor(tensor).producer.isValid())
                note(ImportNote::Severity::Info, {},
                     fmt::format("The output {} needs no computation; it is left out", output.name()));
            else if (std::ranges::count(outputs, tensor) == 0)
                outputs.push_back(tensor);
        }
        if (m_foldBudget.refusals() > 0)
            note(ImportNote::Severity::Warning, m_firstUnfolded, m_foldBudget.refusalText());
        if (m_builder.isEmpty() && (!m_request.given || m_source.report.constantOutputs.empty()))
            return refuseModel(fmt::format("nothing is left to compute for its outputs ({}): they are constants, "
                                           "or inputs",
                                           fmt::join(m_source.report.outputs, ", ")),
                               "Open a model with at least one operator");
        if (m_builder.isEmpty())
            return std::move(m_source); // all its outputs are constants
        TRY_AS(auto graph, m_builder.build(std::move(outputs)));
        m_source.graph = std::move(graph);
        m_report.finish(m_source, m_request.reading);
        m_source.report.unknownTypes.assign(m_unknown.begin(), m_unknown.end());
        if (m_request.keepSource) {
            m_onnx->opset = m_opset;
            m_onnx->hasOwnBatch = m_request.batch == 0;
            m_source.onnx = std::move(m_onnx);
        }
        return std::move(m_source);
    }

    onnx::GraphProto &m_proto;
    GraphFile &m_file;
    const FileNames &m_names;
    const std::filesystem::path &m_folder;
    OpenRequest m_request;
    SourceGraph m_source;
    InputShapes m_inputShapes;
    OutputUse m_outputUse;
    GraphBuilder m_builder;
    std::shared_ptr<OnnxSource> m_onnx = std::make_shared<OnnxSource>();
    SourceNode m_lastNode; // for the operator that is being added
    RepeatedNodes m_repeated;
    bool m_mayRepeat = false;         // the node that is being read
    std::vector<TensorId> m_operands; // of that, if it may repeat
    std::int64_t m_opset = 1;
    std::vector<FileValue> m_values;                                      // by name
    std::unordered_map<NameId, std::shared_ptr<const Constant>> m_bounds; // largest values of tensors of sizes
    std::vector<bool> m_isTaken;                  // by the graph's tensors; the last is the empty name
    std::unordered_set<NameId> m_outputs;         // outputs of the file
    std::unordered_map<NameId, NameId> m_renamed; // tensor to the output whose name it takes
    std::set<std::string> m_unknown;
    const bool m_foldsConstants = findPass(pass::kFoldConstants)->runsIn(m_request.reading);
    const bool m_removesIdentities = findPass(pass::kRemoveIdentities)->runsIn(m_request.reading);
    ReadReport m_report;
    std::set<NameId> m_decideSizes;                          // names whose given values become constants
    std::unordered_map<NameId, std::size_t> m_foldedTensors; // by name, those of m_source.folded
    KnownNodes m_known{*m_request.budget};
    FoldBudget &m_foldBudget;    // of all readings of the file
    std::string m_firstUnfolded; // first operator beyond the folding budget
};

} // namespace

namespace {

// `known`: of the last reading.
Result<SourceGraph> readAtSomeSize(const std::shared_ptr<onnx::ModelProto> &model, GraphFile &file,
                                   const std::string &name, const std::filesystem::path &folder,
                                   const OpenRequest &request, FoldBudget &folding, KnownNodes &known,
                                   std::int64_t &opset)
{
    if (request.batch > 0 && mayBeOneImage(model->graph())) {
        OpenRequest asItIs = request;
        asItIs.batch = 0;
        GraphReader reader(model, file, name, folder, asItIs, assumedSizes().front(), folding);
        auto source = reader.read();
        if (source && source->graph.batch() == 1) {
            known = reader.known();
            opset = reader.opset();
            const Tensor &image = source->graph.tensor(source->graph.inputs().front());
            return request.batch == 1 ? std::move(source) : within("input " + image.name, oneImage(image.shape));
        }
    }
    std::optional<Error> first;
    for (const AssumedSizes &sizes : assumedSizes()) {
        GraphReader reader(model, file, name, folder, request, sizes, folding);
        auto source = reader.read();
        known = reader.known();
        opset = reader.opset();
        if (source || source.error().code == ErrorCode::Cancelled)
            return source;
        if (!first)
            first = std::move(source.error());
        if (!reader.assumedSizes())
            break;
    }
    return tl::unexpected(std::move(*first));
}

} // namespace

namespace {

WorkAmount amountOf(const onnx::ModelProto &model)
{
    std::int64_t nodes = rewriting::nodesIn(model.graph().node());
    for (const auto &function : model.functions())
        nodes += rewriting::nodesIn(function.node());
    WorkAmount amount = opening::times(nodes, opening::kWrittenNode);
    amount.bytes += static_cast<std::int64_t>(model.ByteSizeLong());
    return amount;
}

} // namespace

Result<SourceGraph> readOnnxGraph(const std::shared_ptr<onnx::ModelProto> &model, const std::string &name,
                                  const std::filesystem::path &folder, const OpenRequest &request)
{
    onnx::GraphProto &graph = *model->mutable_graph();
    WorkBudget &work = *request.budget;
    bool isEntitled = false;
    const auto entitle = [&] { // to write out as much again, where anything is
        if (!std::exchange(isEntitled, true))
            work.add(amountOf(*model));
    };
    std::map<std::string, std::int64_t> written;
    if (model->functions_size() > 0)
        entitle();
    TRY(inlineFunctions(*model, work, written));
    TRY(writeSparseTensorsOut(graph, folder, work));
    for (const auto &node : graph.node()) {
        TRY(checkNodesWithin(node, opsetOf(*model)));
    }
    constexpr int kDeepest = 64; // nodes that stand for others, within such or behind them
    GraphFile::Constants constants;
    FoldBudget folding(work);
    for (int depth = 0;; ++depth) {
        TRY_AS(auto file, GraphFile::open(graph, folder));
        file.give(constants);
        KnownNodes known(work);
        std::int64_t opset = 0;
        auto source = readAtSomeSize(model, file, name, folder, request, folding, known, opset);
        const bool isStopped = !source && source.error().code == ErrorCode::Cancelled;
        constants = known.isEmpty() ? GraphFile::Constants() : file.take();
        if (!known.isEmpty())
            entitle();
        if (isStopped || known.isEmpty() || depth == kDeepest ||
            !work.take(opening::times(graph.node_size(), opening::kReadNode)) ||
            !known.writeOut(graph, opset, written)) {
            if (source)
                source->report.writtenOut = std::move(written);
            return source;
        }
    }
}

} // namespace stagecraft
