#include "model/ios_json.h"

#include "model/ios/node_reader.h"
#include "model/ios/stages.h"
#include "model/read_file.h"
#include "operators/parameter_roles.h"
#include "operators/parameter_values.h"
#include "operators/schema.h"
#include "support/json_depth.h"
#include "support/sha256.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <set>
#include <unordered_map>

namespace stagecraft {
namespace {

using ios::integer;
using ios::integers;
using ios::Json;
using ios::member;
using ios::text;

constexpr std::uintmax_t kMaxFileBytes = std::uintmax_t{256} << 20U;

class Reader {
public:
    Reader(std::string name, std::int64_t batch) : m_builder(std::move(name)), m_batch(batch) {}

    Result<SourceGraph> read(const Json &document, const Json *parts)
    {
        const Json *blocks = member(document, "blocks");
        if (!blocks || !blocks->is_array())
            return refused("it is not a graph in the IOS JSON format: it has no list of blocks",
                           "Open an ONNX file or a graph exported by the IOS project");
        TRY(readInput(document));
        for (const Json &block : *blocks) {
            if (auto ok = readBlock(block); !ok)
                return within(fmt::format("block {}", m_source.blocks.size()), std::move(ok.error()));
        }
        TRY_AS(auto graph, m_builder.build());
        m_source.graph = std::move(graph);
        m_source.unitsFormed = true;
        if (parts) {
            if (auto ok = applyParts(*parts); !ok)
                return within("parts", std::move(ok.error()));
        }
        return std::move(m_source);
    }

private:
    Result<void> readInput(const Json &document)
    {
        const Json *input = member(document, "input");
        if (!input)
            return refused("it has no input");
        const auto name = text(*input, "name");
        if (!name)
            return within("input", name.error());
        const auto shape = integers(*input, "output_shape", 3);
        if (!shape)
            return within("input " + *name, shape.error());
        Shape full{{m_batch, (*shape)[0], (*shape)[1], (*shape)[2]}};
        if (std::ranges::any_of(full.dims, [](std::int64_t dim) { return dim < 1; }))
            return within("input " + *name, Error{ErrorCode::InvalidInput, "its shape has a size of zero", {}, {}});
        TRY_AS(auto added, m_builder.addInput(*name, std::move(full)));
        m_tensors.emplace(*name, added);
        return {};
    }

    Result<void> readBlock(const Json &block)
    {
        m_source.blocks.emplace_back();
        const Json *inner = member(block, "inner_nodes");
        const Json *exit = member(block, "exit_node");
        if (!inner || !inner->is_array() || !exit)
            return refused("it needs inner_nodes and exit_node");
        std::vector<const Json *> nodes;
        for (const Json &node : *inner)
            nodes.push_back(&node);
        nodes.push_back(exit);
        for (const Json *node : nodes) {
            TRY_AS(const auto name, text(*node, "name"));
            if (auto ok = readNode(*node, name); !ok)
                return within("node " + name, std::move(ok.error()));
        }
        return readStages(block);
    }

    Result<void> readNode(const Json &node, const std::string &name)
    {
        TRY_AS(const auto type, text(node, "type"));
        if (type == "sequential")
            return readSequence(node, name);
        TRY_AS(auto inputs, readInputs(node));
        TRY_AS(auto op, ios::readOperator(node, name, type, std::move(inputs)));
        return add(std::move(op), node);
    }

