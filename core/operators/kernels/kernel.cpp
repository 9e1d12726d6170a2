#include "operators/kernels/kernel.h"

#include "operators/kernels/typed.h"
#include "operators/schema.h"
#include "operators/values/narrow_floats.h"

#include <fmt/format.h>

namespace stagecraft {
namespace {

using kernels::forAny;
using kernels::numberAs;
using kernels::refuse;

constexpr std::int64_t kMaxBytes = std::int64_t{1} << 32; // of a result that is folded

// The tensors of a node whose operands are constants.
struct Evaluation {
    std::vector<TensorValue> inputs;
    std::vector<TensorValue> outputs;
};

bool isNeeded(const OperatorSchema &schema, std::size_t place)
{
    const std::size_t last = schema.operands.size() - 1;
    const OperandSchema::Need need = schema.operands[std::min(place, last)].need;
    // What the subgraphs of an operator read may be left out: they say so themselves.
    return place <= last ? need != OperandSchema::Need::Optional
                         : need == OperandSchema::Need::Several && !schema.hasSubgraphs;
}

Result<void> checkOperands(const KernelCall &call, const OperatorSchema &schema)
{
    for (std::size_t i = 0; i < std::max(schema.operands.size(), call.inputs.size()) && !schema.operands.empty(); ++i) {
        if (!call.has(i) && isNeeded(schema, i))
            return refuse(i < schema.operands.size() ? fmt::format("its operand {} is missing", schema.operands[i].name)
                                                     : "one of its operands is left out");
    }
    return {};
}

// The node as it runs: with the shapes that are there, and the values of operands that decide sizes.
NodeFacts withWhatIsThere(const KernelCall &call, const OperatorSchema &schema)
{
    NodeFacts node = call.node;
    node.inputs.resize(std::max(node.inputs.size(), call.inputs.size()));
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
        auto &input = node.inputs[i];
        if (!call.has(i)) {
            input.reset();
            continue;
        }
        if (!input)
            input = OperandFacts{{}, {}, call.in(i).type, nullptr, nullptr};
        input->shape = Shape{call.in(i).dims};
        if (i < schema.operands.size() && schema.operands[i].constant && !input->constant)
            input->constant = std::make_shared<const Constant>(constantOf(call.in(i), input->type));
    }
    return node;
}

// A file may declare sizes that its operands do not have when they are there.
Result<void> checkOutputs(const KernelCall &call, const NodeFacts &node)
{
    TRY_AS(const auto shapes, inferShapes(node));
    for (std::size_t i = 0; i < call.outputs.size(); ++i) {
        if (!call.wants(i))
            continue;
        if (!shapes || i >= shapes->size() || !(*shapes)[i].known)
            return refuse("the sizes of its outputs are not known");
        const TensorView &to = *call.outputs[i];
        if ((*shapes)[i].dims != to.dims)
            return refuse(fmt::format("it makes {}, where {} was expected", toString(Shape{(*shapes)[i].dims}),
                                      toString(Shape{to.dims})));
        if (kernelType(resultType(node, i)) != to.type)
            return refuse(
                fmt::format("it makes {}, where {} was expected", toString(resultType(node, i)), toString(to.type)));
    }
    return {};
}

} // namespace

std::int64_t TensorView::size() const
{
    return kernels::productOf(dims);
}

DataType kernelType(DataType type)
{
    return isNarrowFloat(type) ? DataType::Float32 : type;
}

TensorValue newTensor(DataType type, std::vector<std::int64_t> dims)
{
    const auto bytes = static_cast<std::size_t>(kernels::productOf(dims) * sizeBytes(type));
    auto memory = std::make_shared<std::vector<std::byte>>(std::max<std::size_t>(bytes, 1));
    return {{type, std::move(dims), memory->data()}, memory};
}

TensorValue tensorOf(const Constant &constant)
{
    TensorValue tensor = newTensor(kernelType(constant.type), constant.dims);
    forAny(tensor.view.type, [&]<typename T>() {
        const auto fill = [&](const auto &values) {
            for (std::size_t i = 0; i < values.size(); ++i) {
                using Item = std::remove_cvref_t<decltype(values[i])>;
                if constexpr (std::is_same_v<Item, Truth>)
                    tensor.view.as<T>()[i] = numberAs<T>(values[i].isTrue);
                else if constexpr (std::is_same_v<Item, Half>)
                    tensor.view.as<T>()[i] = numberAs<T>(static_cast<float>(values[i]));
                else
                    tensor.view.as<T>()[i] = numberAs<T>(values[i]);
            }
        };
        std::visit(fill, *constant.values);
    });
    return tensor;
}

