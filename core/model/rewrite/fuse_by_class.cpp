// Fusion by operator class (Chen et al., TVM, OSDI 2018, section 3): an element-wise operator goes into the
// convolution, the product or the element-wise operators before it; a reduction takes the element-wise operators before
// it. What goes into another operator is read by nothing else, so that a unit has one output and units do not wait for
// each other in a circle. Quantised tensors are between units, as runtimes execute them: a DequantizeLinear begins a
// unit, also that of a convolution or product.

#include "model/rewrite/fused_unit.h"
#include "model/rewrite/passes.h"
#include "operators/schema.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace stagecraft {
namespace {

// The operators of a unit while it grows. The last one is that of the highest id.
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
        std::vector<Unit *> units;
        for (Unit &unit : m_units) {
            if (unit.operators.size() > 1)
                units.push_back(&unit);
        }
        std::ranges::sort(units, {}, [](const Unit *unit) { return unit->operators.back(); });
        for (Unit *unit : units) {
            std::ranges::sort(unit->operators);
            formFusedUnit(m_graph, unit->operators, mainOf(*unit));
        }
    }

private:
    void place(OperatorId id)
    {
        const Operator &op = m_graph.op(id);
        const bool joins = !m_graph.isKeptApart(id) && isElementwise(m_graph, op);
        const FusionClass fusion = joins ? FusionClass::Injective : fusionClass(op);
        const bool computes = fusion == FusionClass::Reduction || fusion == FusionClass::Complex;
        std::vector<std::size_t> before;
        if (joins || (computes && !m_graph.isKeptApart(id)))
            before = unitsBefore(id, fusion);
        // The largest takes the others: each operator moves a few times, however many there are.
        const auto operatorsOf = [&](std::size_t unit) { return m_units[unit].operators.size(); };
        const auto largest = std::ranges::max_element(before, {}, operatorsOf);
        const std::size_t place = before.empty() ? m_units.size() : *largest;
        if (before.empty())
            m_units.emplace_back();
        FusionClass made = fusion == FusionClass::Injective && !joins ? FusionClass::Opaque : fusion;
        for (const std::size_t taken : before) {
            if (m_units[taken].fusion == FusionClass::Complex)
                made = FusionClass::Complex;
            if (taken != place)
                move(taken, place);
        }
        m_units[place].fusion = made;
        m_units[place].operators.push_back(id);
        m_unitOf[id.index()] = place;
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
                    main = !main || m_units[*main].operators.back() < m_units[unit].operators.back() ? unit : *main;
            }
        }
        if (main)
            found.push_back(*main);
        std::ranges::sort(found);
        found.erase(std::unique(found.begin(), found.end()), found.end());
        return found;
    }

    void move(std::size_t from, std::size_t to)
    {
        for (const OperatorId id : m_units[from].operators) {
            m_units[to].operators.push_back(id);
            m_unitOf[id.index()] = to;
        }
        m_units[from].operators.clear();
    }

    // The operator that computes, or the last one.
    [[nodiscard]] OperatorId mainOf(const Unit &unit) const
    {
        const auto isMain = [&](OperatorId id) { return fusionClass(m_graph.op(id)) != FusionClass::Injective; };
        const auto main = std::ranges::find_if(unit.operators, isMain);
        return main == unit.operators.end() ? unit.operators.back() : *main;
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
