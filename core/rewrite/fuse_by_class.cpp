// Fusion by operator class (Chen et al., TVM, OSDI 2018, section 3): an element-wise operator goes into the
// convolution, the product or the element-wise operators before it; a reduction takes the element-wise operators before
// it. What goes into another operator is read by nothing else, so that a unit has one output and units do not wait for
// each other in a circle. Quantised tensors are between units, as runtimes execute them: a DequantizeLinear begins a
// unit, also that of a convolution or product.

#include "operators/schema.h"
#include "rewrite/graph_edit.h"
#include "rewrite/passes.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace stagecraft {
namespace {

// The operators of a unit while it grows, in the order of the graph.
struct Unit {
    FusionClass fusion = FusionClass::Opaque; // of its main operator
    std::vector<OperatorId> operators;
};

bool dequantises(const Operator &op)
{
    return op.type == "DequantizeLinear";
}

// One value of each input makes one value of the output: no element moves to another place.
bool isElementwise(const GraphEdit &graph, const Operator &op)
{
    const bool isOfKind = op.activation() || op.isSum() || op.kind == OperatorKind::BatchNorm ||
                          (op.kind == OperatorKind::Elementwise && fusionClass(op) == FusionClass::Injective);
    if (!isOfKind || op.outputs.size() != 1)
        return false;
    const Shape &output = graph.tensor(op.outputs.front()).shape;
    return output.known && std::ranges::all_of(op.inputs, [&](const auto &part) {
               return std::ranges::all_of(part, [&](TensorId input) { return graph.tensor(input).shape.known; });
           });
}

class ClassFusion {
public:
    explicit ClassFusion(GraphEdit &graph) : m_graph(graph), m_unitOf(graph.size()) {}

    void run()
    {
        for (std::size_t i = 0; i < m_graph.size(); ++i) {
            if (m_graph.isAlive(OperatorId::fromIndex(i)))
                place(OperatorId::fromIndex(i));
        }
        for (const Unit &unit : m_units) {
            if (unit.operators.size() > 1)
                form(unit);
        }
    }

private:
    void place(OperatorId id)
    {
        const Operator &op = m_graph.op(id);
        const bool joins = !m_graph.isKeptApart(id) && isElementwise(m_graph, op);
        const FusionClass fusion = joins ? FusionClass::Injective : fusionClass(op);
        const bool computes = fusion == FusionClass::Reduction || fusion == FusionClass::Complex;
        Unit unit{fusion == FusionClass::Injective && !joins ? FusionClass::Opaque : fusion, {}};
        if (joins || (computes && !m_graph.isKeptApart(id))) {
            for (const std::size_t before : unitsBefore(id, fusion))
                take(unit, before);
        }
        unit.operators.push_back(id);
        m_unitOf[id.index()] = m_units.size();
        for (const OperatorId taken : unit.operators)
            m_unitOf[taken.index()] = m_units.size();
        m_units.push_back(std::move(unit));
    }

    // The units that only `id` reads and that may become one with it: any number of element-wise ones, and for an
    // element-wise operator one that computes; for a convolution or product only what dequantises.
    std::vector<std::size_t> unitsBefore(OperatorId id, FusionClass fusion) const
    {
        std::vector<std::size_t> found;
        if (dequantises(m_graph.op(id)))
            return found;
        std::optional<std::size_t> main;
        for (const auto &part : m_graph.op(id).inputs) {
            for (const TensorId input : part) {
                const OperatorId producer = m_graph.producer(input);
                if (!producer.isValid() || m_graph.onlyReader(producer) != id || m_graph.isKeptApart(producer))
                    continue;
                const std::size_t unit = m_unitOf[producer.index()];
                if (m_units[unit].fusion == FusionClass::Injective &&
                    (fusion != FusionClass::Complex || dequantises(m_graph.op(producer))))
                    found.push_back(unit);
                else if (m_units[unit].fusion == FusionClass::Complex && fusion == FusionClass::Injective)
                    main = std::max(main.value_or(unit), unit);
            }
        }
        if (main)
            found.push_back(*main);
        std::ranges::sort(found);
        found.erase(std::unique(found.begin(), found.end()), found.end());
        return found;
    }