    Result<void> readSequence(const Json &node, const std::string &name)
    {
        const Json *inner = member(node, "nodes");
        if (!inner || !inner->is_array() || inner->empty())
            return refused("it is a sequence without nodes");
        std::vector<Operator> chain;
        for (const Json &step : *inner) {
            const auto stepName = text(step, "name");
            const auto type = text(step, "type");
            if (!stepName || !type)
                return tl::unexpected(stepName ? type.error() : stepName.error());
            // Every step but the first reads the previous one. That is not a tensor of the graph, so it is checked by
            // name.
            if (!chain.empty() && !readsOnly(step, chain.back().name))
                return refused(fmt::format("step {} does not read the step before it alone", *stepName));
            auto inputs = chain.empty() ? readInputs(step) : InputExpression{};
            if (!inputs)
                return within("step " + *stepName, std::move(inputs.error()));
            auto op = ios::readOperator(step, *stepName, *type, std::move(*inputs));
            if (!op)
                return within("step " + *stepName, std::move(op.error()));
            chain.push_back(std::move(*op));
        }
        TRY_AS(auto unit, ios::formUnit(chain, name));
        return add(std::move(unit), node);
    }

    static bool readsOnly(const Json &step, const std::string &name)
    {
        const Json *inputs = member(step, "inputs");
        return inputs && inputs->is_array() && inputs->size() == 1 && (*inputs)[0].is_array() &&
               (*inputs)[0].size() == 1 && (*inputs)[0][0].is_array() && !(*inputs)[0][0].empty() &&
               (*inputs)[0][0][0] == name;
    }

    Result<InputExpression> readInputs(const Json &node)
    {
        const Json *terms = member(node, "inputs");
        if (!terms || !terms->is_array())
            return refused("it has no list of inputs");
        InputExpression expression;
        for (const Json &term : *terms) {
            if (!term.is_array() || term.empty())
                return refused("a term of its inputs is not a list of values");
            std::vector<TensorId> part;
            for (const Json &value : term) {
                TRY_AS(auto tensor, readValue(value));
                part.push_back(tensor);
            }
            expression.push_back(std::move(part));
        }
        return expression;
    }

    // [name, begin, end]: channels of an earlier node. A proper part of them becomes a Slice operator.
    Result<TensorId> readValue(const Json &value)
    {
        if (!value.is_array() || value.size() != 3 || !value[0].is_string())
            return refused("an input is not of the form [name, begin, end]");
        const auto name = value[0].get<std::string>();
        const auto begin = integer(value[1]);
        const auto end = integer(value[2]);
        const auto found = m_tensors.find(name);
        if (found == m_tensors.end())
            return refused(fmt::format("it reads {}, which no node before it makes", name),
                           "Nodes must be listed after the nodes they read");
        const Shape &shape = m_builder.tensor(found->second).shape;
        if (!begin || !end || *begin >= *end || *end > shape.channels())
            return refused(fmt::format("it reads a range of channels that {} with its {} channels does not have", name,
                                       shape.channels()));
        if (*begin == 0 && *end == shape.channels())
            return found->second;
        return slice(name, found->second, *begin, *end);
    }

    Result<TensorId> slice(const std::string &name, TensorId from, std::int64_t begin, std::int64_t end)
    {
        Operator op;
        op.name = fmt::format("{}[{}:{}]", name, begin, end);
        if (const auto known = m_builder.findTensor(op.name))
            return *known;
        op.type = "Slice";
        op.kind = OperatorKind::Slice;
        op.attributes = GenericAttributes{{{"axes", std::vector<std::int64_t>{1}},
                                           {"ends", std::vector<std::int64_t>{end}},
                                           {"starts", std::vector<std::int64_t>{begin}}}};
        op.inputs = {{from}};
        Tensor output = m_builder.tensor(from);
        output.name = op.name;
        output.shape.dims[1] = end - begin;
        return place(std::move(op), std::move(output));
    }

