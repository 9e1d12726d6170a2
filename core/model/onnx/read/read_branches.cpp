#include "model/onnx/read/read_branches.h"

#include "model/onnx/read/check_node.h"
#include "model/onnx/read/fold_node.h"
#include "model/onnx/read/node_order.h"
#include "operators/schema.h"

#include <functional>
#include <map>
#include <memory>
#include <onnx/onnx_pb.h>
#include <utility>

namespace stagecraft {
namespace {

using Source = SubgraphSource;

// What a subgraph reads from outside: operands of its operator.
struct Surroundings {
    std::map<std::string, Source, std::less<>> operands; // by name
    std::function<Source(Constant)> addConstant;         // as a further operand
};

class SubgraphReader {
public:
    SubgraphReader(Surroundings surroundings, std::int64_t opset, const std::filesystem::path &folder,
                   FoldBudget &budget)
        : m_sources(std::move(surroundings.operands)), m_addConstant(std::move(surroundings.addConstant)),
          m_folder(folder), m_budget(budget)
    {
        m_graph.opset = opset;
    }

    // Error: the message says what is in it that is not read.
    Result<Subgraph> read(const onnx::GraphProto &graph)
    {
        for (const auto &initializer : graph.initializer()) {
            TRY_AS(auto constant, decodeTensor(initializer, m_folder));
            m_sources[initializer.name()] = m_addConstant(std::move(constant));
        }
        for (const auto &node : graph.node()) {
            TRY(add(node));
        }
        for (const auto &output : graph.output()) {
            TRY_AS(auto source, find(output.name()));
            m_graph.results.push_back(source);
        }
        return std::move(m_graph);
    }

private:
    [[nodiscard]] Result<Source> find(std::string_view name) const
    {
        if (name.empty())
            return Source{};
        const auto found = m_sources.find(name);
        if (found == m_sources.end())
            return fail(ErrorCode::InvalidInput, "the tensor " + std::string(name) + ", which nothing makes");
        return found->second;
    }

    Result<void> add(const onnx::NodeProto &proto)
    {
        OnnxNode facts;
        facts.proto = &proto;
        facts.opset = m_graph.opset;
        facts.attributes = attributesOf(proto);
        facts.type = typeOf(proto);
        if (facts.type == "Constant")
            return addConstant(facts);
        const OperatorSchema *schema = schemaOf(facts.type);
        if (!schema || !schema->shapes || !schema->kernel || unknownAttribute(facts))
            return fail(ErrorCode::InvalidInput, facts.type);
        if (auto fits = checkNode(facts); !fits)
            return fail(ErrorCode::InvalidInput, facts.type + ": " + fits.error().message);
        SubgraphNode node{facts.type, std::move(facts.attributes), {}, static_cast<std::size_t>(proto.output_size())};
        for (const std::string_view name : readNames(proto)) {
            TRY_AS(auto source, find(name));
            node.inputs.push_back(source);
            facts.inputs.emplace_back(OperandFacts{});
        }
        if (node.type == "ConstantOfShape") {
            adoptRepeatedValue(facts, m_folder);
            node.inputs.push_back(m_addConstant(*facts.inputs.back()->constant));
        }
        if (auto done = addSubgraphs(proto, node); !done)
            return done;
        for (int i = 0; i < proto.output_size(); ++i)
            m_sources[proto.output(i)] = {Source::Kind::Node, m_graph.nodes.size(), static_cast<std::size_t>(i)};
        m_graph.nodes.push_back(std::move(node));
        return {};
    }

    Result<void> addConstant(const OnnxNode &node)
    {
        auto constants = foldNode(node, m_folder, m_budget);
        if (!constants)
            return fail(ErrorCode::InvalidInput, "a constant of a type that is not read");
        m_sources[node.proto->output(0)] = m_addConstant(std::move(constants->front()));
        return {};
    }

    // What they read from outside are operands of the node.
    Result<void> addSubgraphs(const onnx::NodeProto &proto, SubgraphNode &node)
    {
        for (const auto &attribute : proto.attribute()) {
            if (!attribute.has_g())
                continue;
            Surroundings inner;
            const auto names = readNames(proto);
            for (std::size_t i = 0; i < names.size(); ++i)
                inner.operands.emplace(names[i], Source{Source::Kind::Operand, i, 0});
            inner.addConstant = [&](Constant constant) {
                node.inputs.push_back(m_addConstant(std::move(constant)));
                return Source{Source::Kind::Operand, node.inputs.size() - 1, 0};
            };
            TRY_AS(const auto graph,
                   SubgraphReader(std::move(inner), m_graph.opset, m_folder, m_budget).read(attribute.g()));
            for (auto &[name, value] : node.attributes) {
                if (name == attribute.name())
                    value = SharedSubgraph{std::make_shared<const Subgraph>(graph)};
            }
        }
        return {};
    }

    std::map<std::string, Source, std::less<>> m_sources; // by name of the file
    std::function<Source(Constant)> m_addConstant;
    const std::filesystem::path &m_folder;
    FoldBudget &m_budget;
    Subgraph m_graph;
};

} // namespace

void readBranches(OnnxNode &node, const std::filesystem::path &folder, FoldBudget &budget)
{
    Surroundings outside;
    const auto names = readNames(*node.proto);
    for (std::size_t i = 0; i < names.size(); ++i)
        outside.operands.emplace(names[i], Source{Source::Kind::Operand, i, 0});
    outside.addConstant = [&](Constant value) {
        const auto constant = std::make_shared<const Constant>(std::move(value));
        node.inputs.emplace_back(OperandFacts{{}, Shape{constant->dims}, constant->type, constant});
        return Source{Source::Kind::Operand, node.inputs.size() - 1, 0};
    };
    for (auto &[name, value] : node.attributes) {
        const auto *attribute = node.attribute(name);
        if (!attribute || !attribute->has_g())
            continue;
        auto graph = SubgraphReader(outside, node.opset, folder, budget).read(attribute->g());
        if (graph)
            value = SharedSubgraph{std::make_shared<const Subgraph>(std::move(*graph))};
        else
            value = NotKept("a graph with " + graph.error().message);
    }
}

} // namespace stagecraft
