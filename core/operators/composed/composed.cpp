#include "operators/composed/composed.h"

#include "operators/folding/product_costs.h"
#include "operators/kernels/typed.h"
#include "operators/schema.h"

namespace stagecraft::composed {
namespace {

// The steps with what is known of their results.
struct Planned {
    Steps steps;
    std::vector<NodeFacts> nodes;           // by step
    std::vector<std::vector<Shape>> shapes; // by step and output
    std::vector<std::vector<DataType>> types;
};

// Between integers and real numbers: a device with integer arithmetic does without.
bool isConversion(const std::string &type)
{
    return type == "Cast" || type.ends_with("uantizeLinear");
}

Result<Planned> planned(const NodeFacts &node)
{
    TRY_AS(auto steps, stepsOf(node));
    Planned plan{std::move(steps), {}, {}, {}};
    for (const Step &step : plan.steps.steps) {
        NodeFacts facts;
        facts.type = step.type;
        facts.attributes = step.attributes;
        facts.outputCount = step.outputs;
        for (const Source &source : step.inputs) {
            auto &input = facts.inputs.emplace_back();
            switch (source.kind) {
            case Source::Kind::Nothing: break;
            case Source::Kind::Operand:
                if (node.has(source.place))
                    input = node.inputs[source.place];
                break;
            case Source::Kind::Step:
                input = OperandFacts{TensorId::fromIndex(0), plan.shapes[source.place][source.output],
                                     plan.types[source.place][source.output], nullptr};
                break;
            case Source::Kind::Constant:
                input = OperandFacts{{}, Shape{source.constant->dims}, source.constant->type, source.constant};
                break;
            }
        }
        TRY_AS(auto shapes, inferShapes(facts));
        if (!shapes)
            return kernels::refuse("the sizes of its parts are not known");
        auto &types = plan.types.emplace_back();
        for (std::size_t i = 0; i < step.outputs; ++i)
            types.push_back(stagecraft::resultType(facts, i));
        plan.shapes.push_back(std::move(*shapes));
        plan.nodes.push_back(std::move(facts));
    }
    return plan;
}

} // namespace

std::string unknownForm(const Operator &op)
{
    const OperatorSchema *schema = schemaOf(op.type);
    return schema && schema->result == ResultType::Composed ? unknownForm(nodeFacts(op, {})) : std::string();
}

Result<std::vector<Shape>> shapes(const NodeFacts &node)
{
    if (!unknownForm(node).empty())
        return std::vector<Shape>(node.outputCount, Shape{{}, false});
    TRY_AS(const auto plan, planned(node));
    std::vector<Shape> found;
    for (const auto &result : plan.steps.results)
        found.push_back(!result                                 ? Shape{{}, false}
                        : result->kind == Source::Kind::Operand ? node.shape(result->place)
                                                                : plan.shapes[result->place][result->output]);
    return found;
}

DataType resultType(const NodeFacts &node, std::size_t output)
{
    const auto plan = planned(node);
    const DataType fallback = node.has(0) ? node.inputs[0]->type : DataType::Float32;
    if (!plan || output >= plan->steps.results.size() || !plan->steps.results[output])
        return fallback;
    const Source &result = *plan->steps.results[output];
    return result.kind == Source::Kind::Operand ? node.inputs[result.place]->type
                                                : plan->types[result.place][result.output];
}

double multiplyAdds(const NodeFacts &node, const Shape &)
{
    const auto plan = planned(node);
    double sum = 0;
    for (std::size_t i = 0; plan && i < plan->nodes.size(); ++i) {
        if (!isConversion(plan->nodes[i].type))
            sum += product_costs::ofPart(plan->nodes[i], plan->shapes[i].front());
    }
    return sum;
}

Result<void> run(KernelCall &call)
{
    TRY_AS(const auto plan, planned(call.node));
    std::vector<std::vector<TensorValue>> made;
    std::vector<TensorValue> constants;
    for (std::size_t i = 0; i < plan.nodes.size(); ++i) {
        const Step &step = plan.steps.steps[i];
        KernelCall part{plan.nodes[i], {}, {}};
        for (const Source &source : step.inputs) {
            auto &input = part.inputs.emplace_back();
            if (source.kind == Source::Kind::Operand && call.has(source.place)) {
                input = call.in(source.place);
            } else if (source.kind == Source::Kind::Step) {
                input = made[source.place][source.output].view;
            } else if (source.kind == Source::Kind::Constant) {
                constants.push_back(tensorOf(*source.constant));
                input = constants.back().view;
            }
        }
        auto &results = made.emplace_back();
        for (std::size_t k = 0; k < step.outputs; ++k) {
            if (!plan.shapes[i][k].known)
                return kernels::refuse("the sizes of its parts are not known");
            results.push_back(newTensor(kernelType(plan.types[i][k]), plan.shapes[i][k].dims));
            part.outputs.emplace_back(results.back().view);
        }
        if (auto done = runKernel(part); !done)
            return done;
    }
    for (std::size_t i = 0; i < call.outputs.size(); ++i) {
        if (!call.wants(i))
            continue;
        if (i >= plan.steps.results.size() || !plan.steps.results[i])
            return kernels::refuse("its output " + std::to_string(i + 1) + " is not computed");
        const Source &result = *plan.steps.results[i];
        const TensorView &from =
            result.kind == Source::Kind::Operand ? call.in(result.place) : made[result.place][result.output].view;
        std::copy_n(from.data, from.size() * sizeBytes(from.type), call.out(i).data);
    }
    return {};
}

} // namespace stagecraft::composed