    Result<void> add(Operator op, const Json &node)
    {
        if (m_tensors.contains(op.name))
            return refused("another node has the same name");
        std::vector<Shape> shapes;
        for (const auto &part : op.inputs) {
            for (const TensorId input : part)
                shapes.push_back(m_builder.tensor(input).shape);
        }
        if (shapes.empty())
            return refused("it has no input");
        if (op.type.empty())
            op.type = displayType(op);
        TRY_AS(auto shape,
               op.kind == OperatorKind::Elementwise ? Result<Shape>(shapes.front()) : inferShape(op, shapes));
        if (const Json *declared = member(node, "output_shape"); declared && !declared->is_null()) {
            TRY_AS(const auto dims, integers(node, "output_shape", 3));
            if (!std::equal(dims.begin(), dims.end(), shape.dims.begin() + 1))
                return refused(fmt::format("its output shape is given as {}, but its inputs make it {}",
                                           toString(Shape{dims}),
                                           toString(Shape{{shape.dims.begin() + 1, shape.dims.end()}})));
        }
        addParameters(op, shapes);
        const std::string name = op.name;
        TRY_AS(auto output, place(std::move(op), Tensor{name, std::move(shape), DataType::Float32, {}}));
        m_tensors.emplace(name, output);
        return {};
    }

    static void addParameters(Operator &op, const std::vector<Shape> &shapes)
    {
        const auto joined = expressionShape(op.inputs, shapes);
        const std::int64_t channels = joined ? joined->channels() : 0;
        if (auto *pool = std::get_if<PoolAttributes>(&op.attributes); pool && pool->global)
            pool->window = Window{{shapes.front().height(), shapes.front().width()}, {1, 1}, {1, 1}, {0, 0, 0, 0}};
        if (const ConvAttributes *conv = op.conv()) {
            const auto &kernel = conv->window.kernel;
            op.parameters = {seededParameter(role::kWeight, op.name,
                                             {conv->outChannels, channels / conv->groups, kernel[0], kernel[1]}),
                             seededParameter(role::kBias, op.name, {conv->outChannels})};
        } else if (const SepConvAttributes *sep = op.sepConv()) {
            const auto &kernel = sep->window.kernel;
            op.parameters = {seededParameter(role::kDepthwiseWeight, op.name, {channels, 1, kernel[0], kernel[1]}),
                             seededParameter(role::kDepthwiseBias, op.name, {channels}),
                             seededParameter(role::kPointwiseWeight, op.name, {sep->outChannels, channels, 1, 1}),
                             seededParameter(role::kPointwiseBias, op.name, {sep->outChannels})};
        }
    }

    Result<TensorId> place(Operator op, Tensor output)
    {
        std::vector<Tensor> outputs;
        outputs.push_back(std::move(output));
        TRY_AS(auto added, m_builder.add(std::move(op), std::move(outputs)));
        m_source.blocks.back().operators.push_back(OperatorId::fromIndex(m_count++));
        return added.front();
    }

    Result<void> readStages(const Json &block)
    {
        TRY_AS(auto stages, ios::stagesOf(block, m_source.blocks.size() - 1));
        for (IosStage &stage : stages) {
            for (const auto &group : stage.groups) {
                for (const std::string &name : group) {
                    if (!m_tensors.contains(name))
                        return refused(fmt::format("its schedule names {}, which no node of it is", name));
                }
            }
            m_source.iosStages.push_back(std::move(stage));
        }
        return {};
    }

    Result<void> applyParts(const Json &parts)
    {
        Blocks blocks;
        std::set<OperatorId> placed;
        try {
            for (const auto &block : parts.get<std::vector<std::vector<std::vector<std::string>>>>()) {
                for (const std::vector<std::string> &names : block) {
                    Block part;
                    for (const std::string &name : names) {
                        const auto id = m_source.graph.find(name);
                        if (!id)
                            return refused(fmt::format("it names {}, which the graph does not have", name));
                        part.operators.push_back(*id);
                        placed.insert(*id);
                    }
                    std::ranges::sort(part.operators);
                    blocks.push_back(std::move(part));
                }
            }
        } catch (const Json::exception &) {
            return refused("it is not a list of blocks, each a list of parts, each a list of names");
        }
        addSlices(blocks, placed);
        if (auto ok = verifyBlocks(m_source.graph, blocks); !ok)
            return ok;
        m_source.blocks = std::move(blocks);
        return {};
    }

