#include "schedule/stage_signature.h"

#include "graph/quantised.h"
#include "operators/attribute_members.h"

#include <algorithm>
#include <array>
#include <bit>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <vector>

namespace stagecraft {

namespace {

constexpr std::uint64_t mix(std::uint64_t value)
{
    value ^= value >> 32;
    value *= 0xd6e8feb86659fd93ULL;
    value ^= value >> 32;
    value *= 0xd6e8feb86659fd93ULL;
    return value ^ (value >> 32);
}

constexpr std::uint64_t combine(std::uint64_t seed, std::uint64_t value)
{
    return mix(seed * 0x9e3779b97f4a7c15ULL + value + 0x632be59bd9b4e019ULL);
}

// Two independent hashes of a sequence of words.
class Hasher {
public:
    void add(std::uint64_t word)
    {
        m_high = combine(m_high, word);
        m_low = combine(m_low ^ std::rotl(word, 29), ~word);
    }
    void add(std::int64_t word) { add(static_cast<std::uint64_t>(word)); }
    void add(int word) { add(static_cast<std::uint64_t>(word)); }
    void add(bool word) { add(static_cast<std::uint64_t>(word)); }
    void add(float value) { add(static_cast<std::uint64_t>(std::bit_cast<std::uint32_t>(value))); }
    void add(std::string_view text)
    {
        add(static_cast<std::uint64_t>(text.size()));
        for (const char character : text)
            add(static_cast<std::uint64_t>(static_cast<unsigned char>(character)));
    }
    template <typename Range>
    requires requires(const Range &range) { range.size(), range.begin(); }
    void addAll(const Range &range)
    {
        add(static_cast<std::uint64_t>(range.size()));
        for (const auto &item : range)
            add(item);
    }
    void add(const Shape &shape)
    {
        add(shape.known);
        addAll(shape.dims);
    }
    void add(const GenericAttributes &attributes)
    {
        add(static_cast<std::uint64_t>(attributes.values.size()));
        for (const auto &[name, value] : attributes.values) {
            add(std::string_view(name));
            add(std::string_view(toString(value)));
        }
    }
    void add(const FusedAttributes &) {} // what they hold is part of the operator's facts
    template <typename Enum>
    requires std::is_enum_v<Enum>
    void add(Enum value) { add(static_cast<int>(value)); }
    template <HasMembers Attributes>
    void add(const Attributes &attributes)
    {
        eachMember(attributes, [this](const char *, const auto &member) { this->add(member); });
    }
    template <std::size_t count>
    void add(const std::array<std::int64_t, count> &values)
    {
        addAll(values);
    }

    [[nodiscard]] StageSignature result() const { return {m_high, m_low}; }

private:
    std::uint64_t m_high = 0x243f6a8885a308d3ULL;
    std::uint64_t m_low = 0x13198a2e03707344ULL;
};

StageSignature tensorFacts(const Tensor &tensor)
{
    Hasher hasher;
    hasher.add(tensor.shape);
    hasher.add(static_cast<int>(tensor.type));
    if (tensor.layout)
        hasher.add(*tensor.layout);
    return hasher.result();
}

// Everything about an operator except names and where its inputs come from.
StageSignature operatorFacts(const Graph &graph, const Operator &op)
{
    Hasher hasher;
    hasher.add(static_cast<int>(op.kind));
    hasher.add(static_cast<std::uint64_t>(op.attributes.index()));
    // Kinds with rules are identified by their attributes, others by the type in the file.
    if (std::holds_alternative<GenericAttributes>(op.attributes) && op.kind != OperatorKind::Join)
        hasher.add(std::string_view(op.type));
    std::visit([&](const auto &attributes) { hasher.add(attributes); }, op.attributes);
    for (const TensorId id : op.outputs) {
        const StageSignature facts = tensorFacts(graph.tensor(id));
        hasher.add(facts.high);
        hasher.add(facts.low);
    }
    hasher.add(static_cast<std::uint64_t>(op.parameters.size()));
    for (const Parameter &parameter : op.parameters) {
        hasher.add(std::string_view(parameter.role));
        hasher.add(parameter.shape);
        hasher.add(static_cast<int>(parameter.type));
    }
    if (const Graph *body = op.body()) {
        for (const Operator &part : body->operators()) {
            const StageSignature facts = operatorFacts(*body, part);
            hasher.add(facts.high);
            hasher.add(facts.low);
            for (const auto &summands : part.inputs) {
                hasher.add(static_cast<std::uint64_t>(summands.size()));
                for (const TensorId input : summands)
                    hasher.add(static_cast<std::uint64_t>(input.index()));
            }
        }
    }
    return hasher.result();
}

} // namespace

std::string StageSignature::toHex() const
{
    std::string text(32, '0');
    for (std::size_t i = 0; i < 16; ++i) {
        text[15 - i] = "0123456789abcdef"[(high >> (4 * i)) & 15];
        text[31 - i] = "0123456789abcdef"[(low >> (4 * i)) & 15];
    }
    return text;
}

struct StageSigner::Impl {
    // An operand of a stage's operator: an output of another operator in the stage, or a tensor from outside.
    struct Operand {
        std::uint32_t part = 0;
        std::uint32_t output = 0; // output index of the producer
        std::uint32_t node = 0;   // index of the producer or of the outside tensor
        bool outside = false;
    };
    struct Node {
        OperatorId id;
        std::uint64_t colour = 0;
        std::uint64_t next = 0;
        std::vector<Operand> operands;
    };
    struct Outside {
        TensorId id;
        std::uint64_t colour = 0;
        std::uint64_t next = 0;
    };