Constant constantOf(const TensorView &tensor, DataType type)
{
    Constant constant{tensor.dims, type, nullptr, elementTypeOf(type)};
    forAny(tensor.type, [&]<typename T>() {
        const auto values = tensor.as<T>();
        if constexpr (std::is_same_v<T, bool>) {
            std::vector<Truth> truths;
            for (const bool value : values)
                truths.push_back({value});
            constant.values = shared(std::move(truths));
        } else if constexpr (std::is_floating_point_v<T>) {
            constant.values = shared(std::vector<T>(values.begin(), values.end()));
        } else {
            constant.values = shared(std::vector<std::int64_t>(values.begin(), values.end()));
        }
    });
    return constant;
}

bool hasKernel(std::string_view type)
{
    const OperatorSchema *schema = schemaOf(type);
    return schema && schema->kernel;
}

void roundTo(DataType type, const TensorView &tensor)
{
    if (!isNarrowFloat(type) || tensor.type != DataType::Float32)
        return;
    for (float &value : tensor.as<float>())
        value = roundedTo(type, value);
}

void convertValues(const TensorView &from, const TensorView &to)
{
    forAny(to.type, [&]<typename To>() {
        forAny(from.type, [&]<typename From>() {
            std::ranges::transform(from.as<From>(), to.as<To>().begin(), [](From x) { return numberAs<To>(x); });
        });
    });
}

Result<void> runKernel(KernelCall &call)
{
    const OperatorSchema *schema = schemaOf(call.node.type);
    if (!schema || !schema->kernel)
        return refuse("there is no kernel of " + call.node.type);
    if (auto whole = checkOperands(call, *schema); !whole)
        return whole;
    if (schema->hasSubgraphs) // what is in them is checked when it runs
        return schema->kernel(call);
    const NodeFacts node = withWhatIsThere(call, *schema);
    KernelCall checked{node, call.inputs, call.outputs};
    // Kernels write their first output, also where only others are wanted.
    TensorValue unwanted;
    if (!call.wants(0) && schema->outputs != 0) {
        auto shapes = inferShapes(node);
        const bool isKnown = shapes && *shapes && (**shapes)[0].known;
        if (!isKnown)
            return refuse("the sizes of its outputs are not known");
        if (*elementCount((**shapes)[0].dims) * sizeBytes(resultType(node, 0)) > kMaxBytes)
            return refuse("its outputs are absurdly large");
        unwanted = newTensor(kernelType(resultType(node, 0)), (**shapes)[0].dims);
        checked.outputs.resize(std::max<std::size_t>(1, checked.outputs.size()));
        checked.outputs[0] = unwanted.view;
    }
    if (auto fits = checkOutputs(checked, node); !fits)
        return fits;
    if (auto done = schema->kernel(checked); !done)
        return done;
    for (std::size_t i = 0; i < call.outputs.size(); ++i) {
        if (call.wants(i))
            call.out(i).dims = checked.out(i).dims; // where values decide them
    }
    return {};
}

Result<std::vector<Constant>> evaluate(const NodeFacts &node)
{
    TRY_AS(const auto shapes, inferShapes(node));
    Evaluation values;
    KernelCall call{node, {}, {}};
    for (const auto &input : node.inputs) {
        if (!input) {
            call.inputs.emplace_back();
            continue;
        }
        if (!input->constant || input->constant->type == DataType::Other)
            return refuse("its operands are not all constants of types that are evaluated");
        values.inputs.push_back(tensorOf(*input->constant));
        call.inputs.emplace_back(values.inputs.back().view);
    }
    for (std::size_t i = 0; i < node.outputCount; ++i) {
        if (!shapes || !(*shapes)[i].known)
            return refuse("the sizes of its outputs are not known");
        const DataType type = kernelType(resultType(node, i));
        const auto count = elementCount((*shapes)[i].dims);
        if (type == DataType::Other || !count || *count * sizeBytes(type) > kMaxBytes)
            return refuse("its outputs are not evaluated");
        values.outputs.push_back(newTensor(type, (*shapes)[i].dims));
        call.outputs.emplace_back(values.outputs.back().view);
    }
    TRY(runKernel(call));
    std::vector<Constant> constants;
    for (std::size_t i = 0; i < call.outputs.size(); ++i) {
        const DataType type = resultType(node, i);
        roundTo(type, call.out(i));
        constants.push_back(constantOf(call.out(i), type));
    }
    return constants;
}

} // namespace stagecraft