    // Slices are added by this reader: they go to the block of their first consumer.
    void addSlices(Blocks &blocks, std::set<OperatorId> &placed) const
    {
        const Graph &graph = m_source.graph;
        for (std::size_t i = 0; i < graph.size(); ++i) {
            const OperatorId id = OperatorId::fromIndex(i);
            if (graph.op(id).kind != OperatorKind::Slice || placed.contains(id))
                continue;
            for (Block &block : blocks) {
                const auto reads = [&](OperatorId reader) { return std::ranges::count(block.operators, reader) > 0; };
                if (std::ranges::any_of(graph.successors(id), reads)) {
                    block.operators.insert(std::ranges::lower_bound(block.operators, id), id);
                    break;
                }
            }
        }
    }

    GraphBuilder m_builder;
    std::int64_t m_batch;
    SourceGraph m_source;
    std::unordered_map<std::string, TensorId> m_tensors; // by node name
    std::size_t m_count = 0;
};

Result<Json> parseJson(const std::string &text)
{
    if (nestsTooDeeply(text))
        return refused("its lists are within each other too deeply", "Export or download the file again");
    Json document = Json::parse(text, nullptr, false);
    if (document.is_discarded())
        return refused("it is not valid JSON, or it is cut short", "Export or download the file again");
    return document;
}

} // namespace

Result<SourceGraph> parseIosJson(const std::string &text, const std::string &name, std::int64_t batch,
                                 const std::string &parts)
{
    if (batch < 1)
        return fail(ErrorCode::WrongUse, fmt::format("a batch of {} makes no sense", batch),
                    "Choose a batch size of at least 1");
    TRY_AS(const auto document, parseJson(text));
    std::optional<Json> partsDocument;
    if (!parts.empty()) {
        auto parsed = parseJson(parts);
        if (!parsed)
            return within("parts", std::move(parsed.error()));
        partsDocument = std::move(*parsed);
    }
    const Json *given = member(document, "name");
    const std::string graphName = given && given->is_string() ? given->get<std::string>() : name;
    auto model = Reader(graphName, batch).read(document, partsDocument ? &*partsDocument : nullptr);
    if (model)
        model->sha256 = sha256(text);
    return model;
}

Result<SourceGraph> readIosJson(const std::filesystem::path &path, std::int64_t batch)
{
    const auto text = readFile(path, kMaxFileBytes);
    if (!text)
        return within(path.string(), text.error());
    std::filesystem::path partsPath = path;
    partsPath.replace_extension(".parts.json");
    std::string parts;
    std::error_code error;
    if (std::filesystem::exists(partsPath, error)) {
        auto partsText = readFile(partsPath, kMaxFileBytes);
        if (!partsText)
            return within(partsPath.string(), partsText.error());
        parts = std::move(*partsText);
    }
    auto model = parseIosJson(*text, path.stem().string(), batch, parts);
    if (!model)
        return within(path.string(), std::move(model.error()));
    if (!parts.empty())
        model->report.dataFiles = {partsPath.string()};
    return model;
}

Result<std::vector<IosStage>> iosStagesFrom(const std::string &text)
{
    const Json document = Json::parse(text, nullptr, false);
    const Json *blocks = ios::member(document, "blocks");
    if (!blocks || !blocks->is_array())
        return refused("it is not a graph in the IOS JSON format: it has no list of blocks");
    std::vector<IosStage> stages;
    for (std::size_t i = 0; i < blocks->size(); ++i) {
        auto own = ios::stagesOf((*blocks)[i], i);
        if (own && own->empty())
            own = refused("it has no stages: the file is a graph without a schedule, or with a part of one",
                          "Name a file that the public IOS project's optimizer wrote");
        if (!own)
            return within(fmt::format("block {}", i + 1), std::move(own.error()));
        std::ranges::move(*own, std::back_inserter(stages));
    }
    return stages;
}

} // namespace stagecraft