    explicit Impl(const Graph &source)
        : graph(source), localIndex(source.size(), kNotHere), outsideIndex(source.tensors().size(), kNotHere)
    {
        for (const Operator &op : graph.operators())
            facts.push_back(operatorFacts(graph, op));
        const auto roles = quantisedRoles(graph); // they depend on neighbours, also outside the stage
        for (std::size_t i = 0; i < roles.size(); ++i) {
            if (roles[i] != QuantisedRole::None)
                facts[i].low = combine(facts[i].low, static_cast<std::uint64_t>(roles[i]));
        }
        for (const Tensor &tensor : graph.tensors())
            tensors.push_back(tensorFacts(tensor));
    }

    void load(const Stage &stage)
    {
        nodeCount = 0;
        outsideCount = 0;
        for (const auto &group : stage.groups) {
            for (const OperatorId id : group) {
                localIndex[id.index()] = static_cast<std::uint32_t>(nodeCount);
                if (nodeCount == nodes.size())
                    nodes.emplace_back();
                Node &node = nodes[nodeCount++];
                node.id = id;
                node.colour = facts[id.index()].low;
            }
        }
        for (std::size_t turn = 0; turn < stage.launchOrder.size(); ++turn) {
            std::uint64_t &colour = nodes[localIndex[stage.launchOrder[turn].index()]].colour;
            colour = combine(colour, turn);
        }
        for (std::size_t i = 0; i < nodeCount; ++i)
            loadOperands(nodes[i]);
    }

    void loadOperands(Node &node)
    {
        node.operands.clear();
        const Operator &op = graph.op(node.id);
        for (std::size_t part = 0; part < op.inputs.size(); ++part) {
            for (const TensorId id : op.inputs[part]) {
                Operand operand{.part = static_cast<std::uint32_t>(part)};
                const OperatorId producer = graph.tensor(id).producer;
                if (producer.isValid() && localIndex[producer.index()] != kNotHere) {
                    const auto &outputs = graph.op(producer).outputs;
                    operand.node = localIndex[producer.index()];
                    operand.output = static_cast<std::uint32_t>(std::ranges::find(outputs, id) - outputs.begin());
                } else {
                    operand.outside = true;
                    operand.node = outsideNode(id);
                }
                node.operands.push_back(operand);
            }
        }
    }

    std::uint32_t outsideNode(TensorId id)
    {
        std::uint32_t &index = outsideIndex[id.index()];
        if (index == kNotHere) {
            index = static_cast<std::uint32_t>(outsideCount);
            if (outsideCount == outsides.size())
                outsides.emplace_back();
            outsides[outsideCount++] = {id, tensors[id.index()].low, 0};
        }
        return index;
    }

    void unload()
    {
        for (std::size_t i = 0; i < nodeCount; ++i)
            localIndex[nodes[i].id.index()] = kNotHere;
        for (std::size_t i = 0; i < outsideCount; ++i)
            outsideIndex[outsides[i].id.index()] = kNotHere;
    }

    // One round of refinement. Summands are unordered, parts are ordered; colours also flow back to producers and
    // tensors.
    void refineOnce()
    {
        for (std::size_t i = 0; i < nodeCount; ++i)
            nodes[i].next = mix(nodes[i].colour);
        for (std::size_t i = 0; i < outsideCount; ++i)
            outsides[i].next = mix(outsides[i].colour);
        for (std::size_t i = 0; i < nodeCount; ++i) {
            Node &node = nodes[i];
            for (const Operand &operand : node.operands) {
                const std::uint64_t how = combine(operand.part, operand.output);
                const std::uint64_t from = operand.outside ? outsides[operand.node].colour : nodes[operand.node].colour;
                node.next += combine(how, from);
                (operand.outside ? outsides[operand.node].next : nodes[operand.node].next) +=
                    combine(~how, node.colour);
            }
        }
        for (std::size_t i = 0; i < nodeCount; ++i)
            nodes[i].colour = mix(nodes[i].next);
        for (std::size_t i = 0; i < outsideCount; ++i)
            outsides[i].colour = mix(outsides[i].next);
    }