    void take(Unit &unit, std::size_t before)
    {
        Unit &taken = m_units[before];
        if (taken.fusion == FusionClass::Complex)
            unit.fusion = FusionClass::Complex;
        unit.operators.insert(unit.operators.end(), taken.operators.begin(), taken.operators.end());
        std::ranges::sort(unit.operators);
        taken.operators.clear();
    }

    // The last operator becomes the unit: everything that the unit reads is made before it.
    void form(const Unit &unit)
    {
        std::vector<TensorId> operands;
        auto body = std::make_shared<const Graph>(bodyOf(unit, operands));
        const OperatorId last = unit.operators.back();
        const OperatorId main = mainOf(unit);
        Operator fused;
        fused.name = m_graph.op(main).name;
        fused.kind = OperatorKind::Fused;
        for (const Operator &op : body->operators()) {
            fused.type += (fused.type.empty() ? "" : "-") + displayType(op);
            fused.parameters.insert(fused.parameters.end(), op.parameters.begin(), op.parameters.end());
        }
        fused.attributes = FusedAttributes{std::move(body)};
        InputExpression inputs;
        for (const TensorId operand : operands)
            inputs.push_back({operand});
        m_graph.replace(last, main, std::move(fused), std::move(inputs));
        for (const OperatorId id : unit.operators) {
            if (id != last && id != main)
                m_graph.remove(id, last);
        }
    }

    // The operator that computes, or the last one.
    [[nodiscard]] OperatorId mainOf(const Unit &unit) const
    {
        const auto isMain = [&](OperatorId id) { return fusionClass(m_graph.op(id)) != FusionClass::Injective; };
        const auto main = std::ranges::find_if(unit.operators, isMain);
        return main == unit.operators.end() ? unit.operators.back() : *main;
    }

    Graph bodyOf(const Unit &unit, std::vector<TensorId> &operands) const
    {
        Graph::Parts parts;
        std::vector<std::pair<TensorId, TensorId>> moved; // a unit is small: tensor of the graph, of the body
        const auto find = [&](TensorId id) {
            return std::ranges::find(moved, id, &std::pair<TensorId, TensorId>::first);
        };
        const auto add = [&](TensorId id, OperatorId producer) {
            const TensorId place = TensorId::fromIndex(parts.tensors.size());
            parts.tensors.push_back(m_graph.tensor(id));
            parts.tensors.back().producer = producer;
            moved.emplace_back(id, place);
            return place;
        };
        for (const OperatorId id : unit.operators) {
            for (const auto &part : m_graph.op(id).inputs) {
                for (const TensorId input : part) {
                    const OperatorId producer = m_graph.producer(input);
                    const bool isInside = producer.isValid() && std::ranges::count(unit.operators, producer) > 0;
                    if (isInside || find(input) != moved.end())
                        continue;
                    operands.push_back(input);
                    parts.inputs.push_back(add(input, {}));
                }
            }
        }
        for (const OperatorId id : unit.operators) {
            Operator op = m_graph.op(id);
            for (auto &part : op.inputs)
                std::ranges::transform(part, part.begin(), [&](TensorId input) { return find(input)->second; });
            for (TensorId &output : op.outputs)
                output = add(output, OperatorId::fromIndex(parts.operators.size()));
            parts.operators.push_back(std::move(op));
        }
        parts.outputs = parts.operators.back().outputs;
        return Graph::fromParts(std::move(parts));
    }

    GraphEdit &m_graph;
    std::vector<Unit> m_units;
    std::vector<std::size_t> m_unitOf; // by operator
};

} // namespace

void fuseByClass(GraphEdit &graph)
{
    ClassFusion(graph).run();
}

} // namespace stagecraft
