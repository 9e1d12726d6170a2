#include "graph/graph.h"
#include "operators/parameter_roles.h"
#include "operators/schema.h"

#include <algorithm>

namespace stagecraft {
namespace {

// Operators without a shape rule keep their shapes, except for a leading dimension that was the batch.
Result<std::vector<Tensor>> withLeadingBatch(const Graph &graph, const Operator &op, std::int64_t batch)
{
    std::vector<Tensor> outputs;
    for (const TensorId id : op.outputs) {
        Tensor output = graph.tensor(id);
        if (output.shape.known) {
            if (output.shape.batch() != graph.batch())
                return within("operator " + op.name,
                              Error{ErrorCode::InvalidInput,
                                    "the batch size is baked into its output shape " + toString(output.shape),
                                    "Export the model with the batch size you want",
                                    {}});
            if (!output.shape.dims.empty())
                output.shape.dims[0] = batch;
        }
        outputs.push_back(std::move(output));
    }
    return outputs;
}

// Constant target shapes that begin with the batch.
void adoptBatch(const Graph &graph, Operator &op, std::int64_t batch)
{
    const OperatorSchema *schema = schemaOf(op.type);
    if (!schema || op.inputs.empty() || graph.tensor(op.inputs.front().front()).shape.batch() != graph.batch())
        return;
    for (std::size_t place = 0; place < schema->operands.size(); ++place) {
        const std::string_view name = schema->operands[place].name;
        const auto target = std::ranges::find(op.parameters, role::operand(place), &Parameter::role);
        if ((name != "shape" && name != "sizes") || target == op.parameters.end() || !target->values)
            continue;
        std::vector<std::int64_t> dims = integersOf(*target->values);
        if (dims.empty() || dims.front() != graph.batch())
            continue;
        dims.front() = batch;
        target->values = shared(std::move(dims));
    }
}

// By the rules of the schema; empty where those do not tell all shapes.
std::optional<std::vector<Tensor>> inferred(const Graph &graph, const Operator &original, const Operator &op,
                                            std::span<const Shape> operandShapes)
{
    if (op.kind == OperatorKind::Unknown || operandShapes.empty())
        return std::nullopt;
    const auto shapes = inferShapes(op, operandShapes);
    const bool isComplete = shapes && shapes->size() == original.outputs.size() &&
                            std::ranges::all_of(*shapes, [](const Shape &shape) { return shape.known; });
    if (!isComplete)
        return std::nullopt;
    std::vector<Tensor> outputs;
    for (std::size_t i = 0; i < original.outputs.size(); ++i) {
        outputs.push_back(graph.tensor(original.outputs[i]));
        if (!outputs.back().shape.known)
            return std::nullopt;
        outputs.back().shape = (*shapes)[i];
    }
    return outputs;
}

} // namespace

Result<Graph> withBatch(const Graph &graph, std::int64_t batch)
{
    if (batch < 1)
        return fail(ErrorCode::WrongUse, "a batch of " + std::to_string(batch) + " makes no sense",
                    "Choose a batch size of at least 1");
    GraphBuilder builder(graph.name());
    std::vector<TensorId> moved(graph.tensors().size());
    for (const TensorId id : graph.inputs()) {
        Tensor input = graph.tensor(id);
        if (!input.shape.dims.empty() && input.shape.batch() == graph.batch())
            input.shape.dims[0] = batch;
        auto added = builder.addInput(input.name, input.shape, input.type);
        if (!added)
            return tl::unexpected(std::move(added.error()));
        moved[id.index()] = *added;
    }
    for (const Operator &original : graph.operators()) {
        Operator op = original;
        adoptBatch(graph, op, batch);
        std::vector<Shape> shapes;
        for (auto &part : op.inputs) {
            for (TensorId &input : part) {
                input = moved[input.index()];
                shapes.push_back(builder.tensor(input).shape);
            }
        }
        Result<std::vector<Tensor>> outputs = std::vector<Tensor>();
        if (auto known = inferred(graph, original, op, shapes))
            outputs = std::move(*known);
        else
            outputs = withLeadingBatch(graph, original, batch);
        if (!outputs)
            return tl::unexpected(std::move(outputs.error()));
        auto added = builder.add(std::move(op), std::move(*outputs));
        if (!added)
            return tl::unexpected(std::move(added.error()));
        for (std::size_t i = 0; i < added->size(); ++i)
            moved[original.outputs[i].index()] = (*added)[i];
    }
    std::vector<TensorId> outputs;
    for (const TensorId id : graph.outputs())
        outputs.push_back(moved[id.index()]);
    return builder.build(std::move(outputs));
}

} // namespace stagecraft
