#include "model/onnx/read/graph_reader.h"

#include "graph/cost_basis.h"
#include "model/onnx/convert/convert.h"
#include "model/onnx/file/element_types.h"
#include "model/onnx/file/external_values.h"
#include "model/onnx/read/check_node.h"
#include "model/onnx/read/fold_node.h"
#include "model/onnx/read/given_inputs.h"
#include "model/onnx/read/node_order.h"
#include "model/onnx/read/node_outputs.h"
#include "model/onnx/read/old_forms.h"
#include "model/onnx/read/passed_outputs.h"
#include "model/onnx/read/read_branches.h"
#include "model/onnx/refusal.h"
#include "model/onnx/unit_mark.h"
#include "operators/folding/size_bounds.h"
#include "operators/schema.h"

#include <algorithm>
#include <fmt/format.h>
#include <onnx/onnx_pb.h>
#include <utility>

namespace stagecraft {
namespace {

tl::unexpected<Error> refuseName(std::string_view name)
{
    return refuseModel("two tensors are named " + std::string(name));
}

} // namespace

std::int64_t opsetOf(const onnx::ModelProto &model)
{
    std::int64_t opset = 1;
    for (const auto &import : model.opset_import()) {
        if (import.domain().empty() || import.domain() == "ai.onnx")
            opset = std::max(opset, import.version());
    }
    return opset;
}

GraphReader::GraphReader(const std::shared_ptr<onnx::ModelProto> &model, GraphFile &file, const std::string &name,
                         const std::filesystem::path &folder, const OpenRequest &request, const AssumedSizes &sizes,
                         FoldBudget &folding)
    : m_proto(*model->mutable_graph()), m_file(file), m_names(file.names()), m_folder(folder), m_request(request),
      m_inputShapes(request, sizes, m_source.report), m_outputUse(model->graph()), m_builder(name),
      m_values(file, m_builder, folding), m_folded(m_source.folded, m_names), m_isTaken(m_names.size() + 1),
      m_foldsConstants(findPass(pass::kFoldConstants)->runsIn(request.reading)),
      m_removesIdentities(findPass(pass::kRemoveIdentities)->runsIn(request.reading)), m_known(*request.budget),
      m_foldBudget(folding)
{
    m_foldBudget.beginReading();
    m_onnx->file = model;
    m_opset = opsetOf(*model);
    if (request.given)
        m_decideSizes = namesThatDecideSizes(m_proto, m_names);
}

Result<SourceGraph> GraphReader::read()
{
    m_builder.trustTensorNames();
    const std::vector<int> &order = m_file.order();
    m_builder.reserve(order.size(), static_cast<std::size_t>(m_proto.input_size()));
    m_source.report.dataFiles = externalFiles(m_proto, m_folder);
    for (const auto &output : m_proto.output())
        m_outputs.insert(m_names.find(output.name()));
    if (m_removesIdentities)
        m_renamed = namesOfPassedOutputs(m_proto, m_names, m_outputUse, m_outputs);
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

void GraphReader::note(ImportNote::Severity severity, std::string operatorName, std::string text)
{
    m_source.report.notes.push_back({severity, std::move(operatorName), std::move(text)});
}

Result<void> GraphReader::readInputs()
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
        m_values.define(name, added);
    }
    return m_inputShapes.checkChosen(names);
}

const GivenInput *GraphReader::givenTo(const onnx::ValueInfoProto &input) const
{
    if (!m_request.given)
        return nullptr;
    auto given = m_request.given->find(input.name());
    const auto isInput = [&](const auto &each) { return !m_file.initializer(m_names.find(each.name())); };
    if (given == m_request.given->end() && std::ranges::count_if(m_proto.input(), isInput) == 1)
        given = m_request.given->find({});
    return given == m_request.given->end() ? nullptr : &given->second;
}

bool GraphReader::fixGiven(const onnx::ValueInfoProto &input, NameId name, const GivenInput *given)
{
    auto fixed = given && given->values && m_decideSizes.contains(name)
                     ? constantInput(*given->values, input.type().tensor_type().elem_type())
                     : std::nullopt;
    if (!fixed)
        return false;
    m_values.define(name, std::make_shared<const Constant>(std::move(*fixed)));
    m_source.report.fixedInputs.push_back(input.name());
    note(ImportNote::Severity::Info, {},
         fmt::format("The input {} decides sizes; its given values are constants", input.name()));
    return true;
}

