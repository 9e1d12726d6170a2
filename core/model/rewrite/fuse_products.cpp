// A matrix product takes what only changes its operands and its result, element by element or their order: libraries do
// it while they read and write (cuBLASLt's epilogues and strides, oneDNN's post-ops). Products of two tensors choose
// first, so that Q, K and V, the products before them, stay plain and can be merged.

#include "model/rewrite/fused_unit.h"
#include "model/rewrite/passes.h"
#include "operators/parameter_roles.h"
#include "operators/schema.h"

#include <algorithm>
#include <vector>

namespace stagecraft {
namespace {

bool movesElements(const Operator &op)
{
    return (op.kind == OperatorKind::Reshape || op.kind == OperatorKind::Transpose) && op.inputs.size() == 1 &&
           op.outputs.size() == 1;
}

class ProductFusion {
public:
    explicit ProductFusion(GraphEdit &graph) : m_graph(graph), m_isTaken(graph.size()) {}

    void run()
    {
        for (const bool ofTensors : {true, false}) {
            for (std::size_t i = 0; i < m_graph.size(); ++i) {
                const OperatorId id = OperatorId::fromIndex(i);
                if (m_graph.isAlive(id) && !m_isTaken[i] && isProduct(id) &&
                    (m_graph.op(id).parameter(role::kWeight) == nullptr) == ofTensors)
                    take(id);
            }
        }
        // What was made last is formed last: its place is that of its last operator.
        std::ranges::sort(m_units, {}, [](const Unit &unit) { return unit.operators.back(); });
        for (const Unit &unit : m_units)
            formFusedUnit(m_graph, unit.operators, unit.product);
    }

private:
    struct Unit {
        OperatorId product;
        std::vector<OperatorId> operators; // ascending
    };

    [[nodiscard]] bool isProduct(OperatorId id) const
    {
        const Operator &op = m_graph.op(id);
        return op.kind == OperatorKind::Gemm && op.gemm() && op.outputs.size() == 1 && !m_graph.isKeptApart(id);
    }

    [[nodiscard]] bool isFree(OperatorId id) const
    {
        return id.isValid() && !m_isTaken[id.index()] && !m_graph.isKeptApart(id);
    }

    // One tensor and one number.
    [[nodiscard]] bool scales(OperatorId id) const
    {
        const Operator &op = m_graph.op(id);
        return op.kind == OperatorKind::Elementwise && (op.type == "Mul" || op.type == "Div") &&
               op.parameters.size() == 1 && op.parameters.front().shape.elements() == 1 &&
               m_graph.onlyInput(id).isValid() && keepsShape(id, m_graph.onlyInput(id));
    }

    [[nodiscard]] bool keepsShape(OperatorId id, TensorId operand) const
    {
        const Operator &op = m_graph.op(id);
        return op.outputs.size() == 1 && m_graph.tensor(operand).shape == m_graph.tensor(op.outputs.front()).shape;
    }

    // What comes element by element behind what makes `operand`: a scale, a sum with another tensor, an activation.
    [[nodiscard]] bool isEpilogue(OperatorId id, TensorId operand) const
    {
        const Operator &op = m_graph.op(id);
        const bool isActivation =
            op.activation() && op.activation()->kind != ActivationKind::Other && m_graph.onlyInput(id).isValid();
        const bool isSum = op.isSum() || (op.kind == OperatorKind::Elementwise && op.type == "Add");
        return scales(id) || isActivation || (isSum && keepsShape(id, operand));
    }

    // Before the product, from the operand on: up to the last one that costs anything. A reshape alone costs nothing.
    void takeOperand(TensorId operand, OperatorId reader, std::vector<OperatorId> &operators) const
    {
        std::vector<OperatorId> chain;
        bool moves = false;
        for (OperatorId id = m_graph.producer(operand); isFree(id) && m_graph.onlyReader(id) == reader;) {
            const Operator &op = m_graph.op(id);
            if (!movesElements(op) && !scales(id))
                break;
            moves = moves || op.kind != OperatorKind::Reshape;
            chain.push_back(id);
            reader = id;
            id = m_graph.producer(op.inputs.front().front());
        }
        if (moves)
            operators.insert(operators.end(), chain.begin(), chain.end());
    }

    // Behind the product: reshapes only where something else comes before or behind them.
    void takeResult(OperatorId product, std::vector<OperatorId> &operators) const
    {
        std::vector<OperatorId> chain;
        bool moves = false;
        std::size_t needed = 0;
        TensorId made = m_graph.op(product).outputs.front();
        for (OperatorId id = m_graph.onlyReader(product); isFree(id) && !isProduct(id); id = m_graph.onlyReader(id)) {
            const Operator &op = m_graph.op(id);
            if (!movesElements(op) && !isEpilogue(id, made))
                break;
            chain.push_back(id);
            made = op.outputs.front();
            moves = moves || op.kind == OperatorKind::Transpose;
            if (op.kind != OperatorKind::Reshape || moves)
                needed = chain.size();
        }
        operators.insert(operators.end(), chain.begin(), chain.begin() + static_cast<std::ptrdiff_t>(needed));
    }

    void take(OperatorId id)
    {
        std::vector<OperatorId> operators{id};
        for (const auto &part : m_graph.op(id).inputs)
            takeOperand(part.front(), id, operators);
        takeResult(id, operators);
        if (operators.size() == 1)
            return;
        std::ranges::sort(operators);
        operators.erase(std::unique(operators.begin(), operators.end()), operators.end());
        for (const OperatorId taken : operators)
            m_isTaken[taken.index()] = true;
        m_units.push_back({id, std::move(operators)});
    }

    GraphEdit &m_graph;
    std::vector<bool> m_isTaken; // by operator
    std::vector<Unit> m_units;
};

} // namespace

void fuseProducts(GraphEdit &graph)
{
    ProductFusion(graph).run();
}

} // namespace stagecraft
