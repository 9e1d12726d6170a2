#include "operators/kernels/kernel.h"

#include "operators/kernels/typed.h"
#include "operators/narrow_floats.h"
#include "operators/schema.h"

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
    for (std::size_t i = 0; i < schema->operands.size(); ++i) {
        if (schema->operands[i].need != OperandSchema::Need::Optional && !call.has(i))
            return refuse("its operand " + std::string(schema->operands[i].name) + " is missing");
    }
    // Kernels write their first output, also where only others are wanted.
    TensorValue unwanted;
    if (!call.wants(0) && schema->outputs != 0) {
        auto shapes = inferShapes(call.node);
        if (!shapes || !*shapes || !(**shapes)[0].known)
            return refuse("the sizes of its outputs are not known");
        unwanted = newTensor(kernelType(resultType(call.node, 0)), (**shapes)[0].dims);
        call.outputs[0] = unwanted.view;
    }
    return schema->kernel(call);
}

Result<std::vector<Constant>> evaluate(const NodeFacts &node)
{
    const auto shapes = inferShapes(node);
    if (!shapes)
        return tl::unexpected(shapes.error());
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
        if (!*shapes || !(**shapes)[i].known)
            return refuse("the sizes of its outputs are not known");
        const DataType type = kernelType(resultType(node, i));
        const auto count = elementCount((**shapes)[i].dims);
        if (type == DataType::Other || !count || *count * sizeBytes(type) > kMaxBytes)
            return refuse("its outputs are not evaluated");
        values.outputs.push_back(newTensor(type, (**shapes)[i].dims));
        call.outputs.emplace_back(values.outputs.back().view);
    }
    if (const auto done = runKernel(call); !done)
        return tl::unexpected(done.error());
    std::vector<Constant> constants;
    for (std::size_t i = 0; i < call.outputs.size(); ++i) {
        const DataType type = resultType(node, i);
        roundTo(type, call.out(i));
        constants.push_back(constantOf(call.out(i), type));
    }
    return constants;
}

} // namespace stagecraft