    std::size_t distinctColours()
    {
        scratch.clear();
        for (std::size_t i = 0; i < nodeCount; ++i)
            scratch.push_back(nodes[i].colour);
        std::ranges::sort(scratch);
        return static_cast<std::size_t>(std::unique(scratch.begin(), scratch.end()) - scratch.begin());
    }

    void refine()
    {
        for (std::size_t before = 0, now = distinctColours(); now > before && before < nodeCount;) {
            before = now;
            // Colours move two edges per round, so a round that splits nothing may not be the last.
            refineOnce();
            refineOnce();
            now = distinctColours();
        }
    }

    void order()
    {
        refine();
        while (distinctColours() < nodeCount) {
            // Takes the smallest colour shared by several operators, gives one of them a new colour, and refines again.
            std::uint64_t tied = 0;
            std::size_t chosen = nodeCount;
            for (std::size_t i = 0; i < nodeCount; ++i) {
                for (std::size_t j = i + 1; j < nodeCount; ++j) {
                    if (nodes[i].colour == nodes[j].colour && (chosen == nodeCount || nodes[i].colour < tied)) {
                        tied = nodes[i].colour;
                        chosen = i;
                    }
                }
            }
            nodes[chosen].colour = combine(nodes[chosen].colour, 1);
            refine();
        }
        ranks.resize(nodeCount);
        scratchOrder.resize(nodeCount);
        for (std::size_t i = 0; i < nodeCount; ++i)
            scratchOrder[i] = static_cast<std::uint32_t>(i);
        std::ranges::sort(scratchOrder, {}, [&](std::uint32_t i) { return nodes[i].colour; });
        for (std::size_t i = 0; i < nodeCount; ++i)
            ranks[scratchOrder[i]] = static_cast<std::uint32_t>(i);
    }

    // Outside tensors with equal colours are read by the same operators in the same way: their order does not matter.
    void numberOutsides()
    {
        outsideOrder.resize(outsideCount);
        for (std::size_t i = 0; i < outsideCount; ++i)
            outsideOrder[i] = static_cast<std::uint32_t>(i);
        refineOnce();
        std::ranges::sort(outsideOrder, {}, [&](std::uint32_t i) { return outsides[i].colour; });
        outsideRanks.resize(outsideCount);
        for (std::size_t i = 0; i < outsideCount; ++i)
            outsideRanks[outsideOrder[i]] = static_cast<std::uint32_t>(i);
    }

    StageSignature write(const Stage &stage)
    {
        Hasher hasher;
        hasher.add(static_cast<int>(stage.strategy));
        hasher.add(static_cast<std::uint64_t>(nodeCount));
        for (const std::uint32_t index : scratchOrder) {
            const Node &node = nodes[index];
            hasher.add(facts[node.id.index()].high);
            hasher.add(facts[node.id.index()].low);
            scratch.clear();
            for (const Operand &operand : node.operands) {
                const std::uint64_t from = operand.outside ? outsideRanks[operand.node] : ranks[operand.node];
                scratch.push_back((std::uint64_t{operand.part} << 48) | (std::uint64_t{operand.outside} << 40) |
                                  (std::uint64_t{operand.output} << 20) | from);
            }
            std::ranges::sort(scratch);
            hasher.addAll(scratch);
        }
        for (const std::uint32_t index : outsideOrder) {
            hasher.add(tensors[outsides[index].id.index()].high);
            hasher.add(tensors[outsides[index].id.index()].low);
        }
        for (const OperatorId id : stage.launchOrder) // none: as before there were any
            hasher.add(static_cast<std::uint64_t>(ranks[localIndex[id.index()]]));
        return hasher.result();
    }

    StageSignature sign(const Stage &stage)
    {
        load(stage);
        order();
        numberOutsides();
        const StageSignature signature = write(stage);
        unload();
        return signature;
    }

    static constexpr std::uint32_t kNotHere = ~std::uint32_t{0};

    const Graph &graph;
    std::vector<StageSignature> facts;   // by operator of the graph
    std::vector<StageSignature> tensors; // by tensor of the graph
    std::vector<std::uint32_t> localIndex;
    std::vector<std::uint32_t> outsideIndex;
    std::vector<Node> nodes;
    std::vector<Outside> outsides;
    std::size_t nodeCount = 0;
    std::size_t outsideCount = 0;
    std::vector<std::uint64_t> scratch;
    std::vector<std::uint32_t> scratchOrder, ranks, outsideOrder, outsideRanks;
};

StageSigner::StageSigner(const Graph &graph) : m_impl(std::make_unique<Impl>(graph)) {}
StageSigner::~StageSigner() = default;
StageSigner::StageSigner(StageSigner &&) noexcept = default;
StageSigner &StageSigner::operator=(StageSigner &&) noexcept = default;

StageSignature StageSigner::sign(const Stage &stage)
{
    return m_impl->sign(stage);
}

} // namespace stagecraft
