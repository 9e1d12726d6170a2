#include "device/cpu/onednn/evaluated.h"
#include "device/cpu/onednn/generic_operands.h"
#include "device/cpu/onednn/no_kernel.h"
#include "operators/kernels/kernel.h"
#include "operators/parameter_values.h"
#include "operators/schema.h"
#include "operators/values/narrow_floats.h"

#include <algorithm>

namespace stagecraft::cpu {
namespace {

// One operand or output of an operator: in the arena, or a constant.
struct Port {
    TensorId tensor;
    DataType type = DataType::Float32; // in the model
    bool sizeVaries = false;
    TensorView view; // its data in the arena is known when the program runs
    std::optional<TensorValue> constant;
};

struct Evaluated {
    NodeFacts facts;
    std::string name;
    std::vector<std::optional<Port>> inputs;  // by place
    std::vector<std::optional<Port>> outputs; // by place
    std::vector<std::size_t> deciding;        // places of inputs whose values decide sizes
    std::shared_ptr<RunState> state;

    void run(std::span<float *const> pointers) const
    {
        NodeFacts node = facts;
        KernelCall call{node, {}, {}};
        std::size_t next = 0;
        const auto pointer = [&] { return reinterpret_cast<std::byte *>(pointers[next++]); };
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            auto &view = call.inputs.emplace_back();
            if (!inputs[i])
                continue;
            view = inputs[i]->constant ? inputs[i]->constant->view : inputs[i]->view;
            if (!inputs[i]->constant)
                view->data = pointer();
            if (inputs[i]->sizeVaries) {
                view->dims = state->dims(inputs[i]->tensor).value_or(view->dims);
                node.inputs[i]->shape = Shape{view->dims};
            }
        }
        for (const std::size_t place : deciding) {
            node.inputs[place]->constant =
                std::make_shared<const Constant>(constantOf(*call.inputs[place], inputs[place]->type));
        }
        const bool varies = std::ranges::any_of(outputs, [](const auto &port) { return port && port->sizeVaries; });
        std::vector<Shape> shapes;
        if (varies) {
            auto inferred = inferShapes(node);
            if (!inferred)
                return state->fail(withName(std::move(inferred.error())));
            shapes = inferred->value_or(std::vector<Shape>());
        }
        for (std::size_t i = 0; i < outputs.size(); ++i) {
            auto &view = call.outputs.emplace_back();
            if (!outputs[i])
                continue;
            view = outputs[i]->view;
            view->data = pointer();
            if (i < shapes.size() && shapes[i].known)
                view->dims = shapes[i].dims;
            if (Shape{view->dims}.elements() > Shape{outputs[i]->view.dims}.elements())
                return state->fail(withName({ErrorCode::InvalidInput,
                                             "it makes " + toString(Shape{view->dims}) + ", where at most " +
                                                 toString(Shape{outputs[i]->view.dims}) + " was expected",
                                             "export the model with fixed shapes",
                                             {}}));
        }
        if (auto done = runKernel(call); !done)
            return state->fail(withName(std::move(done.error())));
        for (std::size_t i = 0; i < outputs.size(); ++i) {
            if (!outputs[i])
                continue;
            roundTo(outputs[i]->type, call.out(i));
            if (outputs[i]->sizeVaries)
                state->setDims(outputs[i]->tensor, call.out(i).dims);
        }
    }

    [[nodiscard]] Error withName(Error error) const { return within("operator " + name, std::move(error)).value(); }
};

Port portOf(const Graph &graph, TensorId id)
{
    const Tensor &tensor = graph.tensor(id);
    return {id, tensor.type, tensor.shape.atMost, {kernelType(tensor.type), tensor.shape.dims, nullptr}, {}};
}

// The operator with its operands, and the places that its kernel reads and writes.
class Writer {
public:
    Writer(Emitter &emitter, const Operator &op) : m_emitter(emitter), m_op(op), m_graph(emitter.graph()) {}

    void write()
    {
        auto evaluated = std::make_shared<Evaluated>();
        std::vector<Shape> shapes;
        for (const auto &part : m_op.inputs) {
            for (const TensorId tensor : part)
                shapes.push_back(m_graph.tensor(tensor).shape);
        }
        evaluated->facts = nodeFacts(m_op, shapes);
        evaluated->name = m_op.name;
        evaluated->state = m_emitter.runState();
        readOperands(*evaluated);
        writeOutputs(*evaluated);
        m_emitter.host([evaluated](std::span<float *const> pointers) { evaluated->run(pointers); }, m_places);
        for (const auto &[from, to] : m_copies)
            m_emitter.copy(from, to);
    }

private:
    void readOperands(Evaluated &evaluated)
    {
        const auto operands = operandsOf(m_op);
        for (std::size_t i = 0; i < operands.size(); ++i) {
            auto &port = evaluated.inputs.emplace_back();
            if (!operands[i])
                continue;
            if (const Parameter *parameter = operands[i]->constant) {
                const Constant constant{parameter->shape.dims, parameter->type, typedValues(*parameter)};
                port = Port{{}, parameter->type, false, {}, tensorOf(constant)};
                continue;
            }
            const TensorId tensor = operands[i]->tensor;
            port = portOf(m_graph, tensor);
            const auto &known = schemaOf(m_op.type)->operands;
            if (i < known.size() && known[i].constant)
                evaluated.deciding.push_back(i);
            evaluated.facts.inputs[i]->type = port->type;
            const bool hasLayout = isForReals(m_graph.tensor(tensor));
            m_places.push_back(hasLayout ? plainOperand(m_emitter, m_op, *operands[i]) : m_emitter.place(tensor));
        }
    }

    void writeOutputs(Evaluated &evaluated)
    {
        evaluated.outputs.resize(evaluated.facts.outputCount);
        const auto *generic = std::get_if<GenericAttributes>(&m_op.attributes);
        for (std::size_t k = 0; k < m_op.outputs.size(); ++k) {
            const bool isPlaced = generic && k < generic->outputPlaces.size();
            m_order.push_back(isPlaced ? static_cast<std::size_t>(generic->outputPlaces[k]) : k);
            evaluated.outputs[m_order.back()] = portOf(m_graph, m_op.outputs[k]);
        }
        for (const auto &output : evaluated.outputs) {
            if (!output)
                continue;
            const Place &to = m_emitter.place(output->tensor);
            const Desc plain = plainDesc(to.desc.dims());
            const bool direct = !isForReals(m_graph.tensor(output->tensor)) || to.desc == plain;
            m_places.push_back(direct ? to : m_emitter.scratch(plain));
            if (!direct)
                m_copies.emplace_back(m_places.back(), to);
        }
    }

    Emitter &m_emitter;
    const Operator &m_op;
    const Graph &m_graph;
    std::vector<Place> m_places;
    std::vector<std::size_t> m_order;
    std::vector<std::pair<Place, Place>> m_copies; // to outputs in another layout
};

} // namespace

Result<void> emitEvaluated(Emitter &emitter, const Operator &op)
{
    if (!isKept(op) || !hasKernel(op.type) || !hasArithmetic(op))
        return noKernelFor(op);
    if (const auto unknown = unknownAttribute(op))
        return fail(ErrorCode::InvalidInput, "cpu does not know the attribute " + *unknown + " of " + displayType(op),
                    "use a simulated device for this model, or convert the operator away");
    Writer(emitter, op).write();
    return {};
}

} // namespace stagecraft::cpu