Result<void> GraphReader::readNode(int index)
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

bool GraphReader::mayRepeat(const onnx::NodeProto &proto, std::span<const NameId> reads)
{
    if (m_request.keepSource || !RepeatedNodes::mayRepeat(proto) || proto.doc_string() == kUnitMark)
        return false;
    m_operands.clear();
    for (const NameId name : reads) {
        const TensorId tensor = m_values.plainTensor(name);
        if (!tensor.isValid())
            return false;
        m_operands.push_back(tensor);
    }
    return true;
}

Result<void> GraphReader::addRepeated(const RepeatedNodes::Made &made, const onnx::NodeProto &proto, NameId makes)
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
    m_values.define(makes, added);
    return {};
}

Result<void> GraphReader::readByRules(int index)
{
    onnx::NodeProto &proto = *m_proto.mutable_node(index);
    const std::span<const NameId> reads = m_names.reads(index);
    const std::span<const NameId> makes = m_names.makes(index);
    if (proto.op_type() == "Constant") {
        if (auto made = m_file.made(makes.front())) {
            m_report.begin(proto.op_type());
            m_report.folded({});
            m_values.define(makes.front(), std::move(made));
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
    TRY(readOperands(node, reads));
    m_known.note(node, index, [&](const std::string &name) { return m_values.isTrue(name); });
    remarkTraining(node);
    m_report.begin(node.type);
    bool isUnit = proto.doc_string() == kUnitMark;
    if (const auto passed = passedInput(node); passed && !isUnit) {
        const OperandFacts input = passedOn(node, *node.inputs[*passed]);
        const bool loses = m_outputs.contains(makes.front()) && input.tensor.isValid() &&
                           m_builder.tensor(input.tensor).name != proto.output(0);
        if (!loses && (m_removesIdentities || input.constant)) {
            m_report.leftOut(nodeLabel(proto));
            if (input.constant && m_request.keepFolded)
                m_folded.keep(FoldedNode::Why::PassesConstant, node, index, m_builder.size(), {&*input.constant, 1});
            m_values.define(makes.front(), input);
            return {};
        }
        node.type = "Identity";
        node.attributes.clear(); // of a Cast to the type that its input has
        node.inputs = {input};
        isUnit = loses;
    }
    const std::int64_t refusals = m_foldBudget.refusals();
    if (auto constants = foldAligned(node); constants && mayFold(node, *constants))
        return leaveFolded(node, index, std::move(*constants));
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
    return addOperator(node, makes, isUnit).map([&] {
        m_folded.noteReads(index, OperatorId::fromIndex(m_builder.size() - 1));
    });
}

Result<void> GraphReader::readOperands(OnnxNode &node, std::span<const NameId> reads)
{
    node.inputs.reserve(reads.size());
    for (const NameId name : reads) {
        TRY_AS(auto value, m_values.resolve(name));
        if (const auto *unread = value || !name.isValid() ? nullptr : m_file.initializer(name))
            note(ImportNote::Severity::Warning, nodeLabel(*node.proto),
                 fmt::format("It reads {}, whose values are of a type that the program does not read ({})",
                             unread->name(), elementTypeName(unread->data_type())));
        node.inputs.push_back(std::move(value));
    }
    return {};
}

void GraphReader::remarkTraining(const OnnxNode &node)
{
    if (node.outputs.size() > 1 || !isInTraining(node))
        return;
    // Old files list the statistics of training although they mean inference.
    const bool runs = node.type == "BatchNormalization" && node.opset < 14;
    m_report.remarkAll(nodeLabel(*node.proto),
                       runs ? "The file has it in training mode; it is scheduled and executed as in inference"
                            : "The file has it in training mode; it is scheduled as in inference, but not "
                              "executed");
    if (!runs)
        m_source.report.inTraining.push_back(nodeLabel(*node.proto));
}

Result<void> GraphReader::leaveFolded(const OnnxNode &node, int index, std::vector<Constant> constants)
{
    onnx::NodeProto &proto = *m_proto.mutable_node(index);
    const NameId first = m_names.makes(index).front();
    m_report.folded(node.inputs.empty() ? std::string() : nodeLabel(proto));
    TRY(checkOutputCount(node, constants.size()));
    if (node.type == "DequantizeLinear")
        constants.front().storedType = node.constant(0)->type;
    if (!node.inputs.empty() && m_request.keepFolded)
        m_folded.keep(FoldedNode::Why::Evaluated, node, index, m_builder.size(), constants);
    defineFolded(proto, m_names.makes(index), std::move(constants));
    if (m_request.keepSource && node.type == "DequantizeLinear" && first.isValid()) {
        const auto made = m_values.constant(first);
        m_onnx->quantised.emplace(made->values.identity(), SourceQuantised{made, sourceOf(node, m_names.reads(index))});
    }
    return {};
}

void GraphReader::defineFolded(onnx::NodeProto &proto, std::span<const NameId> names, std::vector<Constant> constants)
{
    const bool isConstant = proto.op_type() == "Constant";
    for (std::size_t i = 0; i < constants.size() && i < names.size(); ++i) {
        auto constant = std::make_shared<const Constant>(std::move(constants[i]));
        m_values.define(names[i], constant);
        if (isConstant)
            m_file.keepMade(names[i], std::move(constant));
    }
    if (isConstant && !constants.empty() && !m_request.keepSource)
        google::protobuf::RepeatedPtrField<onnx::AttributeProto>().Swap(proto.mutable_attribute());
}

bool GraphReader::mayFold(const OnnxNode &node, const std::vector<Constant> &constants) const
{
    const auto isReal = [](const Constant &constant) { return constant.isFloat(); };
    return m_foldsConstants || node.inputs.empty() || std::ranges::none_of(constants, isReal);
}

std::optional<std::vector<Constant>> GraphReader::foldAligned(const OnnxNode &node)
{
    if (node.opset >= 7)
        return foldNode(node, m_folder, m_foldBudget);
    OnnxNode aligned = node;
    alignOldBroadcast(aligned);
    return foldNode(aligned, m_folder, m_foldBudget);
}

SourceNode GraphReader::sourceOf(const OnnxNode &node, std::span<const NameId> reads) const
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

void GraphReader::adoptBatch(OnnxNode &node)
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

Result<void> GraphReader::addOperator(const OnnxNode &node, std::span<const NameId> makes, bool isUnit)
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
        m_values.define(makes[i], added[next]);
        if (auto bound = i == 0 ? largestValues(node) : nullptr)
            m_values.setBound(makes[i], std::move(bound));
        ++next;
    }
    // Whether an Identity stays depends on its names.
    const bool isByRules = converted.remark.empty() && node.type == node.proto->op_type() && node.type != "Identity";
    if (m_mayRepeat && isByRules && !m_values.hasBound(makes.front()))
        m_repeated.remember(node.type, m_operands, m_builder.lastOperator(), added.front(), m_builder);
    return {};
}

Result<std::vector<Tensor>> GraphReader::outputsOf(const OnnxNode &node, std::span<const NameId> makes,
                                                   const Operator &op)
{
    TRY_AS(auto shapes, outputShapesOf(node, op, m_builder));
    const auto declared = [&](NameId name) {
        return declaredShape(m_file, name, m_inputShapes.ownBatch(), m_request.batch);
    };
    std::vector<Tensor> outputs;
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
        if (node.outputs[i].empty())
            continue;
        Shape shape = shapes ? std::move((*shapes)[i]) : Shape{{}, false};
        if (!shape.known)
            shape = declared(makes[i]);
        const NameId shown = shownName(makes[i]);
        if (!shape.known)
            shape = declared(shown); // an output of the model, which a branch makes
        if (!takeName(shown))
            return refuseName(m_names.text(shown));
        outputs.push_back({std::string(m_names.text(shown)), std::move(shape), outputTypeOf(node, i), {}});
    }
    if (outputs.empty())
        return refuseModel("it has no output");
    return outputs;
}

NameId GraphReader::shownName(NameId name) const
{
    const auto renamed = m_renamed.find(name);
    return renamed == m_renamed.end() ? name : renamed->second;
}

bool GraphReader::takeName(NameId name)
{
    const std::size_t index = name.isValid() ? name.index() : m_names.size();
    const bool isFree = !m_isTaken[index];
    m_isTaken[index] = true;
    return isFree;
}

std::string GraphReader::uniqueName(const onnx::NodeProto &proto)
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

Result<SourceGraph> GraphReader::finish()
{
    std::vector<TensorId> outputs;
    for (const auto &output : m_proto.output()) {
        m_source.report.outputs.push_back(output.name());
        const NameId name = m_names.find(output.name());
        TRY_AS(const auto value, m_values.resolve(name));
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

} // namespace stagecraft
